"""Laws of batches: a conversation behaves as a tree of plain lists does."""

from dataclasses import dataclass, replace

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from pydantic import JsonValue

from conversations.domain.configs import OperationConfig
from conversations.domain.diff import ViewDifference
from conversations.domain.message import MessageDraft
from conversations.domain.operations import apply
from conversations.domain.revisions import Seen
from conversations.domain.view import View
from ctxadmin.lib.errors import NotFound, VersionConflict
from tests.examples import examples
from tests.property.conversation_strategies import drafts, filters, truncations
from tests.unit.conversations.chats import CAUSE, conversation, exported, imported, operation

PAIRINGS = st.sampled_from(["warn", "keep", "drop"])
SAID: JsonValue = {"role": "user", "content": "pear"}


@dataclass(frozen=True)
class Node:
    """A revision of the model."""

    parent: int | None
    number: int
    indices: tuple[int, ...]


def changed(before: View, changes: tuple[ViewDifference, ...]) -> list[int]:
    """What a diff makes of the view that it starts from."""
    indices = list(before)
    for change in changes:
        if change.kind == "edited":
            assert change.previous_position is not None
            assert indices[change.previous_position] == change.previous_index
            indices[change.previous_position] = change.index
    leaving = {change.index for change in changes if change.kind in ("hidden", "moved")}
    indices = [index for index in indices if index not in leaving]
    for change in changes:
        if change.kind in ("added", "shown", "moved"):
            assert change.position is not None
            indices.insert(change.position, change.index)
    return indices


class Batches(RuleBasedStateMachine):
    """Appends, operations, batches, rollbacks and restores in any order."""

    @initialize(first=st.lists(drafts(), max_size=6), text=st.sampled_from([None, "pear"]))
    def begin(self, first: list[MessageDraft], text: str | None) -> None:
        self.made = conversation(*first, text=text)
        self.bodies = [draft.body for draft in first]
        self.nodes = {0: Node(None, 0, tuple(range(len(first))))}
        self.here = 0

    @rule(new=st.lists(drafts(), min_size=1, max_size=4))
    def append(self, new: list[MessageDraft]) -> None:
        appended = self.made.append(new, CAUSE)
        assert appended.first_index == len(self.bodies)
        grown = range(len(self.bodies), len(self.bodies) + len(new))
        self.bodies += [draft.body for draft in new]
        node = self.nodes[self.here]
        longer = replace(node, indices=(*node.indices, *grown))
        if any(other.parent == self.here for other in self.nodes.values()):
            longer = replace(longer, parent=self.here)
            self.here = len(self.nodes)
        self.nodes[self.here] = longer
        assert (appended.batch, appended.revision) == (node.number, self.here)

    def operate(self, config: OperationConfig) -> None:
        """Carry out an operation; a dry run says the same before, and it can be undone after."""
        before = self.made.current
        expected = apply(config, before.view, self.made.log())
        dry = self.made.operate(config, CAUSE, dry_run=True)
        report = self.made.operate(config, CAUSE, seen=Seen(before.id, before.visible_count))
        assert replace(report, revision=None) == dry
        assert report.outcome.view == expected.view
        assert (report.tokens_before, report.tokens_after) == (
            before.tokens,
            self.made.current.tokens,
        )
        self.bodies += [entry.draft.body for entry in report.outcome.entries]
        self.opened(tuple(expected.view))
        self.made.rollback(before.number, CAUSE)
        assert self.made.current == before
        self.made.restore(report.revision or 0, CAUSE)

    def opened(self, indices: tuple[int, ...]) -> None:
        node = self.nodes[self.here]
        self.nodes[len(self.nodes)] = Node(self.here, node.number + 1, indices)
        self.here = len(self.nodes) - 1

    @rule(block=truncations(), pairing=PAIRINGS, protect=st.booleans())
    def truncate(self, block: dict[str, JsonValue], pairing: str, protect: bool) -> None:
        self.operate(operation("truncate", block, pairing=pairing, protect_tools=protect))

    @rule(block=filters(), pairing=PAIRINGS)
    def filter(self, block: dict[str, JsonValue], pairing: str) -> None:
        self.operate(operation("filter", block, pairing=pairing))

    @rule(pairing=PAIRINGS, keep=st.booleans())
    def clear(self, pairing: str, keep: bool) -> None:
        self.operate(operation("clear", {"keep_system_message": keep}, pairing=pairing))

    @rule(data=st.data(), pairing=PAIRINGS)
    def insert(self, data: st.DataObject, pairing: str) -> None:
        position = data.draw(st.integers(-1, len(self.nodes[self.here].indices)))
        block: JsonValue = {"position": position, "messages": [SAID, SAID]}
        self.operate(operation("insert", block, pairing=pairing))

    @precondition(lambda self: self.nodes[self.here].indices)
    @rule(data=st.data())
    def replace(self, data: st.DataObject) -> None:
        index = data.draw(st.integers(0, len(self.nodes[self.here].indices) - 1))
        self.operate(operation("replace", {"index": index, "message": SAID}))

    @rule(data=st.data())
    def open_batch(self, data: st.DataObject) -> None:
        boundary = data.draw(st.integers(0, len(self.bodies)))
        self.made.open_batch(boundary, CAUSE)
        indices = self.nodes[self.here].indices
        self.opened(tuple(index for index in indices if index >= boundary))

    @rule(number=st.integers(-1, 6))
    def rollback(self, number: int) -> None:
        here: int | None = self.here
        while here is not None and self.nodes[here].number != number:
            here = self.nodes[here].parent
        if here is None:
            try:
                self.made.rollback(number, CAUSE)
            except NotFound:
                return
            raise AssertionError("a batch that is not on the branch was found")
        self.made.rollback(number, CAUSE)
        self.here = here

    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        self.here = data.draw(st.sampled_from(sorted(self.nodes)))
        self.made.restore(self.here, CAUSE)

    @rule()
    def refuse_a_stale_writer(self) -> None:
        stale = Seen(self.here, len(self.nodes[self.here].indices) + 1)
        try:
            self.made.operate(operation("clear"), CAUSE, seen=stale)
        except VersionConflict:
            return
        raise AssertionError("a writer who saw another count was not refused")

    @rule(data=st.data())
    def compare_two_revisions(self, data: st.DataObject) -> None:
        before, after = (data.draw(st.sampled_from(sorted(self.nodes))) for _ in range(2))
        changes = self.made.diff(before, after)
        assert changed(self.made.revisions[before].view, changes) == list(self.nodes[after].indices)

    @invariant()
    def the_conversation_is_the_model(self) -> None:
        if not hasattr(self, "made"):
            return
        assert [each.entry.draft.body for each in self.made.messages] == self.bodies
        assert self.made.current.id == self.here
        for number, revision in self.made.revisions.items():
            node = self.nodes[number]
            assert tuple(revision.view) == node.indices
            assert (revision.parent, revision.number) == (node.parent, node.number)
            assert revision.visible_count == len(node.indices)
            assert revision.tokens == sum(self.made.messages[each].tokens for each in node.indices)

    @rule()
    def travel(self) -> None:
        """An export holds the whole conversation, which continues from its import."""
        before = self.made
        document = exported(before)
        self.made = imported(document)
        assert self.made.messages == before.messages
        assert self.made.revisions == before.revisions
        assert self.made.moves == before.moves
        assert self.made.current == before.current
        assert exported(self.made) == document


TestBatches = Batches.TestCase
TestBatches.settings = settings(max_examples=examples(40), stateful_step_count=20)
