"""Measures operations on views of a million messages, and filters compared with LangChain's."""

import random
from functools import partial
from typing import Final

from bench import langchain
from bench.table import Row, medians
from conversations.domain.configs import read_operation
from conversations.domain.memory import MemoryLog
from conversations.domain.message import CountsAs, MessageDraft, read_message
from conversations.domain.operations import apply, truncate
from conversations.domain.pairing import find_splits
from conversations.domain.runs import Runs
from conversations.domain.view import View

_MILLION: Final = 1_000_000
_LOG: Final = 100_000
_USERS: Final[frozenset[CountsAs]] = frozenset({"user"})


def rows() -> list[Row]:
    return [*_on_a_million(1), *_on_a_million(1_000), *_filters()]


def _on_a_million(runs: int) -> list[Row]:
    """Times operations, whose cost depends on the runs of a view, not on its messages."""
    length = _MILLION // runs
    view = View((2 * n * length, (2 * n + 1) * length) for n in range(runs))
    view.slice(0, 1)  # a view computes facts about its runs once
    view.position_of(0)
    config = read_operation(
        {"operation": "truncate", "truncate": {"keep_first": 10, "keep_last": 50}}
    ).truncate
    if config is None:
        raise AssertionError("a truncate has its block")
    new = View([(3 * _MILLION, 3 * _MILLION + 2)])
    found = medians(
        {
            "slice": partial(view.slice, 100, 900_000),
            "truncate to head and tail": partial(truncate, config, view),
            "insert 2 messages in the middle": partial(view.insert, _MILLION // 2, new),
            "replace a message": partial(view.replace, _MILLION // 2, 3 * _MILLION),
            "look up a position": partial(view.index_at, 777_777),
        },
        9,
        number=200,
    )
    shown = "1 run" if runs == 1 else f"{runs:,} runs"
    return [
        Row(f"view of 1,000,000 messages in {shown}: {name}", seconds * 1e6, "us")
        for name, seconds in found.items()
    ]


def _drafts() -> list[MessageDraft]:
    """Returns messages of a chat with tools: irregular talk, and calls with their results."""
    chosen = random.Random(1)
    user, assistant, system = (
        read_message({"role": role, "content": "x"}) for role in ("user", "assistant", "system")
    )
    call = read_message({"role": "assistant", "content": "x", "tool_calls": [{"id": "a"}]})
    result = read_message({"role": "tool", "content": "x", "tool_call_id": "a"})
    units = [[user], [assistant], [system], [call, result]]
    made = chosen.choices(units, weights=[45, 30, 2, 23], k=_LOG)
    return [draft for unit in made for draft in unit][:_LOG]


def _filters() -> list[Row]:
    drafts = _drafts()
    log = MemoryLog(drafts)
    view = View([(0, _LOG)])
    every: Runs = view.runs
    window = read_operation({"operation": "truncate", "truncate": {"keep_last": 50}})
    find_splits(view, log)
    own = medians(
        {
            "role": lambda: view.within(log.with_roles(_USERS, every)),
            "loop": lambda: [n for n, draft in enumerate(drafts) if draft.counts_as == "user"],
            "window": lambda: apply(window, view, log),
        },
        9,
    )
    peer = langchain.figures([draft.counts_as for draft in drafts])
    name = "role filter of 100,000 messages"
    found = [Row(f"{name}, beside a plain loop", own["role"] * 1e3, "ms", own["loop"] * 1e3)]
    if peer:
        theirs = f"langchain-core {peer.version}"
        found += [
            Row(f"{name}, beside {theirs}", own["role"] * 1e3, "ms", peer.filtered * 1e3, 0.02),
            Row(
                f"last 50 of 100,000 messages, beside {theirs}",
                own["window"] * 1e3,
                "ms",
                peer.trimmed * 1e3,
                0.02,
            ),
        ]
    return found
