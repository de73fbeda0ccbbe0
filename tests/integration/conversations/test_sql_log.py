"""SQL and memory agree about a conversation, whatever is done to it."""

import copy
from collections.abc import Callable
from typing import ClassVar

import pytest
from django.db import connection, transaction
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from pydantic import JsonValue

from conversations.domain.configs import OperationConfig
from conversations.domain.export_reading import read_export
from conversations.domain.log import Log, ToolGroup
from conversations.domain.message import CountsAs, MessageDraft
from conversations.domain.pairing import find_splits, keep_pairs
from conversations.domain.revisions import Seen, lineage
from conversations.domain.view import View
from conversations.lifecycle import transfers
from conversations.lifecycle.conversation_copy import UpTo, copy_conversation
from conversations.models import Conversation as Head
from conversations.models import Message
from conversations.models import Revision as RevisionRow
from conversations.reading import queries
from conversations.reading.queries import moves_of
from conversations.services import use_cases
from conversations.services.results import Applied
from conversations.services.use_cases import NewConversation, change_of, open_new
from conversations.store.conversation import find_head, view_of
from conversations.store.conversation import lineage as rows_of_lineage
from conversations.store.sql_log import SqlLog
from conversations.writing.conversation import writing
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ContextError
from ctxadmin.lib.ids import new_public_id
from ctxadmin.lib.json_bytes import loads_strict
from tests.conversation_model import Conversation, Report
from tests.examples import examples
from tests.factories import engine
from tests.property.conversation_strategies import CALL_IDS, budgets, drafts, filters, truncations
from tests.unit.conversations.chats import CAUSE, calls, message, operation, result

PAIRINGS = st.sampled_from(["warn", "keep", "drop"])
FIGURES = (
    "batch",
    "revision",
    "visible_count",
    "tokens_before",
    "tokens_after",
    "cached_prefix_lost",
)
ROLES: list[frozenset[CountsAs]] = [
    frozenset({"system"}),
    frozenset({"user", "assistant"}),
    frozenset({"tool"}),
    frozenset(),
]
SAID: JsonValue = {"role": "user", "content": "pear"}
FOUND: JsonValue = {"role": "tool", "tool_call_id": "a", "content": "apple"}


def _done(step: Callable[[], Report | Applied]) -> object:
    """The outcome of a step, in memory or in SQL, or the reason of its refusal."""
    try:
        done = step()
    except ContextError as error:
        return type(error), error.problems
    outcome = done.outcome if isinstance(done, Report) else done
    return {
        **{name: getattr(outcome, name) for name in ("warnings", "added", "shown", "hidden")},
        **{name: getattr(done, name) for name in FIGURES},
    }


def orders(view: View) -> st.SearchStrategy[View]:
    """Views of a log that a view shows in order: parts of it, also shuffled."""
    indices = list(view)
    some = st.lists(st.sampled_from(indices), unique=True) if indices else st.just([])
    return st.one_of(
        st.just(view),
        some.map(lambda found: View.of_indices(sorted(found))),
        some.map(View.of_indices),
    )


def agree(sql: Log, memory: Log, view: View) -> None:
    """Everything that the rules ask of a log has one answer about a view."""
    runs = view.indices_as_runs()
    assert len(sql) == len(memory)
    assert _splits(view, sql) == _splits(view, memory)
    assert keep_pairs(view, sql) == keep_pairs(view, memory)
    assert sql.orphans(runs) == memory.orphans(runs)
    assert list(sql.tool_descriptions()) == list(memory.tool_descriptions())
    assert list(sql.texts(runs)) == list(memory.texts(runs))
    assert list(sql.bodies(runs)) == list(memory.bodies(runs))
    assert list(sql.weights(runs)) == list(memory.weights(runs))
    for roles in ROLES:
        assert sql.with_roles(roles, runs) == memory.with_roles(roles, runs)
    ids = {f"id-{index}" for index in range(4)}
    assert set(sql.taken_ids(ids)) == set(memory.taken_ids(ids))
    names = [*CALL_IDS, "unheard of"]
    assert set(sql.open_calls(names)) == set(memory.open_calls(names))
    assert _loose(sql) == _loose(memory)


def _splits(view: View, log: Log) -> tuple[object, ...]:
    """The splits in an order of their own: a log tells its groups in any order."""
    found = find_splits(view, log)
    by_call: Callable[[ToolGroup], int] = lambda group: group.call  # noqa: E731
    return (
        sorted(found.groups, key=by_call),
        sorted(found.pending, key=by_call),
        found.orphans,
    )


def _loose(log: Log) -> list[ToolGroup]:
    """The groups that are not whole in the log itself, which it tells of any view."""
    loose = [
        group
        for group in log.tool_groups(())
        if group.unanswered
        or group.surplus
        or group.results != tuple(range(group.call + 1, group.call + 1 + len(group.results)))
    ]
    return sorted(loose, key=lambda group: group.call)


class Agreement(RuleBasedStateMachine):
    """The same steps on rows and on values; after each, both are the same conversation."""

    actor: ClassVar[Actor]

    @initialize(first=st.lists(drafts(), max_size=6), text=st.sampled_from(["", "pear"]))
    def begin(self, first: list[MessageDraft], text: str) -> None:
        self.made = Conversation(CAUSE, tools=text or None)
        self.made.append(first, CAUSE)
        self.id = new_public_id("conv")
        new = NewConversation(public_id=self.id, tools=text, drafts=tuple(first))
        use_cases.create(self.actor, new)
        self.past: list[tuple[UpTo, Conversation]] = []

    def both(self, in_memory: Callable[[], Report], in_sql: Callable[[], Applied]) -> None:
        """Do one thing in both: one result, or one refusal."""
        assert _done(in_sql) == _done(in_memory)

    @rule(new=st.lists(drafts(), min_size=1, max_size=4))
    def append(self, new: list[MessageDraft]) -> None:
        expected = self.made.append(new, CAUSE)
        found = use_cases.append(self.actor, self.id, new)
        assert (found.first_index, found.count, found.batch, found.revision) == (
            expected.first_index,
            expected.count,
            expected.batch,
            expected.revision,
        )

    @rule(asked=st.sampled_from([("a",), ("b",), ("a", "b"), ("b", "a", "c")]))
    def call(self, asked: tuple[str, ...]) -> None:
        self.append([calls(*asked)])

    @rule(answered=st.lists(st.sampled_from("ab"), min_size=1, max_size=2))
    def answer(self, answered: list[str]) -> None:
        self.append([result(name) for name in answered])

    @rule(answered=st.sampled_from("ab"), block=truncations())
    def answer_twice(self, answered: str, block: dict[str, JsonValue]) -> None:
        """A tool that runs again after a rollback answers its call again."""
        batch = self.made.current.number
        self.truncate(block, "warn", protect=False)
        self.answer([answered])
        self.rollback(batch)
        self.answer([answered])

    @rule(number=st.integers(0, 3))
    def append_with_an_id(self, number: int) -> None:
        if all(each.entry.message_id != f"id-{number}" for each in self.made.messages):
            self.append([message("user", "pear", id=f"id-{number}")])

    def operate(self, config: OperationConfig) -> None:
        seen = Seen(self.made.current.id, self.made.current.visible_count)
        self.both(
            lambda: self.made.operate(config, CAUSE, dry_run=True),
            lambda: use_cases.apply_operation(self.actor, self.id, config, seen=seen, dry_run=True),
        )
        self.both(
            lambda: self.made.operate(config, CAUSE),
            lambda: use_cases.apply_operation(self.actor, self.id, config, seen=seen),
        )

    @rule(block=truncations(), pairing=PAIRINGS, protect=st.booleans())
    def truncate(self, block: dict[str, JsonValue], pairing: str, protect: bool) -> None:
        self.operate(operation("truncate", block, pairing=pairing, protect_tools=protect))

    @rule(block=filters(), pairing=PAIRINGS)
    def filter(self, block: dict[str, JsonValue], pairing: str) -> None:
        self.operate(operation("filter", block, pairing=pairing))

    @rule(pairing=PAIRINGS, keep=st.booleans())
    def clear(self, pairing: str, keep: bool) -> None:
        self.operate(operation("clear", {"keep_system_message": keep}, pairing=pairing))

    @rule(block=budgets(), pairing=PAIRINGS, protect=st.booleans())
    def budget(self, block: dict[str, JsonValue], pairing: str, protect: bool) -> None:
        self.operate(operation("budget", block, pairing=pairing, protect_tools=protect))

    @rule(position=st.integers(-1, 12), pairing=PAIRINGS, said=st.sampled_from([SAID, FOUND]))
    def insert(self, position: int, pairing: str, said: JsonValue) -> None:
        block: JsonValue = {"position": position, "messages": [said, SAID]}
        self.operate(operation("insert", block, pairing=pairing))

    @rule(index=st.integers(0, 9), pairing=PAIRINGS, said=st.sampled_from([SAID, FOUND]))
    def replace(self, index: int, pairing: str, said: JsonValue) -> None:
        block: JsonValue = {"index": index, "message": said}
        self.operate(operation("replace", block, pairing=pairing))

    @rule(boundary=st.integers(0, 30))
    def open_batch(self, boundary: int) -> None:
        self.both(
            lambda: self.made.open_batch(boundary, CAUSE),
            lambda: use_cases.open_batch(self.actor, self.id, boundary),
        )

    @rule(number=st.integers(-1, 6))
    def rollback(self, number: int) -> None:
        self.both(
            lambda: self.made.rollback(number, CAUSE),
            lambda: use_cases.rollback(self.actor, self.id, number),
        )

    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        number = data.draw(st.integers(0, len(self.made.revisions) - 1))
        self.both(
            lambda: self.made.restore(number, CAUSE),
            lambda: use_cases.restore(self.actor, self.id, number),
        )

    @rule(data=st.data())
    def compare_two_revisions(self, data: st.DataObject) -> None:
        before, after = (data.draw(st.sampled_from(sorted(self.made.revisions))) for _ in range(2))
        found = queries.diff_of(self.actor, self.id, before, after)
        assert tuple(found) == self.made.diff(before, after)

    @rule()
    def travel(self) -> None:
        """An export holds the whole conversation, which continues from its import."""
        document = read_export(loads_strict(transfers.export(self.actor, self.id)))
        self.id = transfers.import_export(self.actor, document).public_id
        self.past.clear()

    @precondition(lambda self: len(self.past) < 4)
    @rule()
    def remember(self) -> None:
        head = self.head()
        upto = UpTo(head.log_count, head.revision_count, head.current_revision, head.change_seq)
        self.past.append((upto, copy.deepcopy(self.made)))

    @precondition(lambda self: self.past)
    @rule(data=st.data())
    def look_back(self, data: st.DataObject) -> None:
        """A log of an earlier length answers as it did then."""
        upto, then = data.draw(st.sampled_from(self.past))
        head = self.head()
        sql = SqlLog(head, upto.log_count, upto.revision)
        agree(sql, then.log(), data.draw(orders(View([(0, upto.log_count)]))))

    @precondition(lambda self: self.past)
    @rule(data=st.data())
    def reopen(self, data: st.DataObject) -> None:
        """What was logged later is of another branch: a tool that runs again answers again."""
        upto, then = data.draw(st.sampled_from(self.past))
        count = then.current.visible_count
        if self.made.current.id != upto.revision:
            self.made.restore(upto.revision, CAUSE)
            use_cases.restore(self.actor, self.id, upto.revision)
        if self.made.current.visible_count == count:
            return
        self.made.reopen(count, upto.log_count, CAUSE)
        with writing(self.actor, self.id) as opened:
            opened.reopen(opened.current, count, upto.log_count, None)
            opened.commit(change_of(opened.head, Action.CHECKPOINT_RESTORE))

    @precondition(lambda self: self.past)
    @rule(data=st.data())
    def go_on_from_a_copy(self, data: st.DataObject) -> None:
        """A copy of the past continues as if nothing had happened since."""
        upto, then = data.draw(st.sampled_from(self.past))
        head = self.head()
        with transaction.atomic():
            opened = open_new(self.actor, NewConversation(tools=head.details.tools))
            copy_conversation(head, upto, opened.head)
            opened.commit(change_of(opened.head, Action.CHECKPOINT_FORK))
        self.made, self.id = then, opened.head.public_id
        self.past.clear()

    def head(self) -> Head:
        return find_head(self.actor.workspace, self.id)

    @rule(data=st.data())
    def look_from_any_revision(self, data: st.DataObject) -> None:
        """The log as seen from any branch, and of any view of it."""
        number = data.draw(st.sampled_from(sorted(self.made.revisions)))
        head = self.head()
        sql = SqlLog(head, head.log_count, number)
        agree(sql, self.made.log(number), data.draw(orders(View([(0, head.log_count)]))))

    @invariant()
    def both_are_the_same_conversation(self) -> None:
        if not hasattr(self, "made"):
            return
        head = self.head()
        current = self.made.current
        assert (head.current_revision, head.current_batch) == (current.id, current.number)
        assert (head.visible_count, head.visible_tokens) == (current.visible_count, current.tokens)
        assert head.revision_count == len(self.made.revisions)
        self.the_logs_are_the_same(head)
        self.the_revisions_are_the_same(head)
        branch = [row.number for row in rows_of_lineage(head.key, current.id)]
        assert branch == [each.id for each in lineage(current.id, self.made.revisions)]
        moves = [(row.kind, row.from_revision, row.to_revision) for row in moves_of(head)]
        assert moves == [
            (move.kind, move.from_revision, move.to_revision) for move in self.made.moves
        ]

    def the_logs_are_the_same(self, head: Head) -> None:
        rows = Message.objects.filter(conversation=head.key).order_by("index")
        names = ("index", "message_id", "role", "call_index", "revision", "tokens", "body")
        found = [
            (index, name or f"log-{index}", role, call, revision, tokens, bytes(body))
            for index, name, role, call, revision, tokens, body in rows.values_list(*names)
        ]
        assert found == [
            (
                each.entry.index,
                each.entry.message_id,
                each.entry.draft.role,
                each.entry.call_index,
                each.revision,
                each.tokens,
                each.entry.draft.body,
            )
            for each in self.made.messages
        ]
        assert head.log_count == len(found)
        sql = SqlLog(head, head.log_count, head.current_revision, newest=True)
        agree(sql, self.made.log(), self.made.current.view)

    def the_revisions_are_the_same(self, head: Head) -> None:
        rows = RevisionRow.objects.filter(conversation=head.key).order_by("number")
        assert [_row_figures(row) for row in rows] == [
            (
                each.id,
                each.parent,
                each.number,
                each.operation,
                each.boundary,
                each.config or b"{}",
                each.log_length,
                each.branched_at,
                each.visible_count,
                each.tokens,
                each.view,
            )
            for each in self.made.revisions.values()
        ]


def _row_figures(row: RevisionRow) -> tuple[object, ...]:
    return (
        row.number,
        row.parent,
        row.batch,
        row.operation,
        row.boundary,
        bytes(row.config),
        row.log_length,
        row.branched_at,
        row.visible_count,
        row.tokens,
        view_of(row),
    )


@pytest.mark.django_db
def test_sql_and_memory_make_the_same_of_any_steps() -> None:
    Agreement.actor = engine()
    count = examples(60 if connection.vendor == "sqlite" else 20)  # MariaDB takes thrice as long
    run_state_machine_as_test(
        Agreement, settings=settings(max_examples=count, stateful_step_count=15)
    )
