"""Measures filtering and trimming messages in langchain-core, in a separate process.

It is no dependency; if possible the bench installs it beside the project.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bench.peer_packages import installed, run

_MEASURE: Final = """
import json, statistics, sys, time
from importlib.metadata import version
from langchain_core.messages import (
    AIMessage, HumanMessage, SystemMessage, ToolMessage, filter_messages, trim_messages
)
kinds = {
    "user": lambda: HumanMessage("x"),
    "assistant": lambda: AIMessage("x"),
    "system": lambda: SystemMessage("x"),
    "tool": lambda: ToolMessage("x", tool_call_id="a"),
}
messages = [kinds[role]() for role in json.load(sys.stdin)]

def median(call):
    times = []
    for _ in range(5):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)

print(json.dumps({
    "version": version("langchain-core"),
    "filtered": median(lambda: filter_messages(messages, include_types=["human"])),
    "trimmed": median(lambda: trim_messages(messages, max_tokens=50, token_counter=len)),
}))
"""


@dataclass(frozen=True, slots=True)
class Figures:
    """Seconds of ``filter_messages`` and ``trim_messages`` on some messages."""

    version: str
    filtered: float
    trimmed: float


def figures(roles: Sequence[str]) -> Figures | None:
    """Measures messages of these roles; None, with a line on stderr, if it cannot be installed."""
    folder = installed("langchain", "langchain-core")
    if folder is None:
        return None
    return Figures(**json.loads(run(folder, _MEASURE, given=json.dumps(list(roles)))))
