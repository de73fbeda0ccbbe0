"""Measures conditions, patterns and filters: ``python -m bench.bench_filters`` prints a table.

Each figure is the best of several rounds, which is what the code costs when nothing disturbs it.
"""

import timeit
from collections.abc import Callable
from functools import partial

from pydantic import JsonValue

from conversations.domain.message import Draft
from workflows.domain.condition_parser import parse_condition
from workflows.domain.conditions import Condition, compile_condition
from workflows.domain.context import HistoryEntry, Messages, PromptContext, Sight
from workflows.domain.context_types import node_steps
from workflows.domain.edge_filters import EdgeFilter, edge_step
from workflows.domain.explain import Step, run_steps
from workflows.domain.filters import ContextFilter, filter_step, read_filter
from workflows.domain.patterns import matcher
from workflows.domain.processors import standard

ROUNDS = 7


def best(call: Callable[[], object], number: int) -> float:
    """Seconds of one call."""
    return min(timeit.repeat(call, number=number, repeat=ROUNDS)) / number


def row(what: str, seconds: float) -> None:
    """One line of the table, in the unit that reads well."""
    if seconds < 1e-4:
        print(f"{what:<74} {seconds * 1e6:>10.2f} us")
    else:
        print(f"{what:<74} {seconds * 1e3:>10.2f} ms")


def _compiled_anew(text: str) -> Condition:
    return Condition(text, parse_condition(text))


def bench_conditions() -> None:
    small: dict[str, JsonValue] = {"a": True, "priority": "high", "llm.model": {"name": "x"}}
    large: dict[str, JsonValue] = {f"name.{index}": index for index in range(100_000)}
    large |= small
    for text in (
        "context.a === true",
        "context.a === true && context.priority === 'high'",
        "context.llm.model.name === 'x'",
        "!(context.missing > 3) || context.priority.startsWith('h')",
    ):
        condition = compile_condition(text)
        for size, names in (("3 names", small), ("100,000 names", large)):
            seconds = best(partial(condition.evaluate, names, {}), 20_000)
            row(f"condition {text} ({size})", seconds)
        row(f"  compiled: {text}", best(partial(_compiled_anew, text), 500))
    text = "||".join("context.t.includes('y')" for _ in range(8))
    worst = compile_condition(text)
    huge: dict[str, JsonValue] = {"t": "x" * 10_000_000}
    row("condition: 8 includes over a text of 10 MB", best(lambda: worst.evaluate(huge, {}), 1))


def bench_patterns() -> None:
    for pattern in ("llm.model", "llm.*", "*.model", "*l*m*"):
        matches = matcher(pattern)
        row(f"pattern {pattern}", best(partial(matches, "llm.model"), 50_000))
    hostile = matcher("*".join("a" * 120) + "*b")
    row("pattern of 120 stars on a name of 100,000", best(lambda: hostile("a" * 100_000 + "c"), 20))
    hostile = matcher("*" + "a*" * 120 + "b*")
    row("  the same without an end", best(lambda: hostile("a" * 100_000), 20))


def _draft(role: str, index: int) -> Draft:
    counts_as = {"u": "user", "a": "assistant", "s": "system"}[role]
    return Draft(body=b"{}", role=counts_as, counts_as=counts_as, text=f"message {index}")  # type: ignore[arg-type]


def _sight(names: int, messages: int) -> Sight:
    groups = ("llm", "tool", "user", "system", "other")
    context = PromptContext(
        "template",
        {f"{groups[index % 5]}.name{index}": f"value {index}" for index in range(names)},
        tuple(HistoryEntry(f"node_{index}", "prompt", "response") for index in range(100)),
        {f"key{index}": index for index in range(100)},
    )
    drafts = [_draft("s" if index == 0 else "ua"[index % 2], index) for index in range(messages)]
    return Sight(context, Messages.of(drafts))


def _filter_of_20() -> ContextFilter:
    kinds = ("include", "exclude", "include", "transform")
    rules: list[dict[str, JsonValue]] = [
        {"type": kinds[index % 4], "pattern": f"{('llm', 'tool', 'user')[index % 3]}.*{index}"}
        for index in range(18)
    ]
    for rule in rules:
        if rule["type"] == "transform":
            rule["transform"] = "uppercase"
    rules[0]["condition"] = "context.llm.name0 === 'value 0'"
    rules.append({"type": "include", "pattern": "llm.*"})
    rules.append({"type": "exclude", "pattern": "system", "target": "messages"})
    last: JsonValue = {"operation": "truncate", "truncate": {"keep_last": 500}}
    return read_filter({"rules": rules, "default_behavior": "pass", "messages": [last]})


def bench_filters() -> None:
    registries = standard()
    own = _filter_of_20()
    sight = _sight(1_000, 1_000)

    def measure(what: str, step: Step, at: Sight = sight) -> None:
        row(what, best(lambda: run_steps(at, [(0, step)]), 20))
        row("  explained", best(lambda: run_steps(at, [(0, step)], explain=True), 5))

    measure("filter of 20 rules on 1,000 names and 1,000 messages", filter_step([own], registries))
    row("  compiled from its model", best(lambda: filter_step([own], registries), 50))
    edge = EdgeFilter(type="selective", include_patterns=("llm.*", "user.*"))
    measure("selective edge on the same", edge_step(edge, registries))
    steps = node_steps("llm_context", [own], registries)
    row("llm node: type and filter", best(lambda: run_steps(sight, steps), 20))
    many = _sight(10, 100_000)
    for pattern in ("user", "*"):
        rules: JsonValue = [{"type": "include", "pattern": pattern, "target": "messages"}]
        roles = read_filter({"rules": rules, "default_behavior": "block"})
        step = filter_step([roles], registries)
        what = f"roles {pattern!r} of 100,000 messages"
        row(what, best(partial(run_steps, many, [(0, step)]), 3))


if __name__ == "__main__":
    bench_conditions()
    bench_patterns()
    bench_filters()
