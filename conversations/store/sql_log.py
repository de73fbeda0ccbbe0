"""The log of one conversation in SQL, as the rules of the domain read it."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

import orjson
from django.db.models import QuerySet

from conversations.domain import runs as run_set
from conversations.domain.bodies import text_of_body
from conversations.domain.budgets.fold import FoldStore, Weight
from conversations.domain.log import OpenCall, ToolGroup
from conversations.domain.message import CountsAs
from conversations.domain.origin import Origin
from conversations.domain.pointers import POINTS_TO, read_points_to
from conversations.domain.runs import Runs
from conversations.models import Comment, Conversation, Mark, Message, Revision, UnsettledCall
from conversations.store.branch import Branch
from conversations.store.damage import MISSING, damaged
from conversations.store.fold_cache import StoredFolds
from conversations.store.log_ranges import MANY, chunks, rows_of
from conversations.store.message_rows import COLUMNS, check_message
from conversations.store.tool_links import LoggedResult, answers_to, call_digest
from ctxadmin.storage.tables import Table

_MESSAGES: Final = Table(Message)
_CALLS: Final = Table(UnsettledCall)
_MARKS: Final = Table(Mark)
_INDEX_GAP: Final = 200  # messages that a range over an index may read in vain
_BODY_GAP: Final = 8  # the same, if their bodies are read
_BLOCK: Final = 100
_ROLES: Final[Mapping[CountsAs, tuple[str, ...]]] = {
    "system": ("system", "developer"),
    "user": ("user",),
    "assistant": ("assistant",),
    "tool": ("tool",),
}

_COUNTS_AS: Final[Mapping[str, CountsAs]] = {
    name: counts_as for counts_as, names in _ROLES.items() for name in names
}


class SqlLog:
    """The Log protocol over ``message`` rows, seen from the branch of one revision.

    It has the first ``length`` messages; unless it is the ``newest``, more may have been logged
    since. Answers are cached.
    """

    def __init__(
        self, head: Conversation, length: int, revision: int, *, newest: bool = False
    ) -> None:
        self.conversation = head.key
        self.length = length
        self.revision = revision
        self._head = head
        self._newest = newest
        self._answered_at: dict[int, int | None] = {}  # log index -> the call answered there
        self._groups: dict[int, ToolGroup] = {}

    def __len__(self) -> int:
        return self.length

    def with_roles(self, roles: frozenset[CountsAs], runs: Runs) -> Runs:
        """Returns messages by the index over role; reads no bodies.

        Sorted here: for a sorted query, SQLite reads the table instead of that index, which took 15
        ms of processor time for the system messages among 50,000, and takes 0.4.
        """
        names = [name for role in roles for name in _ROLES[role]]
        found = (
            index
            for rows in rows_of(self.conversation, runs, gap=_INDEX_GAP)
            for index in sorted(rows.filter(role__in=names).values_list("index", flat=True))
        )
        return run_set.intersection(run_set.of_indices(found), runs)

    def texts(self, runs: Runs) -> Iterable[tuple[int, str]]:
        return ((index, text_of_body(body)) for index, body in self.bodies(runs))

    def bodies(self, runs: Runs) -> Iterable[tuple[int, bytes]]:
        wanted = iter(run_set.indices(runs))
        target = next(wanted, None)
        for rows in rows_of(self.conversation, runs, gap=_BODY_GAP):
            for row in rows.order_by("index").values_list(*COLUMNS).iterator(500):
                if row[0] == target:
                    check_message(self.conversation, row)
                    yield row[0], bytes(row[3])
                    target = next(wanted, None)
        if target is not None:
            raise damaged(self.conversation, "message", target, MISSING)

    def weights(self, runs: Runs) -> Iterable[Weight]:
        wanted = iter(run_set.indices(runs))
        target = next(wanted, None)
        columns = ("index", "tokens", "role", "call_index")
        for rows in rows_of(self.conversation, runs, gap=_INDEX_GAP):
            found = rows.order_by("index").values_list(*columns)
            for index, tokens, role, call in found.iterator(2000):
                if index == target:
                    yield Weight(index, tokens, _COUNTS_AS[role], call)
                    target = next(wanted, None)
        if target is not None:
            raise damaged(self.conversation, "message", target, MISSING)

    def origins(self, runs: Runs) -> Iterable[Origin]:
        wanted = iter(run_set.indices(runs))
        target = next(wanted, None)
        columns = ("index", "tokens", "node_id", "created_at", "call_index")
        for rows in rows_of(self.conversation, runs, gap=_INDEX_GAP):
            for row in rows.order_by("index").values_list(*columns).iterator(2000):
                if row[0] == target:
                    yield Origin(*row)
                    target = next(wanted, None)
        if target is not None:
            raise damaged(self.conversation, "message", target, MISSING)

    def commented_indices(self) -> Sequence[int]:
        rows = Comment.objects.filter(conversation=self.conversation, message__lt=self.length)
        return sorted(
            {index for index in rows.values_list("message", flat=True) if index is not None}
        )

    def folds(self) -> FoldStore | None:
        return StoredFolds(self.conversation)

    def tool_descriptions(self) -> Sequence[int]:
        return self._marked[Mark.TOOLS]

    def pins(self) -> Sequence[int]:
        return self._marked[Mark.PIN]

    @cached_property
    def _marked(self) -> Mapping[str, Sequence[int]]:
        """All marked messages by kind, ascending, read with one statement: they are few."""
        kinds = (Mark.TOOLS, Mark.ORPHAN, Mark.PIN, Mark.LINE)
        found: dict[str, list[int]] = {kind: [] for kind in kinds}
        given = "{conversation} = %s AND {index} < %s AND {kind} IN (%s, %s, %s, %s)"
        rows = _MARKS.read("{kind}, {index}", given, [self.conversation, self.length, *kinds])
        for kind, index in sorted(rows):
            found[kind].append(index)
        return found

    def pointers(self) -> Mapping[int, Runs]:
        return self._pointers

    @cached_property
    def _pointers(self) -> Mapping[int, Runs]:
        lines = run_set.of_indices(self._marked[Mark.LINE])
        bodies = ((index, orjson.loads(body)) for index, body in self.bodies(lines))
        return {index: read_points_to(body["role"], body.get(POINTS_TO)) for index, body in bodies}

    def own_ids(self, indices: Collection[int]) -> Mapping[int, str]:
        """By the primary key alone: told to leave out rows, SQLite reads the whole log."""
        found: dict[int, str] = {}
        for part in chunks(indices):
            rows = Message.objects.filter(conversation=self.conversation, index__in=part)
            named = rows.values_list("index", "message_id")
            found.update((index, str(name)) for index, name in named if name is not None)
        return found

    def logged_count(self) -> int:
        return self.length

    def tools(self) -> str | None:
        return self._head.details.tools or None

    def taken_ids(self, message_ids: Collection[str]) -> Collection[str]:
        # The length is compared here: in SQL it leads SQLite through the whole log, by the
        # primary key, instead of to the ids.
        taken: set[str] = set()
        for part in chunks(message_ids):
            rows = Message.objects.filter(conversation=self.conversation, message_id__in=part)
            listed = rows.values_list("message_id", "index")
            taken.update(str(name) for name, index in listed if index < self.length)
        return taken

    @cached_property
    def branch(self) -> Branch:
        """Returns the revision that the log is seen from, with its ancestors."""
        return Branch(self.conversation, self.revision)

    def orphans(self, runs: Runs) -> Runs:
        if not runs:
            return ()
        return run_set.intersection(run_set.of_indices(self._marked[Mark.ORPHAN]), runs)

    def open_calls(
        self, call_ids: Collection[str], instead_of: int | None = None
    ) -> Iterable[OpenCall]:
        """Returns open calls.

        Of settled ones only that of a replaced result, or of results past the log.
        """
        names = {call_digest(call_id): call_id for call_id in call_ids}
        homes: dict[tuple[int, str], int] = {}
        answered: set[int] = set()
        columns = ("index", "call", "revision", "answered")
        for part in chunks(names):
            rows = self._unsettled().filter(call__in=part).values_list(*columns)
            for index, call, revision, has_result in rows:
                homes[index, call] = revision
                if has_result:
                    answered.add(index)
        for index, result in self._settled_calls(instead_of):
            if result.call in names and (index, result.call) not in homes:
                homes[index, result.call] = result.revision  # as settled, that of the call too
                if result.index < self.length:
                    answered.add(index)
        results = self._results_of(answered)
        for (index, call), revision in homes.items():
            found = [result for result in results.get(index, ()) if result.call == call]
            on_branch = self.branch.includes(revision, index)
            here = [result for result in found if self._sees(result)]
            if not found:
                yield OpenCall(names[call], index, on_branch)
            elif on_branch and (not here or here[-1].index == instead_of):
                former = here[-1] if here else found[-1]
                yield OpenCall(names[call], index, on_branch, former.index)

    def _settled_calls(self, instead_of: int | None) -> Iterator[tuple[int, LoggedResult]]:
        """Returns the calls that may be open though they are settled, by their results."""
        if not self._newest:
            self._read_answers([self.length])
            call = self._answered_at[self.length]
            if call is not None and call < self.length:
                for result in answers_to(self.conversation, [call])[call]:
                    if result.index >= self.length:
                        yield call, result
        if instead_of is not None:
            rows = self._rows().filter(index=instead_of)
            for call, digest, revision in rows.values_list("call_index", "answers", "revision"):
                if call is not None and digest is not None:
                    yield call, LoggedResult(instead_of, digest, revision)

    def tool_groups(self, cuts: Sequence[int]) -> Iterable[ToolGroup]:
        """Returns the loose groups, and those of the messages right after the cuts.

        Only a result can come right after a cut through a group that is whole in the log, so a cut
        in front of the log or at its end reads nothing.
        """
        places = [cut for cut in cuts if 0 < cut < self.length]
        if not self._newest:
            places.append(self.length)
        self._read_answers(places)
        found = {self._answered_at[place] for place in places} | self._loose.keys()
        wanted = sorted(call for call in found if call is not None and call < self.length)
        missing = [call for call in wanted if call not in self._groups]
        results = answers_to(self.conversation, missing)
        self._groups.update((call, self._group(call, results[call])) for call in missing)
        return [self._groups[call] for call in wanted]

    def _group(self, call: int, results: Sequence[LoggedResult]) -> ToolGroup:
        """Returns a group by all of its results, including those past the log's length."""
        per_call: dict[str, list[LoggedResult]] = defaultdict(list)
        for result in results:
            if result.index < self.length:
                per_call[result.call].append(result)
        best = {self._best(answers).index for answers in per_call.values()}
        # One that is not loose is whole by now: it has one result for each call.
        unanswered = self._loose.get(call, len(results)) - len(per_call)
        return ToolGroup(
            call=call,
            results=tuple(sorted(best)),
            unanswered=unanswered,
            pending=unanswered > 0 and self.last_talk <= call,
            surplus=tuple(
                result.index
                for result in results
                if result.index < self.length and result.index not in best
            ),
        )

    def _best(self, answers: Sequence[LoggedResult]) -> LoggedResult:
        """Returns of several results of a call the branch's own, else the latest."""
        if len(answers) == 1:
            return answers[0]
        return max(answers, key=lambda answer: (self._sees(answer), answer.index))

    def _sees(self, answer: LoggedResult) -> bool:
        return self.branch.includes(answer.revision, answer.index)

    def _read_answers(self, places: Sequence[int]) -> None:
        """Reads which calls the messages at some log indices answer."""
        missing = [place for place in places if place not in self._answered_at]
        self._answered_at.update(dict.fromkeys(missing))
        parts = [("{index} BETWEEN %s AND %s", [missing[0], missing[-1]])] if missing else []
        if len(missing) <= MANY:
            listed = chunks(missing)
            parts = [(f"{{index}} IN ({', '.join(['%s'] * len(part))})", part) for part in listed]
        for where, values in parts:
            given = f"{{conversation}} = %s AND {where} AND {{call_index}} IS NOT NULL"
            found = _MESSAGES.read("{index}, {call_index}", given, [self.conversation, *values])
            self._answered_at.update(found)

    @cached_property
    def _loose(self) -> Mapping[int, int]:
        """Returns how many calls each message has whose group is not whole by now."""
        given = "{conversation} = %s AND {index} < %s AND NOT {whole}"
        rows = _CALLS.read("{index}", given, [self.conversation, self.length])
        return Counter(index for (index,) in rows)

    @cached_property
    def last_talk(self) -> int:
        """Returns the log index of the branch's last message that is not a tool message, -1
        without one.
        """
        rows = Revision.objects.filter(conversation=self.conversation, number=self.revision)
        last_talk, known = rows.values_list("last_talk", "log_length").get()
        if known <= self.length:
            return last_talk
        below = self.length  # the revision has grown since
        while True:
            talk = self._rows().filter(index__lt=below).exclude(role="tool").order_by("-index")
            block = talk.values_list("index", "revision")[:_BLOCK]
            for below, revision in block:
                if self.branch.includes(revision, below):
                    return below
            if len(block) < _BLOCK:
                return -1

    def _results_of(self, calls: Collection[int]) -> Mapping[int, Sequence[LoggedResult]]:
        """Returns the results of messages with calls that are in this log."""
        found = answers_to(self.conversation, calls)
        if not self._newest:
            for call, results in found.items():
                found[call] = [result for result in results if result.index < self.length]
        return found

    def _rows(self) -> QuerySet[Message]:
        return Message.objects.filter(conversation=self.conversation, index__lt=self.length)

    def _unsettled(self) -> QuerySet[UnsettledCall]:
        return UnsettledCall.objects.filter(conversation=self.conversation, index__lt=self.length)
