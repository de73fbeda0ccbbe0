"""Words on the canvas: within their cards, apart from each other, and large enough to be read."""

from playwright.sync_api import Page, expect
from pydantic import JsonValue

from tests.e2e.editor.scenes import Make, opened

# The texts of cards of which some letter is beyond the border, or is cut. In the font of the page
# letters begin and end so far from the box of their line, as a share of their size.
_OUTSIDE = """
    () => {
      const view = document.querySelector(".react-flow__viewport");
      const zoom = new DOMMatrix(getComputedStyle(view).transform).a;
      const parts = ":is(strong, .flow-card-sees, .flow-card-filter)";
      const found = [...document.querySelectorAll(`.flow-card ${parts}`)].filter((text) => {
        const size = parseFloat(getComputedStyle(text).fontSize) * zoom;
        const card = text.closest(".flow-card").getBoundingClientRect();
        const end = text.getBoundingClientRect().bottom;
        const range = document.createRange();
        range.selectNodeContents(text);
        const lines = [...range.getClientRects()].filter(({ top }) => top + size < end);
        const top = Math.min(...lines.map((line) => line.top + 0.31 * size));
        const bottom = Math.max(...lines.map((line) => line.bottom - 0.05 * size));
        return top < card.top + zoom || bottom > card.bottom - zoom || bottom > end + 0.6;
      });
      return [zoom, found.map((text) => text.textContent)];
    }
"""
_FRAMES = "() => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))"
_APART = """
    () => {
      const chips = [...document.querySelectorAll(".flow-chips")];
      const boxes = chips.map((each) => each.getBoundingClientRect());
      const [short, long] = boxes.sort((one, other) => one.width - other.width);
      const signs = document.querySelectorAll(".flow-chips-warned");
      return signs.length === 2 && short.right <= long.left;
    }
"""
LONG = "context.amount > 1000 && context.customer == 'vip' || context.region == 'north'"


def test_the_words_of_cards_are_within_their_borders_from_any_distance(
    designer_page: Page, made: Make
) -> None:
    names = ["Question comes in", "Notes request 9", "Weigh it", "A question arrives"]
    nodes: list[JsonValue] = [_node(number, name) for number, name in enumerate(names)]
    nodes.append(_node(4, "Notes request 10", _last_messages(999999)))
    page = opened(designer_page, made(nodes, []))
    page.emulate_media(reduced_motion="reduce")
    expect(page.locator(".flow-card")).to_have_count(5)
    box = page.locator(".flow").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    seen: set[float] = set()
    for by in [60] * 12 + [-24] * 40:
        page.mouse.wheel(0, by)
        page.evaluate(_FRAMES)
        zoom, outside = page.evaluate(_OUTSIDE)
        if 0.3 < zoom < 1.05:
            seen.add(round(zoom, 2))
            assert not outside, (zoom, outside)
    assert len(seen) > 20
    expect(page.locator(".flow-card-filter")).to_contain_text("last 999999")


def _node(number: int, name: str, context_filter: JsonValue = None) -> JsonValue:
    node: dict[str, JsonValue] = {"id": f"n{number}", "type": "llm", "name": name}
    node["position"] = {"x": number % 3 * 380, "y": number // 3 * 200}
    if context_filter is not None:
        node["context_filter"] = context_filter
    return node


def _last_messages(count: int) -> JsonValue:
    truncate: JsonValue = {"keep_last": count, "keep_system": True}
    operation: JsonValue = {"operation": "truncate", "truncate": truncate}
    return {"rules": [], "default_behavior": "pass", "messages": [operation]}


def test_nothing_is_written_that_is_too_small_to_be_read(page: Page, made: Make) -> None:
    nodes: list[JsonValue] = [
        {"id": f"n{n}", "type": "llm", "position": {"x": n % 20 * 300, "y": n // 20 * 400}}
        for n in range(400)
    ]
    edge = {"id": "again", "type": "conditional", "condition": "context.again"}
    opened(page, made(nodes, [{**edge, "from": "n30", "to": "n31"}]))
    page.get_by_role("button", name="Show all").click()
    expect(page.locator(".flow-nameless")).to_have_count(1)
    expect(page.locator(".flow-dot")).to_have_count(1)
    expect(page.locator(".flow-chips")).to_have_count(0)


def test_the_words_of_two_edges_of_a_node_do_not_cover_each_other(page: Page, made: Make) -> None:
    spots = {"ask": (0, 0), "left": (-130, 170), "right": (130, 170)}
    nodes: list[JsonValue] = [
        {"id": name, "type": "llm", "position": {"x": x, "y": y}} for name, (x, y) in spots.items()
    ]
    edges: list[JsonValue] = [
        {"id": to, "type": "conditional", "from": "ask", "to": to, "condition": condition}
        for to, condition in (("left", "context.x"), ("right", LONG))
    ]
    page.set_viewport_size({"width": 1280, "height": 800})
    opened(page, made(nodes, edges))
    chips = page.locator(".flow-chips")
    expect(chips.filter(has_text="if x")).to_be_visible()
    expect(chips.filter(has_text="north")).to_be_visible()
    # Their signs, and what they cost, come a moment later.
    page.wait_for_function(_APART)


def test_a_card_far_away_that_has_room_above_and_below_has_its_name_in_rows(
    page: Page, made: Make
) -> None:
    nodes: list[JsonValue] = [
        {"id": f"n{n}", "type": "llm", "name": "Weigh 22", "position": {"x": n * 300, "y": 0}}
        for n in range(9)
    ]
    edges: list[JsonValue] = [
        {"id": f"e{n}", "type": "sequence", "from": f"n{n}", "to": f"n{n + 1}"} for n in range(8)
    ]
    page.set_viewport_size({"width": 1280, "height": 800})
    opened(page, made(nodes, edges))
    page.get_by_role("button", name="Show all").click()
    expect(page.locator(".flow-one-row")).to_have_count(1)
    name = page.locator(".flow-card strong").first
    assert name.evaluate("name => name.scrollWidth <= name.clientWidth")
    assert name.evaluate(
        "name => name.offsetHeight > 1.9 * parseFloat(getComputedStyle(name).fontSize)"
    )
