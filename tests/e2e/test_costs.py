"""What context costs, from end to end: import, compare, take the budget, publish, run, look."""

import json
import re
from pathlib import Path
from uuid import uuid4

import httpx
from playwright.sync_api import Page, expect

from demo.engine import Engine
from tests.browser import assert_accessible
from tests.e2e.conftest import OpenPage
from tests.live_server import LiveServer

FLOW = """
name: Costly
nodes:
  - {id: start, type: start}
  - id: outline
    type: llm
    name: Outline it
    config: {model: gpt-5-mini}
    context_filter:
      rules: []
      default_behavior: pass
      messages:
        - operation: truncate
          truncate: {keep_last: 16, keep_system: true}
          pairing: keep
  - {id: write, type: llm, name: Write it}
  - {id: done, type: end}
edges:
  - {id: begin, from: start, to: outline, type: sequence}
  - {id: outlined, from: outline, to: write, type: sequence}
  - {id: written, from: write, to: done, type: sequence}
"""


def import_talk(page: Page, api: httpx.Client, folder: Path, talk: str, slug: str) -> None:
    """A recorded conversation of the demo, as one of this workflow, by the page of imports."""
    exported = api.get(f"conversations/{talk}/export").json()
    file = folder / f"{talk}.json"
    file.write_text(json.dumps({**exported, "id": f"{talk}-{slug}", "workflow": slug}))
    page.goto("/conversations/import/")
    page.get_by_label("File").set_input_files(file)
    page.get_by_role("button", name="Import").click()
    expect(page.locator("article.message").first).to_be_visible()


def test_a_policy_that_does_not_pay_is_found_repaired_published_and_run(
    open_page: OpenPage, api: httpx.Client, server: LiveServer, token: str, tmp_path: Path
) -> None:
    slug = f"costly-{uuid4().hex[:8]}"
    admin, designer = open_page("admin"), open_page("designer")
    made = api.post(
        f"workflows/import?slug={slug}", content=FLOW, headers={"Content-Type": "text/yaml"}
    )
    assert made.status_code == 201, made.text
    for talk in ("demo-counter-05", "demo-counter-06"):
        import_talk(admin, api, tmp_path, talk, slug)

    # The comparison says what the node of the draft costs.
    designer.goto(f"/workflows/{slug}/compare/")
    designer.get_by_role("button", name="Compare").click()
    compared = designer.locator("#compared")
    expect(compared.get_by_role("row", name=re.compile("^Outline it"))).to_contain_text(
        "raises the cost"
    )

    # The canvas says it in amber, and one press takes the budget into the draft.
    designer.goto(f"/workflows/{slug}/editor/")
    card = designer.locator(".flow-card", has_text="Outline it")
    expect(card.locator(".flow-cost-raises")).to_contain_text("cost")
    card.click()
    cost = designer.get_by_role("region", name="Cost")
    expect(cost).to_contain_text("Raises the cost by")
    assert_accessible(designer)
    cost.get_by_role("button", name="Use budget").click()
    expect(card).to_contain_text("cut to")
    expect(card.locator(".flow-cost-raises")).to_have_count(0)
    expect(card.locator(".flow-cost")).to_contain_text("−")
    expect(designer.get_by_text("Saved", exact=True)).to_be_visible()

    # The page that publishes has the figures again.
    designer.goto(f"/workflows/{slug}/publish/")
    expect(designer.locator("#costs")).to_contain_text("On the latest 2 conversations")
    expect(designer.locator("#costs .cost-raises")).to_have_count(0)
    designer.get_by_role("button", name="Publish").click()
    expect(designer.get_by_text("Published as version 1")).to_be_visible()

    # What the engine reported stands beside the estimate.
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=server.url, headers=headers, timeout=30) as client:
        engine = Engine(client, slug, f"run-{slug}", lambda _: None, scripted=True)
        engine.start("What does a heat pump save?")
        assert engine.run(wait=False) == "COMPLETED"
    admin.goto(f"/usage/?workflow={slug}")
    expect(admin.get_by_role("row", name=re.compile("outline"))).to_be_visible()
    admin.goto("/usage/")
    estimates = admin.locator("#usage-estimates")
    estimates.scroll_into_view_if_needed()
    row = estimates.get_by_role("row", name=re.compile("gpt-5-mini"))
    expect(row.locator('[data-label="Reported input"]')).to_have_text(re.compile(r"[1-9]"))
    designer.goto(f"/workflows/{slug}/preview/?node=outline&conversation=run-{slug}")
    counted = designer.locator("#seen dl > div", has_text="As the provider counts")
    expect(counted).to_contain_text(re.compile(r"about [\d,]+ tokens for gpt-5-mini"))
