"""Version-1 context-processor configs: converting what has an equivalent in version 2.

A version-1 config copied what stood at ``sourcePath`` to ``targetPath``. It has an equivalent where
both speak of the messages and nothing is transformed:

========================================  ==================================================
``messages``                              dropped: it changed nothing
``messages[:n]`` ``messages[-n:]``        truncate ``keep_first: n``, ``keep_last: n``
``messages[n:]`` ``messages[:-n]``        truncate ``remove_first: n``, ``remove_last: n``
``messages[n:-m]``                        truncate ``remove_first: n, remove_last: m``
``messages[a:b]`` ``messages[i]``         truncate ``range {start: a, end: b}``, ``{i, i + 1}``
``messages[-1]``                          truncate ``keep_last: 1``
``messages[role=user]``                   filter ``roles: [user]``, also ``[?(@.role == 'user')]``
========================================  ==================================================

Several rules are one operation where version 2 has it: roles are joined, a head and a tail are
``keep_first`` with ``keep_last``. ``$.``, ``context.`` and ``state.`` in front are the same path.
Everything else needs a decision: other sources and targets, transforms, what would be a second
operation (which is a second node).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from pydantic import JsonValue, TypeAdapter

from conversations.domain.configs import is_version_1 as is_version_1
from conversations.domain.configs import read_operation
from conversations.domain.configs import refusal as refusal
from conversations.domain.message import CountsAs
from ctxadmin.lib.contract import Contract, parse

MigrationResult = Literal["converted", "dropped", "decision"]
Block = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class RuleReport:
    """The result for one rule (its number from 0, None for the config as a whole).

    ``converted``: the new config does it; ``dropped``: it did nothing, so it is omitted;
    ``decision``: the new config does not do it, and a person has to decide.
    """

    rule: int | None
    result: MigrationResult
    message: str

    def as_json(self) -> dict[str, object]:
        return {"rule": self.rule, "result": self.result, "message": self.message}


class _OldRule(Contract):
    source_path: str
    target_path: str
    transform: JsonValue = None


class _OldConfig(Contract):
    processor_type: Literal["transform", "filter", "merge", "split"]
    rules: list[_OldRule]
    version: Literal[1] | None = None


@dataclass(frozen=True, slots=True)
class _Equivalent:
    """The operation that is equivalent to a rule."""

    operation: Literal["truncate", "filter"]
    block: Block


_OLD: Final = TypeAdapter(_OldConfig)
_PREFIX: Final = re.compile(r"^(\$\.|context\.|state\.)+")
_SLICE: Final = re.compile(r"messages\[\s*(-?\d{0,9})\s*:\s*(-?\d{0,9})\s*\]")
_INDEX: Final = re.compile(r"messages\[\s*(-?\d{1,9})\s*\]")
_ROLE: Final = re.compile(
    r"messages\[\s*(?:\?\s*\(?\s*@\.)?\??\s*role\s*={1,3}\s*(['\"]?)([a-z]+)\1\s*\)?\s*\]"
)


def migrate(
    data: JsonValue, pointer: str = ""
) -> tuple[dict[str, JsonValue] | None, tuple[RuleReport, ...]]:
    """Returns the version-2 config for ``data`` (None without any equivalent), and a report per
    rule.

    While a report says ``decision``, the config does less than the old one did. A config of version
    2 is returned unchanged. Raises ValidationFailed with pointers under ``pointer``. Source:
    semantics 1.13.
    """
    if not is_version_1(data):
        read_operation(data, pointer)
        return (data if isinstance(data, dict) else None), ()
    old = parse(_OLD, data, pointer)
    report: list[RuleReport] = []
    found: _Equivalent | None = None
    for number, rule in enumerate(old.rules):
        result = _equivalent(rule)
        if not isinstance(result, _Equivalent):
            report.append(RuleReport(number, *result))
            continue
        united = result if found is None else _united(found, result)
        if united is None:
            report.append(RuleReport(number, "decision", _SECOND))
            continue
        found = united
        report.append(RuleReport(number, "converted", _description_of(result)))
    if not old.rules:
        report.append(RuleReport(None, "decision", "there are no rules, so the meaning is unclear"))
    if found is None:
        return None, tuple(report)
    config: dict[str, JsonValue] = {
        "version": 2,
        "operation": found.operation,
        found.operation: found.block,
    }
    read_operation(config)
    return config, tuple(report)


def needs_decision(report: Sequence[RuleReport]) -> bool:
    """Returns True if a rule was not converted."""
    return any(line.result == "decision" for line in report)


_SECOND: Final = (
    "a node has one operation, and this would be a second: put it into a context-processor node "
    "after this one, or leave it out"
)


def _equivalent(rule: _OldRule) -> _Equivalent | tuple[MigrationResult, str]:
    source, target = _PREFIX.sub("", rule.source_path), _PREFIX.sub("", rule.target_path)
    if rule.transform is not None:
        return "decision", (
            "version 2 does not rewrite messages: use replace for a fixed text, or a transform in "
            "the context filter of the node that reads it"
        )
    if target != "messages":
        return "decision", (
            f"{rule.target_path!r} is not the messages: a context processor writes nothing else; "
            "let the node that needs it filter its context"
        )
    if source == "messages":
        return "dropped", "it copied the messages to themselves"
    if not source.startswith("messages"):
        return "decision", (
            f"{rule.source_path!r} is not the messages: insert takes fixed messages, so let the "
            "engine append what comes from elsewhere"
        )
    block = _truncation(source)
    if block:
        return _Equivalent("truncate", block)
    role = _ROLE.fullmatch(source)
    if role and role[2] in get_args(CountsAs):
        return _Equivalent("filter", {"roles": [role[2]]})
    return "decision", f"the path {rule.source_path!r} has no equivalent"


def _truncation(source: str) -> Block | None:
    index = _INDEX.fullmatch(source)
    if index:
        place = int(index[1])
        if place == -1:
            return {"keep_last": 1}
        return {"range": {"start": place, "end": place + 1}} if place >= 0 else None
    cut = _SLICE.fullmatch(source)
    if not cut or "-" in (cut[1], cut[2]):
        return None
    start, end = (int(text) if text else None for text in cut.groups())
    if start is None or end is None:
        return _open_slice(start, end)
    if start >= 0 and end >= 0:
        return {"range": {"start": start, "end": end}} if start < end else {"keep_first": 0}
    return {"remove_first": start, "remove_last": -end} if start >= 0 else None


def _open_slice(start: int | None, end: int | None) -> Block | None:
    """Returns ``[start:]`` or ``[:end]``; ``[:]`` is the list itself, which keeps all."""
    if start is not None:
        return {"remove_first": start} if start >= 0 else {"keep_last": -start}
    if end is not None:
        return {"keep_first": end} if end >= 0 else {"remove_last": -end}
    return {"remove_first": 0}


def _united(first: _Equivalent, second: _Equivalent) -> _Equivalent | None:
    """Returns both as one operation, None if version 2 has none."""
    if first.operation != second.operation:
        return None
    if first.operation == "filter":
        roles = [first.block["roles"], second.block["roles"]]
        joined = [role for each in roles if isinstance(each, list) for role in each]
        return _Equivalent("filter", {"roles": list(dict.fromkeys(joined))})
    if {*first.block, *second.block} == {"keep_first", "keep_last"} and len(first.block) == 1:
        return _Equivalent("truncate", {**first.block, **second.block})
    return None


def _description_of(found: _Equivalent) -> str:
    what = ", ".join(f"{name}: {value}" for name, value in found.block.items())
    return f"it is {found.operation} with {what}"
