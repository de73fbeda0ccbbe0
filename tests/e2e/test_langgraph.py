"""A graph and people in a browser: the programs of the tutorial, from a folder of their own."""

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.scenes import go, ok
from tests.engines.conftest import engine_command, engine_environment
from tests.live_server import LiveServer
from tests.servers import ROOT

TUTORIAL = ROOT / "docs" / "tutorial" / "langgraph.md"
Ask = Callable[[], str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the programs of the tutorial, and nothing else."""
    place = tmp_path_factory.mktemp("graph")
    blocks = re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```", TUTORIAL.read_text(), re.M | re.S)
    assert [name for name, _ in blocks] == ["graph.py", "ask.py", "worker.py"]
    for name, text in blocks:
        (place / name).write_text(text)
    return place


@pytest.fixture(scope="module")
def environment(server: LiveServer) -> dict[str, str]:
    token = server.token("engine", "review", "design", "admin")
    return {**engine_environment(), "CTXADMIN": server.url, "TOKEN": token}


@pytest.fixture(scope="module")
def python() -> str:
    return engine_command("")[0]


@pytest.fixture(scope="module")
def ask(folder: Path, environment: dict[str, str], python: str) -> Ask:
    """Ask the graph in a new thread; its name."""

    def run() -> str:
        thread = f"parcel-{uuid4().hex[:8]}"
        said = subprocess.run(
            [python, "ask.py", thread],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert said.stdout == "Send this answer?\n", said.stderr[-4_000:]
        return thread

    return run


@pytest.fixture(scope="module")
def worker(folder: Path, environment: dict[str, str], python: str) -> Iterator[None]:
    started = subprocess.Popen([python, "worker.py"], cwd=folder, env=environment)
    yield
    started.kill()
    started.wait()


def ended(api: httpx.Client, thread: str) -> list[str]:
    """The contents of the messages when the execution has completed."""
    query = {"status": "COMPLETED", "timeout": "30"}
    ok(api.get(f"conversations/{thread}/wait", params=query))
    snapshot = ok(api.get(f"conversations/{thread}/snapshot"))
    assert snapshot["status"] == "COMPLETED"
    return [each["content"] for each in snapshot["state_data"]["messages"]]


@pytest.mark.usefixtures("worker")
def test_a_graph_sends_the_draft_that_a_person_corrected_and_approved(
    reviewer_page: Page, api: httpx.Client, ask: Ask
) -> None:
    thread = ask()
    page = go(reviewer_page, f"/executions/{thread}/")
    expect(page.get_by_text("Send this answer?").first).to_be_visible()
    expect(page.get_by_text("Your parcel is in Lyon.").first).to_be_visible()
    page.get_by_role("link", name="Edit the state").first.click()
    page.get_by_label("draft", exact=True).fill("Your parcel is in Paris.")
    page.get_by_role("button", name="Review changes").click()
    page.get_by_role("button", name="Approve with these changes").click()
    assert ended(api, thread) == ["Where is my parcel?", "Your parcel is in Paris."]
    page.goto(f"/conversations/{thread}/")
    expect(page.get_by_text("Your parcel is in Paris.", exact=True)).to_be_visible()


@pytest.mark.usefixtures("worker")
def test_a_graph_hears_the_reason_of_a_rejection(
    reviewer_page: Page, api: httpx.Client, ask: Ask
) -> None:
    thread = ask()
    page = go(reviewer_page, f"/executions/{thread}/")
    page.get_by_label("Reason").fill("The tracking is wrong.")
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_text("Rejected.").first).to_be_visible()
    said = "A colleague will call you: The tracking is wrong."
    assert ended(api, thread) == ["Where is my parcel?", said]


@pytest.mark.usefixtures("worker")
def test_a_version_that_a_person_restored_is_where_the_graph_continues(
    reviewer_page: Page, api: httpx.Client, ask: Ask
) -> None:
    thread = ask()
    listed = ok(api.get(f"conversations/{thread}/checkpoints"))["results"]
    first = next(each["version"] for each in listed if each["node_id"] == "input")
    page = reviewer_page
    page.goto(f"/executions/{thread}/versions/{first}/")
    page.get_by_role("link", name="Restore").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Reason").fill("from the start")
    dialog.get_by_role("button", name="Restore").click()
    expect(page.get_by_text("as version 5")).to_be_visible()
    assert "draft" not in ok(api.get(f"conversations/{thread}/snapshot"))["state_data"]
    page.goto(f"/executions/{thread}/")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("Approved.")).to_be_visible()
    query = {"status": "PAUSED", "timeout": "30"}
    ok(api.get(f"conversations/{thread}/wait", params=query))
    state = ok(api.get(f"conversations/{thread}/snapshot"))["state_data"]
    assert state["interrupt"]["draft"] == state["draft"] == "Your parcel is in Lyon."
