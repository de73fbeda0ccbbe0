"""The tutorials do what they say: in the browser, and by their commands."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.live_server import LiveServer
from tests.servers import ROOT

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
