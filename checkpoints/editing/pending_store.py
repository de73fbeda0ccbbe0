"""Drafts of states in SQL, one for each person and execution."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from checkpoints.models import PendingEdit
from ctxadmin.lib import clock
from ctxadmin.lib.errors import Unavailable
from ctxadmin.lib.sentence import say

_TRIES: Final = 5


@dataclass(frozen=True, slots=True)
class EditKey:
    """The person and execution of a draft; ``conversation`` is the key of its head."""

    conversation: int
    execution: int
    person: int


@dataclass(frozen=True, slots=True)
class Pending:
    """A stored draft: the version it was typed for, the input, and the number of its last write."""

    version: int
    seq: int
    typed: bytes
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class PendingQuery:
    """A draft to store; the number of each write is above that of the last one."""

    version: int
    typed: bytes
    seq: int


def find(place: EditKey) -> Pending | None:
    """Returns the stored draft, if there is one."""
    row = _rows(place).first()
    return None if row is None else _pending(row)


def of_others(place: EditKey, since: datetime) -> dict[int, Pending]:
    """Returns the drafts that other people changed since a moment, by person."""
    rows = PendingEdit.objects.filter(
        conversation=place.conversation, execution=place.execution, changed_at__gte=since
    )
    return {row.person: _pending(row) for row in rows.exclude(person=place.person)}


def executions_until(place: EditKey) -> list[int]:
    """Returns the executions until this one in which the person has a draft, latest first."""
    rows = PendingEdit.objects.filter(conversation=place.conversation, person=place.person)
    found = rows.filter(execution__lte=place.execution).order_by("-execution")
    return list(found.values_list("execution", flat=True))


def change(
    place: EditKey, decide: Callable[[Pending | None], PendingQuery | None]
) -> Pending | None:
    """Stores the result of ``decide`` on the draft (None removes it).

    Returns what is stored now.

    Writes nothing if the number is that of the stored draft. Calls ``decide`` again if another page
    of the same person wrote in between.
    """
    for _each in range(_TRIES):
        before = find(place)
        wanted = decide(before)
        if wanted is None and before is None:
            return None
        if before is not None and wanted is not None and wanted.seq == before.seq:
            return before
        if _took(place, before, wanted):
            return find(place)
    raise Unavailable(say("Another page keeps writing this edit; try again."))


def _took(place: EditKey, before: Pending | None, wanted: PendingQuery | None) -> bool:
    if before is None:
        return wanted is not None and _inserted(place, wanted)
    rows = _rows(place).filter(seq=before.seq)
    if wanted is None:
        return bool(rows.delete()[0])
    return bool(
        rows.update(
            version=wanted.version,
            typed=wanted.typed,
            seq=wanted.seq,
            changed_at=clock.now(),
        )
    )


def _inserted(place: EditKey, wanted: PendingQuery) -> bool:
    row = PendingEdit(
        conversation=place.conversation,
        execution=place.execution,
        person=place.person,
        version=wanted.version,
        seq=wanted.seq,
        typed=wanted.typed,
        changed_at=clock.now(),
    )
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        return False
    return True


def _rows(place: EditKey) -> QuerySet[PendingEdit]:
    return PendingEdit.objects.filter(
        conversation=place.conversation, execution=place.execution, person=place.person
    )


def _pending(row: PendingEdit) -> Pending:
    return Pending(row.version, row.seq, bytes(row.typed), row.changed_at)
