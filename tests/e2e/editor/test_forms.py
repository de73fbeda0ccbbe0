"""The forms of the side panel: what is typed stands on the card, and in the draft."""

import re
from collections.abc import Callable
from itertools import combinations

import httpx
from playwright.sync_api import Locator, Page, Route, expect
from pydantic import JsonValue

from tests.browser import assert_accessible
from tests.e2e.conftest import OpenPage
from tests.e2e.editor.scenes import (
    EDGES,
    NODES,
    Make,
    card,
    draft,
    form,
    id_field,
    look_at,
    opened,
    saved,
    spots,
)
from tests.e2e.scenes import Started

BUDGET_NODES: list[JsonValue] = [
    {"id": "begin", "type": "start", "position": {"x": 0, "y": 0}},
    {
        "id": "cut",
        "type": "context_processor",
        "position": {"x": 400, "y": 0},
        "config": {"operation": "truncate", "truncate": {"keep_last": 4}},
    },
]
BUDGET_EDGES: list[JsonValue] = [{"id": "go", "type": "sequence", "from": "begin", "to": "cut"}]


def test_what_is_typed_into_the_form_stands_on_the_card_and_is_one_step(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    card(page, "answer").click()
    name = form(page).get_by_label("Name", exact=True)
    expect(name).to_have_value("Answer")
    name.click()
    name.press("End")
    page.keyboard.type(" kindly", delay=120)
    expect(card(page, "answer").locator("strong")).to_have_text("Answer kindly")
    saved(page)
    expect(name).to_be_focused()
    assert draft(api, slug)["nodes"][1]["name"] == "Answer kindly"
    page.get_by_role("button", name="Undo: Edit answer").click()
    expect(card(page, "answer").locator("strong")).to_have_text("Answer")
    expect(name).to_have_value("Answer")
    saved(page)
    assert draft(api, slug)["nodes"] == NODES


def test_a_pause_of_typing_sends_the_element_and_not_the_document(
    designer_page: Page, made: Make
) -> None:
    many: list[JsonValue] = [
        {"id": f"n{n}", "type": "llm", "config": {"template": "word " * 40}} for n in range(100)
    ]
    page = opened(designer_page, made([*NODES, *many], EDGES))
    card(page, "answer").click()
    name = form(page).get_by_label("Name", exact=True)
    expect(name).to_have_value("Answer")
    sent: list[tuple[str, int]] = []
    page.on("request", lambda each: sent.append((each.url, len(each.post_data_buffer or b""))))
    name.fill("Other")
    expect(card(page, "answer").locator("strong")).to_have_text("Other")
    saved(page)
    # Reading, wording, saving; the document has 24 KB.
    assert len({url for url, size in sent if size}) >= 3
    assert max(size for _, size in sent) < 2_200, sent


def test_a_filter_is_made_by_rows_and_reported_in_words_on_the_card(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    card(page, "answer").click()
    form(page).get_by_role("button", name="Add a filter").first.click()
    form(page).get_by_role("button", name="Add a rule").first.click()
    form(page).get_by_role("combobox", name="Action").select_option("include")
    form(page).get_by_label("Pattern").fill("prompt.*")
    expect(card(page, "answer").locator(".flow-card-filter")).to_contain_text("only prompt.*")
    saved(page)
    wanted = draft(api, slug)["nodes"][1]["context_filter"]
    assert "prompt.*" in str(wanted)


def test_rules_and_conditions_suggest_names_of_the_graph_and_of_the_previewed_conversation(
    designer_page: Page, made: Make, start: Started
) -> None:
    edge: JsonValue = {"id": "go", "type": "conditional", "from": "ask", "to": "answer"}
    page = opened(designer_page, made(NODES, [{**edge, "condition": "true"}]))  # type: ignore[dict-item]
    card(page, "answer").click()
    look_at(page, start())
    form(page).get_by_role("button", name="Add a filter").first.click()
    form(page).get_by_role("button", name="Add a rule").first.click()
    pattern = form(page).locator("[name$=rules-0-pattern]").first
    pattern.focus()
    offered = page.locator("#editor-known-names option")
    expect(page.locator("#editor-known-names option[value=facts]")).to_have_count(1)
    assert {"count", "draft"} <= set(_values(offered))
    form(page).locator("[name$=rules-0-type]").first.select_option("include")
    form(page).locator("[name$=rules-0-target]").first.select_option("history")
    pattern.focus()
    pattern.press("End")
    pattern.fill("a")
    assert _values(offered) == ["ask", "answer"]
    page.locator(".react-flow__edge[data-id=go]").click(force=True)
    condition = form(page).locator("[name=edge-condition]")
    condition.fill(" === 'late'")
    condition.press("Home")
    names = form(page).get_by_role("group", name="Names in the previewed conversation").first
    names.get_by_role("button", name="context.draft").click()
    expect(condition).to_have_value("context.draft === 'late'")
    expect(condition).to_be_focused()
    saved(page)


def _values(options: Locator) -> list[str]:
    return [str(each) for each in options.evaluate_all("all => all.map(each => each.value)")]


def test_a_condition_is_checked_while_typing_and_the_column_marked(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    page.get_by_role("button", name="Outline").click()
    page.get_by_role("button", name="Edit go").click()
    condition = form(page).get_by_label("Condition")
    condition.fill("context.ready ===")
    error = form(page).locator(".field-errors")
    expect(error).to_contain_text("column")
    expect(condition).to_have_attribute("aria-invalid", "true")
    assert_accessible(page)
    condition.fill("context.ready === true")
    expect(error).to_have_count(0)
    page.get_by_role("button", name="Canvas").click()
    expect(page.locator(".flow-chip-condition")).to_have_text("if ready === true")
    saved(page)
    assert draft(api, slug)["edges"][0]["condition"] == "context.ready === true"


def test_a_new_id_is_followed_by_the_edges_and_the_form_stays(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    card(page, "answer").click()
    field = id_field(page)
    field.click()
    field.press("End")
    page.keyboard.type("-well")
    expect(card(page, "answer-well")).to_be_visible()
    expect(field).to_be_focused()
    form(page).get_by_label("Name", exact=True).fill("Well")
    expect(card(page, "answer-well").locator("strong")).to_have_text("Well")
    saved(page)
    assert draft(api, slug)["edges"][0]["to"] == "answer-well"


def test_problems_are_counted_and_each_leads_to_its_field(designer_page: Page, made: Make) -> None:
    wrong: JsonValue = {"id": "no", "type": "conditional", "from": "answer", "to": "ask"}
    edge = {**wrong, "condition": "context.a >"} if isinstance(wrong, dict) else wrong
    page = opened(designer_page, made(edges=[*EDGES, edge]))
    tools = page.get_by_role("toolbar")
    expect(tools.get_by_role("button", name="1 problem")).to_be_visible()
    page.keyboard.press("F8")
    condition = form(page).locator("[name=edge-condition]")
    expect(condition).to_be_focused()
    condition.fill("metadata.a")
    expect(tools.get_by_role("button", name="No problems")).to_be_visible()
    condition.fill("context.a ||")
    tools.get_by_role("button", name="1 problem").click()
    row = page.get_by_role("button", name="Answer → Ask › Condition")
    expect(row).to_be_focused()
    page.keyboard.press("Enter")
    expect(condition).to_be_focused()


def test_a_warning_is_amber_and_said_above_the_form_of_its_edge(
    designer_page: Page, made: Make
) -> None:
    edge: JsonValue = {
        "id": "large",
        "type": "conditional",
        "from": "answer",
        "to": "ask",
        "condition": "context.token > 60000",
    }
    page = opened(designer_page, made(edges=[*EDGES, edge]))
    chips = page.locator(".flow-chips[data-edge=large]")
    expect(chips).to_have_class(re.compile("flow-chips-warned"))
    chips.click()
    panel = page.get_by_role("complementary", name="Selection")
    warnings = panel.locator(".editor-warnings")
    expect(warnings).to_contain_text("Condition: Nothing in this workflow writes 'token'")
    expect(warnings).to_contain_text("did you mean context.tokens?")
    assert_accessible(page)
    form(page).locator("[name=edge-condition]").fill("context.tokens > 60000")
    expect(warnings).to_have_count(0)
    expect(chips).not_to_have_class(re.compile("flow-chips-warned"))


def test_the_reducers_and_the_name_are_edited_when_nothing_is_chosen(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    panel = page.get_by_role("complementary", name="Selection")
    panel.get_by_role("button", name="Reducers").click()
    form(page).get_by_role("button", name="Add a reducer").click()
    form(page).locator("[name=reducers-0-pattern]").fill("notes")
    form(page).locator("[name=reducers-0-reducer]").select_option("append")
    expect(page.get_by_role("button", name="Undo: Edit workflow")).to_be_enabled()
    panel.get_by_role("button", name="Workflow").click()
    form(page).get_by_label("Name").fill("Renamed")
    # Whoever continues at once loses nothing either.
    panel.get_by_role("button", name="Reducers").click()
    expect(form(page).locator("[name=reducers-0-pattern]")).to_have_value("notes")
    panel.get_by_role("button", name="Workflow").click()
    expect(form(page).get_by_label("Name")).to_have_value("Renamed")
    saved(page)
    found = api.get(f"workflows/{slug}/draft").json()["document"]
    assert found["name"] == "Renamed"
    assert found["reducers"] == {"notes": "append"}


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
    card(page, "ask").click()
    expect(id_field(page)).to_have_value("ask")
    page.get_by_role("toolbar").get_by_role("button", name="1 problem").click()
    page.locator(".editor-problem", has_text="Answer").click()
    expect(id_field(page)).to_have_value("not an id!")
    id_field(page).fill("answer")
    expect(problems).to_have_count(0)
    id_field(page).fill("not an id!")
    card(page, "ask").click()
    expect(id_field(page)).to_have_value("ask")
    expect(page.locator(".editor-saving")).to_contain_text("1 form has errors and is not saved")
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
    expect(page.locator(".editor-saving")).to_contain_text("no connection")
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
    expect(page.get_by_role("button", name="Undo: Edit answer")).to_be_enabled()
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


def test_on_a_phone_the_form_of_what_is_selected_is_in_sight(
    open_page: OpenPage, made: Make
) -> None:
    page = opened(open_page("designer", width=390), made())
    card(page, "answer").click()
    expect(page.locator("#panel-title")).to_be_in_viewport()


def test_the_type_is_one_row_until_another_is_wanted(designer_page: Page, made: Make) -> None:
    page = opened(designer_page, made())
    card(page, "answer").click()
    types = form(page).locator(".tile:visible")
    expect(types).to_have_text("Model")
    change = form(page).get_by_role("button", name="Change type")
    change.click()
    expect(types.filter(has_text="Tool")).to_be_visible()
    types.filter(has_text="Tool").click()
    expect(types).to_have_text("Tool")
    expect(form(page).get_by_role("radio", name="Tool")).to_be_checked()
    # By keys: arrows go from type to type, Enter takes one.
    change.press("Enter")
    form(page).get_by_role("radio", name="Tool").press("ArrowRight")
    expect(types.filter(has_text="Tool")).to_be_visible()
    page.keyboard.press("Enter")
    expect(types).to_have_text("Decision")
    expect(card(page, "answer")).to_have_accessible_name(re.compile("Answer, Decision"))


def test_a_new_budget_is_not_wrong_before_anything_is_typed(
    designer_page: Page, made: Make
) -> None:
    page = opened(designer_page, made(BUDGET_NODES, BUDGET_EDGES))
    card(page, "cut").click()
    limit = form(page).get_by_label("Cut when over")
    form(page).get_by_label("Operation").first.select_option("budget")
    expect(limit).to_be_visible()
    expect(page.locator(".editor-saving")).not_to_have_text("Saved")
    expect(form(page).locator(".field-errors")).to_have_count(0)
    with page.expect_response(lambda answer: "/read/" in answer.url):
        form(page).get_by_label("Cut down to").fill("10")
        limit.focus()
        limit.fill("1")
        limit.fill("")
    expect(form(page).locator(".field-errors")).to_have_count(1)


def test_the_panel_is_headed_by_names_and_its_preview_is_a_tab_of_full_height(
    designer_page: Page, made: Make
) -> None:
    page = opened(designer_page, made())
    card(page, "answer").click()
    heading = page.locator("#panel-title")
    expect(heading).to_have_text("Answer")
    form(page).get_by_label("Name", exact=True).fill("Reply")
    expect(heading).to_have_text("Reply")
    page.get_by_role("link", name="Ask → Answer (go)").click()
    expect(heading).to_have_text("Ask → Reply")
    card(page, "answer").click()
    parts = page.get_by_role("navigation", name="Parts of the panel")
    parts.get_by_text("Preview").click()
    expect(form(page)).to_be_hidden()
    panel, preview = (
        page.locator(each).bounding_box() for each in (".editor-panel", ".editor-preview")
    )
    assert panel is not None
    assert preview is not None
    assert preview["height"] > panel["height"] - 60
    card(page, "ask").click()  # a tab stays from node to node
    expect(heading).to_have_text("Ask")
    expect(form(page)).to_be_hidden()
    parts.get_by_text("Settings").click()
    expect(form(page)).to_be_visible()
    expect(heading).to_be_focused()


def test_a_copy_has_the_next_free_name_and_covers_nothing(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    card(page, "answer").click()
    for _each in range(2):
        page.keyboard.press("Control+d")
    expect(page.locator(".flow-card")).to_have_count(4)
    saved(page)
    nodes = draft(api, slug)["nodes"]
    assert [node["name"] for node in nodes[1:]] == ["Answer", "Answer 2", "Answer 3"]
    for (x, y), (other_x, other_y) in combinations(spots(page).values(), 2):
        assert abs(other_x - x) >= 260 or abs(other_y - y) >= 144
