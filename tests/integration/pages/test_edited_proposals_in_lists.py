"""Lists of reviews show what will be approved, with the edits since it was proposed."""

import re
from html import unescape

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from checkpoints.models import Execution
from checkpoints.reading.proposed_lines import edited_answers
from tests.factories import assistant
from tests.integration.checkpoints.flows import REVIEW, Run, chain, ok
from tests.integration.pages.execution_scenes import running, text

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

ANSWER = "Your order left on Friday."


def proposed(name: str = "letter", key: str = "write_output", say: bool = True) -> Run:
    """An execution whose node said its answer, and wrote the same under a key."""
    chain(name, "write", "review", "send", configs={"review": REVIEW})
    run = running(name)
    said = [assistant(ANSWER)] if say else []
    output = {"output": ANSWER} if key == "write_output" else {}
    other = {} if output else {key: ANSWER}
    ok(run.complete("write", messages=said, result=output, state_data={**other, "note": "none"}))
    return run


def lines(client: Client, path: str = "/reviews/") -> list[str]:
    """The lines of the answers in a list."""
    html = text(client.get(path))
    found = re.findall(r'"waiting-proposed" dir="auto">(.*?)</(?:p|div)>', html, re.DOTALL)
    return [
        " ".join(unescape(re.sub(r"<svg.*?</svg>|<[^>]*>", "", each)).split()) for each in found
    ]


@pytest.mark.parametrize("path", ["/reviews/", "/", "/executions/"])
def test_an_edited_answer_is_the_one_in_the_list(reviewer: Client, path: str) -> None:
    run = proposed()
    assert lines(reviewer, path) == [ANSWER]
    ok(run.update("review", state_data={"note": "some"}))
    assert lines(reviewer, path) == [ANSWER]
    ok(run.update("review", state_data={"write_output": "It **left** on Monday."}))
    assert lines(reviewer, path) == ["edited by test token (token) It left on Monday."]


def test_a_key_that_said_the_same_as_the_message_is_the_answer(reviewer: Client) -> None:
    run = proposed(key="draft")
    ok(run.update("review", state_data={"draft": "First edit"}))
    ok(run.update("review", state_data={"draft": "Second edit"}))
    assert lines(reviewer) == ["edited by test token (token) Second edit"]
    ok(run.update("review", state_data={"draft": ANSWER}))
    assert lines(reviewer) == [ANSWER], "it was changed back"


def test_an_edited_output_without_a_message_is_shown_too(reviewer: Client) -> None:
    run = proposed(say=False)
    assert lines(reviewer) == []
    ok(run.update("review", state_data={"write_output": {"to": "Mia"}}))
    assert lines(reviewer) == ['edited by test token (token) {"to":"Mia"}']


def test_a_removed_and_a_restored_answer(reviewer: Client) -> None:
    run = proposed()
    ok(run.update("review", state_data={"write_output": {"$delete": True}}))
    assert lines(reviewer) == ["removed by test token (token)"]
    ok(run.post("checkpoints/1/restore", {"expected_version": 2}))
    assert lines(reviewer) == [ANSWER]


def test_a_large_edit_is_read_as_far_as_it_is_shown(reviewer: Client) -> None:
    run = proposed()
    ok(run.update("review", state_data={"write_output": "Ü" * 100_000}))
    assert lines(reviewer) == [f"edited by test token (token) {'Ü' * 140}…"]


def test_edits_of_many_reviews_cost_three_statements(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    runs = [proposed(f"letter-{n}") for n in range(4)]
    rows = {row.conversation: row.number for row in Execution.objects.all()}
    keys = [(run.head.key, rows[run.head.key]) for run in runs]
    said = {run.head.key: ANSWER for run in runs}
    with django_assert_num_queries(1):
        assert edited_answers(keys, said) == {}
    for run in runs:
        ok(run.update("review", state_data={"write_output": "Changed"}))
    with django_assert_num_queries(3):
        found = edited_answers(keys, said)
    assert [found[key].text for key in keys] == ["Changed"] * 4
    assert edited_answers([], {}) == {}
