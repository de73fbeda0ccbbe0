"""The model of a conversation: its rules in memory, for comparing rows with values in tests."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from conversations.domain import revisions as tree
from conversations.domain.configs import OperationConfig, stored_config
from conversations.domain.diff import ViewDifference, diff_revisions
from conversations.domain.memory import MemoryLog
from conversations.domain.message import Entry, MessageDraft
from conversations.domain.operations import (
    Outcome,
    apply,
    cached_prefix_lost,
    compare,
    tokens_of,
)
from conversations.domain.pairing import place_drafts
from conversations.domain.revisions import (
    UNSEEN,
    Cause,
    Move,
    MoveKind,
    Revision,
    RevisionKind,
    Seen,
)
from conversations.domain.tokens import tokens_of_message
from conversations.domain.transfer import LoggedMessage
from tests import revision_tree


@dataclass(frozen=True, slots=True)
class Appended:
    """Where appended messages stand: log indices ``first_index`` and on, in this revision."""

    first_index: int
    count: int
    batch: int
    revision: int


@dataclass(frozen=True, slots=True)
class Report:
    """What an operation, batch, rollback or restore did; of a dry run ``revision`` is None."""

    outcome: Outcome
    batch: int
    revision: int | None
    visible_count: int
    tokens_before: int
    tokens_after: int
    cached_prefix_lost: int


class Conversation:
    """The rules of a conversation carried out on values.

    It never forgets: the log and the revisions only grow. A refused call changes nothing.
    Source: semantics, section 1.
    """

    def __init__(
        self,
        cause: Cause,
        *,
        tools: str | None = None,
        count: Callable[[MessageDraft], int] = tokens_of_message,
    ) -> None:
        self._count = count
        self._log = MemoryLog(tools=tools, count=count)
        self._messages: list[LoggedMessage] = []
        self._revisions: dict[int, Revision] = {0: revision_tree.start(cause)}
        self._parents: set[int] = set()
        self._current = 0
        self._moves: list[Move] = []

    @classmethod
    def restored(
        cls,
        messages: Sequence[LoggedMessage],
        revisions: Sequence[Revision],
        moves: Sequence[Move],
        current: int,
        *,
        tools: str | None = None,
    ) -> "Conversation":
        """A conversation as an export describes it; see ``transfer.read_export``."""
        first = revisions[0]
        conversation = cls(Cause(first.author, first.reason, first.created_at), tools=tools)
        for each in messages:
            conversation._log.append([each.entry], revision=each.revision, tokens=[each.tokens])
        conversation._messages = list(messages)
        conversation._revisions = {revision.id: revision for revision in revisions}
        conversation._parents = {each.parent for each in revisions if each.parent is not None}
        conversation._moves = list(moves)
        conversation._current = current
        return conversation

    @property
    def current(self) -> Revision:
        """The current revision; its view is what the model sees."""
        return self._revisions[self._current]

    @property
    def revisions(self) -> Mapping[int, Revision]:
        """Every revision ever opened, by id."""
        return self._revisions

    @property
    def moves(self) -> Sequence[Move]:
        """Rollbacks and restores in the order in which they happened."""
        return tuple(self._moves)

    @property
    def messages(self) -> Sequence[LoggedMessage]:
        """The log: ``get_all_messages`` of the seeds. Source: semantics 1.17."""
        return tuple(self._messages)

    def visible(self) -> list[Entry]:
        """The messages of the current view: ``get_messages`` of the seeds."""
        return [self._messages[index].entry for index in self.current.view]

    def batches(self) -> list[Revision]:
        """The ends of the batches of the current branch, by number."""
        ends: dict[int, Revision] = {}
        for revision in tree.lineage(self._current, self._revisions):
            ends.setdefault(revision.number, revision)
        return sorted(ends.values(), key=lambda revision: revision.number)

    def log(self, revision: int | None = None) -> MemoryLog:
        """The log as seen from the branch of a revision, by default the current one."""
        here = self._current if revision is None else revision
        branch = {each.id: each for each in tree.lineage(here, self._revisions)}
        limits = {
            each.parent: each.branched_at
            for each in branch.values()
            if each.parent is not None and each.branched_at is not None
        }
        # Without rollbacks every message is of the branch, which is cheaper to know than to ask.
        if len(branch) == len(self._revisions) and not limits:
            return self._log
        return self._log.on_branch(branch, limits)

    def append(self, drafts: Sequence[MessageDraft], cause: Cause) -> Appended:
        """Log messages and show them at the end; opens no batch and never conflicts."""
        entries = place_drafts(drafts, self.log())
        first, count = len(self._log), len(entries)
        revision = revision_tree.extend(
            self.current,
            has_children=self._current in self._parents,
            next_id=len(self._revisions),
            first_index=first,
            count=count,
            tokens=sum(self._count(draft) for draft in drafts),
            cause=cause,
        )
        if count:
            self._commit(revision, entries, cause)
        return Appended(first, count, self.current.number, self.current.id)

    def operate(
        self,
        config: OperationConfig,
        cause: Cause,
        *,
        seen: Seen = UNSEEN,
        dry_run: bool = False,
    ) -> Report:
        """Carry out one of the operations, which opens exactly one batch."""
        self._check(seen)
        outcome = apply(config, self.current.view, self.log())
        record = stored_config(config, len(self._log))
        report, revision = self._opened(outcome, config.operation, cause, config=record)
        return _dry(report) if dry_run else self._committed(report, revision, cause)

    def open_batch(
        self, boundary: int, cause: Cause, *, seen: Seen = UNSEEN, dry_run: bool = False
    ) -> Report:
        """Open a batch that shows only log indices from ``boundary`` on."""
        self._check(seen)
        view = tree.narrow(self.current.view, boundary, len(self._log))
        outcome = compare(self.current.view, view, self.log())
        report, revision = self._opened(outcome, "batch", cause, boundary=boundary)
        return _dry(report) if dry_run else self._committed(report, revision, cause)

    def rollback(
        self, batch: int, cause: Cause, *, seen: Seen = UNSEEN, dry_run: bool = False
    ) -> Report:
        """Show the view of the end of a batch of this branch."""
        self._check(seen)
        target = revision_tree.find_batch(batch, tree.lineage(self._current, self._revisions))
        return self._moved("rollback", target, cause, dry_run)

    def restore(
        self, revision: int, cause: Cause, *, seen: Seen = UNSEEN, dry_run: bool = False
    ) -> Report:
        """Make any revision the current one, of a rolled-back branch too."""
        self._check(seen)
        target = revision_tree.find_revision(revision, self._revisions, "/revision")
        return self._moved("restore", target, cause, dry_run)

    def reopen(self, visible_count: int, log_count: int, cause: Cause) -> Revision:
        """Go on from the current revision as it was with ``log_count`` messages in the log."""
        view = self.current.view.slice(0, visible_count)
        revision = revision_tree.reopen(
            self.current,
            next_id=len(self._revisions),
            visible_count=visible_count,
            log_count=log_count,
            tokens=tokens_of(view, self._log.tokens),
            log_length=len(self._log),
            cause=cause,
        )
        self._parents.add(self._current)
        self._commit(revision, (), cause)
        return revision

    def diff(self, before: int, after: int) -> tuple[ViewDifference, ...]:
        """What leads from one revision to another."""
        first = revision_tree.find_revision(before, self._revisions, "/from")
        return diff_revisions(
            first, revision_tree.find_revision(after, self._revisions, "/to"), self._revisions
        )

    def _check(self, seen: Seen) -> None:
        tree.require_seen(seen, self.current.id, self.current.visible_count)

    def _opened(
        self,
        outcome: Outcome,
        operation: RevisionKind,
        cause: Cause,
        *,
        config: bytes | None = None,
        boundary: int | None = None,
    ) -> tuple[Report, Revision]:
        report = self._report(outcome, self.current.number + 1, len(self._revisions))
        revision = revision_tree.open_batch(
            self.current,
            next_id=len(self._revisions),
            view=outcome.view,
            operation=operation,
            cause=cause,
            tokens=report.tokens_after,
            log_length=len(self._log) + len(outcome.entries),
            config=config,
            boundary=boundary,
        )
        return report, revision

    def _report(self, outcome: Outcome, batch: int, revision: int) -> Report:
        new = [self._count(entry.draft) for entry in outcome.entries]
        known = len(self._log)

        def tokens(start: int, stop: int) -> int:
            old = self._log.tokens(min(start, known), min(stop, known))
            return old + sum(new[max(start - known, 0) : max(stop - known, 0)])

        return Report(
            outcome=outcome,
            batch=batch,
            revision=revision,
            visible_count=len(outcome.view),
            tokens_before=self.current.tokens,
            tokens_after=tokens_of(outcome.view, tokens),
            cached_prefix_lost=cached_prefix_lost(self.current.view, outcome.view, tokens),
        )

    def _committed(self, report: Report, revision: Revision, cause: Cause) -> Report:
        self._parents.add(self._current)
        self._commit(revision, report.outcome.entries, cause)
        return report

    def _commit(self, revision: Revision, entries: Sequence[Entry], cause: Cause) -> None:
        self._log.append(entries, revision=revision.id)
        for entry in entries:
            tokens = self._log.tokens(entry.index, entry.index + 1)
            self._messages.append(LoggedMessage(entry, revision.id, tokens, cause.author, cause.at))
        self._revisions[revision.id] = revision
        self._current = revision.id

    def _moved(self, kind: MoveKind, target: Revision, cause: Cause, dry_run: bool) -> Report:
        outcome = compare(self.current.view, target.view, self.log(target.id))
        report = self._report(outcome, target.number, target.id)
        if dry_run:
            return _dry(report)
        if target.id != self._current:
            move = Move(kind, self._current, target.id, cause.author, cause.reason, cause.at)
            self._moves.append(move)
            self._current = target.id
        return report


def _dry(report: Report) -> Report:
    return replace(report, revision=None)
