"""Verifies all chains, and stores the outcome, signed, for the page that shows it."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import DatabaseError

from ctxadmin.audit.anchors import last_anchor
from ctxadmin.audit.keys import AuditKey, current_key, known_keys
from ctxadmin.audit.models import AuditCheck
from ctxadmin.audit.verification import Fault, verify_all
from ctxadmin.lib import clock
from ctxadmin.lib.json_bytes import canonical


@dataclass(frozen=True, slots=True)
class Verified:
    """How many streams were verified, how many of them are broken, and whether that is stored."""

    streams: int
    broken: int
    stored: bool


def verify_and_store(
    after_stream: Callable[[int, Sequence[Fault]], None], broken: int = 0
) -> Verified:
    """Verifies everything and stores the outcome.

    ``after_stream`` gets the number of streams so far and the faults of the last one; what it
    raises ends the verification, and nothing is stored. ``broken`` counts what the caller found
    broken before.
    """
    count = 0
    check = _begin_check()
    for stream, faults in verify_all():
        count += stream != 0
        broken += bool(faults)
        after_stream(count, faults)
    return Verified(count, broken, _store_check(check, count, broken))


def verify_within(seconds: float) -> Verified | None:
    """Verifies and stores as ``verify_and_store``; None if it takes longer than so many seconds."""
    end = time.monotonic() + seconds

    def stop_late(_count: int, _faults: Sequence[Fault]) -> None:
        if time.monotonic() > end:
            raise _TookLonger

    try:
        return verify_and_store(stop_late)
    except _TookLonger:
        return None


class _TookLonger(Exception):
    """A verification that a reader waits for takes too long."""


def _begin_check() -> AuditCheck:
    """Returns a verification that begins now, up to the last anchor."""
    anchor = last_anchor()
    return AuditCheck(at=clock.now(), anchor=anchor.number if anchor else 0)


def _store_check(check: AuditCheck, streams: int, broken: int) -> bool:
    """Stores a finished verification; returns False if the database refuses to, as to a reader."""
    key = current_key()
    check.streams, check.broken, check.key_name = streams, broken, key.name
    check.hash = _hash(check, key)
    try:
        check.save(force_insert=True)
    except DatabaseError:
        return False
    return True


def last_check() -> AuditCheck | None:
    """Returns the latest verification; None if none was stored or its signature does not fit."""
    found = AuditCheck.objects.order_by("-id").first()
    if found is None:
        return None
    key = known_keys().get(found.key_name)
    return found if key is not None and _hash(found, key) == found.hash else None


def _hash(check: AuditCheck, key: AuditKey) -> str:
    content = {
        "check": clock.iso(check.at),
        "streams": check.streams,
        "broken": check.broken,
        "anchor": check.anchor,
        "key": key.name,
    }
    return key.hash_of(canonical(content))
