"""Measures conditions, patterns and context filters."""

from collections.abc import Callable
from functools import partial
from typing import Final

from pydantic import JsonValue

from bench.table import Row, medians
from conversations.domain.message import MessageDraft
from workflows.domain.conditions.condition import Condition, compile_condition
from workflows.domain.conditions.parser import parse_condition
from workflows.domain.context.explain import Step, run_steps
from workflows.domain.context.prompt_context import HistoryEntry, Messages, NodeInput, PromptContext
from workflows.domain.filters.context_filter import ContextFilter, filter_step, read_filter
from workflows.domain.filters.context_types import node_steps
from workflows.domain.filters.edge_filter import EdgeFilter, edge_step
from workflows.domain.processors.registries import standard
from workflows.domain.selection.patterns import matcher

_CONDITIONS: Final = (
    "context.a === true",
    "context.a === true && context.priority === 'high'",
    "context.llm.model.name === 'x'",
    "!(context.missing > 3) || context.priority.startsWith('h')",
)
_ABOUT_1_US: Final = 2.0


def rows() -> list[Row]:
    return [*_conditions(), *_patterns(), *_filters()]


def _micro(calls: dict[str, Callable[[], object]], number: int, goal: float | None) -> list[Row]:
    found = medians(calls, 7, number=number)
    return [Row(name, seconds * 1e6, "us", goal=goal) for name, seconds in found.items()]


def _compile_uncached(text: str) -> Condition:
    return Condition(text, parse_condition(text))


def _conditions() -> list[Row]:
    small: dict[str, JsonValue] = {"a": True, "priority": "high", "llm.model": {"name": "x"}}
    large: dict[str, JsonValue] = {f"name.{index}": index for index in range(100_000)} | small
    evaluated: dict[str, Callable[[], object]] = {}
    compiled: dict[str, Callable[[], object]] = {}
    for text in _CONDITIONS:
        condition = compile_condition(text)
        evaluated[f"{text}, 3 names"] = partial(condition.evaluate, small, {})
        evaluated[f"{text}, 100,000 names"] = partial(condition.evaluate, large, {})
        compiled[f"{text}, compiled"] = partial(_compile_uncached, text)
    worst = compile_condition("||".join("context.t.includes('y')" for _ in range(8)))
    huge: dict[str, JsonValue] = {"t": "x" * 10_000_000}
    searched = medians({"worst": lambda: worst.evaluate(huge, {})}, 3)["worst"]
    return [
        *_micro(evaluated, 5_000, _ABOUT_1_US),
        *_micro(compiled, 100, None),
        Row("condition: 8 includes over a text of 10 MB", searched * 1e3, "ms"),
    ]


def _patterns() -> list[Row]:
    calls: dict[str, Callable[[], object]] = {
        f"pattern {pattern}": partial(matcher(pattern), "llm.model")
        for pattern in ("llm.model", "llm.*", "*.model", "*l*m*")
    }
    hostile = matcher("*".join("a" * 120) + "*b")
    endless = matcher("*" + "a*" * 120 + "b*")
    bad = medians(
        {
            "pattern of 120 stars on a name of 100,000": partial(hostile, "a" * 100_000 + "c"),
            "pattern of 120 stars without an end on the same": partial(endless, "a" * 100_000),
        },
        5,
    )
    return [
        *_micro(calls, 10_000, None),
        *(Row(name, seconds * 1e3, "ms") for name, seconds in bad.items()),
    ]


def _draft(role: str, index: int) -> MessageDraft:
    counts_as = {"u": "user", "a": "assistant", "s": "system"}[role]
    return MessageDraft(body=b"{}", role=counts_as, counts_as=counts_as, text=f"message {index}")  # type: ignore[arg-type]


def _sight(names: int, messages: int) -> NodeInput:
    groups = ("llm", "tool", "user", "system", "other")
    context = PromptContext(
        "template",
        {f"{groups[index % 5]}.name{index}": f"value {index}" for index in range(names)},
        tuple(HistoryEntry(f"node_{index}", "prompt", "response") for index in range(100)),
        {f"key{index}": index for index in range(100)},
    )
    drafts = [_draft("s" if index == 0 else "ua"[index % 2], index) for index in range(messages)]
    return NodeInput(context, Messages.of(drafts))


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


def _filters() -> list[Row]:
    registries = standard()
    own = _filter_of_20()
    node_input = _sight(1_000, 1_000)
    step = filter_step([own], registries)
    edge = edge_step(EdgeFilter(type="selective", include_patterns=("llm.*", "user.*")), registries)
    node = node_steps("llm_context", [own], registries)
    many = _sight(10, 100_000)

    def run(
        step: Step, at: NodeInput = node_input, *, explain: bool = False
    ) -> Callable[[], object]:
        return lambda: run_steps(at, [(0, step)], explain=explain)

    found = medians(
        {
            "filter of 20 rules on 1,000 names and 1,000 messages": run(step),
            "the same, explained": run(step, explain=True),
            "the same, compiled from its model": lambda: filter_step([own], registries),
            "selective edge on 1,000 names and 1,000 messages": run(edge),
            "llm node, its type and a filter of 20 rules, on the same": lambda: run_steps(
                node_input, node
            ),
            "rule for the role user on 100,000 messages": run(_roles("user"), many),
            "rule for all roles on 100,000 messages": run(_roles("*"), many),
        },
        7,
    )
    return [Row(name, seconds * 1e3, "ms") for name, seconds in found.items()]


def _roles(pattern: str) -> Step:
    rules: JsonValue = [{"type": "include", "pattern": pattern, "target": "messages"}]
    roles = read_filter({"rules": rules, "default_behavior": "block"})
    return filter_step([roles], standard())
