"""How much the live copy was used: a round in which nobody read it would prove nothing of it."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final
from urllib.error import URLError
from urllib.request import Request, urlopen

METRICS_TOKEN: Final = "only-for-tests-of-faults"
_LINE: Final = re.compile(r'^ctxadmin_live_copy_total\{event="(\w+)"\} ([0-9.e+]+)$', re.MULTILINE)
_SECONDS: Final = 20

Counts = Sequence[Counter[str]]  # by worker


def copies_used(ports: Sequence[int]) -> Counts:
    """What each process counted since it started; nothing of one that does not answer."""
    return [_counted(port) for port in ports]


def since(before: Counts, after: Counts) -> Counter[str]:
    """What was counted meanwhile, at least: a process that was killed took its counts along."""
    total: Counter[str] = Counter()
    for then, now in zip(before, after, strict=True):
        lasted = all(now[event] >= count for event, count in then.items())
        total += now - then if lasted else now
    return total


def _counted(port: int) -> Counter[str]:
    asked = Request(
        f"http://127.0.0.1:{port}/metrics", headers={"Authorization": f"Bearer {METRICS_TOKEN}"}
    )
    try:
        with urlopen(asked, timeout=_SECONDS) as answer:
            text = answer.read().decode()
    except (URLError, OSError):
        return Counter()
    return Counter({event: int(float(count)) for event, count in _LINE.findall(text)})
