"""The tutorials and the program of a first engine do what they say."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.e2e.scenes import ok
from tests.live_server import LiveServer
from tests.servers import ROOT, wait_until

ENGINE = Path(ROOT) / "docs" / "how-to" / "write-an-engine.md"
TUTORIAL = Path(ROOT) / "docs" / "tutorial" / "rest.md"


def test_every_command_of_the_tutorial_works(
    server: LiveServer, token: str, api: httpx.Client
) -> None:
    if shutil.which("curl") is None:
        pytest.fail("curl is not installed: apt-get install curl")
    blocks = re.findall(r"^```sh\n(.*?)^```", TUTORIAL.read_text(), re.MULTILINE | re.DOTALL)
    script = "set -eu\n" + "\n".join(blocks)
    ran = subprocess.run(
        ["bash", "-c", script],
        env=os.environ | {"CTXADMIN": server.url, "TOKEN": token},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    snapshot = api.get("conversations/tour/snapshot").json()
    assert snapshot["status"] == "COMPLETED"
    assert snapshot["state_data"]["fact.seat"] == 62
    forked = api.get("conversations/tour-again/snapshot").json()
    assert (forked["status"], forked["version"]) == ("PAUSED", 1)


def test_the_first_engine_of_the_how_to_ends_after_the_approval(
    server: LiveServer, api: httpx.Client, tmp_path: Path
) -> None:
    [program] = re.findall(r"^```python\n# engine\.py\n(.*?)^```", ENGINE.read_text(), re.M | re.S)
    (tmp_path / "engine.py").write_text(program)
    given = os.environ | {"CTXADMIN": server.url, "TOKEN": server.token("engine")}
    command = [sys.executable, str(tmp_path / "engine.py"), "first-run"]
    ran = subprocess.Popen(command, env=given, stdout=subprocess.PIPE, text=True)
    try:
        snapshot = "conversations/first-run/snapshot"
        wait_until(lambda: api.get(snapshot).json().get("status") == "PAUSED", 60)
        edited = {"node_id": "review", "state_data": {"draft_output": "On Friday."}}
        ok(api.patch(snapshot, json=edited | {"expected_version": 7}))
        ok(api.post("conversations/first-run/approve", json={}))
        printed, _errors = ran.communicate(timeout=60)
    finally:
        ran.kill()
    assert printed.splitlines()[-4:] == [
        "sent: On Friday.",
        "send: RUNNING",
        "end: COMPLETED",
        "COMPLETED",
    ]
