"""Conversations in a browser: read, operate, roll back, restore, import."""

import json
import re
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import assert_accessible_in_every_look, assert_nothing_sticks_out
from tests.e2e.tabs import EMPTY
from tests.shape_examples import example

HOSTILE = "<script>document.title='run'</script><img src=x onerror=alert(1)>"


def made(api: httpx.Client, name: str, count: int = 6) -> str:
    """A conversation with a tool call, JSON, a long text and a hostile one."""
    name = f"{name}-{uuid4().hex[:6]}"  # a second look makes another one
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "Be brief.\n" * 40},
        {"role": "user", "content": HOSTILE},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": json.dumps({"seats": [1, 2, 3]})},
    ]
    messages += [{"role": "user", "content": f"number {n}"} for n in range(count)]
    answer = api.post(
        "conversations", json={"id": name, "title": f"Chat {name}", "messages": messages}
    )
    assert answer.status_code == 201, answer.text
    return name


def test_a_reviewer_previews_applies_and_rolls_back(reviewer_page: Page, api: httpx.Client) -> None:
    page, name = reviewer_page, made(api, "e2e-operate")
    page.goto(f"/conversations/{name}/")
    page.get_by_role("link", name="Edit context").click()
    page.get_by_label("Keep the last", exact=True).fill("3")
    expect(page.locator("#id_truncate-keep_system")).to_be_checked()
    page.get_by_label("Reason").fill("too long")
    page.get_by_role("button", name="Preview", exact=True).click()
    expect(page.get_by_role("heading", name="Preview of the result")).to_be_visible()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("4 messages visible")).to_be_visible()
    expect(page.locator("article.message")).to_have_count(4)
    page.get_by_role("link", name="Roll back").first.click()
    dialog = page.locator("form.confirm")
    expect(dialog.get_by_text("6 messages")).to_be_visible()
    expect(dialog.get_by_label("Reason")).to_be_focused()
    dialog.get_by_label("Reason").fill("needed after all")
    dialog.get_by_role("button", name="Roll back").click()
    expect(page.locator("article.message")).to_have_count(10)
    page.get_by_role("link", name="All", exact=True).click()
    expect(page.get_by_text("needed after all")).to_be_visible()
    page.get_by_role("link", name="Restore").first.click()
    page.locator("form.confirm").get_by_role("button", name="Restore").click()
    expect(page.locator("article.message")).to_have_count(4)


def test_an_operation_that_cannot_be_is_reported_at_the_field(
    reviewer_page: Page, api: httpx.Client
) -> None:
    page, name = reviewer_page, made(api, "e2e-wrong")
    page.goto(f"/conversations/{name}/operate/")
    page.get_by_label("Operation").select_option("replace")
    page.get_by_label("Position").filter(visible=True).last.fill("99")
    page.get_by_label("Role").filter(visible=True).last.select_option("user")
    page.get_by_label("Content").filter(visible=True).last.fill("new")
    page.get_by_role("button", name="Preview", exact=True).click()
    expect(page.locator("[aria-invalid=true]")).to_have_count(1)


def test_long_conversations_load_as_they_are_scrolled(page: Page, api: httpx.Client) -> None:
    name = made(api, "e2e-long", 300)
    page.goto(f"/conversations/{name}/")
    expect(page.locator("article.message")).to_have_count(50)
    page.locator(".message-section").last.scroll_into_view_if_needed()
    expect(page.get_by_text("number 299", exact=True)).to_be_visible()


@pytest.fixture(scope="module")
def far(request: pytest.FixtureRequest) -> str:
    """A conversation of 10,000 messages: a call at #1 that is answered at #802."""
    server, token = request.getfixturevalue("server"), request.getfixturevalue("token")
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": f"number {n}"} for n in range(10_000)
    ]
    messages[1] = {"role": "assistant", "content": None, "tool_calls": [call]}
    messages[802] = {"role": "tool", "tool_call_id": "c1", "content": "the result"}
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=f"{server.url}/api/v1/", headers=headers, timeout=120) as client:
        answer = client.post("conversations", json={"messages": messages})
        assert answer.status_code == 201
    return str(answer.json()["id"])


def test_a_link_to_a_message_that_is_not_loaded_leads_to_it(page: Page, far: str) -> None:
    page.goto(f"/conversations/{far}/")
    page.locator(".tool-call-head").first.click()
    page.get_by_role("link", name="result in #802").click()
    expect(page.locator("article").get_by_text("the result", exact=True)).to_be_in_viewport()
    expect(page.locator("#m802:target")).to_be_visible()
    page.wait_for_timeout(1500)  # what is near has loaded by now
    expect(page.locator("#m802")).to_be_in_viewport()
    page.get_by_role("link", name="answers #1", exact=True).click()
    expect(page.locator("#m1:target")).to_be_in_viewport()
    page.go_back()
    expect(page.locator("#m802")).to_be_in_viewport()


def test_an_address_with_a_message_leads_to_it(page: Page, far: str) -> None:
    for index in (9000, 9025, 9999):
        page.goto(EMPTY)
        page.goto(f"/conversations/{far}/#m{index}")
        expect(page.locator(f"#m{index}:target")).to_be_in_viewport()
        page.wait_for_load_state("networkidle")  # what is near has loaded by now
        expect(page.locator(f"#m{index}")).to_be_in_viewport()
        assert page.locator("article.message").count() < 300
        page.locator(f"#m{index} .message-number").click()
        expect(page).to_have_url(re.compile(f"#m{index}$"))


def test_a_hidden_message_is_shown_in_the_whole_log(page: Page, api: httpx.Client) -> None:
    name = made(api, "e2e-hidden-link", 200)
    cut = {"operation": "truncate", "truncate": {"keep_last": 5}}
    assert api.post(f"conversations/{name}/operations", json=cut).status_code == 200
    page.goto(f"/conversations/{name}/#m120")
    expect(page).to_have_url(re.compile("view=all&at=120#m120$"))
    expect(page.locator("#m120:target")).to_be_in_viewport()


def test_a_link_to_a_message_works_without_scripts(browser: Browser, page: Page, far: str) -> None:
    page.goto(f"/conversations/{far}/")
    state = page.context.storage_state()
    with browser.new_context(java_script_enabled=False, storage_state=state) as context:
        plain = context.new_page()
        plain.goto(page.url)
        plain.locator(".tool-call-head").first.click()
        plain.get_by_role("link", name="result in #802").click()
        expect(plain.locator("#m802")).to_be_in_viewport()
        plain.get_by_role("link", name="Messages #850 to #899").click()
        expect(plain.locator("#m850")).to_be_in_viewport()


def test_long_conversations_stay_as_wide_as_the_screen(page: Page, api: httpx.Client) -> None:
    page.goto(f"/conversations/{made(api, 'e2e-as-wide', 120)}/")
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    expect(page.locator("article").get_by_text("number 119", exact=True)).to_be_visible()
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 900})
        assert_nothing_sticks_out(page)
        right = page.locator("article.message").evaluate_all(
            "cards => Math.max(...cards.map(card => card.getBoundingClientRect().right))"
        )
        assert 0 < right <= width


def test_what_messages_say_never_runs(page: Page, api: httpx.Client) -> None:
    name = made(api, "e2e-hostile")
    page.goto(f"/conversations/{name}/?view=all")
    expect(page.locator("article").get_by_text(HOSTILE, exact=True)).to_be_visible()
    assert "run" not in page.title()
    page.locator("article.message").first.focus()
    page.get_by_text("Raw").first.click()


def test_an_admin_uploads_a_file(page: Page, tmp_path: Path) -> None:
    lines = [
        {"id": f"e2e-up-{n}", "messages": [{"role": "user", "content": f"hello {n}"}]}
        for n in range(2)
    ]
    file = tmp_path / "chats.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines))
    page.goto("/conversations/")
    page.get_by_role("link", name="Import").click()
    page.get_by_label("File").set_input_files(file)
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("2 conversations imported")).to_be_visible()
    expect(page.get_by_role("link", name="hello 1", exact=True).first).to_be_visible()


def test_an_upload_of_another_program_shows_its_report(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    file.write_text(json.dumps(example("opentelemetry", "attributes")))
    page.goto("/conversations/import/")
    page.get_by_label("File").set_input_files(file)
    page.get_by_label("Format").select_option("opentelemetry")
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("heading", name="Import report")).to_be_visible()
    expect(page.get_by_text("Conversations: 1 · messages: 5")).to_be_visible()
    expect(page.get_by_text("begins with the same messages")).to_be_visible()
    assert_accessible_in_every_look(page, narrow=390)
    page.locator("section", has_text="Imported conversations").get_by_role("link").first.click()
    expect(page.locator("article.message")).to_have_count(5)
