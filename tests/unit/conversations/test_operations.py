"""Rules 6 to 12: the five operations."""

import pytest
from pydantic import JsonValue

from conversations.domain.configs import on_record, read_operation
from conversations.domain.memory import MemoryLog
from conversations.domain.operations import cached_prefix_lost, tokens_of
from conversations.domain.view import View
from ctxadmin.lib.errors import Duplicate, OutOfRange, TooLarge, ValidationFailed
from ctxadmin.lib.json_bytes import loads_strict
from tests.unit.conversations.chats import (
    assistant,
    calls,
    message,
    operation,
    result,
    run,
    shown,
    system,
    tools,
    user,
)

SAID: JsonValue = {"role": "user", "content": "new"}


def ten() -> MemoryLog:
    """A log of ten messages, 0 to 9."""
    return MemoryLog([user(f"number {place}") for place in range(10)])


def problems(data: JsonValue) -> list[str]:
    """The pointers of what is wrong with a config."""
    with pytest.raises(ValidationFailed) as caught:
        read_operation(data)
    return [problem.pointer for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("block", "left"),
    [
        ({"keep_first": 3}, [0, 1, 2]),
        ({"keep_last": 2}, [8, 9]),
        ({"remove_first": 7}, [7, 8, 9]),
        ({"remove_last": 8}, [0, 1]),
        ({"range": {"start": 1, "end": 4}}, [1, 2, 3]),
        ({"keep_first": 2, "keep_last": 2}, [0, 1, 8, 9]),
        ({"keep_first": 6, "keep_last": 6}, list(range(10))),
        ({"keep_first": 0, "keep_last": 1}, [9]),
        ({"keep_last": 0}, []),
        ({"keep_first": 0}, []),
        ({"remove_last": 0}, list(range(10))),
        ({"remove_first": 0}, list(range(10))),
        ({"keep_first": 100}, list(range(10))),
        ({"remove_ranges": [{"start": 2, "end": 4}, {"start": 8, "end": 99}]}, [0, 1, 4, 5, 6, 7]),
        ({"remove_ranges": [{"start": 3, "end": 7}, {"start": 0, "end": 4}]}, [7, 8, 9]),
        ({"remove_first": 2, "remove_ranges": [{"start": 0, "end": 1}]}, [3, 4, 5, 6, 7, 8, 9]),
        ({"remove_ranges": [{"start": 20, "end": 30}]}, list(range(10))),
        ({"keep_last": 100}, list(range(10))),
        ({"remove_first": 100}, []),
        ({"remove_last": 100}, []),
        ({"range": {"start": 8, "end": 100}}, [8, 9]),
        ({"range": {"start": 50, "end": 100}}, []),
        ({"keepFirst": 3}, [0, 1, 2]),
        ({"keep_first": 3, "keep_last": None}, [0, 1, 2]),
    ],
)
def test_truncate_keeps_what_its_option_says(block: JsonValue, left: list[int]) -> None:
    assert shown(ten(), "truncate", block) == left


def test_truncate_applies_its_options_in_their_order_each_to_the_result_before() -> None:
    block: JsonValue = {
        "range": {"start": 1, "end": 3},
        "remove_last": 1,
        "remove_first": 1,
        "keep_last": 4,
        "keep_first": 4,
    }
    # head and tail 0 1 2 3 6 7 8 9, first removed, last removed, then positions 1 and 2
    assert shown(ten(), "truncate", block) == [2, 3]


@pytest.mark.parametrize(
    ("block", "pointer"),
    [
        ({}, "/truncate"),
        ({"keep_first": None}, "/truncate"),
        ({"keep_first": -1}, "/truncate/keep_first"),
        ({"keepLast": -1}, "/truncate/keepLast"),
        ({"remove_first": 1.5}, "/truncate/remove_first"),
        ({"remove_last": "1"}, "/truncate/remove_last"),
        ({"keep_first": True}, "/truncate/keep_first"),
        ({"range": {"start": 3, "end": 3}}, "/truncate/range/end"),
        ({"range": {"start": 4, "end": 3}}, "/truncate/range/end"),
        ({"range": {"start": -1, "end": 3}}, "/truncate/range/start"),
        ({"range": {"start": 1}}, "/truncate/range/end"),
        ({"range": [1, 2]}, "/truncate/range"),
        ({"keep_frist": 3}, "/truncate/keep_frist"),
        ([], "/truncate"),
    ],
)
def test_a_wrong_truncate_is_refused_at_its_field(block: JsonValue, pointer: str) -> None:
    assert problems({"operation": "truncate", "truncate": block}) == [pointer]


@pytest.mark.parametrize(
    ("position", "left"),
    [
        (0, [10, *range(10)]),
        (4, [0, 1, 2, 3, 10, 4, 5, 6, 7, 8, 9]),
        (10, list(range(11))),
        (-1, list(range(11))),
    ],
)
def test_insert_places_what_is_logged_at_the_end(position: int, left: list[int]) -> None:
    outcome = run(ten(), "insert", {"position": position, "messages": [SAID]})
    assert list(outcome.view) == left
    assert outcome.added == ((10, 11),)
    assert (outcome.shown, outcome.hidden) == ((), ())
    assert [entry.message_id for entry in outcome.entries] == ["log-10"]


def test_insert_keeps_the_order_of_its_messages() -> None:
    block: JsonValue = {"position": 1, "messages": [SAID, SAID, SAID]}
    assert shown(ten(), "insert", block)[:5] == [0, 10, 11, 12, 1]


def test_insert_counts_positions_in_the_visible_list() -> None:
    view = View.of_indices([7, 3])
    outcome = run(ten(), "insert", {"position": 1, "messages": [SAID]}, view=view)
    assert list(outcome.view) == [7, 10, 3]
    with pytest.raises(OutOfRange) as caught:
        run(ten(), "insert", {"position": 3, "messages": [SAID]}, view=view)
    assert [each.pointer for each in caught.value.problems] == ["/insert/position"]


@pytest.mark.parametrize(
    ("block", "pointer"),
    [
        ({"position": -2, "messages": [SAID]}, "/insert/position"),
        ({"position": 0.5, "messages": [SAID]}, "/insert/position"),
        ({"messages": [SAID]}, "/insert/position"),
        ({"position": 0, "messages": []}, "/insert/messages"),
        ({"position": 0}, "/insert/messages"),
        ({"position": 0, "messages": [SAID, {"role": "user"}]}, "/insert/messages/1/content"),
        ({"position": 0, "messages": [SAID], "index": 1}, "/insert/index"),
    ],
)
def test_a_wrong_insert_is_refused_at_its_field(block: JsonValue, pointer: str) -> None:
    assert problems({"operation": "insert", "insert": block}) == [pointer]


def test_insert_logs_all_its_messages_or_none() -> None:
    log = ten()
    huge: JsonValue = {"role": "user", "content": "x" * (1 << 20)}
    with pytest.raises(TooLarge) as caught:
        run(log, "insert", {"position": 0, "messages": [SAID, huge]})
    assert [each.pointer for each in caught.value.problems] == ["/insert/messages/1"]
    assert len(log) == 10


def test_an_id_that_is_taken_is_a_duplicate() -> None:
    log = MemoryLog([user(id="mine")])
    with pytest.raises(Duplicate) as caught:
        run(log, "insert", {"position": 0, "messages": [SAID, {**SAID, "id": "mine"}]})  # type: ignore[dict-item]
    assert [each.pointer for each in caught.value.problems] == ["/insert/messages/1/id"]


def test_an_id_that_names_another_log_index_is_refused() -> None:
    block: JsonValue = {"index": 0, "message": {"role": "user", "content": "x", "id": "log-9"}}
    with pytest.raises(ValidationFailed) as caught:
        run(ten(), "replace", block)
    assert [each.pointer for each in caught.value.problems] == ["/replace/message/id"]


def test_replace_points_to_a_new_message_and_leaves_the_old_one_in_the_log() -> None:
    outcome = run(ten(), "replace", {"index": 2, "message": SAID})
    assert list(outcome.view) == [0, 1, 10, *range(3, 10)]
    assert (outcome.added, outcome.hidden) == (((10, 11),), ((2, 3),))


def test_replace_counts_its_index_in_the_visible_list() -> None:
    view = View.of_indices([7, 3])
    assert list(run(ten(), "replace", {"index": 1, "message": SAID}, view=view).view) == [7, 10]
    for index in (2, 3):
        with pytest.raises(OutOfRange) as caught:
            run(ten(), "replace", {"index": index, "message": SAID}, view=view)
        assert [each.pointer for each in caught.value.problems] == ["/replace/index"]


def test_replacing_in_an_empty_view_is_out_of_range() -> None:
    with pytest.raises(OutOfRange, match="no visible message"):
        run(ten(), "replace", {"index": 0, "message": SAID}, view=View())


@pytest.mark.parametrize(
    ("block", "pointer"),
    [
        ({"index": -1, "message": SAID}, "/replace/index"),
        ({"index": 1.0, "message": SAID}, "/replace/index"),
        ({"message": SAID}, "/replace/index"),
        ({"index": 1}, "/replace/message"),
        ({"index": 1, "message": {"role": "tool", "content": ""}}, "/replace/message/tool_call_id"),
    ],
)
def test_a_wrong_replace_is_refused_at_its_field(block: JsonValue, pointer: str) -> None:
    assert problems({"operation": "replace", "replace": block}) == [pointer]


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


def test_clear_logs_a_changed_tools_text_anew() -> None:
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


@pytest.mark.parametrize(
    ("data", "pointer"),
    [
        (None, ""),
        ([], ""),
        ({}, "/operation"),
        ({"operation": "summarise"}, "/operation"),
        ({"operation": "truncate"}, "/truncate"),
        ({"operation": "insert"}, "/insert"),
        ({"operation": "replace"}, "/replace"),
        ({"operation": "filter", "filter": None}, "/filter"),
        ({"operation": "clear", "filter": {"roles": ["user"]}}, "/filter"),
        ({"operation": "clear", "clear": {}, "truncate": {"keep_last": 1}}, "/truncate"),
        ({"operation": "clear", "clear": {"keep": 1}}, "/clear/keep"),
        ({"operation": "clear", "pairing": "repair"}, "/pairing"),
        ({"operation": "clear", "protect_tools": 1}, "/protect_tools"),
        ({"operation": "clear", "protectTools": False, "protect_tools": True}, ""),
        ({"operation": "clear", "speed": 1}, "/speed"),
        ({"operation": "clear", "version": 3}, "/version"),
        ({"operation": "clear", "version": "2"}, "/version"),
        ({"operation": "clear", "version": True}, "/version"),
    ],
)
def test_a_wrong_config_is_refused_at_its_field(data: JsonValue, pointer: str) -> None:
    assert problems(data) == [pointer]


def test_a_missing_version_is_the_current_one() -> None:
    assert read_operation({"operation": "clear"}).version == 2
    assert read_operation({"operation": "clear", "version": 2}).version == 2


@pytest.mark.parametrize(
    "data",
    [
        {"version": 1, "operation": "truncate", "truncate": {"keep_last": 1}},
        {"processorType": "filter", "rules": []},
        {"processor_type": "filter", "rules": [{"sourcePath": "a", "targetPath": "b"}]},
        {"version": 1},
    ],
)
def test_a_version_1_config_is_refused_with_a_sentence_that_says_so(data: JsonValue) -> None:
    with pytest.raises(ValidationFailed, match="version 1") as caught:
        read_operation(data, "/config")
    assert [each.pointer for each in caught.value.problems] == ["/config"]
    assert "migrate" in str(caught.value)


def test_an_operation_that_fails_leaves_log_and_view_as_they_were() -> None:
    log, view = ten(), View(((2, 5),))
    with pytest.raises(OutOfRange):
        run(log, "replace", {"index": 3, "message": SAID}, view=view)
    assert len(log) == 10
    assert view.runs == ((2, 5),)


def test_an_outcome_tells_hidden_and_shown_as_runs() -> None:
    log = MemoryLog([calls("a"), result("a"), user(), user()])
    outcome = run(log, "truncate", {"keep_last": 1}, view=View(((1, 4),)), pairing="keep")
    assert (outcome.hidden, outcome.shown) == (((1, 3),), ())
    again = run(log, "truncate", {"keep_last": 3}, view=View(((1, 4),)), pairing="keep")
    assert (again.hidden, again.shown) == ((), ((0, 1),))


def test_a_config_on_record_names_its_messages_by_log_index() -> None:
    block: JsonValue = {"position": 0, "messages": [SAID, SAID]}
    config = operation("insert", block, pairing="drop")
    assert on_record(config, 10) == (
        b'{"operation":"insert","pairing":"drop",'
        b'"insert":{"position":0,"messages":[{"index":10},{"index":11}]}}'
    )
    config = operation("replace", {"index": 3, "message": SAID})
    assert on_record(config, 10) == (
        b'{"operation":"replace","replace":{"index":3,"message":{"index":10}}}'
    )


def test_a_config_on_record_without_messages_can_be_read_again() -> None:
    blocks: dict[str, JsonValue] = {"truncate": {"keep_last": 0}, "clear": None}
    for name, block in blocks.items():
        config = operation(name, block, protect_tools=True)
        record = on_record(config, 0)
        assert on_record(read_operation(loads_strict(record)), 0) == record


def test_tokens_of_a_view_are_those_of_its_runs() -> None:
    log = MemoryLog([user("x", tokens=place) for place in range(10)])
    assert tokens_of(View(((1, 3), (8, 10))), log.tokens) == 1 + 2 + 8 + 9


def test_the_cached_prefix_is_lost_behind_the_first_difference() -> None:
    log = MemoryLog([user("x", tokens=10) for _ in range(5)])
    before = View(((0, 4),))
    assert cached_prefix_lost(before, before.appended(4, 5), log.tokens) == 0
    assert cached_prefix_lost(before, View(((0, 2), (3, 4))), log.tokens) == 20
    assert cached_prefix_lost(before, View(), log.tokens) == 40
