"""The pages of the REST contract, with the form that calls an operation."""

from collections.abc import Callable

from playwright.sync_api import Page, expect


def test_a_signed_in_person_calls_with_the_session(designer_page: Page) -> None:
    page = designer_page
    page.goto("/api/docs")
    page.get_by_role("link", name="Create a workflow").click()
    page.get_by_label("Body application/json").fill('{"slug": "tried-here"}')
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".api-status")).to_contain_text("201")
    expect(page.locator(".api-result")).to_contain_text('"slug": "tried-here"')
    expect(page.locator(".api-headers")).to_contain_text("/api/v1/workflows/tried-here")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".api-result")).to_contain_text('"code": "duplicate"')


def test_parameters_of_path_and_query_are_sent(
    designer_page: Page, tolerate: Callable[[str], None]
) -> None:
    page = designer_page
    tolerate("status of 404")
    page.goto("/api/docs/get_workflow")
    page.get_by_label("slug").fill("a/b?c")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".api-status")).to_contain_text("404")
    page.goto("/api/docs/list_reducers")
    page.get_by_label("limit").fill("1")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".api-result")).to_contain_text('"next": "')


def test_a_visitor_calls_with_a_token(
    visitor_page: Page, token: str, tolerate: Callable[[str], None]
) -> None:
    page = visitor_page
    tolerate("status of 401")
    page.goto("/api/docs/list_reducers")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".api-status")).to_contain_text("401")
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".api-status")).to_contain_text("200")
