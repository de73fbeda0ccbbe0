"""What retention keeps of an execution: the policy, what needs a version, what may be thinned."""

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
    """What a workspace keeps; what is left out is kept for ever.

    Versions of an execution are thinned if ``keep_last`` is given: all of so many newest are
    kept, of older ones the last of each hour for ``hourly_days`` days, and of those before the
    last of each day. A conversation that nobody wrote to for ``archive_after_days`` is archived,
    an archived one erased after ``erase_after_days`` more. Tokens are removed so many days after
    they expired or were revoked.
    """

    keep_last: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    hourly_days: Annotated[int, Field(ge=0, le=3_650)] = 7
    archive_after_days: Days | None = None
    erase_after_days: Days | None = None
    remove_tokens_after_days: Days | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """A version as retention looks at it: its number, when it was written, when the next one was.

    ``until`` is None for the newest.
    """

    number: int
    at: datetime
    until: datetime | None


@dataclass(frozen=True, slots=True)
class Needs:
    """What an execution and others need of its versions, beside what a policy keeps.

    ``newest`` is what everything goes on from, ``paused_from`` the version from which on it has
    been waiting, None if it does not wait. ``restored`` are versions that later ones went back
    to, ``forked`` those that other conversations came from, ``origin`` is the one that a fork
    itself began at, ``labelled`` have a name that a person gave them, ``edited`` are what edits
    began at that are not applied yet. Whatever comes to need a version becomes a
    field of this.
    """

    newest: int
    paused_from: int | None = None
    restored: Collection[int] = field(default=())
    forked: Collection[int] = field(default=())
    labelled: Collection[int] = field(default=())
    edited: Collection[int] = field(default=())
    origin: int | None = None

    def versions(self) -> frozenset[int]:
        """The versions that no policy thins; the first is one, to compare and restart from."""
        waiting = () if self.paused_from is None else range(self.paused_from, self.newest)
        origin = () if self.origin is None else (self.origin,)
        named = (*self.restored, *self.forked, *self.labelled, *self.edited)
        return frozenset((0, self.newest, *waiting, *named, *origin))


def thinned_by(
    policy: RetentionPolicy, versions: Sequence[Version], needs: Needs, now: datetime
) -> tuple[int, ...]:
    """The versions whose state may go, ascending.

    ``versions`` are all of an execution, those too that were thinned before: so the answer does
    not depend on when one looked before. Never among the answer: the last ``keep_last``, the last
    of an hour or a day, what ``needs`` names, what was the newest within a day.
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
    versions: Iterable[Version], bucket: Callable[[Version], Hashable]
) -> frozenset[int]:
    return frozenset({bucket(each): each.number for each in versions}.values())


def _bucket(hourly_from: datetime) -> Callable[[Version], Hashable]:
    """The hour of a version, or its day if the whole day lies before ``hourly_from``.

    Whole days and whole hours, in UTC: the last one of a day is the last one of its hour too, so
    what was right to keep yesterday holds what is to be kept today.
    """
    first_day = hourly_from.astimezone(UTC).date()

    def bucket(version: Version) -> Hashable:
        at = version.at.astimezone(UTC)
        day: date = at.date()
        return day if day < first_day else (day, at.hour)

    return bucket
