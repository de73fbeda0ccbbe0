"""What tests of imports read from an imported conversation."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import JsonValue

from conversations.domain.imports.shapes import (
    read_any,
    read_only,
)
from conversations.domain.imports.transcript import ImportedConversation
from ctxadmin.lib.errors import ContextError
from tests.shape_examples import example

QUESTION = "What is the weather in Oslo?\nAnd tomorrow?"


ANSWER = "It is 15 degrees in Oslo."


SYSTEM = "You answer questions about the weather."


HELLO: JsonValue = {"role": "user", "content": "Hello?"}


def read(value: JsonValue, shape: str | None = None) -> ImportedConversation:
    return read_only(value, shape)


def bodies(found: ImportedConversation) -> list[dict[str, Any]]:
    return [json.loads(draft.body) for draft in found.drafts]


def turns(found: ImportedConversation) -> list[tuple[str, str]]:
    """The roles and texts of the messages."""
    return [(draft.role, draft.text) for draft in found.drafts]


def pairs(found: ImportedConversation) -> list[str | tuple[str, ...]]:
    """The ids of calls and of the results, in their order."""
    ids: list[str | tuple[str, ...]] = []
    for draft in found.drafts:
        ids += [draft.call_ids] if draft.call_ids else []
        ids += [draft.answers] if draft.answers else []
    return ids


def taken(found: ImportedConversation) -> dict[tuple[str, str], int]:
    return {(each.source, each.target): each.count for each in found.report.taken}


def left_out(found: ImportedConversation) -> list[tuple[str, str]]:
    return [(each.what, each.pointer) for each in found.report.left_out]


def refused(value: JsonValue, shape: str | None = None) -> ContextError:
    with pytest.raises(ContextError) as caught:
        read_any(value, shape)
    return caught.value


def lines(values: Sequence[JsonValue]) -> bytes:
    return b"\n".join(json.dumps(value).encode() for value in values)


def example_of_a_run() -> dict[str, JsonValue]:
    run = example("langsmith", "wrapped")
    assert isinstance(run, dict)
    return run
