"""Which answers the audit takes while SQL is away, and which failures at all."""

import pytest

from tests.fault.answers import of_all
from tests.fault.history import Attempt, History, Kind, Outcome, Read, Seen, Strike, Write
from tests.fault.plan import Fault


def history_of(attempt: Attempt, *strikes: Strike) -> History:
    """One append of one attempt, with SQL away from second 10 to 20."""
    history = History()
    history.add(Write("a", "client", Kind.APPEND, "chat", {}, attempts=[attempt]))
    for strike in (Strike(Fault.SQL_KILL, None, 10, 20, 21), *strikes):
        history.add(strike)
    return history


def unavailable(
    sent: float, ended: float, *, code: str = "unavailable", retry_after: str = "2"
) -> Attempt:
    return Attempt("r", 0, sent, ended, Outcome.UNAVAILABLE, 503, code, retry_after)


def broken(history: History) -> list[str]:
    return [violation.promise for violation in of_all(history)]


def test_unavailable_in_time_is_what_is_promised() -> None:
    assert broken(history_of(unavailable(11, 15))) == []


def test_late_is_a_breach_while_sql_is_down() -> None:
    assert broken(history_of(unavailable(11, 19.5))) == ["SQL away is told within 5 s"]


def test_no_answer_is_a_breach_unless_the_worker_was_struck_too() -> None:
    lost = Attempt("r", 0, 11, 12, Outcome.UNKNOWN)
    assert broken(history_of(lost)) == ["SQL away is told within 5 s"]
    assert broken(history_of(lost, Strike(Fault.APP_KILL, 0, 11.5, 13, 15))) == []
    assert broken(history_of(lost, Strike(Fault.APP_KILL, 1, 11.5, 13, 15))) != []


def test_an_acknowledgement_or_a_reading_without_sql_is_a_breach() -> None:
    done = Attempt("r", 0, 11, 12, Outcome.ACKNOWLEDGED, 201)
    assert broken(history_of(done)) == ["nothing is told without SQL"]
    history = history_of(unavailable(11, 12))
    history.add(Read("client", "chat", "r2", 0, 11, 12, Seen(version=1)))
    assert broken(history) == ["nothing is told without SQL"]


def test_what_began_before_or_ended_after_may_be_acknowledged() -> None:
    for sent, ended in [(9.5, 12), (19, 22), (22, 23)]:
        done = Attempt("r", 0, sent, ended, Outcome.ACKNOWLEDGED, 201)
        assert broken(history_of(done)) == []


@pytest.mark.parametrize(
    "attempt",
    [
        Attempt("r", 0, 1, 2, Outcome.UNKNOWN, 500, "internal"),
        unavailable(1, 2, retry_after=""),
        unavailable(1, 2, code="internal"),
    ],
)
def test_every_other_failure_of_a_server_is_a_breach(attempt: Attempt) -> None:
    assert broken(history_of(attempt)) == ["a failure is told as unavailable"]


def test_a_refusal_that_the_kind_does_not_know_is_a_breach() -> None:
    refused = Attempt("r", 0, 1, 2, Outcome.REFUSED, 404, "not_found")
    assert broken(history_of(refused)) == ["every answer is one of the contract"]
