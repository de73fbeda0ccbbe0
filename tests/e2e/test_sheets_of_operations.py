"""The sheets in which people say what to do with selected messages."""

import httpx
from playwright.sync_api import Page, expect

from tests.e2e.scenes import ok
from tests.e2e.selection_scenes import box, made


def test_what_was_typed_into_a_closed_sheet_comes_back_until_it_is_applied(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-select-kept", 6)
    page.goto(f"/conversations/{name}/")
    box(page, 3).check()
    page.get_by_role("button", name="Replace", exact=True).click()
    page.get_by_label("New text").fill("A better one")
    page.get_by_label("Reason").fill("too curt")
    page.keyboard.press("Escape")
    expect(page.locator("#sheet")).to_have_count(0)
    page.get_by_role("button", name="Hide", exact=True).click()
    expect(page.get_by_label("Reason")).to_have_value("")
    page.reload()
    box(page, 3).check()
    page.get_by_role("button", name="Replace", exact=True).click()
    expect(page.get_by_label("New text")).to_have_value("A better one")
    expect(page.get_by_label("Reason")).to_have_value("too curt")
    expect(page.get_by_text("What you had typed is back.")).to_be_visible()
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("#m6")).to_contain_text("A better one")
    page.get_by_role("button", name="Undo").first.click()
    box(page, 3).check()
    page.get_by_role("button", name="Replace", exact=True).click()
    expect(page.get_by_label("New text")).not_to_have_value("A better one")


def test_an_open_sheet_follows_the_conversation_and_confirms_what_changed(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-sheet-follows", 12)
    page.goto(f"/conversations/{name}/")
    expect(page.locator("#live-link")).to_have_attribute("data-live", "open")
    for index in (6, 8):
        box(page, index).check()
    page.get_by_role("button", name="Hide", exact=True).click()
    page.get_by_label("Reason").fill("noise")
    sheet = page.locator("#sheet")
    expect(sheet.get_by_text("10 messages", exact=True)).to_be_visible()

    def hide(start: int) -> None:
        cut = {
            "operation": "truncate",
            "truncate": {"remove_ranges": [{"start": start, "end": start + 1}]},
        }
        assert api.post(f"conversations/{name}/operations", json=cut).status_code == 200

    hide(3)
    expect(sheet.get_by_text("The conversation changed: figures updated.")).to_be_visible()
    expect(sheet.get_by_text("9 messages", exact=True)).to_be_visible()
    expect(page.locator("#m8.message-going")).to_be_visible()
    # A page that nobody sees is not fetched again: the sheet learns of it when it is refused.
    page.evaluate("Object.defineProperty(document, 'hidden', { value: true })")
    hide(0)
    page.get_by_role("button", name="Apply").click()
    expect(sheet.get_by_text("Nothing was applied: the conversation changed.")).to_be_visible()
    expect(sheet.get_by_text("8 messages", exact=True)).to_be_visible()
    expect(page.get_by_label("Reason")).to_have_value("noise")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("Hid #6, #8. Batch 3: 8 messages visible.")).to_be_visible()


def test_a_sheet_whose_messages_are_gone_can_only_be_closed(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-sheet-lost", 6)
    page.goto(f"/conversations/{name}/")
    expect(page.locator("#live-link")).to_have_attribute("data-live", "open")
    box(page, 4).check()
    page.get_by_role("button", name="Hide", exact=True).click()
    sheet = page.locator("#sheet")
    expect(sheet.get_by_label("Reason")).to_be_focused()
    cut = {"operation": "truncate", "truncate": {"remove_ranges": [{"start": 4, "end": 5}]}}
    page.evaluate("Object.defineProperty(document, 'hidden', { value: true })")
    assert api.post(f"conversations/{name}/operations", json=cut).status_code == 200
    page.keyboard.press("Enter")
    expect(
        sheet.get_by_text("The conversation changed: the selected messages are no longer visible.")
    ).to_be_visible()
    expect(sheet.get_by_text("apply again")).to_have_count(0)
    expect(sheet.get_by_role("button", name="Apply")).to_have_count(0)
    sheet.get_by_role("button", name="Close").last.click()
    expect(sheet).to_have_count(0)


def test_a_replacement_is_applied_once_its_text_differs(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-replace-same", 12)
    page.goto(f"/conversations/{name}/")
    box(page, 5).check()
    page.get_by_role("button", name="Replace", exact=True).click()
    apply = page.get_by_role("button", name="Apply", exact=True)
    expect(apply).to_be_disabled()
    expect(apply).to_have_accessible_description("Change the text to apply the replacement.")
    page.get_by_label("New text").fill("number five")
    expect(apply).to_be_enabled()
    page.get_by_label("New text").fill("number 5")
    expect(apply).to_be_disabled()


def test_a_summary_or_a_message_is_applied_once_it_has_a_text(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-no-text", 12)
    page.goto(f"/conversations/{name}/")
    box(page, 5).check()
    apply = page.locator("#sheet").get_by_role("button", name="Apply", exact=True)
    for key, label, why in (
        ("s", "Summary", "Write the summary to apply it."),
        ("i", "Text", "Write the message to insert it."),
    ):
        page.keyboard.press(key)
        field = page.get_by_label(label, exact=True)
        expect(apply).to_be_disabled()
        expect(apply).to_have_accessible_description(why)
        field.fill("What was said")
        expect(apply).to_be_enabled()
        field.fill("  ")
        expect(apply).to_be_disabled()
        field.fill("")
        page.get_by_role("button", name="Cancel").click()
        expect(page.locator("#sheet")).to_have_count(0)


def test_an_open_sheet_is_about_what_is_selected_by_then(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-follow", 12)
    page.goto(f"/conversations/{name}/")
    box(page, 4).check()
    page.get_by_role("button", name="Hide", exact=True).click()
    expect(page.get_by_text("1 message will be hidden: #4")).to_be_visible()
    box(page, 6).check()
    expect(page.get_by_text("2 messages will be hidden: #4, #6")).to_be_visible()
    expect(page.locator("#m6.message-going")).to_be_visible()
    box(page, 4).uncheck()
    expect(page.get_by_text("1 message will be hidden: #6")).to_be_visible()
    box(page, 6).uncheck()
    expect(page.locator("#sheet")).to_have_count(0)
    box(page, 7).check()
    page.get_by_role("button", name="Hide", exact=True).click()
    box(page, 8).check()
    expect(page.get_by_text("2 messages will be hidden: #7–#8")).to_be_visible()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("Hid #7–#8.")).to_be_visible()


def test_a_sheet_that_changes_nothing_cannot_be_applied_until_it_changes_something(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-sheet-pinned", 6)
    ok(api.patch(f"conversations/{name}/messages/3", json={"pinned": True}))
    before = ok(api.get(f"conversations/{name}"))
    page.goto(f"/conversations/{name}/")
    page.locator("#m3").focus()
    page.keyboard.press("d")
    sheet = page.locator("#sheet")
    apply = sheet.get_by_role("button", name="Apply")
    expect(sheet.get_by_label("Reason")).to_be_focused()
    expect(apply).to_be_disabled()
    expect(sheet.get_by_text("There is nothing to apply.")).to_be_visible()
    page.keyboard.press("Enter")
    box(page, 4).check()
    expect(apply).to_be_enabled()
    expect(sheet.get_by_text("There is nothing to apply.")).to_be_hidden()
    assert ok(api.get(f"conversations/{name}")) == before
