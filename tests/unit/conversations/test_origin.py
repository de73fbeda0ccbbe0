"""Filters by where messages come from (semantics 4.3)."""

from time import process_time

import pytest
from pydantic import JsonValue

from conversations.domain.memory import MemoryLog
from conversations.domain.view import View
from ctxadmin.lib.wildcard import wildcard
from tests.unit.conversations.chats import (
    assistant,
    message,
    problems,
    result,
    run,
    shown,
    system,
    user,
)

IMAGE: JsonValue = [{"type": "image_url", "image_url": {"url": "x"}}]


def call(name: str, *tools: str) -> JsonValue:
    calls: list[JsonValue] = [
        {"id": f"{name}{place}", "type": "function", "function": {"name": tool, "arguments": "{}"}}
        for place, tool in enumerate(tools)
    ]
    return calls


def chat() -> MemoryLog:
    return MemoryLog(
        [
            system(),  # 0
            user("first", metadata={"trust": "high", "n": 3}),  # 1
            message("assistant", None, tool_calls=call("a", "search", "refund"), node_id="plan"),
            result("a0", "搜索结果" * 100),  # 3
            result("a1"),  # 4
            assistant("one", node_id="answer", metadata={"trust": "low"}),  # 5
            user("second"),  # 6
            message("user", IMAGE),  # 7
            message("assistant", None, tool_calls=call("b", "search"), pinned=True),  # 8, no result
        ]
    )


@pytest.mark.parametrize(
    ("block", "left"),
    [
        ({"nodes": ["plan"]}, [2]),
        ({"nodes": ["plan", "answer"]}, [2, 5]),
        ({"nodes": ["nobody"]}, []),
        ({"tools": ["search"]}, [2, 3, 8]),
        ({"tools": ["refund"]}, [2, 4]),
        ({"metadata": {"trust": "*"}}, [1, 5]),
        ({"metadata": {"trust": "h*h"}}, [1]),
        ({"metadata": {"trust": "high", "n": "3"}}, [1]),
        ({"metadata": {"trust": "High"}}, []),
        ({"older_than": {"turns": 2}}, [0, 1, 2, 3, 4, 5]),
        ({"newer_than": {"turns": 2}}, [6, 7, 8]),
        ({"older_than": {"turns": 9}}, []),
        ({"newerThan": {"turns": 9}}, [0, 1, 2, 3, 4, 5, 6, 7, 8]),
        ({"older_than": {"turns": 0}}, [0, 1, 2, 3, 4, 5, 6, 7, 8]),
        ({"older_than": {"messages": 7}}, [0, 1]),
        ({"newer_than": {"messages": 0}}, []),
        ({"older_than": {"messages": 99}}, []),
        ({"older_than": {"minutes": 0}}, []),
        ({"larger_than": 100}, [3, 7]),  # an image counts, too
        ({"has": ["tool_call"]}, [2, 8]),
        ({"has": ["image"]}, [7]),
        ({"has": ["pinned", "image"]}, [7, 8]),
        ({"has": ["comment"]}, []),
        ({"roles": ["tool"], "tools": ["search"]}, [3]),
        ({"tools": ["search"], "newer_than": {"turns": 1}}, [8]),
        ({"content_contains": ["first"], "metadata": {"n": "3"}}, [1]),
    ],
)
def test_a_message_stays_if_it_matches_all_that_is_given(block: JsonValue, left: list[int]) -> None:
    assert shown(chat(), "filter", block, include_pinned=True) == left


def test_turns_are_those_of_the_view_in_its_order() -> None:
    view = View.of_indices([6, 1, 5])
    block: JsonValue = {"newer_than": {"turns": 1}}
    assert list(run(chat(), "filter", block, view=view, include_pinned=True).view) == [1, 5]


@pytest.mark.parametrize(
    ("block", "pointer"),
    [
        ({"nodes": []}, "/filter/nodes"),
        ({"tools": [""]}, "/filter/tools/0"),
        ({"metadata": {}}, "/filter/metadata"),
        ({"metadata": {"a": 3}}, "/filter/metadata/a"),
        ({"older_than": {}}, "/filter/older_than"),
        ({"older_than": {"turns": 1, "messages": 2}}, "/filter/older_than"),
        ({"newer_than": {"turns": -1}}, "/filter/newer_than/turns"),
        ({"newer_than": {"minutes": 1.5}}, "/filter/newer_than/minutes"),
        ({"larger_than": -1}, "/filter/larger_than"),
        ({"has": ["video"]}, "/filter/has/0"),
        ({"has": []}, "/filter/has"),
    ],
)
def test_what_makes_no_sense_is_refused_at_its_place(block: JsonValue, pointer: str) -> None:
    assert problems({"operation": "filter", "filter": block}) == [pointer]


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("a", "a", True),
        ("a", "ab", False),
        ("*", "", True),
        ("a*b", "ab", True),
        ("a*b", "a", False),
        ("ab*ba", "aba", False),
        ("a*b*c", "a-b-b-c", True),
        ("*信任*", "高信任度", True),
        ("a.c", "abc", False),
    ],
)
def test_only_a_star_is_special_in_a_pattern(pattern: str, text: str, fits: bool) -> None:
    assert wildcard(pattern)(text) is fits


def test_a_hostile_pattern_takes_no_time_on_a_large_message() -> None:
    log = MemoryLog([user("x", metadata={"long": "a" * 1_000_000})])
    began = process_time()
    assert shown(log, "filter", {"metadata": {"long": "*a" * 400 + "*b"}}) == []
    assert process_time() - began < 1
