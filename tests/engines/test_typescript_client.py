"""The TypeScript client, built with the types of the contract as it is, against a real server."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from ctxadmin_client import Client
from ctxadmin_client.calls import Call
from ctxadmin_client.steps import checkpoint_id

from scripts import check_clients
from tests.engines.conftest import PROGRAMS
from tests.live_server import LiveServer
from tests.openapi import contract
from tests.servers import Missing

ONE_AFTER_THE_OTHER = {
    "name": "Three nodes",
    "nodes": [
        {"id": "start", "type": "start"},
        {"id": "draft", "type": "llm"},
        {"id": "send", "type": "llm"},
    ],
    "edges": [
        {"id": "e1", "type": "sequence", "from": "start", "to": "draft"},
        {"id": "e2", "type": "sequence", "from": "draft", "to": "send"},
    ],
}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built client, with the program of its README as one of its modules."""
    if shutil.which("node") is None or not check_clients.installed_types():
        raise Missing("npm is not installed: apt-get install nodejs npm")
    folder = tmp_path_factory.mktemp("typescript")
    document = folder / "openapi.json"
    document.write_text(json.dumps(contract()))
    readme = (check_clients.TYPESCRIPT / "README.md").read_text()
    (program,) = re.findall(r"^```typescript\n(.*?)^```", readme, re.M | re.S)
    check_clients.typescript_client(document, folder, {"readme.ts": program})
    return folder


@pytest.fixture(scope="module")
def token(server: LiveServer) -> str:
    """Of a workspace with two workflows, ``three`` and ``support``."""
    token = server.token("engine", "review", "design")
    with Client(server.url, token) as client:
        for slug in ("three", "support"):
            send, where = client.transport.send, f"/workflows/{slug}"
            send(Call("POST", "/workflows", body={"slug": slug, "name": "Three nodes"}))
            draft = {"document": ONE_AFTER_THE_OTHER, "expected_version": 0}
            version = send(Call("PUT", f"{where}/draft", body=draft))["draft_version"]
            send(Call("POST", f"{where}/publish", body={"expected_version": version}))
    return token


def node(*arguments: str, **environment: str) -> str:
    ended = subprocess.run(
        ["node", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, (ended.stdout + ended.stderr)[-8_000:]
    return ended.stdout


def test_the_client_alone_repeats_reads_streams_and_names_errors(package: Path) -> None:
    tests = check_clients.TYPESCRIPT / "test"
    dist = f"{(package / 'dist').as_uri()}/"
    long_id = checkpoint_id("0123456789abcdef", "n" * 80, 12)
    node("--test", str(tests), CTXADMIN_CLIENT=dist, LONG_ID=long_id)


def test_the_client_works_against_a_server(package: Path, server: LiveServer, token: str) -> None:
    index = (package / "dist" / "index.js").as_uri()
    node(str(PROGRAMS / "typescript_client.mjs"), index, server.url, token)


def test_the_program_of_its_readme_runs_an_execution_to_its_end(
    package: Path, server: LiveServer, token: str
) -> None:
    readme = (package / "dist" / "readme.js").as_uri()
    model = "async (messages) => `${messages.length} seen`"
    run = f"(await import({readme!r})).answer({server.url!r}, {token!r}, {model})"
    ran = node("--input-type=module", "-e", f"console.log(await {run}); console.log(await {run})")
    assert ran.split() == ["COMPLETED", "COMPLETED"]
    with Client(server.url, token) as client:
        said = [each["content"] for each in client.conversation("support-42").messages()]
    assert said == ["Where is my parcel?", "1 seen", "2 seen"]
