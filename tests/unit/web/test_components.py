"""Components: what they write, and that texts of others stay texts."""

import json
import re
from datetime import UTC, datetime, timedelta, timezone
from html import unescape
from typing import Any

import pytest
from django.template import Context, Template
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from ctxadmin.ui.components import DiffRow, Tab
from ctxadmin.ui.json_view import draw_json
from ctxadmin.ui.visible_text import has_invisible
from tests.unit.web.html_seen import Seen

SCRIPT = "<script>alert(1)</script>"


def drawn(template: str, **context: Any) -> str:
    return Template("{% load ui %}" + template).render(Context(context))


@pytest.mark.parametrize(
    ("status", "label"),
    [
        ("PENDING", "Pending"),
        ("RUNNING", "Running"),
        ("PAUSED", "Paused"),
        ("COMPLETED", "Completed"),
        ("FAILED", "Failed"),
        ("CANCELLED", "Cancelled"),
        ("IDLE", "Idle"),
    ],
)
def test_every_status_has_a_word_and_an_icon(status: str, label: str) -> None:
    html = drawn("{% status_badge status %}", status=status)
    assert label in html
    assert "icons" in html


def test_an_unknown_status_is_shown_as_it_is() -> None:
    assert "&lt;script&gt;" in drawn("{% status_badge status %}", status=SCRIPT)


def test_an_icon_is_decoration_unless_it_has_a_label() -> None:
    assert 'aria-hidden="true"' in drawn('{% icon "trash" %}')
    assert 'role="img" aria-label="Locked"' in drawn('{% icon "lock" label="Locked" %}')


def test_urgent_notes_are_alerts_and_others_are_not() -> None:
    assert 'role="alert"' in drawn('{% note "error" "x" %}')
    assert 'role="alert"' not in drawn('{% note "success" "x" %}')


def test_a_note_does_not_take_the_title_of_the_page() -> None:
    assert "Page title" not in drawn('{% note "info" "x" %}', title="Page title")


def test_the_pager_keeps_the_other_parameters() -> None:
    request = RequestFactory().get("/", {"q": "a b", "cursor": "old", "status": ["X", "Y"]})
    html = drawn('{% pager next="new" shown=1200 %}', request=request)
    assert "?q=a+b&amp;status=X&amp;status=Y&amp;cursor=new" in html
    assert "?q=a+b&amp;status=X&amp;status=Y&quot;" not in html
    assert "First page" in html
    assert "1,200 rows" in html


def test_a_list_of_one_page_has_no_pager() -> None:
    assert "<nav" not in drawn("{% pager next=None %}", request=RequestFactory().get("/"))


def test_tabs_tell_which_one_is_open() -> None:
    tabs = [Tab("A", "?a", current=True, count=1234), Tab("B", "?b")]
    html = drawn('{% tabs tabs label="Parts" %}', tabs=tabs)
    assert html.count('aria-current="page"') == 1
    assert "1,234" in html


def test_a_token_bar_says_its_numbers_and_the_change() -> None:
    html = drawn("{% token_bar 30000 limit=128000 before=54000 %}")
    assert "<b>30,000</b> of 128,000 tokens" in html
    assert "−24,000" in html
    assert 'high="102400"' in html


def test_a_token_bar_without_a_limit_has_no_meter() -> None:
    assert "<meter" not in drawn("{% token_bar 1 %}")
    assert "<b>1</b> token" in drawn("{% token_bar 1 %}")


def test_a_changed_row_marks_the_words_that_differ() -> None:
    rows = [DiffRow("changed", "name", "Mia of Chicago", "Mia of Boston")]
    html = drawn('{% diff_rows rows label="x" %}', rows=rows)
    assert "<del>Chicago</del>" in html
    assert "<ins>Boston</ins>" in html


def test_an_added_row_has_nothing_before_it() -> None:
    html = drawn('{% diff_rows rows label="x" %}', rows=[DiffRow("added", "seat", "", "14C")])
    assert "<ins>" not in html
    assert "14C" in html


def test_values_of_different_types_are_marked_as_a_whole() -> None:
    rows = [DiffRow("changed", "a", "1", "[\n  1\n]", whole=True)]
    html = drawn('{% diff_rows rows label="x" %}', rows=rows)
    assert "<del>1</del>" in html
    assert "<ins>[\n  1\n]</ins>" in html


@pytest.mark.parametrize(
    "template",
    [
        "{% diff_rows rows label=text %}",
        "{% long_text text %}",
        "{% code_block text label=text language=text %}",
        "{% json_tree tree %}",
        "{% empty text text=text %}",
        "{% note 'info' text title=text %}",
        "{% card title=text %}{{ text }}{% endcard %}",
        "{{ text|visible }}",
        "{{ text|markdown }}",
        "{{ text|grouped }}",
    ],
)
def test_texts_of_others_are_never_markup(template: str) -> None:
    rows = [DiffRow("changed", SCRIPT, SCRIPT, SCRIPT + "x", note=SCRIPT)]
    html = drawn(template, text=SCRIPT, rows=rows, tree={SCRIPT: [SCRIPT]})
    assert "script" not in Seen(html).tags
    assert "&lt;script&gt;" in html


def test_long_text_is_folded_and_complete() -> None:
    text = "line\n" * 100
    html = drawn("{% long_text text %}", text=text)
    assert "<details>" in html
    assert html.count("line") > 100
    assert "<details>" not in drawn("{% long_text text %}", text="short")


def test_a_time_is_utc_until_the_browser_says_it_better() -> None:
    moment = datetime(2026, 1, 31, 9, 30, tzinfo=timezone(timedelta(hours=2)))
    html = drawn("{% when moment %}", moment=moment)
    assert 'datetime="2026-01-31T07:30:00.000000Z"' in html
    assert "2026-01-31 07:30 UTC" in html
    assert "<time" not in drawn("{% when moment %}", moment=None)


@pytest.mark.parametrize(("number", "text"), [(1200, "+1,200"), (-80, "−80"), (0, "±0")])
def test_a_change_has_a_sign(number: int, text: str) -> None:
    assert drawn("{{ number|signed }}", number=number) == text


def test_json_is_folded_below_the_second_level() -> None:
    html = draw_json({"a": {"b": {"c": 1}}})
    assert html.count(" open>") == 2
    assert "1 key" in html


def test_a_folded_object_begins_with_its_first_fields() -> None:
    node = {"at": {"x": 1}, "node": "write", "said": "a\n<b> " + "c" * 60, "ms": 12, "ok": True}
    html = draw_json({"executed": [node]})
    first = re.findall(r'<span class="json-first">(.*?)</span>', html)
    assert unescape(first[0]) == f"node: write, said: a <b> {'c' * 17}…, ms: 12"


def test_json_of_any_size_is_drawn_up_to_the_limit_and_the_rest_is_counted() -> None:
    html = draw_json([str(n) for n in range(100_000)], most=50)
    assert html.count('class="json-line') == 50  # and one line is the brace
    assert "99951 more" in html


def test_a_short_row_of_numbers_is_one_line() -> None:
    html = draw_json({"at": [1, 2.5, None]})
    assert html.count('class="json-line') == 1
    assert html.count("<details") == 1, "only the object around it folds"


def test_a_long_row_of_numbers_is_folded_and_counted() -> None:
    html = draw_json({"vector": list(range(100_000))}, most=50)
    assert "100000 items" in html
    assert html.count(" open>") == 1
    assert "99520 more" in html


def test_the_text_of_json_keeps_its_escapes() -> None:
    assert "&quot;a\\n\\&quot;b\\\\&quot;" in draw_json('a\n"b\\')


def test_signs_that_cannot_be_seen_are_escapes_in_json() -> None:
    html = draw_json({"\u202ekey": "\u200bvalue \U000e0041"})
    assert '<span class="mark-char" title="RIGHT-TO-LEFT OVERRIDE">\\u202e</span>key' in html
    shown = unescape(re.sub("<[^>]+>", "", html))
    assert '"\\u200bvalue \\udb40\\udc41"' in shown


def test_code_that_is_json_says_the_same_when_it_is_copied() -> None:
    said = {"a\u2066b": "\u200bc\u202e \U0001f469\u200d\U0001f680"}
    html = drawn('{% code_block text "json" %}', text=json.dumps(said, ensure_ascii=False))
    code = unescape(re.sub("<[^>]+>", "", html.partition("<code>")[2].partition("</code>")[0]))
    assert not has_invisible(code)
    assert json.loads(code) == said


def test_very_deep_json_is_cut() -> None:
    value: JsonValue = "1"
    for _ in range(500):
        value = [value]
    assert "[…]" in draw_json(value)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(values)
def test_any_json_is_drawn_without_markup_of_its_own(value: JsonValue) -> None:
    seen = Seen(draw_json(value))
    assert seen.tags <= {"div", "details", "summary", "span"}


def test_a_time_from_the_clock_is_accepted() -> None:
    assert "UTC" in drawn("{% when moment %}", moment=datetime.now(UTC))
