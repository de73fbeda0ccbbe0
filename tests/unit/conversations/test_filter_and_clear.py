"""Filter and clear, and the tool descriptions that they protect (semantics 1.9, 1.10)."""

import pytest
from pydantic import JsonValue

from conversations.domain.memory import MemoryLog
from conversations.domain.view import View
from tests.unit.conversations.chats import (
    SAID,
    assistant,
    message,
    problems,
    run,
    shown,
    system,
    tools,
    user,
)


def chat() -> MemoryLog:
    return MemoryLog(
        [
            system("Be kind."),  # 0
            user("apples and pears"),  # 1
            assistant("Apples?"),  # 2
            user([{"type": "text", "text": "pe"}, {"type": "text", "text": "ars"}]),  # type: ignore[arg-type]  # 3
            message("developer", "pears are fine"),  # 4
        ]
    )


@pytest.mark.parametrize(
    ("block", "left"),
    [
        ({"roles": ["user"]}, [1, 3]),
        ({"roles": ["user", "assistant"]}, [1, 2, 3]),
        ({"roles": ["system"]}, [0, 4]),
        ({"roles": ["tool"]}, []),
        ({"content_contains": ["pears"]}, [1, 3, 4]),
        ({"content_contains": ["apples", "kind"]}, [0, 1]),
        ({"contentContains": ["Apples"]}, [2]),
        ({"content_excludes": ["pears", "kind"]}, [2]),
        ({"roles": ["user"], "content_contains": ["pears"], "content_excludes": ["apples"]}, [3]),
        ({"content_contains": ["pears"], "content_excludes": ["pears"]}, []),
    ],
)
def test_filter_keeps_roles_and_any_keyword_and_none_of_the_excluded(
    block: JsonValue, left: list[int]
) -> None:
    assert shown(chat(), "filter", block) == left


def test_filter_looks_at_visible_messages_only_and_keeps_their_order() -> None:
    view = View.of_indices([3, 1, 0])
    assert list(run(chat(), "filter", {"roles": ["user"]}, view=view).view) == [3, 1]


@pytest.mark.parametrize(
    ("block", "pointer"),
    [
        ({}, "/filter"),
        ({"roles": []}, "/filter/roles"),
        ({"roles": ["boss"]}, "/filter/roles/0"),
        ({"roles": "user"}, "/filter/roles"),
        ({"content_contains": []}, "/filter/content_contains"),
        ({"content_contains": [""]}, "/filter/content_contains/0"),
        ({"contentExcludes": ["a", ""]}, "/filter/contentExcludes/1"),
        ({"content_excludes": [1]}, "/filter/content_excludes/0"),
        ({"regex": "x"}, "/filter/regex"),
    ],
)
def test_a_wrong_filter_is_refused_at_its_field(block: JsonValue, pointer: str) -> None:
    assert problems({"operation": "filter", "filter": block}) == [pointer]


def test_clear_keeps_the_visible_system_messages() -> None:
    assert shown(chat(), "clear", {"keep_system_message": True}) == [0, 4]
    assert shown(chat(), "clear", {}) == [0, 4]
    assert shown(chat(), "clear", {"keepSystemMessage": False}) == []


def test_clear_without_a_block_is_the_default() -> None:
    assert shown(chat(), "clear") == [0, 4]


def test_clear_shows_no_hidden_system_message() -> None:
    view = View.of_indices([1, 4])
    assert list(run(chat(), "clear", view=view).view) == [4]


def test_clear_leaves_a_visible_tool_description_where_it_stands() -> None:
    log = MemoryLog([system(), tools(), user(), system()])
    assert shown(log, "clear") == [0, 1, 3]
    assert shown(log, "clear", {"keep_system_message": False}) == [1]


def test_clear_keeps_the_last_of_several_visible_tool_descriptions() -> None:
    log = MemoryLog([tools("one"), tools("two"), user(), tools("three")])
    assert shown(log, "clear") == [3]
    view = View.of_indices([1, 2, 0])
    assert list(run(log, "clear", view=view).view) == [0]


def test_clear_brings_back_a_hidden_tool_description_at_the_end() -> None:
    log = MemoryLog([tools(), system(), user()])
    outcome = run(log, "clear", view=View(((1, 3),)))
    assert list(outcome.view) == [1, 0]
    assert outcome.shown == ((0, 1),)


def test_clear_logs_the_tools_text_once() -> None:
    log = MemoryLog([system(), user()], tools="Tools: look")
    first = run(log, "clear")
    assert list(first.view) == [0, 2]
    assert first.added == ((2, 3),)
    assert first.entries[0].draft.text == "Tools: look"
    log.append(first.entries)
    again = run(log, "clear", {"keep_system_message": False}, view=View(((0, 2),)))
    assert list(again.view) == [2]
    assert again.entries == ()


def test_clear_logs_a_changed_tools_text_again() -> None:
    log = MemoryLog([user()], tools="old")
    log.append(run(log, "clear").entries)
    outcome = run(log.with_tools("new"), "clear", view=View(((0, 1),)))
    assert [entry.draft.text for entry in outcome.entries] == ["new"]


def test_a_tool_description_is_known_by_its_field_and_never_by_its_text() -> None:
    log = MemoryLog([system("可用工具: look"), user("Tools: look")], tools="Tools: look")
    assert shown(log, "clear", {"keep_system_message": False}) == [2]


def test_clear_shows_no_tool_description_if_there_are_no_tools() -> None:
    assert shown(MemoryLog([user()], tools=""), "clear") == []


@pytest.mark.parametrize(
    ("name", "block"),
    [("truncate", {"keep_last": 1}), ("filter", {"roles": ["user"]})],
)
def test_truncate_and_filter_obey_protect_tools(name: str, block: JsonValue) -> None:
    log = MemoryLog([tools(), assistant(), user()])
    bare = run(log, name, block)
    assert list(bare.view) == [2]
    assert [(each.code, each.indices) for each in bare.warnings] == [("tools_hidden", (0,))]
    assert "protect_tools" in bare.warnings[0].message
    protected = run(log, name, block, protect_tools=True)
    assert list(protected.view) == [0, 2]
    assert protected.warnings == ()


def test_protect_tools_shows_no_description_that_was_hidden_before() -> None:
    log = MemoryLog([tools(), user(), user()])
    view = View(((1, 3),))
    outcome = run(log, "truncate", {"keep_last": 1}, view=view, protect_tools=True)
    assert list(outcome.view) == [2]


def test_replacing_the_tool_description_by_another_is_no_warning() -> None:
    log = MemoryLog([tools()])
    block: JsonValue = {"index": 0, "message": SAID}
    warnings = run(log, "replace", block).warnings
    assert [(each.code, each.message) for each in warnings] == [
        ("tools_hidden", "a tool description is hidden now")
    ]
    described: JsonValue = {"role": "system", "content": "new", "tool_description": True}
    assert run(log, "replace", {"index": 0, "message": described}).warnings == ()
