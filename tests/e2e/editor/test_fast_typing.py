"""Nodes added one after the other, by hands that wait for nothing."""

from itertools import pairwise

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.editor.scenes import Make, card, draft, form, opened, saved

NAMES = ["Question", "Look up", "Weigh", "Answer it", "Send off", "Wait"]


def _names(api: httpx.Client, slug: str) -> list[object]:
    return [node["name"] for node in draft(api, slug)["nodes"]]


def _add_start(page: Page, name: str) -> None:
    page.get_by_role("button", name="Add a start node").click()
    page.keyboard.type(name)


@pytest.mark.parametrize("pause", [0, 25])
def test_a_chain_is_typed_without_waiting_for_anything(
    designer_page: Page, made: Make, api: httpx.Client, *, pause: int
) -> None:
    slug = made([], [])
    page = opened(designer_page, slug)
    expect(page.get_by_role("button", name="Add a start node")).to_be_visible()
    first, *others = NAMES
    _add_start(page, first)
    for name in others:
        page.keyboard.press("Escape")
        page.wait_for_timeout(pause)
        for key in ("Shift+F10", "ArrowDown", "Enter"):
            page.keyboard.press(key)
        page.keyboard.type("tool")
        page.keyboard.press("Enter")
        page.keyboard.type(name)
    page.keyboard.press("Escape")
    expect(card(page, "wait")).to_be_focused()
    saved(page)
    assert _names(api, slug) == NAMES
    ids = [str(node["id"]) for node in draft(api, slug)["nodes"]]
    assert ids == ["question", "look-up", "weigh", "answer-it", "send-off", "wait"]
    found = [(edge["from"], edge["to"]) for edge in draft(api, slug)["edges"]]
    assert found == list(pairwise(ids))


def test_what_is_typed_before_the_form_is_here_is_the_name(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made([], [])
    page = opened(designer_page, slug)
    held: list[Route] = []
    gate = {"open": False}

    def hold(route: Route) -> None:
        if gate["open"]:
            route.continue_()
        else:
            held.append(route)

    page.route("**/panel/**", hold)
    _add_start(page, "Question ")
    expect(page.locator("[name=node-name]")).to_be_focused()
    expect(page.locator(".flow-card strong")).to_have_text("Question")
    page.keyboard.type("comes")
    gate["open"] = True
    for route in held:
        route.continue_()
    expect(form(page).locator("[name=node-id]")).to_be_attached()
    page.keyboard.type(" in")
    expect(page.locator("[name=node-name]")).to_have_value("Question comes in")
    page.keyboard.press("Escape")
    expect(card(page, "question-comes-in")).to_be_focused()
    saved(page)
    assert _names(api, slug) == ["Question comes in"]


def test_a_line_drawn_right_after_a_first_name_offers_types(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made([], [])
    page = opened(designer_page, slug)
    _add_start(page, "Question comes in")
    handle = page.locator(".react-flow__handle.source")
    expect(handle).to_be_visible()
    dot = handle.bounding_box()
    assert dot is not None
    x, y = dot["x"] + dot["width"] / 2, dot["y"] + dot["height"] / 2
    page.keyboard.press("Enter")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 60, steps=4)
    page.wait_for_timeout(400)
    page.mouse.move(x + 80, y + 120, steps=4)
    page.mouse.up()
    page.get_by_role("combobox", name="Node type").fill("model")
    page.keyboard.press("Enter")
    page.keyboard.type("Reply")
    page.keyboard.press("Escape")
    expect(card(page, "reply")).to_be_focused()
    expect(card(page, "question-comes-in")).to_be_visible()
    saved(page)
    found = [(edge["from"], edge["to"]) for edge in draft(api, slug)["edges"]]
    assert found == [("question-comes-in", "reply")]
