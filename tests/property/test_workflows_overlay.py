"""The law of an overlay: it answers as a log does in which its messages are logged."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from conversations.domain.log import Log
from conversations.domain.memory import MemoryLog
from conversations.domain.message import CountsAs, MessageDraft, read_message
from conversations.domain.pairing import place_drafts
from workflows.domain.context.overlay_log import OverlayLog

CALLS = ["c1", "c2", "c3"]
ROLES: list[CountsAs] = ["system", "user", "assistant", "tool"]


def _message(kind: str, call_ids: list[str], number: int) -> MessageDraft:
    data: dict[str, JsonValue] = {"role": kind, "content": f"text {number}", "id": f"m{number}"}
    if kind == "calls":
        calls: JsonValue = [{"id": each} for each in dict.fromkeys(call_ids)]
        data |= {"role": "assistant", "content": None, "tool_calls": calls}
    elif kind == "tool":
        data["tool_call_id"] = call_ids[0]
    elif kind == "tools":
        data |= {"role": "system", "tool_description": True}
    return read_message(data)


kinds = st.sampled_from(["system", "user", "assistant", "calls", "tool", "tools", "developer"])
call_ids = st.lists(st.sampled_from(CALLS), min_size=1, max_size=2)
messages = st.lists(st.tuples(kinds, call_ids), max_size=12)
drafts = messages.map(
    lambda each: [_message(kind, ids, number) for number, (kind, ids) in enumerate(each)]
)


def _both(given_drafts: Sequence[MessageDraft], parts: Sequence[int]) -> tuple[Log, Log]:
    """The messages all logged, and the same with the later parts laid over the first."""
    logged = MemoryLog(given_drafts)
    laid: Log = MemoryLog(given_drafts[: parts[0]])
    for start, stop in zip(parts, [*parts[1:], len(given_drafts)], strict=True):
        laid = OverlayLog(laid, place_drafts(given_drafts[start:stop], laid))
    return logged, laid


@st.composite
def logs(draw: st.DrawFn) -> tuple[Log, Log]:
    given_drafts = draw(drafts)
    count = len(given_drafts)
    return _both(
        given_drafts, sorted(draw(st.lists(st.integers(0, count), min_size=1, max_size=3)))
    )


@given(logs(), st.integers(0, 12), st.integers(0, 12))
def test_an_overlay_answers_as_if_its_messages_were_logged(
    both: tuple[Log, Log], start: int, length: int
) -> None:
    logged, laid = both
    assert len(laid) == len(logged)
    runs = ((0, min(2, len(logged))), (start, min(start + length, len(logged))))
    ascending = tuple(run for run in runs if run[0] < run[1])
    if len(ascending) == 2 and start <= 2:
        ascending = ascending[1:]
    for role in ROLES:
        only = frozenset({role})
        assert laid.with_roles(only, ascending) == logged.with_roles(only, ascending)
    assert list(laid.texts(ascending)) == list(logged.texts(ascending))
    assert laid.orphans(ascending) == logged.orphans(ascending)
    assert list(laid.tool_descriptions()) == list(logged.tool_descriptions())
    assert set(laid.taken_ids(["m0", "m5", "zz"])) == set(logged.taken_ids(["m0", "m5", "zz"]))


def _groups(log: Log) -> dict[int, tuple[tuple[int, ...], int]]:
    every_cut = range(len(log) + 1)
    return {group.call: (group.results, group.unanswered) for group in log.tool_groups(every_cut)}


@given(logs())
def test_an_overlay_knows_calls_and_results_across_its_edge(both: tuple[Log, Log]) -> None:
    logged, laid = both
    assert _groups(laid) == _groups(logged)
    open_in_log = {(call.call_id, call.index) for call in logged.open_calls(CALLS)}
    assert {(call.call_id, call.index) for call in laid.open_calls(CALLS)} == open_in_log
