"""The retries of a delivery: growing waits with jitter."""

from datetime import timedelta
from typing import Final

# Half a minute for a hiccup, an hour for a restart, days for a weekend: 57 hours in all.
_WAITS: Final = (
    timedelta(seconds=5),
    timedelta(seconds=30),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=15),
    timedelta(hours=24),
)
MOST_ATTEMPTS: Final = len(_WAITS) + 1
_SCATTER: Final = 0.2

# So long a claimed delivery belongs to who claimed it. Longer than an attempt can take (looking up
# a name, connecting, an answer), or two would send it at the same time.
LEASE: Final = timedelta(seconds=120)


def wait_after(attempts: int, chance: float) -> timedelta | None:
    """Returns the wait after so many failed attempts, None to give up.

    ``chance`` is from 0 to 1 and makes the wait up to a fifth shorter or longer.
    """
    if attempts >= MOST_ATTEMPTS:
        return None
    return _WAITS[max(attempts, 1) - 1] * (1 + _SCATTER * (2 * chance - 1))
