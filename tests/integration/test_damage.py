"""What was damaged in the database is refused by its name: never served, never a 500."""

import logging
from collections.abc import Callable
from typing import Any

import pytest

from checkpoints.models import Checkpoint, Execution, StateKey, StateValue
from checkpoints.store.state import HISTORY, digest_of_name
from conversations.models import Conversation, ConversationDetails, Message, Revision
from ctxadmin.identity.roles import Role
from ctxadmin.telemetry.metrics import REGISTRY
from tests.factories import Api, assistant, conversation, signed_in, user
from tests.integration.checkpoints.flows import Run

pytestmark = pytest.mark.django_db

SNAPSHOT = "/snapshot"
MESSAGES = "/messages"
OLD = "/checkpoints/1"
FORMER = "/messages?view=revision:0"


def damage_message() -> None:
    Message.objects.filter(index=1).update(body=b'{"role":"user","content":"forged"}')


def change_author() -> None:
    Message.objects.filter(index=1).update(author="somebody else")


def delete_message() -> None:
    Message.objects.filter(index=1).delete()


def damage_value() -> None:
    rows = StateValue.objects.filter(key=digest_of_name("plan"), version=3)
    assert rows.update(value=b'"FORGED"') == 1


def delete_value() -> None:
    assert StateValue.objects.filter(key=digest_of_name("plan"), version=3).delete()[0] == 1


def delete_key() -> None:
    assert StateKey.objects.filter(key=digest_of_name("plan")).delete()[0] == 1


def turn_key_back() -> None:
    assert StateKey.objects.filter(key=digest_of_name("plan")).update(first=1, last=1) == 1


def truncate_chunk() -> None:
    rows = StateValue.objects.filter(key=digest_of_name("facts"), version=3)
    assert rows.update(value=b'["th"]') == 1


def delete_chunk() -> None:
    assert StateValue.objects.filter(key=digest_of_name("facts"), version=2).delete()[0] == 1


def delete_history_chunk() -> None:
    assert StateValue.objects.filter(key=HISTORY, version=2).delete()[0] == 1


def delete_history() -> None:
    assert StateKey.objects.filter(key=HISTORY).delete()[0] == 1


def delete_revision() -> None:
    assert Revision.objects.filter(number=0).delete()[0] == 1


def delete_current_revision() -> None:
    assert Revision.objects.filter(number=1).delete()[0] == 1


def point_beyond_revisions() -> None:
    assert Conversation.objects.update(current_revision=99) == 1


def change_view() -> None:
    assert Revision.objects.filter(number=1).update(opened=b"\x00\x01") == 1


def cut_growth() -> None:
    assert Revision.objects.filter(number=1).update(grown=b"") == 1


def delete_version() -> None:
    assert Checkpoint.objects.filter(version=1).delete()[0] == 1


def change_parent() -> None:
    assert Revision.objects.filter(number=1).update(parent=999) == 1


def change_parent_of_unsummed() -> None:
    """The row that its sum would not tell of."""
    assert Revision.objects.filter(number=1).update(parent=1, sum=None, grown_sum=None) == 1


def change_side() -> None:
    assert Checkpoint.objects.filter(version=3).update(side="beside") == 1


def change_keys() -> None:
    assert Checkpoint.objects.filter(version=3).update(changed_keys=b"{") == 1


def restore_itself() -> None:
    rows = Checkpoint.objects.filter(version=3)
    assert rows.update(kind="restore", restored_from=3) == 1


def damage_metadata() -> None:
    assert ConversationDetails.objects.update(metadata=b"{") == 1


def damage_marking() -> None:
    """It was refused as if the caller had sent it."""
    assert Checkpoint.objects.filter(version=3).update(marking=b"[1]") == 1


def damage_config() -> None:
    assert Revision.objects.filter(number=1).update(config=b"{") == 1


def count_too_few_messages() -> None:
    assert Conversation.objects.update(log_count=3) == 1


CASES: list[tuple[Callable[[], None], str, str]] = [
    (damage_message, MESSAGES, "message"),
    (damage_message, SNAPSHOT, "message"),
    (change_author, MESSAGES, "message"),
    (delete_message, MESSAGES, "message"),
    (delete_message, MESSAGES + "?view=all", "message"),
    (delete_message, SNAPSHOT, "message"),
    (delete_message, "/export", "message"),
    (damage_message, "/export", "message"),
    (damage_value, SNAPSHOT, "state key"),
    (damage_value, SNAPSHOT + "?keys=plan", "state key"),
    (damage_value, "/checkpoints/3", "state key"),
    (delete_value, SNAPSHOT, "state key"),
    (delete_value, "/checkpoints/diff?from=2&to=3", "state key"),
    (delete_key, SNAPSHOT, "state key"),
    (turn_key_back, SNAPSHOT, "state key"),
    (truncate_chunk, SNAPSHOT, "state key"),
    (delete_chunk, SNAPSHOT, "state key"),
    (delete_history_chunk, SNAPSHOT, "list"),
    (delete_history, SNAPSHOT, "list"),
    (delete_revision, FORMER, "revision"),
    (delete_revision, "/batches", "revision"),
    (delete_revision, "/diff?from=0&to=1", "revision"),
    (delete_current_revision, MESSAGES, "revision"),
    (delete_current_revision, SNAPSHOT, "revision"),
    (point_beyond_revisions, MESSAGES, "revision"),
    (point_beyond_revisions, SNAPSHOT, "revision"),
    (change_view, MESSAGES, "revision"),
    (cut_growth, SNAPSHOT, "revision"),
    (delete_version, OLD, "version"),
    (change_parent, "/batches", "revision"),
    (change_parent, "/diff?from=0&to=1", "revision"),
    (change_parent_of_unsummed, "/batches", "revision"),
    (change_parent_of_unsummed, MESSAGES, "revision"),
    (damage_metadata, "", "metadata"),
    (damage_marking, "/checkpoints/3", "version"),
    (damage_metadata, "/export", "metadata"),
    (damage_config, "/batches", "revision"),
    (change_side, "/checkpoints/3", "version"),
    (change_side, "/checkpoints/diff?from=1&to=3", "version"),
    (change_side, "/checkpoints", "version"),
    (change_keys, "/checkpoints", "version"),
    (restore_itself, "/checkpoints", "version"),
    (count_too_few_messages, "", "conversation"),
    (count_too_few_messages, MESSAGES + "?view=all", "conversation"),
    (count_too_few_messages, MESSAGES + "?view=all&order=desc&limit=1", "conversation"),
]


@pytest.fixture
def run(db: None) -> Run:
    """An execution at version 3 with lists, values and two revisions."""
    run = Run.start(state={"facts": ["one"], "plan": "a"}, reducers={"facts": "append"})
    assert run.api.post(
        f"{run.path}/messages", {"messages": [user("hello"), assistant("hi"), user("and?")]}
    )
    for number in (1, 2, 3):
        done = run.complete(
            "a",
            f"c{number}",
            result={"response": f"r{number}"},
            state_data={"facts": [f"fact {number}"], "plan": f"plan {number}"},
        )
        assert done.status_code == 201, done.content
    cut = {"operation": "truncate", "truncate": {"keep_last": 2}}
    assert run.api.post(f"{run.path}/operations", cut).status_code == 200
    assert run.api.post(f"{run.path}/messages", {"messages": [user("more")]}).status_code == 201
    return run


@pytest.mark.parametrize(("damage", "path", "what"), CASES)
def test_damage_is_refused_by_its_name(
    run: Run, damage: Callable[[], None], path: str, what: str
) -> None:
    assert run.api.get(f"{run.path}{path}").status_code == 200
    damage()
    answer = run.api.get(f"{run.path}{path}")
    assert answer.status_code == 409, answer.content[:300]
    told = answer.json()
    assert (told["code"], told["what"]) == ("damaged", what)
    assert b"FORGED" not in answer.content
    assert b"forged" not in answer.content


def damaged_reads(what: str) -> float:
    return REGISTRY.get_sample_value("ctxadmin_damaged_reads_total", {"what": what}) or 0


def test_damage_is_counted_and_logged_without_content(
    run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    damage_value()
    before = damaged_reads("state key")
    with caplog.at_level(logging.ERROR, "conversations.store.damage"):
        assert run.api.get(f"{run.path}/snapshot").status_code == 409
    assert damaged_reads("state key") == before + 1
    record = caplog.records[-1]
    assert record.getMessage() == "the stored state key is damaged"
    told = record.__dict__["told"]
    assert told.keys() == {"request_id", "actor", "workspace", "conversation", "what"}
    assert (told["conversation"], told["what"]) == (run.head.public_id, "state key")


def test_a_write_that_builds_on_damage_is_refused_and_changes_nothing(run: Run) -> None:
    cut_growth()
    sent = {"messages": [user("behind it")]}
    answer = run.api.post(f"{run.path}/messages", sent)
    assert (answer.status_code, answer.json()["code"]) == (409, "damaged")
    assert not Message.objects.filter(conversation=run.head.key, index=4).exists()


KEEP_ONE = {"operation": "truncate", "truncate": {"keep_last": 1}}
APPEND = ("messages", {"messages": [user("more")]})


@pytest.mark.parametrize(
    ("counts", "write"),
    [
        ({"log_count": 3}, APPEND),
        ({"log_count": 0}, APPEND),
        ({"log_count": 3}, ("operations", KEEP_ONE)),
        ({"revision_count": 1}, APPEND),
        ({"revision_count": 1}, ("operations", KEEP_ONE)),
        ({"current_revision": 0}, APPEND),
    ],
    ids=str,
)
def test_a_head_that_counts_too_little_takes_no_writes(
    run: Run, caplog: pytest.LogCaptureFixture, counts: dict[str, int], write: tuple[str, Any]
) -> None:
    Conversation.objects.filter(key=run.head.key).update(**counts)
    before = damaged_reads("conversation")
    answer = run.post(*write)
    assert (answer.status_code, answer.json()["code"]) == (409, "damaged"), answer.content
    assert damaged_reads("conversation") == before + 1
    assert caplog.records[-1].getMessage() == "the stored conversation is damaged"


@pytest.mark.parametrize("column", ["log_count", "revision_count"])
def test_counts_that_only_the_rows_contradict_are_damage_too(run: Run, column: str) -> None:
    """After a rollback the current revision knows less than the log has."""
    assert run.post("rollback", {"batch": 0}).status_code == 200
    head = Conversation.objects.get(key=run.head.key)
    Conversation.objects.filter(key=head.key).update(**{column: getattr(head, column) - 1})
    for _ in range(2):  # not "try again" for ever
        answer = run.post("messages", {"messages": [user("more")]})
        assert (answer.status_code, answer.json()["code"]) == (409, "damaged"), answer.content


def test_a_conversation_that_counts_too_little_can_be_erased(run: Run) -> None:
    Conversation.objects.filter(key=run.head.key).update(log_count=1, revision_count=1)
    assert run.api.delete(run.path).status_code == 204


@pytest.mark.parametrize(
    ("damage", "page"),
    [
        (damage_message, "/conversations/{id}"),
        (delete_message, "/conversations/{id}"),
        (delete_current_revision, "/conversations/{id}"),
        (damage_value, "/executions/{id}"),
        (delete_chunk, "/executions/{id}"),
    ],
)
def test_a_page_says_what_is_damaged_and_what_to_do(
    run: Run, damage: Callable[[], None], page: str
) -> None:
    browser = signed_in(Role.REVIEWER)
    url = page.format(id=run.head.public_id)
    assert browser.get(url, follow=True).status_code == 200
    damage()
    answer = browser.get(url, follow=True)
    assert answer.status_code == 409
    text = answer.content.decode()
    assert "Damaged data" in text
    assert "manage.py verify" in text


def test_a_failure_that_comes_of_damage_is_reported_as_damage(run: Run) -> None:
    """Where no sum is looked at, what fails on a damaged row is no fault of the server."""
    Execution.objects.filter(conversation=run.head.key).update(decided=b'{"version": "x"}')
    answer = run.api.get(f"{run.path}/snapshot")
    assert (answer.status_code, answer.json()["code"]) == (409, "damaged")
    page = signed_in(Role.REVIEWER)
    page.raise_request_exception = False
    shown = page.get(f"/executions/{run.head.public_id}/")
    assert (shown.status_code, "Damaged data" in shown.content.decode()) == (409, True)


@pytest.mark.parametrize("path", ["/", "/reviews/", "/executions/"])
@pytest.mark.parametrize("decided", [b"", b"{", b"7", b"[" * 3_000])
def test_one_damaged_execution_hides_no_other_in_a_list(path: str, decided: bytes) -> None:
    whole, broken = Run.start(), Run.start()
    for each in (whole, broken):
        each.pause_now()
    Execution.objects.filter(conversation=broken.head.key).update(decided=decided)
    answer = signed_in(Role.ADMIN).get(path)
    assert answer.status_code == 200
    text = answer.content.decode()
    assert whole.head.public_id in text
    assert broken.head.public_id in text
    assert "Damaged data" in text


def test_damaged_metadata_hide_no_other_conversation_in_the_list() -> None:
    api = Api()
    conversation(user("hello"), public_id="broken", metadata=b'{"mine":1}')
    conversation(user("hello"), public_id="whole", metadata=b'{"mine":2}')
    broken = Conversation.objects.get(public_id="broken").key
    before = damaged_reads("metadata")
    ConversationDetails.objects.filter(conversation=broken).update(metadata=b'{"mine"')
    listed = {each["id"]: each["metadata"] for each in api.get("/conversations").json()["results"]}
    assert listed == {"broken": {}, "whole": {"mine": 2}}
    assert damaged_reads("metadata") == before + 1


@pytest.mark.parametrize("keys", [b"", b"{", b"7", b"[7]"])
def test_one_damaged_version_hides_no_other_event(keys: bytes) -> None:
    broken, whole = Run.start(), Run.start()
    Checkpoint.objects.filter(conversation=broken.head.key).update(changed_keys=keys)
    answer = broken.api.get("/events")
    assert answer.status_code == 200
    started = {
        each["conversation"]: each.get("version")
        for each in answer.json()["results"]
        if each["what"] == "execution.start"
    }
    assert started == {broken.head.public_id: None, whole.head.public_id: 0}


def test_rows_that_are_older_than_the_sums_are_read_as_before(run: Run) -> None:
    Message.objects.update(sum=None)
    Revision.objects.update(sum=None, grown_sum=None)
    StateKey.objects.update(sum=None)
    StateValue.objects.update(sum=None)
    for path in (SNAPSHOT, MESSAGES, OLD, FORMER):
        assert run.api.get(f"{run.path}{path}").status_code == 200
