"""What two designers made of an element is told in the words of its form."""

from typing import Any

import pytest

from ctxadmin.accounts.roles import Role
from tests.factories import signed_in
from tests.integration.pages.workflows.unsaved import ANSWER, START, ask, document

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small")]


def said(given: dict[str, Any]) -> dict[str, Any]:
    answer = ask(signed_in(Role.DESIGNER), "sides", {"document": given})
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def lines(told: list[dict[str, Any]]) -> dict[str, list[str]]:
    return {each["label"]: each["lines"] for each in told}


def test_a_node_is_told_by_the_labels_of_its_form_and_its_rules_in_a_line_each() -> None:
    found = lines(said(document())["nodes"][1])
    assert found["What it sees"] == ["filter_in – only what its filter lets in"]
    assert found["Filter of what comes in 1 › Rules"] == [
        "What it does: Include · Pattern: prompt.* · Of what: Variables"
    ]
    assert found["Template"] == ["Be short."]


def test_an_edge_is_told_with_its_condition_and_operations() -> None:
    found = lines(said(document())["edges"][0])
    assert found["Taken if"] == ["context.priority === 'high'"]
    assert found["Messages"] == [
        "Operation: Truncate by position · Keep the last: 6 · Split tool pairs: Only warn",
        "Operation: Filter by role or words · Only these roles: System, User, Assistant"
        " · Split tool pairs: Only warn",
    ]


def test_the_ends_of_an_edge_are_told_by_name_and_id() -> None:
    asked = {"document": document(), "names": {"start": "Begin", "answer": "Answer"}}
    answer = ask(signed_in(Role.DESIGNER), "sides", asked)
    found = lines(answer.json()["edges"][0])
    assert found["From"] == ["Begin (start)"]
    assert found["To"] == ["Answer (answer)"]


def test_an_end_without_a_name_is_told_by_its_id() -> None:
    assert lines(said(document())["edges"][0])["To"] == ["answer"]


def test_only_what_has_no_words_is_json() -> None:
    told = said(document())["nodes"][1]
    assert [each["label"] for each in told if each["is_json"]] == ["Other config"]


def test_the_sides_of_one_element_are_told_one_after_the_other() -> None:
    given = document(START, ANSWER, {**ANSWER, "name": "Reply"})
    names = [lines(told).get("Name") for told in said(given)["nodes"]]
    assert names == [None, ["Answer"], ["Reply"]]


def test_an_element_that_cannot_be_read_has_no_words_and_keeps_no_other_from_them() -> None:
    found = said(document(START, {**ANSWER, "type": 3}))["nodes"]
    assert found[0] is not None
    assert found[1] is None
