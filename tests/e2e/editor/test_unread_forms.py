"""Forms while someone types on, the server is away, or the input cannot be read."""

from collections.abc import Callable

import httpx
from playwright.sync_api import Page, Route, expect
from pydantic import JsonValue

from tests.browser import assert_accessible
from tests.e2e.editor.scenes import (
    EDGES,
    NODES,
    Make,
    card,
    draft,
    form,
    id_field,
    opened,
    saved,
)


def test_what_is_typed_last_is_published_on_the_canvas_once_it_was_shown(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    card(page, "answer").click()
    form(page).get_by_label("Name").fill("Typed last")
    page.get_by_role("link", name="Publish").click()
    sheet = page.get_by_role("dialog", name="Publish Drawn")
    note = sheet.get_by_label("Note")
    note.fill("Shorter answers")
    assert_accessible(page)
    found = draft(api, slug)
    assert found["nodes"][1]["name"] == "Typed last"
    # Someone else saves: nothing is published that was not shown, and the note stays.
    version = api.get(f"workflows/{slug}").json()["draft_version"]
    put = {"document": {**found, "name": "Theirs"}, "expected_version": version}
    api.put(f"workflows/{slug}/draft", json=put).raise_for_status()
    sheet.get_by_role("button", name="Publish").click()
    expect(sheet.get_by_text("Someone else changed the draft")).to_be_visible()
    expect(note).to_have_value("Shorter answers")
    sheet.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("Published as version 1")).to_be_visible()
    expect(sheet).to_be_hidden()
    expect(page.locator(".flow-card")).to_have_count(2)
    [only] = api.get(f"workflows/{slug}/versions").json()["results"]
    assert only["note"] == "Shorter answers"


def test_a_form_that_cannot_be_read_is_kept_elsewhere_and_nothing_is_published_meanwhile(
    designer_page: Page, made: Make
) -> None:
    page = opened(designer_page, made())
    problems = card(page, "answer").locator(".flow-card-problems")
    card(page, "answer").click()
    id_field(page).fill("not an id!")
    expect(form(page).locator(".field-errors")).to_be_visible()
    expect(problems).to_be_visible()
    # What says so covers nothing of the form, whose field stays in sight.
    room = page.locator(".editor-panel-top").bounding_box()
    bar = page.locator(".editor-waits").bounding_box()
    field = id_field(page).bounding_box()
    assert room
    assert bar
    assert field
    assert room["y"] + room["height"] <= bar["y"] + 1
    assert field["y"] + field["height"] <= bar["y"]
    card(page, "ask").click()
    expect(id_field(page)).to_have_value("ask")
    page.get_by_role("toolbar").get_by_role("button", name="1 problem").click()
    page.locator(".editor-problem", has_text="Answer › Id").click()
    expect(id_field(page)).to_have_value("not an id!")
    expect(id_field(page)).to_be_focused()
    id_field(page).fill("answer")
    expect(problems).to_have_count(0)
    id_field(page).fill("not an id!")
    card(page, "ask").click()
    expect(id_field(page)).to_have_value("ask")
    expect(page.locator(".editor-saving")).to_contain_text("1 form not saved")
    page.get_by_role("link", name="Publish").click()
    # It shows what is to be fixed, and how to be rid of it.
    expect(id_field(page)).to_have_value("not an id!")
    page.get_by_role("button", name="Discard changes").click()
    expect(id_field(page)).to_have_value("answer")
    saved(page)
    page.get_by_role("link", name="Publish").click()
    expect(page.get_by_role("dialog", name="Publish Drawn")).to_be_visible()


def test_a_form_that_cannot_be_read_outlives_other_changes_of_its_node(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    card(page, "answer").click()
    id_field(page).fill("not an id!")
    expect(form(page).locator(".field-errors")).to_be_visible()
    page.get_by_label("Note on the canvas").fill("Beside it")
    expect(page.locator(".flow-note")).to_have_text("Beside it")
    found = api.get(f"workflows/{slug}/draft").json()
    found["document"]["nodes"][1]["description"] = "Theirs"
    put = {"document": found["document"], "expected_version": found["draft_version"]}
    api.put(f"workflows/{slug}/draft", json=put)
    expect(id_field(page)).to_have_value("not an id!")
    id_field(page).fill("mended")
    saved(page)
    node = draft(api, slug)["nodes"][1]
    assert (node["id"], node["description"]) == ("mended", "Theirs")
    assert "Beside it" in str(node["properties"])


def test_what_is_typed_while_the_server_is_down_is_read_when_it_is_back(
    designer_page: Page, made: Make, api: httpx.Client, tolerate: Callable[[str], None]
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    card(page, "answer").click()
    expect(form(page).get_by_label("Name")).to_be_visible()
    tolerate("ERR_FAILED")
    page.route("**/editor/read/", lambda route: route.abort())
    form(page).get_by_label("Name").fill("Typed while away")
    expect(page.locator(".editor-saving")).to_contain_text("Offline. Your edits are kept.")
    page.unroute("**/editor/read/")
    saved(page)
    assert draft(api, slug)["nodes"][1]["name"] == "Typed while away"


RULED: JsonValue = {
    "id": "answer",
    "type": "llm",
    "position": {"x": 400, "y": 0},
    "context_filter": {
        "rules": [{"type": "exclude", "pattern": "secret"}, {"type": "exclude", "pattern": "key"}]
    },
}


def held(page: Page, words: str) -> list[Route]:
    """The first that the page asks of forms with these words in it waits until it is let go."""
    waiting: list[Route] = []

    def look(route: Route) -> None:
        if words in (route.request.post_data or "") and not waiting:
            waiting.append(route)
        else:
            route.continue_()

    page.route("**/editor/panel/", look)
    return waiting


def test_a_row_is_removed_though_one_continues_before_the_server_has_answered(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made([NODES[0], RULED], EDGES)
    page = opened(designer_page, slug)
    card(page, "answer").click()
    remove = form(page).get_by_role("group", name="Rule 2").get_by_role("button", name="Remove")
    waiting = held(page, "remove%3A")
    with page.expect_request("**/editor/panel/"):
        remove.first.click()
    card(page, "ask").click()
    expect(id_field(page)).to_have_value("ask")
    waiting[0].continue_()
    expect(page.get_by_role("button", name="Undo: Edit Answer")).to_be_enabled()
    saved(page)
    filters = draft(api, slug)["nodes"][1]["context_filter"]
    assert ("secret" in str(filters), "key" in str(filters)) == (True, False)
    expect(id_field(page)).to_have_value("ask")


def test_a_row_is_added_though_another_changes_the_node_and_one_types_meanwhile(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made([NODES[0], RULED], EDGES)
    page = opened(designer_page, slug)
    card(page, "answer").click()
    waiting = held(page, "add%3A")
    with page.expect_request("**/editor/panel/"):
        form(page).get_by_role("button", name="Add a rule").first.click()
    found = api.get(f"workflows/{slug}/draft").json()
    found["document"]["nodes"][1]["description"] = "Theirs"
    put = {"document": found["document"], "expected_version": found["draft_version"]}
    api.put(f"workflows/{slug}/draft", json=put).raise_for_status()
    form(page).get_by_label("Name", exact=True).fill("Mine")
    expect(card(page, "answer").locator("strong")).to_have_text("Mine")
    waiting[0].continue_()
    third = form(page).get_by_role("group", name="Rule 3")
    third.get_by_label("Action").select_option("exclude")
    third.get_by_label("Pattern").fill("token")
    expect(form(page).get_by_label("Description", exact=True)).to_have_value("Theirs")
    saved(page)
    node = draft(api, slug)["nodes"][1]
    assert (node["name"], node["description"]) == ("Mine", "Theirs")
    assert "token" in str(node["context_filter"])
