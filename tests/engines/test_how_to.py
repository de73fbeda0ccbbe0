"""The how-tos of engines, followed in an empty folder with the client as it is built."""

import json
import os
import re
import shutil
import subprocess
import threading
import tomllib
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from ctxadmin_client import Client

from tests.engines.conftest import PROGRAMS, engine_command
from tests.live_server import LiveServer
from tests.servers import ROOT

PACKAGE = ROOT / "sdk" / "python"
PAGES = [*(ROOT / "docs").rglob("*.md"), PACKAGE / "README.md"]
INSTALL = re.compile(r"pip install \"?(\./sdk/python)(?:\[([a-z,-]+)\])?")
HISTORIES = (ROOT / "docs" / "how-to" / "openai-agents.md").read_text()
MCP = (ROOT / "docs" / "how-to" / "mcp.md").read_text()


class Responses(BaseHTTPRequestHandler):
    """A model with OpenAI's Responses API, which says how many items it got."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = {"type": "output_text", "text": f"{len(asked['input'])} items", "annotations": []}
        message = {"type": "message", "id": "m1", "role": "assistant", "status": "completed"}
        answer = {"id": "r1", "object": "response", "created_at": 0, "model": "m", "tools": []}
        data = json.dumps({**answer, "output": [{**message, "content": [text]}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Responses) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The modules that the package has once it is built, with nothing else from the sources."""
    folder = tmp_path_factory.mktemp("installed")
    source = folder / "python"
    shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    build = "from setuptools import setup; setup()"
    command = [engine_command("")[0], "-W", "ignore", "-c", build, "-q", "build_py", "-d"]
    ran = subprocess.run(
        [*command, str(folder / "packages")],
        cwd=source,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-4_000:]
    return folder / "packages"


@pytest.fixture
def follow(installed: Path, server: LiveServer, model: str, tmp_path: Path) -> Callable[..., str]:
    """Runs a program in an empty folder; what it prints."""
    given = {"CTXADMIN": server.url, "TOKEN": server.token("engine"), "MODEL": "test"}
    openai = {"OPENAI_BASE_URL": model, "OPENAI_API_KEY": "k", "OPENAI_AGENTS_DISABLE_TRACING": "1"}
    environment = {**os.environ, **given, **openai, "PYTHONPATH": str(installed)}

    def run(program: Path, *arguments: str) -> str:
        ran = subprocess.run(
            [*engine_command("")[:1], str(program), *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr[-4_000:]
        return ran.stdout.strip()

    return run


@pytest.mark.parametrize(
    ("program", "answers"),
    [
        ("agents_chat", ["1 items", "3 items"]),
        ("langchain_chat", ["1 messages", "3 messages"]),
        ("pydantic_chat", ["success (no tool calls)"] * 2),
    ],
)
def test_a_chat_of_the_how_to_keeps_its_messages(
    program: str, answers: list[str], follow: Callable[..., str], server: LiveServer, tmp_path: Path
) -> None:
    [text] = re.findall(rf"^```python\n# {program}\.py\n(.*?)^```", HISTORIES, re.M | re.S)
    (tmp_path / f"{program}.py").write_text(text)
    name = program.replace("_", "-")
    for question, answer in zip(("Where is it?", "And now?"), answers, strict=True):
        assert follow(Path(f"{program}.py"), name, question) == answer
    with Client(server.url, server.token("engine")) as client:
        kept = list(client.conversation(name).messages())
    assert [each["role"] for each in kept] == ["user", "assistant"] * 2


def test_the_mcp_server_starts_with_the_settings_of_the_how_to(
    follow: Callable[..., str], server: LiveServer
) -> None:
    with Client(server.url, server.token("engine")) as client:
        client.create(title="Parcel 7")
    [block] = re.findall(r"^```json\n(.*?)^```", MCP, re.M | re.S)
    settings = json.loads(block)["mcpServers"]["ctxadmin"]
    assert settings["command"] == "python"
    settings["command"] = engine_command("")[0]
    settings["env"] = {"CTXADMIN_URL": server.url, "CTXADMIN_TOKEN": server.token("engine")}
    tools, title = json.loads(follow(PROGRAMS / "mcp_stdio.py", json.dumps(settings)))
    assert title == "Parcel 7"
    table = "".join(line.split("|")[1] for line in MCP.splitlines() if line.startswith("| `"))
    assert sorted(re.findall(r"`(\w+)`", table)) == tools


def test_every_line_that_installs_the_client_names_what_it_has() -> None:
    extras = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    known = {"", *extras["optional-dependencies"]}
    lines = [found.groups() for page in PAGES for found in INSTALL.finditer(page.read_text())]
    assert {extra or "" for _, extra in lines} <= known
    assert len(lines) > 5
    assert all((ROOT / where / "pyproject.toml").exists() for where, _ in lines)
    bare = [page.name for page in PAGES if "pip install ctxadmin" in page.read_text()]
    assert bare == []  # it is not on a registry
