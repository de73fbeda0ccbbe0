"""The log of one conversation in SQL, as the rules of the domain read it."""

import hashlib
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, TypeVar

from django.db.models import QuerySet

from conversations.domain import runs as run_set
from conversations.domain.bodies import text_of_body
from conversations.domain.log import OpenCall, ToolGroup
from conversations.domain.message import CountsAs
from conversations.domain.runs import Runs
from conversations.models import Message, Revision, ToolCall, ToolDescription

ItemT = TypeVar("ItemT", int, str)

_CHUNK: Final = 500
_ROLES: Final[Mapping[CountsAs, tuple[str, ...]]] = {
    "system": ("system", "developer"),
    "user": ("user",),
    "assistant": ("assistant",),
    "tool": ("tool",),
}


def call_digest(call_id: str) -> str:
    """What a tool call's id is looked up by: ids may be long and of any characters."""
    return hashlib.blake2b(call_id.encode(), digest_size=16).hexdigest()


def chunks(items: Iterable[ItemT]) -> Iterator[list[ItemT]]:
    """The items in lists that fit into one query."""
    whole = list(items)
    for start in range(0, len(whole), _CHUNK):
        yield whole[start : start + _CHUNK]


class SqlLog:
    """The Log protocol over ``message`` rows, seen from the branch of one revision."""

    def __init__(self, conversation: int, length: int, revision: int, tools: str) -> None:
        self.conversation = conversation
        self.length = length
        self.revision = revision
        self._tools = tools

    def __len__(self) -> int:
        return self.length

    def with_roles(self, roles: frozenset[CountsAs], runs: Runs) -> Runs:
        """By the index over role; reads no bodies."""
        if not runs:
            return ()
        names = [name for role in roles for name in _ROLES[role]]
        rows = self._within(runs).filter(role__in=names)
        found = rows.order_by("index").values_list("index", flat=True).iterator(5000)
        return run_set.intersection(run_set.of_indices(found), runs)

    def texts(self, runs: Runs) -> Iterable[tuple[int, str]]:
        if not runs:
            return
        wanted = iter(run_set.indices(runs))
        rows = self._within(runs).order_by("index").values_list("index", "body")
        target = next(wanted, None)
        for index, body in rows.iterator(500):
            if index != target:
                continue
            yield index, text_of_body(bytes(body))
            target = next(wanted, None)

    def tool_descriptions(self) -> Sequence[int]:
        rows = ToolDescription.objects.filter(conversation=self.conversation, index__lt=self.length)
        return list(rows.order_by("index").values_list("index", flat=True))

    def tools(self) -> str | None:
        return self._tools or None

    def tool_groups(self, cuts: Sequence[int]) -> Iterable[ToolGroup]:
        return [group for group in self._groups if not _whole(group) or _is_cut(group, cuts)]

    def orphans(self, runs: Runs) -> Runs:
        if not runs:
            return ()
        rows = self._within(runs).filter(role="tool", call_index=None)
        found = rows.order_by("index").values_list("index", flat=True)
        return run_set.intersection(run_set.of_indices(found), runs)

    def open_calls(
        self, call_ids: Collection[str], instead_of: int | None = None
    ) -> Iterable[OpenCall]:
        names = {call_digest(call_id): call_id for call_id in call_ids}
        calls: list[tuple[int, str]] = []
        answered: dict[tuple[int, str], list[tuple[int, bool]]] = defaultdict(list)
        for part in chunks(names):
            calls += ToolCall.objects.filter(
                conversation=self.conversation, call__in=part
            ).values_list("index", "call")
            results = self._rows().filter(call_index__isnull=False, answers__in=part)
            for index, call_index, name, revision in results.order_by("index").values_list(
                "index", "call_index", "answers", "revision"
            ):
                answered[call_index or 0, name or ""].append((index, self.sees(revision, index)))
        homes = self._revisions_of({index for index, _ in calls})
        for index, name in calls:
            on_branch, found = self.sees(homes[index], index), answered[index, name]
            if not found:
                yield OpenCall(names[name], index, on_branch)
                continue
            here = [result for result, seen in found if seen]
            if on_branch and (not here or here[-1] == instead_of):
                former = here[-1] if here else found[-1][0]
                yield OpenCall(names[name], index, on_branch=True, result_elsewhere=former)

    def taken_ids(self, message_ids: Collection[str]) -> Collection[str]:
        taken: set[str] = set()
        for part in chunks(message_ids):
            rows = self._rows().filter(message_id__in=part)
            taken.update(str(name) for name in rows.values_list("message_id", flat=True))
        return taken

    def sees(self, revision: int, index: int) -> bool:
        """True if a message of the log, logged into ``revision``, is of the branch."""
        return index < self._branch.get(revision, 0)

    @cached_property
    def _branch(self) -> dict[int, int]:
        """The revision that the log is seen from and all its ancestors, and how far each counts.

        A message counts if its log index is below the number; see ``Revision.branched_at``.
        """
        rows = Revision.objects.filter(conversation=self.conversation)
        known = {row[0]: row[1:] for row in rows.values_list("number", "parent", "branched_at")}
        found: dict[int, int] = {}
        here: int | None = self.revision
        stop = self.length
        while here is not None:
            found[here] = stop
            here, branched_at = known[here]
            stop = self.length if branched_at is None else branched_at
        return found

    @cached_property
    def _groups(self) -> list[ToolGroup]:
        """Every call of the log with its results; costs the tool messages, not the others."""
        calls: dict[int, list[str]] = defaultdict(list)
        rows = ToolCall.objects.filter(conversation=self.conversation, index__lt=self.length)
        for index, name in rows.order_by("index", "position").values_list("index", "call"):
            calls[index].append(name)
        results: dict[int, list[tuple[int, str, bool]]] = defaultdict(list)
        answers = self._rows().filter(role="tool", call_index__isnull=False).order_by("index")
        for index, call_index, answer, revision in answers.values_list(
            "index", "call_index", "answers", "revision"
        ):
            results[call_index or 0].append((index, answer or "", self.sees(revision, index)))
        last_other = self._last_other() if calls else -1
        return [_group(index, names, results[index], last_other) for index, names in calls.items()]

    def _last_other(self) -> int:
        """The log index of the branch's last message that is no tool result, -1 without one."""
        rows = self._rows().exclude(role="tool").order_by("-index")
        for index, revision in rows.values_list("index", "revision").iterator(200):
            if self.sees(revision, index):
                return index
        return -1

    def _revisions_of(self, indices: Collection[int]) -> dict[int, int]:
        homes: dict[int, int] = {}
        for part in chunks(indices):
            homes.update(self._rows().filter(index__in=part).values_list("index", "revision"))
        return homes

    def _rows(self) -> QuerySet[Message]:
        return Message.objects.filter(conversation=self.conversation, index__lt=self.length)

    def _within(self, runs: Runs) -> QuerySet[Message]:
        return self._rows().filter(index__gte=runs[0][0], index__lt=runs[-1][1])


def _group(
    call: int, names: Sequence[str], results: Sequence[tuple[int, str, bool]], last_other: int
) -> ToolGroup:
    """The group of one message with calls: one result per call, the branch's newest first."""
    chosen: list[int] = []
    surplus: list[int] = []
    open_names = list(names)
    for index, name, _ in sorted(results, key=lambda result: (result[2], result[0]), reverse=True):
        if name in open_names:
            open_names.remove(name)
            chosen.append(index)
        else:
            surplus.append(index)
    return ToolGroup(
        call=call,
        results=tuple(sorted(chosen)),
        unanswered=len(open_names),
        pending=bool(open_names) and call >= last_other,
        surplus=tuple(sorted(surplus)),
    )


def _whole(group: ToolGroup) -> bool:
    """True if all calls are answered once and the results follow the call directly."""
    if group.unanswered or group.surplus:
        return False
    return group.results == tuple(range(group.call + 1, group.call + 1 + len(group.results)))


def _is_cut(group: ToolGroup, cuts: Sequence[int]) -> bool:
    """True if one of the ascending cuts falls between the call and its last result."""
    if not group.results:
        return False
    place = bisect_right(cuts, group.call)
    return place < len(cuts) and cuts[place] <= group.results[-1]
