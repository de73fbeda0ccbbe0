"""A log with further messages that are in no stored log: those that filters add."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from conversations.domain import runs as run_sets
from conversations.domain.budgets.fold import FoldStore, Weight
from conversations.domain.log import Log, OpenCall, ToolGroup
from conversations.domain.message import CountsAs, Entry
from conversations.domain.origin import Origin
from conversations.domain.runs import Run, Runs
from conversations.domain.tokens import tokens_of_message


class OverlayLog:
    """A Log that shows ``base`` followed by ``entries``; see the Log protocol.

    An operation on ``base`` created the entries, so their indices continue from its length. Source:
    semantics 2.1, operations as a view.
    """

    def __init__(self, base: Log, entries: Sequence[Entry]) -> None:
        self._base = base
        self._entries = tuple(entries)
        self._start = len(base)

    def __len__(self) -> int:
        return self._start + len(self._entries)

    def _below(self, runs: Runs) -> Runs:
        return run_sets.intersection(runs, ((0, self._start),))

    def _above(self, runs: Runs) -> Iterator[Entry]:
        for index in run_sets.indices(run_sets.intersection(runs, ((self._start, len(self)),))):
            yield self._entries[index - self._start]

    def with_roles(self, roles: frozenset[CountsAs], runs: Runs) -> Runs:
        added = (entry.index for entry in self._above(runs) if entry.draft.counts_as in roles)
        below = self._base.with_roles(roles, self._below(runs))
        return run_sets.union([*below, *run_sets.of_indices(added)])

    def texts(self, runs: Runs) -> Iterator[tuple[int, str]]:
        yield from self._base.texts(self._below(runs))
        for entry in self._above(runs):
            yield entry.index, entry.draft.text

    def weights(self, runs: Runs) -> Iterator[Weight]:
        yield from self._base.weights(self._below(runs))
        for entry in self._above(runs):
            tokens = tokens_of_message(entry.draft)
            yield Weight(entry.index, tokens, entry.draft.counts_as, entry.call_index)

    def origins(self, runs: Runs) -> Iterator[Origin]:
        yield from self._base.origins(self._below(runs))
        for entry in self._above(runs):
            tokens, node_id = tokens_of_message(entry.draft), entry.draft.node_id or ""
            yield Origin(entry.index, tokens, node_id, None, entry.call_index)

    def commented_indices(self) -> Sequence[int]:
        return self._base.commented_indices()

    def bodies(self, runs: Runs) -> Iterator[tuple[int, bytes]]:
        yield from self._base.bodies(self._below(runs))
        for entry in self._above(runs):
            yield entry.index, entry.draft.body

    def folds(self) -> FoldStore | None:
        return None  # inserted messages have other indices each time

    def tool_descriptions(self) -> Sequence[int]:
        added = [entry.index for entry in self._entries if entry.draft.tool_description]
        return [*self._base.tool_descriptions(), *added]

    def pins(self) -> Sequence[int]:
        added = [entry.index for entry in self._entries if entry.draft.pinned]
        return [*self._base.pins(), *added]

    def pointers(self) -> Mapping[int, Runs]:
        added = {entry.index: entry.draft.points_to for entry in self._entries}
        return {**self._base.pointers(), **{at: runs for at, runs in added.items() if runs}}

    def own_ids(self, indices: Collection[int]) -> Mapping[int, str]:
        return self._base.own_ids([index for index in indices if index < self._start])

    def logged_count(self) -> int:
        return self._base.logged_count()

    def tools(self) -> str | None:
        return self._base.tools()

    def tool_groups(self, cuts: Sequence[int]) -> Iterator[ToolGroup]:
        answered = {entry.call_index for entry in self._entries if entry.call_index is not None}
        # A cut right behind a call makes the base tell its group even if it is whole there.
        wanted = {*cuts, *(call + 1 for call in answered if call < self._start)}
        for group in self._base.tool_groups(sorted(wanted)):
            yield self._with_results(group) if group.call in answered else group
        for entry in self._entries:
            if entry.draft.call_ids:
                yield self._with_results(
                    ToolGroup(entry.index, (), len(entry.draft.call_ids), pending=True)
                )

    def _with_results(self, group: ToolGroup) -> ToolGroup:
        results = tuple(entry.index for entry in self._entries if entry.call_index == group.call)
        unanswered = max(0, group.unanswered - len(results))
        return replace(
            group,
            results=(*group.results, *results),
            unanswered=unanswered,
            pending=group.pending and unanswered > 0,
        )

    def orphans(self, runs: Runs) -> Runs:
        added: list[Run] = [
            (entry.index, entry.index + 1)
            for entry in self._above(runs)
            if entry.draft.role == "tool" and entry.call_index is None
        ]
        return run_sets.union([*self._base.orphans(self._below(runs)), *added])

    def open_calls(
        self, call_ids: Collection[str], instead_of: int | None = None
    ) -> Iterable[OpenCall]:
        answered = {
            (entry.call_index, entry.draft.answers)
            for entry in self._entries
            if entry.index != instead_of
        }
        calls = [*self._base.open_calls(call_ids, instead_of), *self._calls_of_entries(call_ids)]
        return [call for call in calls if (call.index, call.call_id) not in answered]

    def _calls_of_entries(self, call_ids: Collection[str]) -> Iterator[OpenCall]:
        for entry in self._entries:
            for call_id in entry.draft.call_ids:
                if call_id in call_ids:
                    yield OpenCall(call_id, entry.index, on_branch=True)

    def taken_ids(self, message_ids: Collection[str]) -> Collection[str]:
        wanted = set(message_ids)
        own = [entry.message_id for entry in self._entries if entry.message_id in wanted]
        return {*self._base.taken_ids(message_ids), *own}
