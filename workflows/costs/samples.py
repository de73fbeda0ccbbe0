"""What policies would have sent on the latest conversations of a workflow, a part at a time.

A workflow with too few of its own is estimated on others of its workspace, too: who just imported
conversations sees a cost before the first execution.

The sums of each policy over each conversation are kept in the process until the conversation
changes: a changed element replays that element alone, a new conversation that conversation alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.conf import settings

from conversations.models import Conversation
from conversations.reading import queries
from conversations.workspace.matching import ConversationFilter
from ctxadmin.http.endpoints.pagination import PageRequest
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import ContextError
from ctxadmin.lib.json_bytes import digest
from ctxadmin.lib.work_budget import limit_work, spend
from workflows.backtests.recordings import recorded_of
from workflows.domain.backtests.element_policies import full_history
from workflows.domain.backtests.policies import Policy
from workflows.domain.backtests.replay import CallOfAll, replay
from workflows.domain.backtests.sampling import FEWEST_CALLS, NOTHING, ByNode, sums_by_node
from workflows.store.definitions import BoundedCache

LATEST: Final = 50  # conversations
# Messages of a workflow's own conversations below which others are looked at: a call has two.
_FEWEST_MESSAGES: Final = 2 * FEWEST_CALLS
MOST_CALLS: Final = 200  # of a conversation, as where policies are compared
_MOST_MESSAGES: Final = 2_000
_MOST_BYTES: Final = 4_000_000
# Calls by one policy that a request replays before it answers with what it has: 0.2 s.
_AT_ONCE: Final = 1_500
_UNITS_OF_CALL: Final = 1_000
_ROWS: Final = 16  # policies for which a conversation is read once
_WEIGHT: Final = 600  # bytes of the sums of a conversation with few nodes
_FULL: Final = digest(b"full history")

# Policies by the digest that distinguishes them.
PoliciesByKey = Mapping[bytes, Policy]
_Key = tuple[bytes, int, int]

_kept: Final = BoundedCache[ByNode](60_000, 64 * 1024**2)


@dataclass(frozen=True, slots=True)
class Sample:
    """The sums by policy and conversation, as far as they are known.

    ``wanted`` conversations are looked at, newest first; of these ``others`` are not of the
    workflow. ``left_out`` were too long or damaged.
    ``full`` and ``sums`` have None where a conversation was not replayed yet.
    """

    wanted: int
    others: int
    left_out: int
    full: Sequence[ByNode | None]
    sums: Mapping[bytes, Sequence[ByNode | None]]

    @property
    def done(self) -> int:
        """How many conversations are known by all policies."""
        rows = [self.full, *self.sums.values()]
        return sum(all(each is not None for each in place) for place in zip(*rows, strict=True))

    @property
    def is_whole(self) -> bool:
        return self.done == self.wanted

    def both(self, policy: bytes) -> Iterator[tuple[ByNode, ByNode]]:
        """The sums of a policy and of the full history on each conversation that has both."""
        for mine, full in zip(self.sums[policy], self.full, strict=True):
            if mine is not None and full is not None:
                yield mine, full


class Replays:
    """The latest conversations for a workflow, and how much may still be replayed in a request."""

    def __init__(self, actor: Actor, slug: str, *, calls: int = _AT_ONCE) -> None:
        self._calls = calls
        found = _latest(actor, ConversationFilter(workflow=slug))
        self._heads = [head for head in found if not _is_long(head)]
        self._long = len(found) - len(self._heads)
        self._own = {head.key for head in self._heads}
        if sum(head.log_count for head in self._heads) < _FEWEST_MESSAGES:
            latest = _latest(actor, ConversationFilter())
            others = [each for each in latest if each.workflow != slug and not _is_long(each)]
            self._heads += others[: LATEST - len(self._heads)]

    def of(self, policies: PoliciesByKey) -> Sample:
        """What policies would have sent; more of it each time, as long as calls are left."""
        wanted: dict[bytes, Policy] = {_FULL: full_history(), **policies}
        self._replay_missing(wanted)
        found = {name: [_known(name, head) for head in self._heads] for name in wanted}
        bad = {at for row in found.values() for at, sums in enumerate(row) if sums is _LEFT_OUT}
        kept = {
            name: [sums for at, sums in enumerate(row) if at not in bad]
            for name, row in found.items()
        }
        full = kept.pop(_FULL)
        left = [head.key for at, head in enumerate(self._heads) if at not in bad]
        others = len(left) - len(self._own.intersection(left))
        return Sample(len(full), others, self._long + len(bad), full, kept)

    def _replay_missing(self, wanted: PoliciesByKey) -> None:
        missing = [
            (head, rows)
            for head in self._heads
            if (rows := {n: p for n, p in wanted.items() if _known(n, head) is None})
        ]
        for head, rows in missing:
            listed = list(rows.items())
            for start in range(0, len(listed), _ROWS):
                if self._calls <= 0:
                    return
                self._calls -= _replay(head, dict(listed[start : start + _ROWS]))


def _latest(actor: Actor, wanted: ConversationFilter) -> Sequence[Conversation]:
    return queries.list_conversations(actor, wanted, PageRequest(limit=LATEST)).items


_LEFT_OUT: Final[ByNode] = {}


def _known(policy: bytes, head: Conversation) -> ByNode | None:
    return _kept.find(_key(policy, head))


def _key(policy: bytes, head: Conversation) -> _Key:
    return policy, head.key, head.change_seq


def _replay(head: Conversation, rows: PoliciesByKey) -> int:
    """Replay one conversation by some policies and keep the sums; gives the work as calls."""
    try:
        with limit_work(settings.MAX_PREVIEW_WORK):
            calls = list(_counted(replay(recorded_of(head), [*rows.values()]), len(rows)))
    except ContextError:  # damaged, or more work than a preview may ask for
        calls = None
    if calls is None or len(calls) > MOST_CALLS:
        for name in rows:
            _kept.store(_key(name, head), _LEFT_OUT, _WEIGHT)
        return MOST_CALLS
    for name, sums in zip(rows, sums_by_node(calls, len(rows)), strict=True):
        _kept.store(_key(name, head), sums or {"": NOTHING}, _WEIGHT * max(len(sums), 1))
    return len(calls) * len(rows) + 1


def _counted(calls: Iterator[CallOfAll], rows: int) -> Iterator[CallOfAll]:
    for call in calls:
        spend(rows * _UNITS_OF_CALL, "the cost of policies")
        yield call
        if call.number >= MOST_CALLS:
            return


def _is_long(head: Conversation) -> bool:
    return head.log_count > _MOST_MESSAGES or head.log_bytes > _MOST_BYTES
