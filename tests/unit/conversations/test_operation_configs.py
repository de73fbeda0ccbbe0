"""Configs of operations: what is refused, and what stands on record (semantics 1.12, 1.13)."""

import pytest
from pydantic import JsonValue

from conversations.domain.configs import read_operation, stored_config
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.json_bytes import loads_strict
from tests.unit.conversations.chats import SAID, operation, problems


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


def test_a_config_on_record_names_its_messages_by_log_index() -> None:
    block: JsonValue = {"position": 0, "messages": [SAID, SAID]}
    config = operation("insert", block, pairing="drop")
    assert stored_config(config, 10) == (
        b'{"operation":"insert","pairing":"drop",'
        b'"insert":{"position":0,"messages":[{"index":10},{"index":11}]}}'
    )
    config = operation("replace", {"index": 3, "message": SAID})
    assert stored_config(config, 10) == (
        b'{"operation":"replace","replace":{"index":3,"message":{"index":10}}}'
    )


def test_a_config_on_record_without_messages_can_be_read_again() -> None:
    blocks: dict[str, JsonValue] = {"truncate": {"keep_last": 0}, "clear": None}
    for name, block in blocks.items():
        config = operation(name, block, protect_tools=True)
        record = stored_config(config, 0)
        assert stored_config(read_operation(loads_strict(record)), 0) == record
