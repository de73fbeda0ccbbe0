"""The figures of the visible messages for conditions: tokens, messages, turns, last role."""

from collections.abc import Collection, Mapping
from typing import Final

from pydantic import JsonValue

from conversations.domain import runs as run_sets
from conversations.domain.log import Log
from conversations.domain.message import CountsAs
from conversations.domain.view import View
from workflows.domain.conditions.condition import figure_key
from workflows.domain.context.prompt_context import Messages

_USERS: Final[frozenset[CountsAs]] = frozenset({"user"})


def add_figures(
    metadata: Mapping[str, JsonValue], figures: Mapping[str, JsonValue]
) -> Mapping[str, JsonValue]:
    """Returns metadata with the figures that a condition can read as ``context.tokens``."""
    if not figures:
        return metadata
    return {**metadata, **{figure_key(name): value for name, value in figures.items()}}


def figures_of(
    wanted: Collection[str], view: View, log: Log, tokens: int | None = None
) -> dict[str, JsonValue]:
    """Returns the ``wanted`` figures of a view; ``tokens`` of the view if they are known.

    Turns cost a lookup of the user messages, unknown tokens the weights of the view; no body is
    read.
    """
    found: dict[str, JsonValue] = {}
    if "tokens" in wanted:
        weights = log.weights(view.indices_as_runs()) if tokens is None else ()
        found["tokens"] = sum(weight.tokens for weight in weights) if tokens is None else tokens
    if "messages" in wanted:
        found["messages"] = len(view)
    if "turns" in wanted:
        found["turns"] = run_sets.count(log.with_roles(_USERS, view.indices_as_runs()))
    if "last_role" in wanted:
        found["last_role"] = _last_role(view, log)
    return found


def _last_role(view: View, log: Log) -> str | None:
    if not view:
        return None
    last = view.index_at(len(view) - 1)
    (weight,) = log.weights(((last, last + 1),))
    return weight.counts_as


def figures_seen(wanted: Collection[str], messages: Messages) -> dict[str, JsonValue]:
    """Returns the figures of a filter's input messages; tokens without emptied contents."""
    if not wanted:
        return {}
    found = figures_of(wanted, messages.view, messages.log)
    if "tokens" in wanted:
        gone = (size for index, size in messages.freed().items() if index in messages.view)
        found["tokens"] = int(str(found["tokens"])) - sum(gone)
    return found
