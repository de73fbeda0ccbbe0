"""What filtering and trimming messages costs in langchain-core, in a process of its own.

It is no dependency: it is installed beside the project when the bench runs, if it can be.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_FOLDER: Final = Path(".cache/bench/langchain").absolute()

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
    """Measure on messages of these roles; None, said on stderr, if it cannot be installed."""
    if not _installed():
        print("langchain-core cannot be installed here; its rows are left out.", file=sys.stderr)
        return None
    ran = subprocess.run(
        [sys.executable, "-c", _MEASURE],
        input=json.dumps(list(roles)),
        env={**os.environ, "PYTHONPATH": str(_FOLDER)},
        capture_output=True,
        text=True,
        check=True,
    )
    return Figures(**json.loads(ran.stdout))


def _installed() -> bool:
    if (_FOLDER / "langchain_core").is_dir():
        return True
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    options = ["--only-binary=:all:", "--upgrade", f"--target={_FOLDER}"]
    ran = subprocess.run(
        [*pip, *options, "langchain-core"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return ran.returncode == 0
