"""``manage.py verify`` finds what is damaged, says where, and finds nothing else."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from threading import Thread
from typing import Any, Final

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import F, Model

from checkpoints.management.commands import verify as command
from checkpoints.models import Checkpoint, Execution, ExecutionDetails, StateKey, StateValue
from checkpoints.store.state import HISTORY, digest_of_name
from checkpoints.verification import conversation as verification
from checkpoints.verification import states as state_verification
from conversations.models import Conversation, ConversationDetails, Message, Revision
from conversations.store.verification import DataFault, Unsummed
from ctxadmin.audit.models import AuditEntry, AuditReason
from tests.examples import every_third
from tests.factories import Api, assistant, conversation, user
from tests.integration.checkpoints.flows import Run
from tests.integration.commands.verify_runs import run_with_history, verify

pytestmark = pytest.mark.django_db
Damage = Callable[[], object]
LONG_AGO: Final = datetime(2001, 1, 1, tzinfo=UTC)
FORKED: Final = {"of": "forked"}
PLAN, FACTS = digest_of_name("plan"), digest_of_name("facts")


@pytest.fixture
def run(db: None) -> Run:
    return run_with_history()


def test_nothing_is_found_where_nothing_is_damaged(run: Run) -> None:
    said, found, well = verify()
    assert (found, well) == ("", True)
    assert said == "3 conversations: nothing is damaged.\n"


CASES: list[tuple[str, Damage, str]] = [
    (
        "an altered message",
        lambda: Message.objects.filter(index=1).update(body=b"{}"),
        "message 1 ",
    ),
    ("an author", lambda: Message.objects.filter(index=1).update(author="x"), "message 1 "),
    ("a deleted message", lambda: Message.objects.filter(index=1).delete(), "message 1 is missing"),
    ("the last message", lambda: Message.objects.filter(index=3).delete(), "message 3 is missing"),
    (
        "a message behind the end",
        lambda: Conversation.objects.update(log_count=F("log_count") - 1),
        "is past the end of the log",
    ),
    (
        "running tokens",
        lambda: Message.objects.filter(index=2).update(tokens_upto=1),
        "message 2 tokens_upto says 1",
    ),
    ("a revision", lambda: Revision.objects.filter(number=0).delete(), "revision 0 is missing"),
    ("a view", lambda: Revision.objects.filter(number=1).update(opened=b"\0\1"), "revision 1 "),
    ("growth", lambda: Revision.objects.filter(number=1).update(grown=b""), "revision 1 "),
    (
        "the parent",
        lambda: Revision.objects.filter(number=1).update(parent=1),
        "revision 1 was opened from revision 1",
    ),
    (
        "the current revision",
        lambda: Conversation.objects.update(visible_count=7),
        "head the current count is 7",
    ),
    (
        "an altered value",
        lambda: StateValue.objects.filter(key=PLAN, version=3).update(value=b'"x"'),
        "state key 'plan' at version 3 is damaged",
    ),
    (
        "an altered value with its sum taken away",
        lambda: StateValue.objects.filter(key=PLAN, version=3).update(value=b'"x"', sum=None),
        "state key 'plan' at version 3 is damaged: its digest",
    ),
    (
        "an altered chunk with its sum taken away",
        lambda: StateValue.objects.filter(key=FACTS, version=2).update(value=b'["x"]', sum=None),
        "state key 'facts' at version 2 is damaged: its digest",
    ),
    (
        "a deleted value",
        lambda: StateValue.objects.filter(key=PLAN, version=3).delete(),
        "version 3 has a state of",
    ),
    (
        "a deleted chunk",
        lambda: StateValue.objects.filter(key=FACTS, version=2).delete(),
        "state key 'facts' at version 3 is damaged: its digest",
    ),
    (
        "a key",
        lambda: StateKey.objects.filter(key=PLAN).delete(),
        "has values and is not among the keys",
    ),
    (
        "the head of a key",
        lambda: StateKey.objects.filter(key=PLAN).update(first=1, last=1),
        "state key 'plan' does not match its latest value",
    ),
    (
        "the history",
        lambda: StateValue.objects.filter(key=HISTORY, version=1).delete(),
        "list 'execution_history'",
    ),
    (
        "a version",
        lambda: Checkpoint.objects.filter(version=1).delete(),
        "execution 1: version 1 is missing",
    ),
    (
        "a manifest",
        lambda: Checkpoint.objects.filter(version=1).update(state_digest="0" * 64),
        "execution 1: version 1 has a state of",
    ),
    (
        "the newest manifest",
        lambda: Execution.objects.update(state_bytes=1),
        "differs from its latest version in: state_bytes",
    ),
    (
        "what was decided",
        lambda: Execution.objects.update(decided=b"{"),
        "execution 1 cannot be read",
    ),
    ("an execution", lambda: Execution.objects.all().delete(), "of execution 1 belong to nothing"),
    (
        "a head",
        lambda: Conversation.objects.exclude(public_id="other").delete(),
        "conversation is missing",
    ),
    (
        "an audit entry",
        lambda: AuditEntry.objects.filter(seq=2).update(actor_name="x"),
        "audit the chain breaks at entry 2",
    ),
]


@pytest.mark.parametrize(
    ("damage", "expected"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_damage_is_found_with_where_it_is(run: Run, damage: Damage, expected: str) -> None:
    damage()
    _, found, well = verify()
    assert not well
    assert expected in found


# A value that a column can hold, that is not the one that was written, and that no row can have
# had by itself: what tells is another row, or the audit.
ALTERED: list[tuple[type[Model], dict[str, Any], str, object]] = [
    (Checkpoint, {"version": 2}, "kind", "checkpoint"),
    (Checkpoint, {"version": 2}, "kind", "no kind"),
    (Checkpoint, {"version": 4}, "move", "approve"),
    (Checkpoint, {"version": 2}, "status", "PAUSED"),
    (Checkpoint, {"version": 2}, "node_id", "b"),
    (Checkpoint, {"version": 2}, "side", "beside"),
    (Checkpoint, {"version": 7}, "side", "before"),
    (Checkpoint, {"version": 2}, "saved_node", ""),
    (Checkpoint, {"version": 2}, "changed_keys", b'["facts","other"]'),
    (Checkpoint, {"version": 2}, "changed_keys", b"7"),
    (Checkpoint, {"version": 2}, "written_bytes", 9_999),
    (Checkpoint, {"version": 2}, "checkpoint_id", "another"),
    (Checkpoint, {"version": 2}, "checkpoint_id", None),
    (Checkpoint, {"version": 2}, "answer", b"{"),
    (Checkpoint, {"version": 2}, "answer", b'{"version":1}'),
    (Checkpoint, {"version": 2}, "routing", b""),
    (Checkpoint, {"version": 2}, "routing", b"[1]"),
    (Checkpoint, {"version": 2}, "marking", b"[]"),
    (Checkpoint, {"version": 2}, "whole", b"7"),
    (Checkpoint, {"version": 2}, "body_digest", "no digest"),
    (Checkpoint, {"version": 2}, "change_seq", 3),
    (Checkpoint, {"version": 2}, "change_seq", 999),
    (Checkpoint, {"version": 2}, "author", "person:nobody"),
    (Checkpoint, {"version": 2}, "created_at", LONG_AGO),
    (Checkpoint, {"version": 2}, "revision", 1),
    (Checkpoint, {"version": 2}, "visible_count", 1),
    (Checkpoint, {"version": 2}, "thinned_at", LONG_AGO),
    (Checkpoint, {"version": 2}, "deleted", True),
    (Execution, {}, "public_id", "exec_another"),
    (Execution, {}, "workspace", 1),
    (Execution, {}, "workflow", "another"),
    (Execution, {}, "workflow_version", 7),
    (Execution, {}, "node_id", "b"),
    (Execution, {}, "status", "no status"),
    (Execution, {}, "author", "person:nobody"),
    (Execution, {}, "created_at", LONG_AGO),
    (Execution, {}, "changed_at", LONG_AGO),
    (Execution, {}, "ended_at", LONG_AGO),
    (Execution, {}, "waiting_since", LONG_AGO),
    (Execution, {}, "deadline", LONG_AGO),
    (Execution, {}, "thinned_count", 3),
    (Execution, {}, "told_version", 999),
    (Execution, {}, "origin_version", 3),
    (Execution, {}, "reducers", b"7"),
    (Execution, {}, "leases", b"7"),
    (Execution, {}, "marking", b"[]"),
    (Execution, FORKED, "origin_conversation", "other"),
    (Execution, FORKED, "origin_execution", "exec_another"),
    (Execution, FORKED, "origin_version", 1),
    (Execution, FORKED, "author", "person:nobody"),
    (Conversation, {}, "status", "COMPLETED"),
    (Conversation, {}, "state_bytes", 1),
    (Conversation, {}, "checkpoint_bytes", 1),
    (Conversation, {}, "current_revision", 0),
    (Conversation, {}, "current_revision", 999),
    (Conversation, {}, "log_count", 1),
    (Conversation, {}, "revision_count", 1),
    (Conversation, {}, "archived", True),
    (Conversation, {}, "updated_at", LONG_AGO),
    (Message, {"index": 1}, "revision", 999),
    (Message, {"index": 1}, "revision", -1),
    (ConversationDetails, {}, "metadata", b"7"),
    (ExecutionDetails, {}, "metadata", b"7"),
]


# All on SQLite; what tells them apart is the same there.
ALTERED_HERE: Final = ALTERED if connection.vendor == "sqlite" else every_third(ALTERED)


@pytest.mark.parametrize(
    ("model", "where", "column", "value"),
    ALTERED_HERE,
    ids=[f"{model.__name__}.{column}={value!r:.20}" for model, _, column, value in ALTERED_HERE],
)
def test_an_altered_column_is_found_by_what_others_say(
    run: Run, model: type[Model], where: dict[str, Any], column: str, value: object
) -> None:
    chosen = dict(where)
    whose = Conversation.objects.get(public_id=chosen.pop("of", run.head.public_id)).key
    chosen["key" if model is Conversation else "conversation"] = whose
    assert model._default_manager.filter(**chosen).update(**{column: value}) == 1
    _, found, well = verify()
    assert not well
    assert found.startswith("conversation "), found


def test_an_error_in_one_row_ends_neither_its_conversation_nor_the_others(run: Run) -> None:
    """A first revision with patches was an AssertionError, and ended the run of all."""
    Revision.objects.filter(number=0).update(patches=1)
    Message.objects.filter(index=0).update(author="x")
    _, found, well = verify()
    assert not well
    for name in (run.head.public_id, "other", "forked"):
        assert f"conversation {name} " in found
    assert found.count("revision 0 has a view that cannot be read") == 3
    assert found.count("message 0 is damaged") == 3


def test_what_fails_in_a_way_that_no_one_foresaw_is_a_finding(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Message.objects.filter(conversation=run.head.key, index=1).update(author="x")

    def fail(row: StateKey) -> int:
        raise RecursionError

    monkeypatch.setattr(state_verification, "sum_of_key", fail)
    _, found, well = verify()
    assert not well
    assert "execution 1: state key 'plan' cannot be checked: RecursionError" in found
    assert "execution 1: state key 'facts' cannot be checked: RecursionError" in found
    assert "message 1 is damaged" in found


@pytest.mark.only("sqlite")
@pytest.mark.parametrize(
    ("model", "column"),
    [
        (Conversation, "log_count"),
        (Conversation, "revision_count"),
        (Execution, "version"),
        (Checkpoint, "version"),
        (Message, "index"),
        (StateValue, "version"),
    ],
)
def test_a_number_as_large_as_its_column_holds_costs_no_more(
    run: Run, model: type[Model], column: str
) -> None:
    rows = model._default_manager.all()
    if model is Conversation:
        rows = rows.filter(key=run.head.key)
    else:
        rows = rows.filter(conversation=run.head.key)
    last = rows.order_by("-pk").first()
    assert last is not None
    model._default_manager.filter(pk=last.pk).update(**{column: 2**31 - 1})
    before = time.process_time()
    _, found, well = verify()
    assert not well
    assert time.process_time() - before < 5  # it took 0.2 s; 2**31 steps take minutes
    assert len(found.splitlines()) < 40


def test_a_reason_that_was_altered_is_found_as_the_page_of_verify_says(run: Run) -> None:
    cut = {"operation": "truncate", "truncate": {"keep_last": 1}, "reason": "too long"}
    assert run.post("operations", cut).status_code == 200
    assert AuditReason.objects.filter(text="too long").update(text="none") == 1
    assert Revision.objects.filter(reason="too long").update(reason="none") == 1
    _, found, well = verify()
    assert not well
    assert "checksum does not match" in found
    assert "audit" in found


def test_damage_of_one_is_reported_of_that_one_alone(run: Run) -> None:
    Message.objects.filter(conversation=run.head.key, index=1).delete()
    _, found, _ = verify()
    told = found.splitlines()
    whose = f"conversation {run.head.public_id} {{{run.head.key}}}: "
    assert all(line.startswith(whose) for line in told), told
    assert verify("--conversation", "other")[2]
    assert not verify("--conversation", run.head.public_id)[2]


def test_a_run_continues_behind_the_conversation_where_it_was_stopped(run: Run) -> None:
    first, second, last = Conversation.objects.order_by("key").values_list("key", flat=True)
    Message.objects.filter(conversation=first, index=0).delete()
    assert not verify()[2]
    said, _, well = verify("--after", str(first))
    assert (said, well) == ("2 conversations: nothing is damaged.\n", True)
    assert verify("--after", str(second))[0].startswith("1 conversation")
    assert verify("--after", str(last))[0].startswith("0 conversation")


def test_rows_without_sums_are_reported_and_get_theirs_when_asked(run: Run) -> None:
    tables = (Message, Revision, StateKey, StateValue)
    for table in tables:
        table.objects.update(sum=None)
    Revision.objects.update(grown_sum=None)
    said, _, well = verify()
    assert well
    assert "rows have no checksum" in said
    said, _, well = verify("--add-sums")
    assert well
    assert "checksums added" in said
    assert verify()[0] == "3 conversations: nothing is damaged.\n"
    Message.objects.filter(conversation=run.head.key, index=0).update(body=b"{}")
    assert not verify()[2]


def test_sums_are_not_added_to_what_is_damaged(run: Run) -> None:
    Message.objects.filter(conversation=run.head.key).update(sum=None)
    Message.objects.filter(conversation=run.head.key, index=0).delete()
    assert not verify("--add-sums")[2]
    assert Message.objects.filter(conversation=run.head.key, sum=None).count() == 3


@pytest.mark.parametrize("name", ["nowhere", "no id"])
def test_a_missing_conversation_is_reported(run: Run, name: str) -> None:
    with pytest.raises(CommandError, match="There is no conversation"):
        call_command("verify", "--conversation", name)


@pytest.mark.django_db(transaction=True)
def test_a_conversation_that_changes_while_it_is_read_is_no_false_alarm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Someone appends and erases between the reads of one conversation."""
    Api()  # the workspace and its token
    conversation(user("hello"), public_id="changes")
    conversation(user("hello"), public_id="erased")
    real = verification.verify_conversation

    def act(head: Conversation) -> None:
        api = Api()
        if head.public_id == "erased":
            assert api.delete("/conversations/erased").status_code == 204
        else:
            sent = {"messages": [user("more"), assistant("yes")]}
            assert api.post("/conversations/changes/messages", sent).status_code == 201
        connection.close()

    def meanwhile(head: Conversation, unsummed: Unsummed) -> Iterator[DataFault]:
        thread = Thread(target=act, args=[head])
        thread.start()
        thread.join()
        return real(head, unsummed)

    monkeypatch.setattr(command, "verify_conversation", meanwhile)
    said, found, well = verify()
    assert (found, well) == ("", True)
    assert not Conversation.objects.filter(public_id="erased").exists()
    assert Message.objects.count() == 3
    assert said.startswith("2 conversations")
