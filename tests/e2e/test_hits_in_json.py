"""A hit in a JSON tree of a conversation or of a state leads to the words in it."""

import json

import httpx
import pytest
from playwright.sync_api import Page, expect
from pydantic import JsonValue

from tests.e2e.scenes import go, ok, save, start_one
from tests.servers import wait_until


def result(rows: list[JsonValue]) -> list[JsonValue]:
    """A call and its result, behind which a page continues."""
    call: JsonValue = {
        "id": "c1",
        "type": "function",
        "function": {"name": "look_up", "arguments": "{}"},
    }
    found = json.dumps({"error": "too many rows", "rows": rows})
    later: list[JsonValue] = [{"role": "user", "content": f"later {n}"} for n in range(30)]
    return [
        {"role": "user", "content": "begin"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": found},
        *later,
    ]


def test_the_item_with_the_words_unfolds(reviewer_page: Page, api: httpx.Client) -> None:
    rows: list[JsonValue] = [{"id": n, "v": f"value {n}"} for n in range(60)]
    rows[55] = {"id": 55, "v": "the quince is here"}
    made = ok(api.post("conversations", json={"messages": result(rows)}))
    page = go(reviewer_page, f"/conversations/{made['id']}/?at=2&q=quince#m2")
    expect(page.locator("#m2 .json-string", has_text="quince")).to_be_in_viewport()


@pytest.mark.parametrize("words", ["quince", '"row" "quince"'])
def test_what_a_tree_leaves_out_is_shown_below_it(
    reviewer_page: Page, api: httpx.Client, words: str
) -> None:
    rows: list[JsonValue] = [
        {"id": n, "a": f"row {n}", "b": "b", "c": "c", "d": "d"} for n in range(100)
    ]
    rows[90] = {"id": 90, "a": "row 90", "b": "the quince is here", "c": "c", "d": "d"}
    made = ok(api.post("conversations", json={"messages": result(rows)}))
    page = go(reviewer_page, f"/conversations/{made['id']}/?at=2&q={words}#m2")
    passage = page.locator("#m2 .message-passage")
    expect(passage).to_contain_text("the quince is here")
    expect(passage.locator("mark").first).to_be_in_viewport()


def test_words_too_far_apart_for_one_passage_are_asked_for_once(
    reviewer_page: Page, api: httpx.Client
) -> None:
    rows: list[JsonValue] = [{"id": n, "a": "b" * 60, "c": "d", "e": "f"} for n in range(140)]
    rows[90] = {"id": 90, "a": "quince"}
    rows[130] = {"id": 130, "a": "medlar"}
    made = ok(api.post("conversations", json={"messages": result(rows)}))
    asked: list[str] = []
    reviewer_page.on("request", lambda each: asked.append(each.url))
    page = go(reviewer_page, f'/conversations/{made["id"]}/?at=2&q="quince" "medlar"#m2')
    expect(page.locator("#m2 .message-passage mark").first).to_be_in_viewport()
    page.wait_for_timeout(1000)  # a second one would be on its way
    assert len([url for url in asked if "around=" in url and "/messages/" in url]) == 1


# Whether the word is marked and in sight.
IN_SIGHT = """(word) => [...(CSS.highlights.get("found") ?? [])].some((mark) => {
  const range = document.createRange();
  range.setStart(mark.startContainer, mark.startOffset);
  range.setEnd(mark.endContainer, mark.endOffset);
  const { top, bottom, width } = range.getBoundingClientRect();
  return range.toString() === word && width > 0 && top > 0 && bottom < innerHeight;
})"""


def test_a_hit_in_a_state_leads_to_the_words(reviewer_page: Page, api: httpx.Client) -> None:
    name = start_one(api, paused=False)
    deep: list[JsonValue] = [{"id": n, "more": {"v": f"value {n}"}} for n in range(40)]
    deep[35] = {"id": 35, "more": {"v": "the quince is here"}}
    long: list[JsonValue] = [{"id": n, "v": {"w": f"value {n}"}} for n in range(300)]
    long[290] = {"w": "the medlar is here"}
    texts = {"deep": {"rows": deep}, "long": long, "note": "word \n" * 900 + "the sorb is here"}
    save(api, name, node_id="write", state_data=texts)
    query = f"workflow:{name} in:state"

    def is_found() -> bool:
        return bool(ok(api.get("search", params={"q": f"sorb {query}"}))["results"])

    wait_until(is_found, 60)
    for key, word in {"deep": "quince", "long": "medlar", "note": "sorb"}.items():
        page = reviewer_page
        page.goto(f"/search/?q={word} {query}")
        page.get_by_role("link", name=f"{name} {key}").click()
        page.wait_for_url(f"**/?q={key}&words={word}&whole=1#state")
        page.wait_for_function(IN_SIGHT, arg=word)
        assert page.locator(".passage-text").count() == (key == "long")
