"""What is put before a reviewer: the writes that proposed it, and those that came since."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from checkpoints.domain.pauses import When
from checkpoints.domain.proposal import Proposal, VersionManifest, lineage, proposal_of
from checkpoints.domain.timeline import WriteKind

AT = datetime(2026, 11, 23, tzinfo=UTC)


class History:
    """The versions of an execution, written one after the other from 0 on."""

    def __init__(self) -> None:
        self.writes: list[VersionManifest] = []
        self._add(WriteKind.START)

    def _add(
        self,
        kind: WriteKind,
        node: str = "",
        keys: Sequence[str] = (),
        author: str = "token:engine",
        restored: int | None = None,
        to: Sequence[str] | None = None,
    ) -> None:
        leads = None if to is None else frozenset(to)
        version = len(self.writes)
        self.writes.append(
            VersionManifest(version, kind, node, tuple(keys), author, AT, restored, leads)
        )

    def done(self, node: str, *keys: str, to: Sequence[str] | None = None) -> "History":
        self._add(WriteKind.COMPLETION, node, keys, to=to)
        return self

    def saved(self, node: str, *keys: str) -> "History":
        self._add(WriteKind.CHECKPOINT, node, keys)
        return self

    def edited(self, *keys: str, by: str = "person:rita") -> "History":
        self._add(WriteKind.UPDATE, keys=keys, author=by)
        return self

    def moved(self) -> "History":
        self._add(WriteKind.MOVE)
        return self

    def restored(self, version: int) -> "History":
        self._add(WriteKind.RESTORE, restored=version)
        return self

    def of(
        self, node: str | None, *predecessors: str, when: When = When.BEFORE, free: bool = False
    ) -> Proposal:
        by_version = {write.version: write for write in self.writes}
        found = lineage(by_version.get, len(self.writes) - 1)
        return proposal_of(found, node, when, None if free else predecessors)


def told(proposal: Proposal) -> list[tuple[str, int, tuple[str, ...]]]:
    return [(each.node, each.version, each.keys) for each in proposal.sources]


def test_before_a_node_it_is_what_its_predecessor_wrote_however_often_it_was_edited() -> None:
    history = History().done("plan", "plan").done("draft", "answer", "tone", to=["review"])
    history.edited("priority").edited("answer").edited("answer", by="person:rosa")
    proposal = history.of("review", "draft")
    assert told(proposal) == [("draft", 2, ("answer", "tone"))]
    edit = proposal.changed_by("answer")
    assert edit is not None
    assert (edit.author, edit.version) == ("person:rosa", 5)
    assert [each.version for each in proposal.changes_of("answer")] == [5, 4]
    assert proposal.changed_by("tone") is None
    assert proposal.edited_besides() == ("priority",)


def test_after_a_node_it_is_what_the_node_itself_wrote() -> None:
    history = History().done("draft", "answer").done("check", "score").edited("answer")
    assert told(history.of("check", when=When.AFTER)) == [("check", 2, ("score",))]
    assert history.of("check", when=When.AFTER).edited_besides() == ("answer",)


def test_several_predecessors_are_told_the_latest_first_and_the_latest_owns_a_key() -> None:
    history = History().done("left", "a", "both", to=["review"]).edited("a")
    history.done("right", "b", "both", to=["review"])
    proposal = history.of("review", "left", "right")
    assert [each[:2] for each in told(proposal)] == [("right", 3), ("left", 1)]
    source, edit = proposal.source_of("both"), proposal.changed_by("a")
    assert source is not None
    assert source.node == "right"
    assert edit is not None
    assert edit.version == 2
    assert proposal.changed_by("both") is None


def test_a_predecessor_that_led_elsewhere_proposed_nothing() -> None:
    history = History().done("left", "a", to=["end"]).done("right", "b", to=["review"])
    assert told(history.of("review", "left", "right")) == [("right", 2, ("b",))]


def test_of_a_loop_only_the_round_since_the_node_ran_last_counts() -> None:
    history = History().done("other", "o", to=["review"]).done("draft", "first", to=["review"])
    history.done("review", "verdict", to=["draft"]).done("draft", "second", to=["review"])
    assert told(history.of("review", "draft", "other")) == [("draft", 4, ("second",))]


def test_what_a_node_saved_on_its_way_belongs_to_it() -> None:
    history = History().done("draft", "old", to=["review"]).saved("draft", "half")
    history.done("draft", "answer", to=["review"])
    assert told(history.of("review", "draft")) == [("draft", 3, ("answer", "half"))]


def test_a_restore_undoes_what_was_written_in_between() -> None:
    history = History().done("draft", "answer", to=["review"]).edited("answer").edited("tone")
    history.restored(2)
    proposal = history.of("review", "draft")
    assert told(proposal) == [("draft", 1, ("answer",))]
    assert proposal.changed_by("answer") is not None
    assert proposal.edited_besides() == ()
    assert history.restored(1).of("review", "draft").changed_by("answer") is None


def test_moves_neither_propose_nor_edit() -> None:
    history = History().done("draft", "answer", to=["review"]).moved().moved()
    assert told(history.of("review", "draft")) == [("draft", 1, ("answer",))]
    assert history.of("review", "draft").changed_by("answer") is None


@pytest.mark.parametrize("when", list(When))
def test_of_a_free_execution_it_is_what_the_last_step_wrote(when: When) -> None:
    history = History().saved("one", "a").saved("two", "b").edited("a")
    node = "two" if when is When.AFTER else "three"
    assert told(history.of(node, when=when, free=True)) == [("two", 2, ("b",))]


def test_before_a_node_that_was_entered_out_of_turn_it_is_what_the_last_node_wrote() -> None:
    history = History().done("plan", "a", to=["draft"]).moved()
    assert told(history.of("send", "review")) == [("plan", 1, ("a",))]


def test_without_any_step_only_edits_are_reported() -> None:
    proposal = History().edited("a").of("start")
    assert proposal.sources == ()
    assert proposal.edited_besides() == ("a",)
