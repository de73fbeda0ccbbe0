"""Selects messages by origin: node, tool, metadata, age, size. Semantics 4.3."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

import orjson
from pydantic import JsonValue

from conversations.domain import runs as run_sets
from conversations.domain.message import CountsAs
from conversations.domain.runs import Runs
from conversations.domain.view import View
from ctxadmin.lib.wildcard import wildcard

if TYPE_CHECKING:
    from conversations.domain.configs import Age, FilterConfig
    from conversations.domain.log import Log

Body = Mapping[str, JsonValue]
_USERS: Final[frozenset[CountsAs]] = frozenset({"user"})


@dataclass(frozen=True, slots=True)
class Origin:
    """The metadata of a message in the log; ``created_at`` is None if it has no time."""

    index: int
    tokens: int
    node_id: str
    created_at: datetime | None
    call: int | None = None


def find_by_origin(config: "FilterConfig", view: View, log: "Log") -> Runs:
    """Returns the visible messages that match all criteria of ``config``, ascending.

    Reads bodies only for criteria on their content, and only those that the other criteria leave.
    """
    kept = view.indices_as_runs()
    if config.older_than is not None:
        kept = run_sets.intersection(kept, older_than(config.older_than, view, log))
    if config.newer_than is not None:
        older = older_than(config.newer_than, view, log)
        kept = run_sets.difference(kept, older)
    if config.nodes is not None or config.larger_than is not None:
        kept = run_sets.of_indices(
            each.index
            for each in log.origins(kept)
            if (config.nodes is None or each.node_id in config.nodes)
            and (config.larger_than is None or each.tokens > config.larger_than)
        )
    if config.tools is not None:
        kept = run_sets.of_indices(_of_tools(frozenset(config.tools), kept, log))
    if config.metadata is not None:
        wanted = {key: wildcard(pattern) for key, pattern in config.metadata.items()}
        kept = _by_body(kept, log, lambda body: _has_metadata(body, wanted))
    if config.has is not None:
        kept = _that_have(frozenset(config.has), kept, log)
    return kept


def older_than(age: "Age", view: View, log: "Log") -> Runs:
    """Returns the messages older than an age, which is measured from the end of the view."""
    if age.messages is not None:
        return view.slice(0, len(view) - age.messages).indices_as_runs()
    if age.turns is not None:
        users = run_sets.indices(log.with_roles(_USERS, view.indices_as_runs()))
        starts = sorted(place for each in users if (place := view.position_of(each)) is not None)
        if age.turns == 0:
            return view.indices_as_runs()
        return (
            view.slice(0, starts[-age.turns]).indices_as_runs() if age.turns <= len(starts) else ()
        )
    at = {each.index: each.created_at for each in log.origins(view.indices_as_runs())}
    newest = max((each for each in at.values() if each is not None), default=None)
    if newest is None:
        return ()
    since = newest - timedelta(minutes=age.minutes or 0)
    return run_sets.of_indices(index for index, each in at.items() if each and each < since)


def _of_tools(names: frozenset[str], kept: Runs, log: "Log") -> Iterator[int]:
    """Returns calls of these tools, and results of such calls."""
    calls = {each.index: each.call for each in log.origins(kept)}
    answered = sorted({call for call in calls.values() if call is not None})
    named = {
        index: dict(_tool_names(orjson.loads(body)))
        for index, body in log.bodies(run_sets.of_indices(answered))
    }
    for index, data in log.bodies(kept):
        body = orjson.loads(data)
        call = calls[index]
        if call is not None:
            called = named[call].get(str(body.get("tool_call_id")))
            if called in names:
                yield index
        elif not names.isdisjoint(name for _, name in _tool_names(body)):
            yield index


def _tool_names(body: Body) -> Iterator[tuple[str, str]]:
    """Returns the ids of a message's calls, and the names of their tools."""
    calls = body.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict):
            function = call.get("function")
            inner = function if isinstance(function, dict) else call
            yield str(call.get("id")), str(inner.get("name"))


def _has_metadata(body: Body, wanted: Mapping[str, Callable[[str], bool]]) -> bool:
    metadata = body.get("metadata")
    if not isinstance(metadata, dict):
        return False
    return all(key in metadata and fits(_as_text(metadata[key])) for key, fits in wanted.items())


def _as_text(value: JsonValue) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _that_have(parts: frozenset[str], kept: Runs, log: "Log") -> Runs:
    found: list[Runs] = []
    if "pinned" in parts:
        found.append(run_sets.intersection(kept, run_sets.of_indices(log.pins())))
    if "comment" in parts:
        found.append(run_sets.intersection(kept, run_sets.of_indices(log.commented_indices())))
    if not parts.isdisjoint(("tool_call", "image")):
        found.append(_by_body(kept, log, lambda body: _body_has(parts, body)))
    return run_sets.union(run for runs in found for run in runs)


def _body_has(parts: frozenset[str], body: Body) -> bool:
    if "tool_call" in parts and body.get("tool_calls"):
        return True
    content = body.get("content")
    return "image" in parts and any(
        isinstance(part, dict) and "image" in str(part.get("type"))
        for part in (content if isinstance(content, list) else ())
    )


def _by_body(kept: Runs, log: "Log", fits: Callable[[Body], bool]) -> Runs:
    return run_sets.of_indices(
        index for index, data in log.bodies(kept) if fits(orjson.loads(data))
    )
