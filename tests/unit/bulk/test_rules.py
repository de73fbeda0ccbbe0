"""Which items a bulk action refuses, and the sums of a dry run."""

from dataclasses import replace

import pytest

from bulk.domain.rules import GONE, ItemFacts, dry_run, refusal
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.bulk_actions import BulkAction, BulkList, offered
from ctxadmin.identity.roles import ROLE_SCOPES, Role
from ctxadmin.lib.sentence import Sentence, say
from ctxadmin.lib.stored_sentence import read_sentence, sentence_bytes

ACTIONS = [each for each in BulkAction if each is not BulkAction.EXPORT]


def facts(status: str = "IDLE", *, archived: bool = False, waits: bool = False) -> ItemFacts:
    return ItemFacts(status, 7, status, 7, archived, waits)


@pytest.mark.parametrize(
    ("action", "item", "refused"),
    [
        (BulkAction.PAUSE, facts("RUNNING"), False),
        (BulkAction.PAUSE, facts("PAUSED"), True),
        (BulkAction.RESUME, facts("PAUSED"), False),
        (BulkAction.RESUME, facts("PAUSED", waits=True), True),
        (BulkAction.RESUME, facts("FAILED"), False),
        (BulkAction.RESUME, facts("RUNNING"), True),
        (BulkAction.CANCEL, facts("PENDING"), False),
        (BulkAction.CANCEL, facts("COMPLETED"), True),
        (BulkAction.ARCHIVE, facts("COMPLETED"), False),
        (BulkAction.ARCHIVE, facts("PAUSED"), True),
        (BulkAction.ARCHIVE, facts(archived=True), True),
        (BulkAction.UNARCHIVE, facts(archived=True), False),
        (BulkAction.UNARCHIVE, facts(), True),
        (BulkAction.ERASE, facts("RUNNING"), False),
    ],
)
def test_an_item_is_refused_by_its_state(
    action: BulkAction, item: ItemFacts, refused: bool
) -> None:
    assert (refusal(action, item) is not None) is refused


@pytest.mark.parametrize("action", ACTIONS)
def test_what_is_gone_is_refused(action: BulkAction) -> None:
    assert refusal(action, None) == GONE


def test_a_conversation_that_changed_is_refused_and_an_execution_only_with_another_status() -> None:
    grown = replace(facts("COMPLETED"), change_seq=8)
    assert refusal(BulkAction.ERASE, grown) == "It has changed since it was selected."
    assert refusal(BulkAction.ARCHIVE, grown) is not None
    assert refusal(BulkAction.LABEL, grown) == "It has changed since it was selected."
    assert refusal(BulkAction.PAUSE, replace(facts("RUNNING"), change_seq=8)) is None
    went_on = replace(facts("PAUSED"), status="RUNNING")
    assert refusal(BulkAction.CANCEL, went_on) == "Its status has changed since it was selected."


def test_a_dry_run_counts_refusals_by_reason_most_frequent_first() -> None:
    items = [facts("RUNNING"), facts("PAUSED"), facts("FAILED"), None]
    found = dry_run(BulkAction.PAUSE, items)
    assert (found.total, found.changing) == (4, 1)
    assert found.refused == (("It is not running.", 2), (GONE, 1))


def test_the_actions_of_a_list_are_those_that_the_role_has_the_right_to() -> None:
    def of(role: Role, which: BulkList) -> list[str]:
        return [*offered(Actor("person", "1", "a", 1, ROLE_SCOPES[role]), which)]

    assert of(Role.VIEWER, BulkList.EXECUTIONS) == []
    assert of(Role.VIEWER, BulkList.CONVERSATIONS) == ["export"]
    assert of(Role.REVIEWER, BulkList.EXECUTIONS) == ["pause", "resume", "cancel", "label"]
    assert of(Role.REVIEWER, BulkList.CONVERSATIONS) == ["archive", "unarchive", "export"]
    assert of(Role.ADMIN, BulkList.CONVERSATIONS)[-1] == "erase"


def test_a_stored_sentence_is_a_sentence_again_with_those_within_it() -> None:
    inner = say("Pausing an execution")
    found = read_sentence(sentence_bytes(say("{action} needs {n}.", action=inner, n=2)))
    assert isinstance(found, Sentence)
    assert found == "Pausing an execution needs 2."
    assert found.template == "{action} needs {n}."
    assert isinstance(found.values["action"], Sentence)
    assert read_sentence(sentence_bytes("data")) == "data"
    assert read_sentence(b"") == ""
