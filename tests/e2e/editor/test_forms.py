"""The forms of the side panel: what is typed stands on the card, and in the draft."""

import re
from typing import Any

import httpx
from playwright.sync_api import Locator, Page, expect
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
    look_at,
    opened,
    saved,
)
from tests.e2e.scenes import Started


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
    page.get_by_role("button", name="Undo: Edit Answer kindly").click()
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
    words = card(page, "answer").locator(".flow-card-filter")
    expect(words).to_contain_text("everything")  # what the pattern does not name passes, too
    form(page).get_by_role("combobox", name="If no rule matches").select_option("block")
    expect(words).to_contain_text("only prompt.*")
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
    both = "Names in the workflow and the previewed conversation"
    names = form(page).get_by_role("group", name=both).first
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
    expect(page.get_by_role("region", name="Preview")).to_have_attribute("aria-busy", "false")
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


def test_a_problem_leads_to_the_empty_field_that_is_to_be_filled(
    designer_page: Page, made: Make
) -> None:
    edge: JsonValue = {"id": "go", "type": "sequence", "from": "ask", "to": "answer"}
    bare: JsonValue = {**edge, "context_filter": {"type": "selective"}}  # type: ignore[dict-item]
    page = opened(designer_page, made(NODES, [bare]))
    page.get_by_role("toolbar").get_by_role("button", name="1 problem").click()
    page.get_by_role("button", name="Ask → Answer › Include").click()
    include = form(page).get_by_label("Include")
    expect(include).to_be_focused()
    expect(form(page).locator(".field-errors")).to_have_text(
        "Enter at least one pattern to include or to exclude."
    )
    room = page.locator(".editor-panel-top").bounding_box()
    field = include.bounding_box()
    assert room
    assert field
    assert room["y"] <= field["y"]
    assert field["y"] + field["height"] <= room["y"] + room["height"]


def test_a_warning_is_amber_and_said_below_its_field_which_it_does_not_move(
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
    expect(warnings).to_contain_text("Nothing in this workflow writes 'token'")
    expect(warnings).to_contain_text("did you mean context.tokens?")
    expect(page.get_by_role("region", name="Preview")).to_have_attribute("aria-busy", "false")
    assert_accessible(page)
    field = form(page).locator("[name=edge-condition]")
    place = field.bounding_box()
    field.fill("context.tokens > 60000")
    expect(warnings).to_have_count(0)
    field.press_sequentially(" && context.other > 1")
    expect(warnings).to_contain_text("Nothing in this workflow writes 'other'")
    assert field.bounding_box() == place
    expect(field).to_have_accessible_description(re.compile("writes 'other'"))
    field.fill("context.tokens > 60000")
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
    expect(page.get_by_role("button", name="Undo: Edit reducers")).to_be_enabled()
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


def test_the_first_digits_of_a_wrong_number_do_not_stay_in_the_draft(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    budget: JsonValue = {"max_tokens": 8000, "target_tokens": 4000}
    cut: JsonValue = {"messages": [{"operation": "budget", "budget": budget}]}
    slug = made([NODES[0], {"id": "answer", "type": "llm", "context_filter": cut}], EDGES)
    page = opened(designer_page, slug)
    card(page, "answer").click()
    target = form(page).locator("[name$=messages-0-budget-target_tokens]:visible")
    target.fill("12")
    expect(card(page, "answer")).to_contain_text("12")
    saved(page)
    target.fill("12x")
    expect(page.locator(".editor-saving")).to_contain_text("1 form not saved")
    kept: Any = draft(api, slug)["nodes"][1]["context_filter"]
    expect(target).to_have_value("12x")
    assert kept["messages"][0]["budget"] == budget
    target.fill("120")
    saved(page)
    kept = draft(api, slug)["nodes"][1]["context_filter"]
    assert kept["messages"][0]["budget"]["target_tokens"] == 120
