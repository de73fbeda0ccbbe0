"""Nothing that is drawn is lost: a page, a server, another designer that come between."""

from collections.abc import Callable
from contextlib import suppress

import httpx
from playwright.sync_api import Error, Page, Route, expect
from pydantic import JsonValue

from tests.browser import assert_accessible_in_every_look
from tests.e2e.conftest import OpenPage
from tests.e2e.editor.scenes import DRAFT, NODES, Make, card, deaf, draft, form, opened, saved


def test_what_a_page_that_went_away_left_unsaved_is_brought_back(
    designer_page: Page, made: Make, api: httpx.Client, tolerate: Callable[[str], None]
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    tolerate("ERR_FAILED")
    page.route(DRAFT, lambda route: route.abort())
    card(page, "answer").click()
    page.keyboard.press("Delete")
    expect(page.locator(".editor-saving")).to_contain_text("Offline. Your edits are kept.")
    context = page.context
    with suppress(Error):  # a page that is left, or closed, saves again
        page.goto("chrome://crash", timeout=5000)
    page.close()
    again = opened(context.new_page(), slug)
    expect(card(again, "answer")).to_be_visible()
    expect(again.locator(".editor-left")).to_contain_text("Answer")
    again.get_by_role("button", name="Restore").click()
    expect(card(again, "answer")).to_have_count(0)
    saved(again)
    assert [node["id"] for node in draft(api, slug)["nodes"]] == ["ask"]


def test_a_server_that_comes_back_gets_what_was_not_saved(
    designer_page: Page, made: Make, api: httpx.Client, tolerate: Callable[[str], None]
) -> None:
    slug = made()
    page = opened(designer_page, slug)
    tolerate("ERR_FAILED")
    page.route(DRAFT, lambda route: route.abort())
    card(page, "answer").click()
    page.keyboard.press("Delete")
    expect(page.locator(".editor-saving")).to_contain_text("Offline. Your edits are kept.")
    page.unroute(DRAFT)
    page.get_by_role("button", name="Try now").click()
    saved(page)
    assert [node["id"] for node in draft(api, slug)["nodes"]] == ["ask"]


def test_two_designers_who_touch_other_nodes_both_keep_their_edits(
    open_page: OpenPage, made: Make, api: httpx.Client
) -> None:
    slug = made()
    mine, other = opened(open_page("designer"), slug), opened(open_page("admin"), slug)
    card(other, "ask").click()
    other.get_by_label("Note on the canvas").fill("Theirs")
    saved(other)
    card(mine, "answer").click()
    mine.get_by_label("Note on the canvas").fill("Mine")
    saved(mine)
    expect(mine.locator(".flow-note")).to_have_count(2)
    notes = [str(node["properties"]) for node in draft(api, slug)["nodes"]]
    assert "Theirs" in notes[0]
    assert "Mine" in notes[1]


def test_what_another_designer_saves_appears_by_itself_and_one_sees_who_is_there(
    open_page: OpenPage, made: Make, api: httpx.Client
) -> None:
    slug = made()
    mine, other = opened(open_page("designer"), slug), opened(open_page("admin"), slug)
    card(other, "ask").click()
    expect(mine.locator(".live-people")).to_contain_text("edits Ask")
    other.get_by_label("Note on the canvas").fill("Theirs")
    expect(mine.locator(".flow-note")).to_contain_text("Theirs")
    saved(mine)
    version = api.get(f"workflows/{slug}/draft").json()["draft_version"]
    card(mine, "answer").click()
    mine.get_by_label("Note on the canvas").fill("Mine")
    expect(other.locator(".flow-note")).to_have_count(2)
    saved(other)
    found = api.get(f"workflows/{slug}/draft").json()["draft_version"]
    assert found - version <= 3  # nobody saved what only came from the other


def test_an_element_that_two_changed_is_decided_with_all_sides_in_sight(
    open_page: OpenPage, made: Make, api: httpx.Client
) -> None:
    slug = made()
    mine, other = opened(deaf(open_page("designer")), slug), opened(open_page("admin"), slug)
    for page in (mine, other):
        card(page, "ask").click()
        expect(form(page)).to_be_visible()
    other.get_by_label("Note on the canvas").fill("Theirs")
    saved(other)
    mine.get_by_label("Note on the canvas").fill("Mine")
    dialog = mine.get_by_role("dialog", name="1 element has conflicting changes")
    expect(dialog).to_contain_text("Theirs")
    expect(dialog.get_by_role("button", name="Merge")).to_be_disabled()
    dialog.get_by_role("button", name="Theirs for all").click()
    dialog.get_by_role("button", name="Merge").click()
    saved(mine)
    assert "Theirs" in str(draft(api, slug)["nodes"][0]["properties"])


def test_a_conflict_with_ones_own_other_tab_names_it_and_a_deletion_is_called_so(
    open_page: OpenPage, made: Make, tolerate: Callable[[str], None]
) -> None:
    slug = made()
    mine = opened(open_page("designer"), slug)
    other = opened(mine.context.new_page(), slug)
    tolerate("ERR_FAILED")
    tolerate("status of 409")
    card(mine, "answer").click()
    expect(form(mine)).to_be_visible()
    card(other, "answer").click()
    # It hears of the other tab, and fetches its draft only as a conflict.
    mine.route(DRAFT, lambda route: route.abort())
    form(mine).get_by_label("Name", exact=True).fill("Mine")
    expect(mine.locator(".editor-saving")).to_contain_text("Offline")
    other.get_by_role("button", name="Delete").click()
    saved(other)
    mine.unroute(DRAFT)
    mine.get_by_role("button", name="Try now").click()
    dialog = mine.get_by_role("dialog", name="conflicting")
    expect(dialog).to_contain_text("Your other tab saved the draft.")
    expect(dialog.locator(".editor-conflict").first).to_contain_text("Deleted")
    expect(dialog.get_by_role("button", name="Other tab for all")).to_be_visible()


def test_the_sides_are_reported_in_the_words_of_the_panel_with_what_is_new_marked(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    rules: list[JsonValue] = [{"type": "exclude", "pattern": "secret"}]
    config: JsonValue = {"template": "Be kind.", "temperature": 0.2}
    node: JsonValue = {
        "id": "ask", "type": "llm", "config": config, "context_filter": {"rules": rules}
    }  # fmt: skip
    slug = made([node], [])
    page = opened(deaf(designer_page), slug)
    page.get_by_role("button", name="Outline").press("Enter")
    page.get_by_role("button", name="Edit ask").press("Enter")
    expect(form(page)).to_be_visible()
    found = api.get(f"workflows/{slug}/draft").json()
    theirs = found["document"]["nodes"][0]
    theirs["config"] = {"template": "Be short.", "temperature": 0.7}
    theirs["context_filter"]["rules"].append({"type": "include", "pattern": "order.*"})
    put = {"document": found["document"], "expected_version": found["draft_version"]}
    api.put(f"workflows/{slug}/draft", json=put).raise_for_status()
    # The answer that another draft was saved comes when all is typed.
    held: list[Route] = []
    page.route("**/editor/read/", lambda route: held.append(route), times=1)
    with page.expect_request("**/editor/read/"):
        form(page).get_by_label("Template").fill("Be kind always.")
    form(page).get_by_label("Pattern").fill("secrets")
    held[0].continue_()
    dialog = page.get_by_role("dialog", name="1 element has conflicting changes")
    mine, other = dialog.locator(".editor-side").nth(1), dialog.locator(".editor-side").nth(2)
    expect(other.locator("ins")).to_contain_text(["short", "Action: Include · Pattern: order.*"])
    expect(mine.locator("del")).to_have_text(["secret"])
    expect(mine.locator("ins")).to_have_text([" always", "secrets"])
    expect(mine).to_contain_text("Input filter 1 › Rules")
    expect(dialog).not_to_contain_text('"context_filter"')
    assert_accessible_in_every_look(page)
    dialog.get_by_text("Other config, as JSON").nth(2).press("Enter")
    expect(dialog.locator("pre:visible")).to_contain_text("0.7")
    dialog.get_by_role("radio", name="Current").press("Space")
    dialog.get_by_role("button", name="Merge").press("Enter")
    saved(page)
    assert draft(api, slug)["nodes"][0] == theirs


def test_the_ends_of_an_edge_in_a_conflict_are_reported_by_name(
    designer_page: Page, made: Make, api: httpx.Client
) -> None:
    slug = made(
        [*NODES, {"id": "end", "type": "end", "name": "Done"}, {"id": "log", "type": "tool"}]
    )
    page = opened(deaf(designer_page), slug)
    page.get_by_role("button", name="Outline").click()
    page.get_by_role("button", name="Edit go").click()
    expect(form(page)).to_be_visible()
    found = api.get(f"workflows/{slug}/draft").json()
    found["document"]["edges"][0]["to"] = "end"
    put = {"document": found["document"], "expected_version": found["draft_version"]}
    api.put(f"workflows/{slug}/draft", json=put).raise_for_status()
    form(page).locator("[name=edge-to]").select_option("log")
    sides = page.get_by_role("dialog").locator(".editor-side")
    for side, says in enumerate(("Answer", "log", "Done")):
        expect(sides.nth(side)).to_contain_text(says)


def test_a_conflict_is_decided_later_though_its_words_cannot_be_had(
    designer_page: Page, made: Make, api: httpx.Client, tolerate: Callable[[str], None]
) -> None:
    slug = made()
    page = opened(deaf(designer_page), slug)
    tolerate("ERR_FAILED")
    page.route("**/editor/sides/", lambda route: route.abort())
    card(page, "ask").click()
    expect(form(page)).to_be_visible()
    found = api.get(f"workflows/{slug}/draft").json()
    found["document"]["nodes"][0]["name"] = "Theirs"
    put = {"document": found["document"], "expected_version": found["draft_version"]}
    api.put(f"workflows/{slug}/draft", json=put)
    form(page).get_by_label("Name").fill("Mine")
    dialog = page.get_by_role("dialog", name="1 element has conflicting changes")
    dialog.get_by_text("As JSON").nth(2).click()
    expect(dialog.locator("pre:visible")).to_contain_text('"name": "Theirs"')
    for button in ("", "Decide later"):
        if button:
            dialog.get_by_role("button", name=button).click()
        else:
            page.keyboard.press("Escape")
        expect(dialog).not_to_be_visible()
        status = page.locator(".editor-saving")
        expect(status).to_contain_text("Not saved: resolve the conflicts")
        assert draft(api, slug)["nodes"][0]["name"] == "Theirs"
        # The panel goes on showing what is selected.
        card(page, "answer").click()
        expect(form(page).get_by_label("Name", exact=True)).to_have_value("Answer")
        status.get_by_role("button", name="Resolve").click()
        expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Mine for all").click()
    dialog.get_by_role("button", name="Merge").click()
    saved(page)
    assert draft(api, slug)["nodes"][0]["name"] == "Mine"


def test_who_is_overwritten_reads_by_whom_with_both_values_and_takes_either(
    open_page: OpenPage, made: Make, api: httpx.Client
) -> None:
    slug = made()
    mine, other = opened(open_page("designer"), slug), opened(open_page("admin"), slug)
    for page in (mine, other):
        card(page, "answer").click()
        expect(form(page)).to_be_visible()
    notice = mine.get_by_role("region", name="Changed after you")
    for theirs, choice, kept in (("Theirs", "Use mine", "Mine"), ("Again", "Keep theirs", "Again")):
        form(mine).get_by_label("Name", exact=True).fill("Mine")
        expect(form(other).get_by_label("Name", exact=True)).to_have_value("Mine")
        saved(mine)
        saved(other)
        form(other).get_by_label("Name", exact=True).fill(theirs)
        expect(notice).to_contain_text("admin changed “")
        expect(notice).to_contain_text("Mine")
        expect(notice.locator(".editor-side").nth(1)).to_contain_text(theirs)
        if choice == "Use mine":
            assert_accessible_in_every_look(mine)
        notice.get_by_role("button", name=choice).click()
        expect(notice).to_have_count(0)
        expect(card(other, "answer").locator("strong")).to_have_text(kept)
        saved(mine)
        assert draft(api, slug)["nodes"][1]["name"] == kept
        dismiss = other.get_by_role("button", name="Keep theirs")
        if choice == "Use mine":  # who overwrote is told of it in turn
            dismiss.click()


def test_undo_leaves_what_another_has_set_since_and_says_so(
    open_page: OpenPage, made: Make, api: httpx.Client
) -> None:
    slug = made()
    mine, other = opened(open_page("designer"), slug), opened(open_page("admin"), slug)
    card(mine, "answer").click()
    form(mine).get_by_label("Name", exact=True).fill("Mine")
    expect(card(other, "answer").locator("strong")).to_have_text("Mine")
    saved(mine)
    card(other, "answer").click()
    form(other).get_by_label("Name", exact=True).fill("Theirs")
    expect(card(mine, "answer").locator("strong")).to_have_text("Theirs")
    card(mine, "answer").focus()
    mine.keyboard.press("Control+z")
    expect(mine.locator(".toast-note")).to_contain_text("was not undone")
    saved(mine)
    assert draft(api, slug)["nodes"][1]["name"] == "Theirs"


def test_what_someone_deletes_after_it_was_saved_is_told_and_restored_with_its_edges(
    open_page: OpenPage, made: Make, api: httpx.Client
) -> None:
    slug = made()
    edges = draft(api, slug)["edges"]
    mine, other = opened(open_page("designer"), slug), opened(open_page("admin"), slug)
    card(mine, "answer").click()
    form(mine).get_by_label("Name", exact=True).fill("Mine")
    expect(card(other, "answer").locator("strong")).to_have_text("Mine")
    saved(mine)
    card(other, "answer").click()
    other.keyboard.press("Delete")
    notice = mine.get_by_role("region", name="Changed after you")
    expect(notice).to_contain_text("admin deleted “Mine” after you saved it.")
    assert_accessible_in_every_look(mine)
    notice.get_by_role("button", name="Restore").click()
    expect(notice).to_have_count(0)
    expect(card(other, "answer").locator("strong")).to_have_text("Mine")
    saved(mine)
    assert _ids(draft(api, slug)["edges"]) == _ids(edges)


def _ids(elements: list[dict[str, JsonValue]]) -> set[str]:
    return {str(each["id"]) for each in elements}


def test_a_deletion_that_another_takes_back_is_undone_no_second_time(
    open_page: OpenPage, made: Make, api: httpx.Client, tolerate: Callable[[str], None]
) -> None:
    slug = made()
    before = draft(api, slug)
    mine, other = opened(open_page("designer"), slug), opened(open_page("admin"), slug)
    tolerate("ERR_FAILED")
    tolerate("status of 409")
    card(mine, "answer").click()
    expect(form(mine)).to_be_visible()
    mine.route(DRAFT, lambda route: route.abort())
    form(mine).get_by_label("Name", exact=True).fill("Mine")
    expect(mine.locator(".editor-saving")).to_contain_text("Offline")
    card(other, "answer").click()
    other.keyboard.press("Delete")
    saved(other)
    mine.unroute(DRAFT)
    mine.get_by_role("button", name="Try now").click()
    dialog = mine.get_by_role("dialog", name="conflicting")
    dialog.get_by_role("button", name="Mine for all").click()
    dialog.get_by_role("button", name="Merge").click()
    saved(mine)
    assert _ids(draft(api, slug)["edges"]) == _ids(before["edges"])
    expect(card(other, "answer").locator("strong")).to_have_text("Mine")
    other.keyboard.press("Escape")
    other.keyboard.press("Control+z")
    expect(other.locator(".toast-note")).to_contain_text("was not undone")
    expect(other.get_by_role("button", name="Undo")).to_be_disabled()
    saved(other)
    assert [node["id"] for node in draft(api, slug)["nodes"]] == ["ask", "answer"]
