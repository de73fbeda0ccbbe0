"""Tool pairs: which result answers which call, and what splits them in a view."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal

from conversations.domain import runs as run_sets
from conversations.domain.log import Log, OpenCall, ToolGroup, ToolLinks
from conversations.domain.message import CountsAs, Entry, MessageDraft, check_ids, id_is_taken
from conversations.domain.runs import Run, Runs
from conversations.domain.view import View

Pairing = Literal["warn", "keep", "drop"]
Split = Literal["no_result", "no_call", "apart"]
_TOOL: Final[frozenset[CountsAs]] = frozenset({"tool"})
_NEAR: Final = 100  # messages behind a call that are looked at together


@dataclass(frozen=True, slots=True)
class Placement:
    """Drafts with their places in the log, and the tool links including them.

    The log itself is unchanged until the caller commits the entries.
    """

    entries: tuple[Entry, ...]
    links: ToolLinks


@dataclass(frozen=True, slots=True)
class Splits:
    """What a provider would reject in a view: split groups, visible orphans, pending calls."""

    groups: tuple[ToolGroup, ...]
    orphans: Runs
    pending: tuple[ToolGroup, ...]


def place_drafts(
    drafts: Sequence[MessageDraft], log: Log, pointers: Sequence[str] | None = None
) -> tuple[Entry, ...]:
    """Returns the entries of ``placement``, for an append."""
    return placement(drafts, log, pointers).entries


def placement(
    drafts: Sequence[MessageDraft],
    log: Log,
    pointers: Sequence[str] | None = None,
    *,
    instead_of: int | None = None,
    view: View | None = None,
) -> Placement:
    """Places drafts at the end of ``log``: index, id, and for tool messages the call they
    answer.

    A result answers the nearest earlier unanswered call with its id, those of the branch first; one
    that is shown ``instead_of`` the result at a log index takes over the call of that. If the
    ``view`` with it hides that call, a visible unanswered one takes precedence: the call was
    replaced, too. ``pointers`` are the places of the drafts in the input, ``/messages/N`` by
    default. Raises ValidationFailed (an id ``log-N`` with another index) and Duplicate (an id is
    taken). Source: semantics 1.1 and 1.11.
    """
    if not drafts:
        return Placement((), log)
    first = len(log)

    def pointer_of(number: int) -> str:
        return f"/messages/{number}" if pointers is None else pointers[number]

    chosen = check_ids(drafts, first, pointer_of)
    taken = log.taken_ids(chosen) if chosen else ()
    for name, number in chosen.items():
        if name in taken:
            raise id_is_taken(name, pointer_of(number))
    answered = _resolve(drafts, log, instead_of, view)
    entries = tuple(
        Entry(first + number, draft, call.index if call else None)
        for number, (draft, call) in enumerate(zip(drafts, answered, strict=True))
    )
    superseded = {
        call.result_elsewhere for call in answered if call and call.result_elsewhere is not None
    }
    waiting = None if view is None else _waiting(entries, view, log)
    return Placement(entries, WithEntries(log, entries, superseded, waiting))


def _waiting(entries: Sequence[Entry], view: View, log: Log) -> frozenset[int]:
    """Returns the new calls that only tool messages follow in the view: their results can come."""
    tools = {entry.index for entry in entries if entry.draft.role == "tool"}
    calls = [entry.index for entry in entries if entry.draft.call_ids]
    return frozenset(call for call in calls if not _is_talked_on(call, view, log, tools))


def _is_talked_on(call: int, view: View, log: Log, tools: Collection[int]) -> bool:
    place = view.position_of(call)
    start = len(view) if place is None else place + 1
    while start < len(view):
        behind = view.slice(start, start + _NEAR).indices_as_runs()
        logged = run_sets.intersection(behind, ((0, len(log)),))
        found = run_sets.count(log.with_roles(_TOOL, logged)) if logged else 0
        new = sum(index in tools for index in run_sets.indices(behind) if index >= len(log))
        if found + new < run_sets.count(behind):
            return True
        start += _NEAR
    return False


def _resolve(
    drafts: Sequence[MessageDraft], log: Log, instead_of: int | None, view: View | None
) -> list[OpenCall | None]:
    """Returns for each draft the call that it answers."""
    first = len(log)
    asked = {draft.answers for draft in drafts if draft.answers is not None}
    calls: dict[str, list[OpenCall]] = {call_id: [] for call_id in asked}
    for call in log.open_calls(asked, instead_of) if asked else ():
        calls[call.call_id].append(call)
    answered: list[OpenCall | None] = []

    def is_handed_on(call: OpenCall) -> bool:
        return instead_of is not None and call.result_elsewhere == instead_of

    def is_shown(call: OpenCall) -> bool:
        return view is None or call.index in view

    def nearness(call: OpenCall, *, was_hidden: bool) -> tuple[bool, bool, bool, int]:
        handed_on = is_handed_on(call)
        goes_before = is_shown(call) if was_hidden else handed_on
        return goes_before, handed_on, call.on_branch, call.index

    for number, draft in enumerate(drafts):
        candidates = calls[draft.answers] if draft.answers is not None else []
        was_hidden = any(is_handed_on(call) and not is_shown(call) for call in candidates)
        order = partial(nearness, was_hidden=was_hidden)
        nearest = max(candidates, key=order, default=None)
        if nearest:
            candidates.remove(nearest)
        answered.append(nearest)
        for call_id in asked.intersection(draft.call_ids):
            calls[call_id].append(OpenCall(call_id, first + number, on_branch=True))
    return answered


class WithEntries:
    """The tool links of a log with further entries.

    An entry takes over the calls of results that are ``superseded``. Of the calls of entries only
    those that are ``waiting`` can be pending, all of them if it is None.
    """

    def __init__(
        self,
        links: ToolLinks,
        entries: Sequence[Entry],
        superseded: Collection[int],
        waiting: Collection[int] | None = None,
    ) -> None:
        self._links = links
        self._waiting = waiting
        self._superseded = superseded
        self._results: dict[int, list[int]] = {}
        self._orphans: list[int] = []
        self._talk = -1  # the last new message that is no tool message
        for entry in entries:
            if entry.draft.role != "tool":
                self._talk = entry.index
            elif entry.call_index is None:
                self._orphans.append(entry.index)
            else:
                self._results.setdefault(entry.call_index, []).append(entry.index)
        self._calls = {
            entry.index: len(entry.draft.call_ids) for entry in entries if entry.draft.call_ids
        }

    def tool_groups(self, cuts: Sequence[int]) -> Iterable[ToolGroup]:
        # A cut right behind a call makes the log tell the group of each call that is answered now.
        answered = {call + 1 for call in self._results if call not in self._calls}
        for group in self._links.tool_groups(sorted(answered.union(cuts))):
            yield self._grown(group)
        for call, count in self._calls.items():
            pending = self._waiting is None or call in self._waiting
            yield self._grown(ToolGroup(call, (), count, pending=pending))

    def _grown(self, group: ToolGroup) -> ToolGroup:
        new = self._results.get(group.call, ())
        still = tuple(index for index in group.results if index not in self._superseded)
        gone = tuple(index for index in group.results if index in self._superseded)
        unanswered = group.unanswered - len(new) + len(gone)
        return replace(
            group,
            results=(*still, *new),
            unanswered=unanswered,
            pending=group.pending and unanswered > 0 and self._talk <= group.call,
            surplus=(*group.surplus, *gone),
        )

    def orphans(self, runs: Runs) -> Runs:
        new = run_sets.intersection(run_sets.of_indices(self._orphans), runs)
        return run_sets.union((*self._links.orphans(runs), *new))


def find_splits(view: View, links: ToolLinks) -> Splits:
    """Returns what is split in ``view``.

    Costs its runs and not its messages: a group that is whole in the log can only be split where a
    run of the view starts or stops. Source: semantics 1.11.
    """
    split: list[ToolGroup] = []
    pending: list[ToolGroup] = []
    for group in links.tool_groups(view.cuts()):
        if not _is_whole(group, view):
            split.append(group)
        elif group.unanswered and group.call in view:
            (pending if group.pending else split).append(group)
    return Splits(tuple(split), links.orphans(view.indices_as_runs()), tuple(pending))


def splits_within(splits: Splits, view: View) -> Splits:
    """Returns the splits that remain in a part of the view that splits no other group."""
    still = tuple(
        group
        for group in splits.groups
        if not _is_whole(group, view) or (group.unanswered and group.call in view)
    )
    orphans = run_sets.intersection(splits.orphans, view.indices_as_runs())
    pending = tuple(group for group in splits.pending if group.call in view)
    return Splits(still, orphans, pending)


def _is_whole(group: ToolGroup, view: View) -> bool:
    """Returns True if all of the group is hidden, or its results directly follow its visible
    call.
    """
    if group.surplus and any(index in view for index in group.surplus):
        return False
    call = view.position_of(group.call)
    if call is None:
        return all(view.position_of(index) is None for index in group.results)
    behind = range(call + 1, call + 1 + len(group.results))
    return all(view.position_of(index) in behind for index in group.results)


def split_of(group: ToolGroup, view: View) -> Split:
    """Returns what a split group lacks in a view: a result, its call, or the order."""
    if group.call not in view:
        return "no_call"
    lacks = group.unanswered or any(index not in view for index in group.results)
    return "no_result" if lacks else "apart"


def keep_pairs(view: View, links: ToolLinks) -> View:
    """Returns the view with every split group whole: call, then all its results from the log.

    A group is placed at its call, else at the first of its results. One pass is enough: a message
    belongs to one group, and no filled place is within another group. Orphans and abandoned calls
    stay split, because the log does not have the missing message.
    """
    split = find_splits(view, links).groups
    if not split:
        return view
    anchored = sorted(((_anchor(group, view), group) for group in split), key=lambda pair: pair[0])
    members = run_sets.of_indices(sorted(index for group in split for index in _members(group)))
    rest = view.without(members)
    taken = sorted(view.position_of(index) or 0 for index in visible_members(split, view))
    pieces: list[Run] = []
    done = passed = 0
    for anchor, group in anchored:
        while passed < len(taken) and taken[passed] < anchor:
            passed += 1
        pieces.extend(rest.slice(done, anchor - passed).runs)
        done = anchor - passed
        pieces.extend((index, index + 1) for index in (group.call, *group.results))
    pieces.extend(rest.slice(done, len(rest)).runs)
    return View(pieces)


def _members(group: ToolGroup) -> tuple[int, ...]:
    return (group.call, *group.results, *group.surplus)


def _anchor(group: ToolGroup, view: View) -> int:
    call = view.position_of(group.call)
    if call is not None:
        return call
    positions = (view.position_of(index) for index in _members(group))
    return min(position for position in positions if position is not None)


def drop_splits(view: View, links: ToolLinks) -> View:
    """Returns the view without split groups and orphans.

    A group is dropped whole: without one of its results its call is incomplete, and so are the
    others. Of two interleaved groups both are dropped.
    """
    splits = find_splits(view, links)
    hidden = {
        *visible_members(splits.groups, view),
        *run_sets.indices(splits.orphans),
    }
    return view.without(run_sets.of_indices(sorted(hidden)))


def visible_members(groups: Iterable[ToolGroup], view: View) -> tuple[int, ...]:
    """Returns the log indices of groups that a view shows, ascending."""
    members = run_sets.of_indices(sorted(index for group in groups for index in _members(group)))
    return tuple(run_sets.indices(run_sets.intersection(members, view.indices_as_runs())))


def is_valid_for_model(view: View, links: ToolLinks) -> bool:
    """True if a provider takes the view: ``validate_for_model`` finds nothing."""
    splits = find_splits(view, links)
    return not (splits.groups or splits.orphans or splits.pending)


def validate_for_model(view: View, links: ToolLinks) -> tuple[int, ...]:
    """Returns the visible log indices that a provider would reject, ascending.

    () for a valid view.

    These are split pairs, orphans, and calls that are still pending. Source: semantics 1.11.
    """
    splits = find_splits(view, links)
    found: Collection[int] = {
        *visible_members(splits.groups, view),
        *run_sets.indices(splits.orphans),
        *(group.call for group in splits.pending),
    }
    return tuple(sorted(found))
