"""Measures backtests, and runs the experiment of ``docs/explanation/what-context-costs.md``."""

import random
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from bench.table import Row
from conversations.domain.imports.files import read_file
from conversations.domain.message import read_messages
from ctxadmin.lib.json_bytes import dumps, loads_strict
from workflows.backtests.replaying import ReplayRequest, replay_all, run_backtest
from workflows.domain.backtests.policies import PolicyConfig
from workflows.domain.backtests.presets import PRESETS, RATIOS
from workflows.domain.backtests.recorded import Recorded
from workflows.domain.backtests.sums import PolicySums, compare
from workflows.domain.backtests.table import table_lines

_SEED: Final = 14
_MANY: Final = 1_000
_SECONDS: Final = 20.0
_PROCESSES: Final = 2
_LONG: Final = 50_000
_SESSIONS: Final = 60  # of the experiment
_JOINED: Final = 10  # conversations that make a long session
# Policies of a long session: ten times the tokens of one conversation, and so are their limits.
_LONG_BUDGETS: Final = {
    "Trim to 8,000 at each call": (8_000, 7_999),
    "Budget 8,000 to 6,000": (8_000, 6_000),
    "Budget 8,000 to 4,000": (8_000, 4_000),
}
_TEXT: Final = (
    "the order was sent on monday and returned because its colour is not what was shown please "
    "check the policy before an answer is given to the customer who paid by card or voucher"
)


def rows(files: Sequence[Path] = (), tools: Path | None = None) -> list[Row]:
    """Measures the speed; prints the experiment on generated conversations and those of files."""
    schemas = generated_schemas() if tools is None else loads_strict(tools.read_bytes())
    _experiment("generated conversations", list(generated_conversations(schemas)), schemas)
    for path in files:
        sources = read_file(path.read_bytes())
        found = [
            Recorded.of_drafts(str(number), source.drafts, tools=source.tools, schemas=schemas)
            for number, source in enumerate(sources)
        ]
        _experiment(path.name, found, schemas)
    return _speed()


def _speed() -> list[Row]:
    asked = ReplayRequest([PolicyConfig(preset=name) for name in PRESETS])
    many = list(_made(_MANY, 100))
    start, before = time.perf_counter(), _processor_seconds()
    sums = run_backtest(asked, many, processes=_PROCESSES)
    seconds, used = time.perf_counter() - start, _processor_seconds() - before
    if len(sums[0].conversations) != _MANY:
        raise AssertionError("all conversations are to be replayed")
    budget = ReplayRequest([PolicyConfig(preset="budget")])
    times = []
    for length in (_LONG // 10, _LONG):
        made = list(_made(1, length))
        start = time.process_time()
        replay_all(budget, made)
        times.append((time.process_time() - start) / length)
    what = f"{_MANY:,} conversations of 100 messages, {len(PRESETS)} policies"
    return [
        Row(f"backtest of {what}", seconds, "s", goal=_SECONDS),
        Row("the same, processor time of both processes", used, "s"),
        Row(
            f"backtest of a budget, a message of {_LONG:,} beside one of {_LONG // 10:,}",
            times[1] * 1e6,
            "us",
            anchor=times[0] * 1e6,
        ),
        Row(
            "most memory of a process of a backtest",
            resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
            "MB",
        ),
    ]


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _experiment(name: str, conversations: Sequence[Recorded], schemas: JsonValue) -> None:
    """Prints the tables: single conversations, without and with tool schemas, and long sessions."""
    bare = [Recorded(each.name, each.messages, each.tools) for each in conversations]
    asked = ReplayRequest([PolicyConfig(preset=preset) for preset in PRESETS])
    _print(f"{name}, tool schemas included", replay_all(asked, conversations))
    _print(f"{name}, without tool schemas", replay_all(asked, bare))
    long = ReplayRequest([long_budget(title) for title in _LONG_BUDGETS])
    _print(f"{name}, {_JOINED} joined, without tool schemas", replay_all(long, joined(bare)))


def long_budget(title: str) -> PolicyConfig:
    """Returns a budget policy of long sessions."""
    most, target = _LONG_BUDGETS[title]
    block = {"max_tokens": most, "target_tokens": target}
    listed = [{"operation": "budget", "budget": block, "pairing": "keep"}]
    return PolicyConfig.model_validate({"name": title, "messages": listed})


def joined(conversations: Sequence[Recorded]) -> Iterator[Recorded]:
    """Returns long sessions: several conversations as one, with the system message of the first."""
    for start in range(0, len(conversations) - _JOINED + 1, _JOINED):
        drafts = [
            entry.draft
            for number, each in enumerate(conversations[start : start + _JOINED])
            for entry in each.entries()
            if number == 0 or entry.draft.counts_as != "system"
        ]
        bodies = [loads_strict(draft.body) for draft in drafts]
        yield Recorded.of_drafts(str(start), read_messages(bodies))


def _print(title: str, sums: Sequence[PolicySums]) -> None:
    conversations = len(sums[0].conversations)
    print(f"\n{title}: {conversations} conversations, {sums[0].calls} calls")
    for name, price in RATIOS.items():
        print(f"  prices {name}: cached {price.cached}, written {price.cache_write} of an input")
        for line in table_lines(compare(sums, price)):
            print(f"    {line}")
    sys.stdout.flush()


def generated_schemas() -> JsonValue:
    """Returns the schemas of ten tools, as an agent sends them."""
    chance = random.Random(_SEED)
    return [
        {
            "type": "function",
            "function": {
                "name": f"tool_{number}",
                "description": _text(chance, 30),
                "parameters": {
                    "type": "object",
                    "properties": {
                        f"field_{place}": {"type": "string", "description": _text(chance, 12)}
                        for place in range(4)
                    },
                },
            },
        }
        for number in range(10)
    ]


def generated_conversations(schemas: JsonValue = None) -> Iterator[Recorded]:
    """Returns the generated conversations of the experiment, which everyone can reproduce."""
    return _made(_SESSIONS, 24, schemas)


def _made(count: int, length: int, schemas: JsonValue = None) -> Iterator[Recorded]:
    """Yields conversations of an agent with tools, the same in each run.

    A system message, then turns: a question, perhaps a call or two with results of very different
    sizes, an answer.
    """
    chance = random.Random(_SEED)
    for number in range(count):
        messages: list[JsonValue] = [{"role": "system", "content": _text(chance, 900)}]
        while len(messages) < length:
            messages.append({"role": "user", "content": _text(chance, chance.randint(4, 60))})
            for _ in range(chance.choice((0, 1, 1, 2))):
                messages += _look_up(chance, f"call-{len(messages)}")
            messages.append({"role": "assistant", "content": _text(chance, chance.randint(10, 90))})
        yield Recorded.of_drafts(str(number), read_messages(messages), schemas=schemas)


def _look_up(chance: random.Random, name: str) -> list[JsonValue]:
    arguments = dumps({"order": chance.randint(1_000, 9_999)}).decode()
    function: JsonValue = {"name": "find_order", "arguments": arguments}
    found = dumps({"found": _text(chance, chance.choice((10, 40, 150, 400)))}).decode()
    return [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": name, "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": name, "content": found},
    ]


def _text(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(_TEXT.split(), k=words))
