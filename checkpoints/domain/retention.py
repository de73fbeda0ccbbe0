"""Retention of an execution: the policy, the versions that are needed, and those it can thin."""

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Final

from pydantic import Field

from ctxadmin.lib.contract import Contract

# As long as engines may repeat a call (rest.md, "Writes"). It also keeps a reader who took the
# newest version a moment ago from losing it while he reads.
FRESH: Final = timedelta(hours=24)
_DAY: Final = timedelta(days=1)

Days = Annotated[int, Field(ge=1, le=36_500)]


class RetentionPolicy(Contract):
    """How long a workspace keeps data; without a value it is kept indefinitely.

    Versions of an execution are thinned if ``keep_last`` is given: the latest so many are kept, of
    older ones the last of each hour for ``hourly_days`` days, and of those before the last of each
    day. A conversation without writes for ``archive_after_days`` is archived, an archived one is
    erased after ``erase_after_days`` more. Tokens are removed so many days after they expired or
    were revoked.
    """

    keep_last: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    hourly_days: Annotated[int, Field(ge=0, le=3_650)] = 7
    archive_after_days: Days | None = None
    erase_after_days: Days | None = None
    remove_tokens_after_days: Days | None = None


@dataclass(frozen=True, slots=True)
class RetainedVersion:
    """A version for retention: its number, when it was written, and when the next one was.

    ``until`` is None for the latest.
    """

    number: int
    at: datetime
    until: datetime | None


@dataclass(frozen=True, slots=True)
class Needs:
    """The versions that executions need, whatever the policy says.

    ``newest`` is the latest version, ``paused_from`` the first version of the current pause, None
    without one. ``restored`` are versions that later ones restored, ``forked`` the origins of other
    conversations, ``origin`` the one at which a fork began, ``labelled`` have a label, ``edited``
    are the base of edits that are not applied yet. A new kind of need becomes a new field.
    """

    newest: int
    paused_from: int | None = None
    restored: Collection[int] = field(default=())
    forked: Collection[int] = field(default=())
    labelled: Collection[int] = field(default=())
    edited: Collection[int] = field(default=())
    origin: int | None = None

    def versions(self) -> frozenset[int]:
        """Returns the versions that no policy thins.

        The first is one, to compare and restart from.
        """
        waiting = () if self.paused_from is None else range(self.paused_from, self.newest)
        origin = () if self.origin is None else (self.origin,)
        named = (*self.restored, *self.forked, *self.labelled, *self.edited)
        return frozenset((0, self.newest, *waiting, *named, *origin))


def versions_to_thin(
    policy: RetentionPolicy, versions: Sequence[RetainedVersion], needs: Needs, now: datetime
) -> tuple[int, ...]:
    """Returns the versions whose state can be removed, ascending.

    ``versions`` are all of an execution, thinned ones included, so that the answer does not depend
    on earlier runs. It never contains the last ``keep_last``, the last of an hour or a day, what
    ``needs`` names, or what was the latest within a day.
    """
    if policy.keep_last is None or not versions:
        return ()
    ordered = sorted(versions, key=lambda each: each.number)
    kept = needs.versions() | {each.number for each in ordered[-policy.keep_last :]}
    kept |= _last_of_each(ordered, _bucket(now - policy.hourly_days * _DAY))
    return tuple(
        each.number
        for each in ordered
        if each.number not in kept and each.until is not None and each.until <= now - FRESH
    )


def _last_of_each(
    versions: Iterable[RetainedVersion], bucket: Callable[[RetainedVersion], Hashable]
) -> frozenset[int]:
    return frozenset({bucket(each): each.number for each in versions}.values())


def _bucket(hourly_from: datetime) -> Callable[[RetainedVersion], Hashable]:
    """Returns the hour of a version, or its day if the whole day lies before ``hourly_from``.

    Whole days and hours in UTC: the last version of a day is also the last of its hour, so the
    versions kept yesterday include those to keep today.
    """
    first_day = hourly_from.astimezone(UTC).date()

    def bucket(version: RetainedVersion) -> Hashable:
        at = version.at.astimezone(UTC)
        day: date = at.date()
        return day if day < first_day else (day, at.hour)

    return bucket
