"""The metrics that every process counts for itself: requests, changes, refusals.

Counting is a few additions in memory. With ``PROMETHEUS_MULTIPROC_DIR`` the workers of a machine
count in files of that folder instead, and each returns the sum of all.
"""

import time
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
)

# A series beside every series, which nobody asks for.
disable_created_metrics()  # type: ignore[no-untyped-call]

# Of the whole process, and no default one: that would bring collectors of its own.
REGISTRY: Final = CollectorRegistry()

_BUCKETS: Final = (
    *(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5),
    *(1.0, 2.5, 5.0, 10.0, 60.0),  # a wait for a change lasts up to 60 s
)
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_PULL_SECONDS: Final = 1.0

_requests: Final = Counter(
    "ctxadmin_requests",
    "Answered requests by route, method and status",
    ["route", "method", "status"],
    registry=REGISTRY,
)
_seconds: Final = Histogram(
    "ctxadmin_request_seconds",
    "Time from the first byte of a request to the last of its answer",
    ["route", "method"],
    buckets=_BUCKETS,
    registry=REGISTRY,
)
_in_progress: Final = Gauge(
    "ctxadmin_requests_in_progress",
    "Requests that are being answered",
    multiprocess_mode="livesum",
    registry=REGISTRY,
)
_changes: Final = Counter(
    "ctxadmin_changes",
    "Committed changes by action, as the audit names them",
    ["action"],
    registry=REGISTRY,
)
_written: Final = Counter(
    "ctxadmin_written_bytes",
    "Bytes of messages and state in committed changes",
    registry=REGISTRY,
)
_repeats: Final = Counter(
    "ctxadmin_repeats",
    "Repeated writes that got the answer of the first, by what was repeated",
    ["of"],
    registry=REGISTRY,
)
_refusals: Final = Counter(
    "ctxadmin_refusals",
    "Calls that were refused or failed, by the code of the error",
    ["code"],
    registry=REGISTRY,
)
_damage: Final = Counter(
    "ctxadmin_damaged_reads",
    "Reads of damaged data, by the kind of row",
    ["what"],
    registry=REGISTRY,
)
_live_copy: Final = Counter(
    "ctxadmin_live_copy",
    "Reads and writes of the live copy in Redis, by outcome",
    ["event"],
    registry=REGISTRY,
)

_ended: Final[dict[tuple[str, str, int], tuple[Callable[[], None], Callable[[float], None]]]] = {}


def count_request_start() -> None:
    _in_progress.inc()


def count_request_end(route: str, method: str, status: int, seconds: float) -> None:
    """Counts one request; ``route`` is a template, so that there are few of them."""
    _in_progress.dec()
    key = (route, method, status)
    count, observe = _ended.get(key) or _new_series(key)
    count()
    observe(seconds)
    if _sources and time.monotonic() > _pulled.next:
        pull()


def _new_series(
    key: tuple[str, str, int],
) -> tuple[Callable[[], None], Callable[[float], None]]:
    """Returns the two series of a kind of request, cached because a lookup costs more than
    adding.
    """
    route, method, status = key
    known = method if method in _METHODS else "other"  # a caller may name methods without end
    made = (
        _requests.labels(route, known, str(status)).inc,
        _seconds.labels(route, known).observe,
    )
    if known == method:
        _ended[key] = made
    return made


@cache
def _change(action: str) -> Counter:
    """Returns the series of an action, cached as those of requests are."""
    return _changes.labels(action)


def change_committed(action: str, size: int) -> None:
    """Counts a committed change, with ``size`` bytes of messages and state."""
    _change(action).inc()
    if size:
        _written.inc(size)


def write_repeated(of: str) -> None:
    """Counts a repeated write: of a ``checkpoint`` or an ``idempotency_key``."""
    _repeats.labels(of).inc()


def count_refusal(code: str) -> None:
    """Counts an error that is answered."""
    _refusals.labels(code).inc()


def damage_found(what: str) -> None:
    """Counts a read that met a damaged row; ``what`` is its kind, of which there are few."""
    _damage.labels(what).inc()


# Parts that count for themselves hand over what they counted since they were asked before.

Counts = Callable[[], Mapping[str, int]]
_sources: Final[dict[Counts, dict[str, int]]] = {}


class _Pulled:
    """The time of the next pull."""

    next = 0.0


_pulled: Final = _Pulled()


def count_live_copy(counts: Counts) -> None:
    """Registers the rising counts of this process's live copy, each by its event.

    They are pulled at the end of a request, once a second at most, and when metrics are read.
    """
    _sources[counts] = {}


def pull() -> None:
    """Adds what the sources counted since the last pull."""
    _pulled.next = time.monotonic() + _PULL_SECONDS
    for counts, seen in _sources.items():
        for event, count in counts().items():
            _live_copy.labels(event).inc(max(count - seen.get(event, 0), 0))
            seen[event] = count
