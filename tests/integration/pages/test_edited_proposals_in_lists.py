"""Lists of reviews show what will be approved, with the edits since it was proposed."""

import re
from html import unescape

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from checkpoints.models import Execution
from checkpoints.reading.review_answers import answers_of_executions
from conversations.models import Conversation
from conversations.workspace.last_messages import last_messages
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


@pytest.mark.parametrize("path", ["/reviews/", "/", "/executions/"])
def test_a_response_that_only_the_execution_history_has_is_in_the_list(
    reviewer: Client, path: str
) -> None:
    chain("letter", "write", "review", configs={"review": REVIEW})
    run = running("letter")
    ok(run.complete("write", result={"prompt": "p" * 5000, "response": ANSWER}))
    assert lines(reviewer, path) == [ANSWER]
    assert ANSWER in text(reviewer.get("/conversations/"))


def test_a_key_that_said_the_same_as_the_message_is_the_answer(reviewer: Client) -> None:
    run = proposed(key="draft")
    ok(run.update("review", state_data={"draft": "First edit"}))
    ok(run.update("review", state_data={"draft": "Second edit"}))
    assert lines(reviewer) == ["edited by test token (token) Second edit"]
    ok(run.update("review", state_data={"draft": ANSWER}))
    assert lines(reviewer) == [ANSWER], "it was changed back"


def test_an_edited_output_without_a_message_is_shown_too(reviewer: Client) -> None:
    run = proposed(say=False)
    assert lines(reviewer) == [ANSWER]
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


def test_edits_of_many_reviews_cost_two_statements_more(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    runs = [proposed(f"letter-{n}") for n in range(4)]
    rows = {row.conversation: row.number for row in Execution.objects.all()}
    keys = [(run.head.key, rows[run.head.key]) for run in runs]
    messages = last_messages(list(Conversation.objects.all()))
    with django_assert_num_queries(2):
        found = answers_of_executions(keys, messages)
    assert [found[key].proposed for key in keys] == [ANSWER] * 4
    for run in runs:
        ok(run.update("review", state_data={"write_output": "Changed"}))
    with django_assert_num_queries(4):
        found = answers_of_executions(keys, messages)
    assert [found[key].proposed for key in keys] == ["Changed"] * 4
    with django_assert_num_queries(0):
        assert answers_of_executions([], {}) == {}


def spoken(client: Client) -> list[str]:
    """What the list of conversations says of each: who spoke last, and what waits."""
    found = re.findall(r'"last-said">(.*?)</div>', text(client.get("/conversations/")), re.DOTALL)
    return [
        " ".join(unescape(re.sub(r"<svg.*?</svg>|<[^>]*>", "", each)).split()) for each in found
    ]


@pytest.mark.parametrize("path", ["/reviews/", "/", "/executions/"])
def test_an_answer_in_the_state_alone_is_the_one_in_the_list(reviewer: Client, path: str) -> None:
    chain("letter", "write", "review", "send", configs={"review": REVIEW})
    run = running("letter")
    ok(run.append(assistant("Let me look.")))
    ok(run.save("draft", "write", state_data={"write_output": ANSWER, "note": "none"}))
    assert lines(reviewer, path) == [ANSWER]
    assert spoken(reviewer) == ["assistant: Let me look.", f"Proposed answer: {ANSWER}"]
    ok(run.update("review", state_data={"write_output": "It left on Monday."}))
    edited = "edited by test token (token) It left on Monday."
    assert lines(reviewer, path) == [edited]
    said = "Proposed answer: It left on Monday. · edited by test token (token)"
    assert spoken(reviewer)[1:] == [said]


def test_a_key_that_says_the_same_as_a_message_is_not_the_answer_beside_an_output(
    reviewer: Client,
) -> None:
    chain("letter", "write", "review", "send", configs={"review": REVIEW})
    run = running("letter")
    said = "I have written it."
    ok(
        run.complete(
            "write",
            messages=[assistant(said)],
            result={"output": ANSWER},
            state_data={"said": said},
        )
    )
    assert lines(reviewer) == [ANSWER]
    ok(run.update("review", state_data={"said": "I wrote it."}))
    assert lines(reviewer) == [ANSWER]


def test_an_output_without_a_text_gives_way_to_what_the_node_said(reviewer: Client) -> None:
    chain("letter", "write", "review", "send", configs={"review": REVIEW})
    run = running("letter")
    ok(run.complete("write", messages=[assistant(ANSWER)], result={"output": {"to": "Mia"}}))
    assert lines(reviewer) == [ANSWER]
    assert spoken(reviewer) == [f"assistant (write): {ANSWER}"], "it is said once"


def test_an_output_of_an_earlier_run_of_the_node_is_not_the_answer(reviewer: Client) -> None:
    run = running(None)
    ok(run.save("one", "write", state_data={"write_output": "Of the first round"}))
    ok(run.save("two", "write", messages=[assistant(ANSWER)], status="PAUSED"))
    assert lines(reviewer) == [ANSWER]
