"""The plain loops of the how-to, run from an empty folder against models that are none."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.live_server import LiveServer
from tests.servers import ROOT

PAGE = ROOT / "docs" / "how-to" / "plain-loop.md"


class Model(BaseHTTPRequestHandler):
    """Calls the tool for a question, and tells what it found and how many messages it got."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        of_openai = self.path.endswith("/chat/completions")
        answer = (_openai if of_openai else _anthropic)(asked["messages"])
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


def _openai(messages: list[Any]) -> dict[str, Any]:
    last = messages[-1]
    message = {"role": "assistant", "content": f"{len(messages)}: {last['content']}"}
    if last["role"] == "user":
        function = {"name": "find_parcel", "arguments": '{"id": "p-1"}'}
        call = {"id": f"c{len(messages)}", "type": "function", "function": function}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}  # type: ignore[dict-item]
    return {"choices": [{"message": message}]}


def _anthropic(messages: list[Any]) -> dict[str, Any]:
    content = messages[-1]["content"]
    results = [part for part in content if part["type"] == "tool_result"]
    if not results:
        call = {"type": "tool_use", "id": f"t{len(messages)}", "name": "find_parcel"}
        return {"content": [{**call, "input": {"id": "p-1"}}]}
    found = results[0]["content"]
    text = found if isinstance(found, str) else found[0]["text"]
    return {"content": [{"type": "text", "text": f"{len(messages)}: {text}"}]}


def programs() -> dict[str, str]:
    """The programs of the page, by the names of their files."""
    return dict(re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```", PAGE.read_text(), re.M | re.S))


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Model) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_loop_keeps_what_a_model_and_its_tools_said(
    provider: str, model: str, server: LiveServer, tmp_path: Path
) -> None:
    (tmp_path / "loop.py").write_text(programs()[f"{provider}_loop.py"])
    token = server.token("engine")
    given = {"BASE_URL": model, "API_KEY": "k", "MODEL": "m", "TOKEN": token}
    environment = {**os.environ, **given, "CTXADMIN": server.url}
    environment["PYTHONPATH"] = str(ROOT / "sdk/python/src")
    said = []
    for turn, question in [("t1", "Where is it?"), ("t1", "Where is it?"), ("t2", "And now?")]:
        command = [sys.executable, "loop.py", f"loop-{provider}", turn, question]
        ran = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stderr[-2_000:]
        said.append(ran.stdout.strip())
    assert said == ["3: p-1 is in Lyon", "3: p-1 is in Lyon", "7: p-1 is in Lyon"]
    headers = {"Authorization": f"Bearer {token}"}
    where = f"{server.url}/api/v1/conversations/loop-{provider}/messages"
    listed = httpx.get(where, headers=headers, timeout=60).json()["results"]
    assert [each["role"] for each in listed] == ["user", "assistant", "tool", "assistant"] * 2
