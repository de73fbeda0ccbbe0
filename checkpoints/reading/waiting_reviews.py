"""The executions that wait for review, in the orders in which people work through them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Self
from urllib.parse import urlencode

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.expressions import OrderBy
from django.http import QueryDict
from django.utils.translation import gettext as _

from checkpoints.domain.status import Status
from checkpoints.domain.waiting_times import WAITS
from checkpoints.models import Claim, Execution
from checkpoints.services.annotations import holder_id
from conversations.models import Conversation
from ctxadmin.http.endpoints.pagination import Page, PageRequest, foreign_cursor, page_of
from ctxadmin.identity.actor import Actor
from ctxadmin.lib import clock
from ctxadmin.lib.errors import ValidationFailed

SORTS: Final = ("waiting", "latest", "deadline")
MOST_COUNTED: Final = 1000
_WHO: Final = ("", "mine", "free")
_LARGE: Final = ("marking", "reducers")
_NO_DEADLINE: Final = -1
_ORDERS: Final[Mapping[str, Sequence[str | OrderBy]]] = {
    "waiting": ("waiting_since", "conversation"),
    "latest": ("-waiting_since", "-conversation"),
    "deadline": (F("deadline").asc(nulls_last=True), "conversation"),
}
ExecutionKey = tuple[int, int]  # conversation and number


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """The reviews that someone works through, and their order; empty fields mean all."""

    sort: str = "waiting"
    who: str = ""
    workflow: str = ""
    waited: str = ""

    @classmethod
    def of(cls, query: QueryDict, sort: str = "sort") -> Self:
        """Parses a query string; raises ValidationFailed for an unknown sort, person or time."""
        given = {name: query.get(name, "") for name in ("who", "workflow", "waited")}
        found = cls(sort=query.get(sort) or "waiting", **given)
        if found.sort not in SORTS:
            text = _("Unknown order. Use one of: %(names)s.")
            raise ValidationFailed.at(f"?{sort}", text % {"names": ", ".join(SORTS)})
        if found.who not in _WHO:
            raise ValidationFailed.at("?who", _("Unknown filter. Use mine or free."))
        if found.waited and found.waited not in WAITS:
            text = _("Unknown time. Use one of: %(names)s.")
            raise ValidationFailed.at("?waited", text % {"names": ", ".join(WAITS)})
        return found

    @property
    def filters(self) -> bool:
        return bool(self._filled)

    @property
    def _filled(self) -> Mapping[str, str]:
        fields = {"who": self.who, "workflow": self.workflow, "waited": self.waited}
        return {name: value for name, value in fields.items() if value}

    @property
    def card_fields(self) -> Mapping[str, str]:
        """Returns what the address of a review card says of the queue that it belongs to."""
        return {"queue": self.sort, **self._filled}

    @property
    def card_query(self) -> str:
        return urlencode(self.card_fields)

    @property
    def list_query(self) -> str:
        """Returns the same as an address of the list."""
        return urlencode(self.list_fields)

    @property
    def list_fields(self) -> Mapping[str, str]:
        return {"sort": self.sort, **self._filled}


EVERYTHING: Final = QueueFilter()


@dataclass(frozen=True, slots=True)
class QueuePlace:
    """The place of a review in the queue, from 1; 0 if it is not in it.

    ``previous`` and ``next`` are the conversations of its neighbors, "" at the ends.
    """

    number: int
    total: int
    previous: str
    next: str


def all_waiting(actor: Actor) -> QuerySet[Execution]:
    """Returns the waiting executions of a workspace in no order."""
    return Execution.objects.filter(
        workspace=actor.workspace, status=Status.PAUSED, waiting_since__isnull=False
    )


def claims_of_waiting() -> QuerySet[Claim]:
    """Returns the claim of the current pause, as a subquery of executions."""
    return Claim.objects.filter(
        conversation=OuterRef("conversation"),
        execution=OuterRef("number"),
        since=OuterRef("waiting_since"),
    )


def waiting_page(actor: Actor, wanted: QueueFilter, asked: PageRequest) -> Page[Execution]:
    """Returns a page of the queue."""
    rows = _queue(actor, wanted).defer(*_LARGE)
    if asked.after:
        rows = rows.filter(_behind(wanted.sort, asked.after))
    return page_of(list(rows[: asked.limit + 1]), asked, lambda row: _cursor(wanted.sort, row))


def queue_keys(actor: Actor, wanted: QueueFilter) -> list[ExecutionKey]:
    """Returns the first 1,000 of the queue in order."""
    return list(_queue(actor, wanted).values_list("conversation", "number")[:MOST_COUNTED])


def place_in_queue(actor: Actor, wanted: QueueFilter, row: Execution) -> QueuePlace:
    """Returns the place of an execution and its neighbors."""
    keys = queue_keys(actor, wanted)
    key = (row.conversation, row.number)
    if key not in keys:
        first = keys[0] if keys else None
        names = _names([each for each in (first,) if each])
        return QueuePlace(0, len(keys), "", names.get(first, "") if first else "")
    at = keys.index(key)
    before = keys[at - 1] if at else None
    after = keys[at + 1] if at + 1 < len(keys) else None
    names = _names([each for each in (before, after) if each])
    beside = [names.get(each, "") if each else "" for each in (before, after)]
    return QueuePlace(at + 1, len(keys), *beside)


def next_in_queue(
    actor: Actor, wanted: QueueFilter, before: Sequence[ExecutionKey], decided: ExecutionKey
) -> str:
    """Returns the conversation to continue with after a decision; "" if the queue is empty.

    It is the one behind the ``decided`` one in the queue as it was ``before``, else the first.
    """
    now = queue_keys(actor, wanted)
    left = frozenset(now)
    place = before.index(decided) if decided in before else len(before)
    behind = next((each for each in before[place + 1 :] if each in left), None)
    found = behind or next((each for each in now if each != decided), None)
    return _names([found]).get(found, "") if found else ""


def _names(keys: Sequence[ExecutionKey]) -> dict[ExecutionKey, str]:
    """Returns the public ids of conversations by execution."""
    wanted = [conversation for conversation, _number in keys]
    rows = Conversation.objects.filter(key__in=wanted).values_list("key", "public_id")
    named = dict(rows) if wanted else {}
    return {key: named.get(key[0]) or "" for key in keys}


def _queue(actor: Actor, wanted: QueueFilter) -> QuerySet[Execution]:
    rows = all_waiting(actor)
    if wanted.workflow:
        # Workflows are named in ASCII; MySQL refuses to compare their column with anything else.
        rows = rows.filter(workflow=wanted.workflow) if wanted.workflow.isascii() else rows.none()
    if wanted.who == "mine":
        rows = rows.filter(Exists(claims_of_waiting().filter(holder_id=holder_id(actor))))
    elif wanted.who == "free":
        rows = rows.filter(~Exists(claims_of_waiting()))
    if wanted.waited:
        least, most = WAITS[wanted.waited]
        now = clock.now()
        rows = rows.filter(waiting_since__lte=now - least) if least else rows
        rows = rows.filter(waiting_since__gt=now - most) if most else rows
    return rows.order_by(*_ORDERS[wanted.sort])


def _cursor(sort: str, row: Execution) -> tuple[int, int]:
    moment = row.deadline if sort == "deadline" else row.waiting_since
    return _NO_DEADLINE if moment is None else round(moment.timestamp() * 10**6), row.conversation


def _behind(sort: str, after: tuple[int | str, ...]) -> Q:
    match after:
        case (int() as at, int() as key) if abs(at) < 10**17:
            moment = datetime.fromtimestamp(at / 10**6, UTC)
        case _:
            raise foreign_cursor()
    if sort == "latest":
        return Q(waiting_since__lt=moment) | Q(waiting_since=moment, conversation__lt=key)
    if sort == "waiting":
        return Q(waiting_since__gt=moment) | Q(waiting_since=moment, conversation__gt=key)
    if at == _NO_DEADLINE:
        return Q(deadline__isnull=True, conversation__gt=key)
    later = Q(deadline__gt=moment) | Q(deadline=moment, conversation__gt=key)
    return later | Q(deadline__isnull=True)
