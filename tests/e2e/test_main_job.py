"""The main job from end to end: import, filter, run, look, roll back, edit, resume."""

import json
from pathlib import Path
from uuid import uuid4

import httpx
from playwright.sync_api import Page, expect

from demo.engine import Engine
from tests.e2e.conftest import OpenPage
from tests.live_server import LiveServer

FLOW = """
name: Bookings
nodes:
  - id: ask
    type: llm
    context_type: pass_through
    context_filter:
      rules:
        - type: exclude
          pattern: tool
          target: messages
      default_behavior: pass
      messages:
        - operation: truncate
          truncate: {keep_last: 3}
          pairing: drop
  - id: shorten
    type: context_processor
    config:
      operation: truncate
      truncate: {keep_first: 1, keep_last: 2}
      pairing: keep
  - id: check
    type: human_relay
    config: {pause: before, pause_reason: Is the price right?}
  - id: answer
    type: llm
    context_type: filter_in
    context_filter:
      rules:
        - {type: include, pattern: "fact.*"}
      default_behavior: block
edges:
  - {id: asked, from: ask, to: shorten, type: sequence}
  - {id: shortened, from: shorten, to: check, type: sequence}
  - id: checked
    from: check
    to: answer
    type: sequence
    context_filter: {type: selective, exclude_patterns: ["note.*"]}
"""
CHAT = [
    {"role": "system", "content": "You book trains."},
    {"role": "user", "content": "To Hamburg, please."},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "find", "arguments": "{}"}}
        ],
    },
    {"role": "tool", "tool_call_id": "c", "content": '{"train": "ICE 506"}'},
    {"role": "assistant", "content": "ICE 506 at 08:04?"},
    {"role": "user", "content": "Yes."},
]


def complete(api: httpx.Client, name: str, node: str, **more: object) -> dict[str, object]:
    body = {"checkpoint_id": f"{node}-1", "result": {"output": f"{node} done"}, **more}
    answer = api.post(f"conversations/{name}/nodes/{node}/complete", json=body)
    assert answer.status_code == 201, answer.text
    result: dict[str, object] = answer.json()
    return result


def test_the_whole_main_job(open_page: OpenPage, api: httpx.Client, tmp_path: Path) -> None:
    name = f"main-job-{uuid4().hex[:8]}"
    admin, designer, reviewer = open_page("admin"), open_page("designer"), open_page("reviewer")

    # Import a real conversation in the browser.
    file = tmp_path / "chat.json"
    file.write_text(json.dumps({"id": name, "title": "Main job", "messages": CHAT}))
    admin.goto("/conversations/import/")
    admin.get_by_label("File").set_input_files(file)
    admin.get_by_role("button", name="Import").click()
    expect(admin.locator("article.message")).to_have_count(6)

    # A workflow with filters, published by its designer after a preview.
    assert api.post(
        f"workflows/import?slug={name}", content=FLOW, headers={"Content-Type": "text/yaml"}
    ).status_code == 201  # fmt: skip
    designer.goto(f"/workflows/{name}/preview/?node=ask&conversation={name}")
    expect(designer.get_by_text("Context preview: ask").first).to_be_visible()
    designer.goto(f"/workflows/{name}/")
    designer.get_by_role("link", name="Publish").first.click()
    publish = designer.locator("form", has=designer.get_by_role("button", name="Publish")).last
    publish.get_by_role("button", name="Publish").click()
    expect(designer.get_by_text("Published as version 1")).to_be_visible()

    # An engine runs it over REST.
    started = api.post(
        f"conversations/{name}/executions", json={"workflow": name, "input": "window seat"}
    ).json()
    assert started["ready_nodes"] == ["ask"]
    entered = api.post(f"conversations/{name}/nodes/ask/enter", json={"explain": True}).json()
    assert [m["role"] for m in entered["messages"]] == ["assistant", "user"]
    assert entered["explanation"]
    complete(
        api,
        name,
        "ask",
        messages=[{"role": "assistant", "content": "It costs 59."}],
        state_data={"fact.price": 59, "note.mood": "hurried"},
    )
    shortened = complete(api, name, "shorten")
    assert (shortened["node_status"], shortened["status"]) == ("COMPLETED", "PAUSED")

    # The reviewer finds it, sees the batch that the node opened, and rolls it back.
    reviewer.goto(f"/reviews/?workflow={name}")
    expect(reviewer.get_by_text("Is the price right?").first).to_be_visible()
    reviewer.goto(f"/conversations/{name}/")
    expect(reviewer.locator("article.message")).to_have_count(3)
    reviewer.get_by_role("link", name="Roll back").first.click()
    confirm = reviewer.locator("form.confirm")
    confirm.get_by_label("Reason").fill("The train was gone.")
    confirm.get_by_role("button", name="Roll back").click()
    expect(reviewer.locator("article.message")).to_have_count(7)

    # The state is edited while it waits, then the review is approved and the engine continues.
    reviewer.goto(f"/executions/{name}/state/")
    edited = api.patch(
        f"conversations/{name}/snapshot",
        json={"node_id": "check", "state_data": {"fact.price": 61}, "reason": "new fare"},
    )
    assert edited.status_code == 200, edited.text
    reviewer.goto(f"/executions/{name}/")
    reviewer.get_by_role("button", name="Approve", exact=True).click()
    expect(reviewer.get_by_text("Approved.")).to_be_visible()
    expect(reviewer.get_by_text("Running").first).to_be_visible()
    complete(api, name, "check")
    seen = api.post(f"conversations/{name}/nodes/answer/enter").json()
    assert seen["context"]["variables"] == {"fact.price": 61}
    assert complete(api, name, "answer")["status"] == "COMPLETED"
    reviewer.goto(f"/executions/{name}/")
    expect(reviewer.get_by_text("Completed").first).to_be_visible()


def test_the_reference_engine_pauses_for_a_person_and_continues(
    server: LiveServer, token: str, reviewer_page: Page
) -> None:
    told: list[str] = []
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=server.url, headers=headers, timeout=30) as client:
        name = f"engine-{uuid4().hex[:8]}"
        engine = Engine(client, "support", name, told.append, scripted=True)
        engine.start("Where is my order?")
        assert engine.run(wait=False) == "PAUSED"
        reviewer_page.goto(f"/executions/{name}/")
        reviewer_page.get_by_role("button", name="Approve", exact=True).click()
        expect(reviewer_page.get_by_text("Approved.")).to_be_visible()
        assert engine.run(wait=False) == "COMPLETED"
    assert any("compact" in line for line in told)


def test_what_a_person_edits_decides_which_way_the_flow_goes(
    server: LiveServer, token: str, reviewer_page: Page
) -> None:
    told: list[str] = []
    headers = {"Authorization": f"Bearer {token}"}
    page = reviewer_page
    with httpx.Client(base_url=server.url, headers=headers, timeout=30) as client:
        name = f"rework-{uuid4().hex[:8]}"
        engine = Engine(client, "research-note", name, told.append, scripted=True)
        engine.start("What does a heat pump save?")
        assert engine.run(wait=False) == "PAUSED"
        page.goto(f"/executions/{name}/")
        page.get_by_role("link", name="Edit verdict", exact=True).click()
        page.get_by_label("verdict", exact=True).fill("rework")
        page.get_by_role("button", name="Review changes").click()
        page.get_by_label("Reason").fill("Where is the price?")
        page.get_by_role("button", name="Approve with these changes").click()
        expect(page.get_by_text("Approved with your changes")).to_be_visible()
        assert engine.run(wait=False) == "PAUSED"
    assert sum(line.startswith("write:") for line in told) == 2
