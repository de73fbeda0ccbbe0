"""The two sides of a conflict in the words of the element's form, with changes marked."""

from itertools import groupby
from typing import Any

import pytest
from pydantic import JsonValue

from ctxadmin.identity.roles import Role
from ctxadmin.lib.text_diff import LONGEST_TEXT
from tests.factories import signed_in
from tests.integration.pages.workflows.unsaved import ANSWER, GO, ask

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small")]

MARKS = {"same": "{}", "removed": "[-{}-]", "added": "[+{}+]"}


def told(kind: str, *sides: Any, **more: Any) -> Any:
    """The answer of one conflict; a side is its element, or None if it is not there."""
    given = [None if side is None else {"element": side} for side in sides]
    conflict = dict(zip(("base", "mine", "theirs"), given, strict=True), kind=kind)
    return asked({"conflicts": [conflict], **more})[0]


def asked(body: dict[str, Any]) -> Any:
    answer = ask(signed_in(Role.DESIGNER), "sides", body)
    assert answer.status_code == 200, answer.content
    return answer.json()["conflicts"]


def said(rows: list[dict[str, Any]], side: int) -> dict[str, str]:
    """What base (0), mine (1) or theirs (2) says by label."""
    return {row["label"]: "".join(map(marked, row["sides"][side])) for row in rows}


def marked(piece: dict[str, str]) -> str:
    return MARKS[piece["kind"]].format(piece["text"])


def changed(element: dict[str, JsonValue], **fields: JsonValue) -> dict[str, JsonValue]:
    return {**element, **fields}


def test_a_node_is_reported_by_the_labels_of_its_form_and_its_rules_in_a_line_each() -> None:
    found = said(told("node", {"id": "answer", "type": "llm"}, ANSWER, None), 1)
    assert found["Name"] == "[+Answer+]"
    assert found["Input filter 1 › Rules"] == (
        "[+Action: Include · Pattern: prompt.* · Section: Variables+]"
    )
    assert found["Template"] == "[+Be short.+]"


def test_an_edge_is_reported_with_its_condition_and_operations() -> None:
    plain = {"id": "go", "type": "conditional", "from": "start", "to": "answer"}
    found = said(told("edge", GO, plain, None), 0)
    assert found["Condition"] == "context.priority === 'high'"
    assert found["Messages"] == (
        "Operation: Truncate by position · Keep the last: 6 · Incomplete tool pairs: Only warn\n"
        "Operation: Filter by role or keyword · Only these roles: System, User, Assistant · "
        "Incomplete tool pairs: Only warn"
    )


def test_the_ends_of_an_edge_are_reported_by_name_or_by_id_alone() -> None:
    moved, away = changed(GO, to="review"), changed(GO, to="log")
    names = {"start": "Begin", "answer": "Answer", "review": "A person"}
    rows = told("edge", GO, moved, away, names=names)
    assert [row["label"] for row in rows] == ["To"]
    ends = [said(rows, side)["To"] for side in range(3)]
    assert ends == [
        "Answer",
        "[-Answer-][+A person+]",
        "[-Answer-][+log+]",
    ]


def test_only_fields_in_which_the_sides_differ_are_reported_with_the_words_that_are_new() -> None:
    mine = changed(ANSWER, config={"template": "Be very short.", "temperature": 0.2})
    rows = told("node", ANSWER, mine, ANSWER)
    assert [row["label"] for row in rows] == ["Template"]
    assert [said(rows, side)["Template"] for side in range(3)] == [
        "Be short.",
        "Be [+very +]short.",
        "Be short.",
    ]


def test_a_rule_that_was_put_before_another_one_leaves_that_one_whole() -> None:
    rule: JsonValue = {"type": "include", "pattern": "order.*"}
    old: JsonValue = {"type": "include", "pattern": "prompt.*"}
    mine = changed(ANSWER, context_filter={"rules": [rule, old]})
    base = changed(ANSWER, context_filter={"rules": [old]})
    found = said(told("node", base, mine, base), 1)["Input filter 1 › Rules"]
    line = "Action: Include · Pattern: {} · Section: Variables"
    assert found == f"[+{line.format('order.*')}\n+]{line.format('prompt.*')}"


def test_only_what_has_no_words_is_json_and_is_marked_too() -> None:
    mine = changed(ANSWER, config={"template": "Be kind.", "temperature": 0.7})
    rows = told("node", ANSWER, mine, ANSWER)
    assert [row["label"] for row in rows if row["is_json"]] == ["Other config"]
    assert "[-0.2-][+0.7+]" in said(rows, 1)["Other config"]


def test_a_side_that_is_not_there_says_nothing_and_differs_from_none() -> None:
    rows = told("node", ANSWER, None, changed(ANSWER, name="Reply"))
    assert [row["label"] for row in rows] == ["Name"]
    assert rows[0]["sides"][1] == []


def test_sides_that_say_the_same_differ_in_no_field() -> None:
    assert told("node", ANSWER, None, changed(ANSWER, position={"x": 1, "y": 2})) == []


def test_what_is_new_on_both_sides_has_nothing_that_it_was_before() -> None:
    rows = told("node", None, ANSWER, changed(ANSWER, name="Reply"))
    assert [said(rows, side)["Name"] for side in range(3)] == ["", "Answer", "Reply"]


def test_texts_that_no_form_asks_for_are_compared_behind_the_form() -> None:
    base = {"element": ANSWER, "texts": {"Note": "read this"}}
    mine = {"element": changed(ANSWER, name="Reply"), "texts": {"Note": "read that"}}
    rows = asked({"conflicts": [{"kind": "node", "base": base, "mine": mine, "theirs": base}]})[0]
    assert said(rows, 1) == {"Name": "[-Answer-][+Reply+]", "Note": "read [-this-][+that+]"}


def test_a_name_is_a_text_alone() -> None:
    sides = {
        side: {"texts": {"Name": text}}
        for side, text in zip(("base", "mine", "theirs"), "ABC", strict=True)
    }
    assert said(asked({"conflicts": [{"kind": "text", **sides}]})[0], 2) == {"Name": "[-A-][+C+]"}


def test_an_element_that_cannot_be_read_keeps_no_other_conflict_from_its_words() -> None:
    wrong = {
        "kind": "node",
        "base": {"element": ANSWER},
        "mine": {"element": {"id": "x", "type": 3}},
    }
    good = {
        "kind": "node",
        "base": {"element": ANSWER},
        "mine": {"element": changed(ANSWER, name="B")},
    }
    found = asked({"conflicts": [wrong, good]})
    assert found[0] is None
    assert said(found[1], 1) == {"Name": "[-Answer-][+B+]"}


def test_of_long_texts_a_side_says_what_stands_beside_its_changes_and_the_first_says_all() -> None:
    long = "first " + "word " * 1000
    mine = changed(ANSWER, config={"template": long + "last"})
    base = changed(ANSWER, config={"template": long})
    rows = told("node", base, mine, base)
    assert [len(said(rows, side)["Template"]) > 5000 for side in range(3)] == [True, False, False]
    assert said(rows, 1)["Template"].startswith(" … word ")
    assert said(rows, 1)["Template"].endswith("word [+last+]")


def test_texts_that_are_too_long_to_compare_stand_one_after_the_other() -> None:
    long = LONGEST_TEXT // 5 + 1
    mine = changed(ANSWER, config={"template": "text " * long})
    base = changed(ANSWER, config={"template": "word " * long})
    rows = told("node", base, mine, base)
    kinds = [piece["kind"] for piece in rows[0]["sides"][1]]
    assert [kind for kind, _pieces in groupby(kinds)] == ["removed", "added"]


def test_no_more_conflicts_are_reported_at_once_than_a_page_asks_for() -> None:
    many = {"conflicts": [{"kind": "text"}] * 21}
    assert ask(signed_in(Role.DESIGNER), "sides", many).status_code == 422


def test_what_both_sides_changed_to_the_same_is_not_asked_about() -> None:
    base = {"id": "draft", "type": "llm"}
    mine = base | {"name": "Write", "context_filter": {"rules": [], "priority": 3}}
    theirs = base | {"name": "Draft", "context_filter": {"rules": [], "priority": 3}}
    assert [row["label"] for row in told("node", base, mine, theirs)] == ["Name"]
