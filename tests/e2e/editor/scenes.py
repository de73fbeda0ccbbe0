"""Workflows to draw on, and what hands and eyes do to the canvas."""

import re
from collections.abc import Callable

import httpx
from playwright.sync_api import FloatRect, Locator, Page, expect
from pydantic import JsonValue

NODES: list[JsonValue] = [
    {"id": "ask", "type": "start", "name": "Ask", "position": {"x": 0, "y": 0}},
    {"id": "answer", "type": "llm", "name": "Answer", "position": {"x": 400, "y": 0}},
]
EDGES: list[JsonValue] = [{"id": "go", "type": "sequence", "from": "ask", "to": "answer"}]

DRAFT = re.compile(r"/draft/?$")  # where the canvas saves it, and where it fetches it
Make = Callable[..., str]
_PICTURES = 300


def draft(api: httpx.Client, slug: str) -> dict[str, list[dict[str, JsonValue]]]:
    found = api.get(f"workflows/{slug}/draft").raise_for_status().json()["document"]
    assert isinstance(found, dict)
    return found


def opened(page: Page, slug: str) -> Page:
    page.goto(f"/workflows/{slug}/editor/")
    expect(page.get_by_role("toolbar")).to_be_visible()
    return page


def card(page: Page, key: str) -> Locator:
    return page.locator(f'.react-flow__node[data-id="{key}"]')


def saved(page: Page) -> None:
    expect(page.locator(".editor-saving")).to_have_text("Saved")


def drag(page: Page, start: Locator, end: Locator) -> None:
    """By small moves of the mouse, as a hand does it, once the canvas stands still."""
    first, last = _still(page, start), _still(page, end)
    page.mouse.move(first["x"] + first["width"] / 2, first["y"] + first["height"] / 2)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] / 2, last["y"] + last["height"] / 2, steps=8)
    page.mouse.up()


def _still(page: Page, place: Locator) -> FloatRect:
    """Where a place is when it was there a picture ago, too."""
    before = None
    for _picture in range(_PICTURES):
        now = place.bounding_box()
        if now is not None and now == before:
            return now
        before = now
        page.evaluate("() => new Promise((then) => requestAnimationFrame(() => then()))")
    raise AssertionError(f"{place} does not stand still")


def spots(page: Page) -> dict[str, tuple[float, float]]:
    """Where each card stands on the canvas, by the id of its node."""
    found = page.locator(".react-flow__node-card").evaluate_all(
        "cards => cards.map(card => [card.dataset.id, card.style.transform])"
    )
    numbers = {key: re.findall(r"-?[\d.]+", text) for key, text in found}
    return {key: (float(x), float(y)) for key, (x, y, *_) in numbers.items()}


def deaf(page: Page) -> Page:
    """A page that hears nothing of others, as over a network that lets no sockets through."""
    page.route_web_socket(re.compile("/ws/"), lambda _socket: None)
    return page


def form(page: Page) -> Locator:
    return page.locator("#panel-form")


def id_field(page: Page) -> Locator:
    """The ID of an element, which is folded away until someone unfolds it, and then in sight."""
    form(page).locator("details.advanced").evaluate("fold => { fold.open = true; }")
    return form(page).get_by_label("ID", exact=True)


CHAIN: list[JsonValue] = [{"id": f"n{n}", "type": "llm"} for n in range(9)]
CHAINED: list[JsonValue] = [
    {"id": f"e{n}", "type": "sequence", "from": f"n{n}", "to": f"n{n + 1}"} for n in range(8)
]


def choose_source(preview: Locator) -> Locator:
    """Open the fields that say what the preview shows."""
    closed = preview.locator(".editor-source-shown:not([open]) > summary")
    if closed.count():
        closed.click()
    return preview


def look_at(page: Page, conversation: str) -> Locator:
    """Choose whose context the preview shows; the preview, below the form."""
    preview = page.get_by_role("region", name="Preview")
    parts = page.get_by_role("navigation", name="Parts of the panel")
    parts.get_by_text("Preview").click()
    expect(preview.get_by_role("button", name="Context preview")).to_have_attribute(
        "aria-expanded", "true"
    )
    choose_source(preview).get_by_label("Conversation", exact=True).fill(conversation)
    parts.get_by_text("Settings").click()
    return preview
