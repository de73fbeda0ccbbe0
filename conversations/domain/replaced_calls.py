"""The calls that a new message has from the message that it replaces, and their results."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

import orjson

from conversations.domain import runs as run_sets
from conversations.domain.log import Log, ToolGroup
from conversations.domain.message import MessageDraft, read_logged
from conversations.domain.pairing import Pairing
from conversations.domain.view import View
from conversations.domain.view_steps import ViewStep

_ALONE: Final = ToolGroup(-1, ())


def with_calls_paired(step: ViewStep, pairing: Pairing, log: Log) -> ViewStep:
    """Returns the step of a replace whose calls come with their results, or go with them.

    Results belong to the call that they were logged for. ``keep`` logs them again behind the new
    message, ``drop`` takes the calls out of it. Calls that still wait for their results stay.
    Source: semantics 1.8.
    """
    former = step.instead_of
    if former is None or pairing == "warn" or not step.drafts[0].call_ids:
        return step
    kept = _calls_in(former, log).intersection(step.drafts[0].call_ids)
    group = _group_of(former, log)
    if not kept or (group.pending and not group.results):
        return step
    if pairing == "drop":
        return _without_calls(step, kept, log)
    return _with_results(step, group.results, kept, log)


def _calls_in(index: int, log: Log) -> frozenset[str]:
    """Returns the ids of the calls of a logged message."""
    ((_, body),) = log.bodies(((index, index + 1),))
    calls = orjson.loads(body).get("tool_calls") or ()
    return frozenset(call["id"] for call in calls)


def _group_of(call: int, log: Log) -> ToolGroup:
    return next((each for each in log.tool_groups([call + 1]) if each.call == call), _ALONE)


def _without_calls(step: ViewStep, gone: Collection[str], log: Log) -> ViewStep:
    """Returns the step with a message that only says its text; without any it is not shown."""
    draft = step.drafts[0]
    body = orjson.loads(draft.body)
    left = [call for call in body.pop("tool_calls") if call["id"] not in gone]
    if left:
        body["tool_calls"] = left
    elif not body.get("content"):
        return replace(step, view=step.view.without(((len(log), len(log) + 1),)))
    said = replace(
        read_logged(body),
        message_id=draft.message_id,
        node_id=draft.node_id,
        pinned=draft.pinned,
    )
    return replace(step, drafts=(said,))


def _with_results(
    step: ViewStep, results: Sequence[int], kept: Collection[str], log: Log
) -> ViewStep:
    """Returns the step with the results of the kept calls directly behind the new message."""
    runs = run_sets.of_indices(results)
    nodes = {origin.index: origin.node_id for origin in log.origins(runs)}
    again: list[MessageDraft] = []
    for index, body in log.bodies(runs):
        draft = read_logged(orjson.loads(body))
        if draft.answers in kept:
            again.append(replace(draft, node_id=nodes[index] or None))
    new = len(log)
    rest = step.view.without(runs)
    behind = (rest.position_of(new) or 0) + 1
    return replace(
        step,
        view=rest.insert(behind, View(((new + 1, new + 1 + len(again)),))) if again else rest,
        drafts=(*step.drafts, *again),
        pointers=step.pointers * (1 + len(again)),
    )
