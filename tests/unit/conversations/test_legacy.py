"""Rule 13: configs of version 1."""

import pytest
from pydantic import JsonValue

from conversations.domain.configs import is_version_1, read_operation
from conversations.domain.legacy import migrate, needs_decision
from ctxadmin.lib.errors import ValidationFailed


def old(*paths: str, kind: str = "transform", **more: JsonValue) -> dict[str, JsonValue]:
    """A config whose rules take these paths to the messages."""
    rules: list[JsonValue] = [{"sourcePath": path, "targetPath": "messages"} for path in paths]
    return {"processorType": kind, "rules": rules, **more}


@pytest.mark.parametrize(
    "data",
    [
        {"processorType": "filter", "rules": []},
        {"processor_type": "merge", "rules": []},
        {"version": 1, "processorType": "split", "rules": []},
        {"version": 1},
    ],
)
def test_the_former_shape_is_recognised(data: JsonValue) -> None:
    assert is_version_1(data)


@pytest.mark.parametrize(
    "data",
    [None, [], {}, {"operation": "clear"}, {"version": 2, "operation": "clear"}, {"version": True}],
)
def test_the_current_shape_is_not_the_former_one(data: JsonValue) -> None:
    assert not is_version_1(data)


@pytest.mark.parametrize(
    ("path", "block"),
    [
        ("messages[:5]", {"keep_first": 5}),
        ("messages[-3:]", {"keep_last": 3}),
        ("messages[2:]", {"remove_first": 2}),
        ("messages[:-2]", {"remove_last": 2}),
        ("messages[1:-2]", {"remove_first": 1, "remove_last": 2}),
        ("messages[0:5]", {"range": {"start": 0, "end": 5}}),
        ("messages[4]", {"range": {"start": 4, "end": 5}}),
        ("messages[-1]", {"keep_last": 1}),
        ("messages[5:5]", {"keep_first": 0}),
        ("messages[:0]", {"keep_first": 0}),
        ("messages[:]", {"remove_first": 0}),
        ("$.messages[ 1 : 4 ]", {"range": {"start": 1, "end": 4}}),
        ("context.messages[:5]", {"keep_first": 5}),
    ],
)
def test_a_slice_of_the_messages_becomes_truncate(path: str, block: JsonValue) -> None:
    config, report = migrate(old(path))
    assert config == {"version": 2, "operation": "truncate", "truncate": block}
    assert [(line.rule, line.result) for line in report] == [(0, "converted")]


@pytest.mark.parametrize(
    "path",
    [
        "messages[role=user]",
        "messages[role == 'user']",
        "messages[?(@.role == 'user')]",
        'messages[?role=="user"]',
    ],
)
def test_a_role_of_the_messages_becomes_filter(path: str) -> None:
    config, _ = migrate(old(path, kind="filter"))
    assert config == {"version": 2, "operation": "filter", "filter": {"roles": ["user"]}}


def test_several_roles_become_one_filter() -> None:
    config, report = migrate(
        old("messages[role=user]", "messages[role=assistant]", "messages[role=user]")
    )
    assert config is not None
    assert config["filter"] == {"roles": ["user", "assistant"]}
    assert not needs_decision(report)


def test_merging_a_head_and_a_tail_becomes_one_truncate() -> None:
    config, _ = migrate(old("messages[:1]", "messages[-4:]", kind="merge"))
    assert config is not None
    assert config["truncate"] == {"keep_first": 1, "keep_last": 4}


def test_a_second_operation_needs_a_decision() -> None:
    config, report = migrate(old("messages[-4:]", "messages[role=user]", "messages[2:3]"))
    assert config is not None
    assert config["operation"] == "truncate"
    assert [line.result for line in report] == ["converted", "decision", "decision"]
    assert needs_decision(report)


def test_copying_the_messages_onto_themselves_is_dropped() -> None:
    config, report = migrate(old("messages"))
    assert config is None
    assert [line.result for line in report] == ["dropped"]


@pytest.mark.parametrize(
    "rule",
    [
        {"sourcePath": "messages[:2]", "targetPath": "messages", "transform": "upper"},
        {"sourcePath": "messages[:2]", "targetPath": "archive"},
        {"sourcePath": "user_input", "targetPath": "messages"},
        {"sourcePath": "messages[role=boss]", "targetPath": "messages"},
        {"sourcePath": "messages[-3]", "targetPath": "messages"},
        {"sourcePath": "messages[-3:2]", "targetPath": "messages"},
        {"sourcePath": "messages[-]", "targetPath": "messages"},
        {"sourcePath": "messages[-:]", "targetPath": "messages"},
        {"sourcePath": "messages.content", "targetPath": "messages"},
        {"source_path": "a", "target_path": "b"},
    ],
)
def test_what_has_no_equivalent_needs_a_decision(rule: JsonValue) -> None:
    config, report = migrate({"processorType": "transform", "rules": [rule]})
    assert config is None
    assert [(line.rule, line.result) for line in report] == [(0, "decision")]
    assert report[0].as_json()["message"]


def test_no_rules_need_a_decision() -> None:
    config, report = migrate({"processorType": "filter", "rules": []})
    assert config is None
    assert [(line.rule, line.result) for line in report] == [(None, "decision")]


@pytest.mark.parametrize(
    ("data", "pointer"),
    [
        ({"processorType": "shuffle", "rules": []}, "/config/processorType"),
        ({"processorType": "filter"}, "/config/rules"),
        ({"processorType": "filter", "rules": [{}]}, "/config/rules/0/source_path"),
        ({"processorType": "filter", "rules": [], "extra": 1}, "/config/extra"),
        ({"version": 1, "operation": "clear"}, "/config/processor_type"),
    ],
)
def test_a_malformed_former_config_is_refused_at_its_field(data: JsonValue, pointer: str) -> None:
    with pytest.raises(ValidationFailed) as caught:
        migrate(data, "/config")
    assert pointer in {each.pointer for each in caught.value.problems}


def test_a_current_config_comes_back_as_it_is() -> None:
    data: JsonValue = {"operation": "truncate", "truncate": {"keepLast": 2}}
    assert migrate(data) == (data, ())
    with pytest.raises(ValidationFailed):
        migrate({"operation": "truncate"})


def test_what_was_converted_can_be_read() -> None:
    config, _ = migrate(old("messages[1:-2]"))
    assert read_operation(config).operation == "truncate"
