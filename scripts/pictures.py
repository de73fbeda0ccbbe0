"""Takes the pictures of the README from a fresh server with the demo data, in a headless
Chromium.

``python -m scripts.pictures [name ...]`` writes ``docs/images/<name>.png``; by default all.
"""

import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import httpx
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser import launch, sign_in
from tests.live_server import LiveServer
from tests.servers import ROOT

FOLDER: Final = ROOT / "docs" / "images"
_PATIENCE: Final = 30_000  # milliseconds
_SIZES: Final = {"phone": (390, 844), "editor": (1600, 940), "canvas": (1600, 940)}
_WIDE: Final = (1280, 860)
_DARK: Final = frozenset({"editor", "phone"})


def overview(page: Page) -> None:
    page.goto("/")


def conversation(page: Page) -> None:
    """Shows search hits, a call joined with its result, and the batches beside it."""
    page.goto("/conversations/demo-support/?q=saddle")
    expect(page.get_by_text("Result 1 of")).to_be_visible()


def editor(page: Page) -> None:
    """Shows a node, its form and its context preview."""
    page.goto("/workflows/support/editor/")
    page.get_by_role("button", name="Show all").click()
    page.locator(".flow-card", has_text="Draft the answer").click()
    expect(page.get_by_role("region", name="Preview")).to_contain_text("variables")


def what_if(page: Page) -> None:
    page.goto("/workflows/support/what-if/")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)


def preview(page: Page) -> None:
    page.goto("/workflows/support/preview/?node=draft&conversation=demo-support")


def canvas(page: Page) -> None:
    """Shows the context and output of a node of an execution."""
    page.goto("/executions/demo-support/canvas/")
    page.get_by_role("button", name="Show all").click()
    page.locator(".flow-card", has_text="Draft the answer").click()
    expect(page.get_by_text("draft_output").first).to_be_visible()


def hide(page: Page) -> None:
    """Shows what hiding two messages costs, before it is done."""
    page.goto("/conversations/demo-workshop/")
    for number in (1, 2):
        page.get_by_role("checkbox", name=f"Select message #{number}", exact=True).check()
    page.get_by_role("button", name="Hide", exact=True).click()
    expect(page.locator("#sheet-effect")).to_contain_text("tokens")


def compare(page: Page) -> None:
    """Shows what policies would have cost on recorded conversations."""
    page.goto("/workflows/counter-chat/compare/")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_role("heading", name="Change of cost over conversations")).to_be_visible()


def audit(page: Page) -> None:
    """Shows decisions on record, with their reasons, in a chain that has been verified."""
    page.goto("/audit/?object=demo-workshop")
    expect(page.get_by_text("Verified up to")).to_be_visible()


def execution(page: Page) -> None:
    page.goto("/executions/demo-support/")


def edit_state(page: Page) -> None:
    """Shows a change that is saved as a draft and not applied yet."""
    page.goto("/executions/demo-support/state/?q=draft")
    page.get_by_label("draft.internal", exact=True).fill("Offer the voucher.")
    expect(page.get_by_text("Saved for you")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Discard draft.internal")).to_be_visible()
    _beside(page, "reviewer", "/executions/demo-support/state/?q=draft")


def phone(page: Page) -> None:
    page.goto("/executions/demo-research/")


def _beside(page: Page, person: str, path: str) -> None:
    """Lets someone else look at the same, for the time of the picture."""
    browser = page.context.browser
    assert browser is not None
    other = browser.new_context(base_url=page.url.split("/executions")[0]).new_page()
    sign_in(other, person)
    other.goto(path)
    other.get_by_label("draft_output", exact=True).focus()
    expect(page.get_by_text("reviewer").first).to_be_visible()


PICTURES: Final[dict[str, Callable[[Page], None]]] = {
    "overview": overview,
    "conversation": conversation,
    "editor": editor,
    "preview": preview,
    "hide": hide,
    "compare": compare,
    "audit": audit,
    "execution": execution,
    "canvas": canvas,
    "edit-state": edit_state,
    "phone": phone,
    "what-if": what_if,
}


def main(names: Sequence[str]) -> int:
    unknown = sorted({*names} - PICTURES.keys())
    if unknown:
        print(f"Unknown picture: {', '.join(unknown)}. Use one of: {', '.join(PICTURES)}.")
        return 2
    with (
        tempfile.TemporaryDirectory() as name,
        LiveServer(Path(name), {}) as server,
        sync_playwright() as playwright,
        launch(playwright) as browser,
    ):
        server.make_people()
        _change_draft(server)
        server.manage("verify_audit")
        for picture in names or PICTURES:
            page = _signed_in(browser, server, picture)
            PICTURES[picture](page)
            page.wait_for_load_state("networkidle")
            page.screenshot(path=FOLDER / f"{picture}.png", animations="disabled")
            page.context.close()
            print(f"docs/images/{picture}.png", flush=True)
    return 0


def _change_draft(server: LiveServer) -> None:
    """Changes a draft so that an answer is written without the facts, which a replay shows."""
    headers = {"Authorization": f"Bearer {server.make_token('design')}"}
    with httpx.Client(base_url=f"{server.url}/api/v1/workflows/support/", headers=headers) as api:
        draft = api.get("draft").raise_for_status().json()
        document = draft["document"]
        [node] = [each for each in document["nodes"] if each["id"] == "draft"]
        rules = node["context_filter"]["rules"]
        node["context_filter"]["rules"] = [each for each in rules if each["pattern"] != "fact.*"]
        put = {"document": document, "expected_version": draft["draft_version"]}
        api.put("draft", json=put).raise_for_status()


def _signed_in(browser: Browser, server: LiveServer, picture: str) -> Page:
    width, height = _SIZES.get(picture, _WIDE)
    theme = "dark" if picture in _DARK else "light"
    context = browser.new_context(
        base_url=server.url,
        viewport={"width": width, "height": height},
        color_scheme="dark" if theme == "dark" else "light",
        reduced_motion="reduce",
        locale="en-GB",
    )
    context.set_default_timeout(_PATIENCE)
    page = context.new_page()
    sign_in(page, "admin" if picture == "audit" else "designer")
    return page


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
