"""The law of live pages: a snapshot and the events after it are the fresh snapshot."""

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest
import quickjs
from hypothesis import given
from hypothesis import strategies as st

from checkpoints.events.frames import (
    MOST_KEYS,
    ConversationChanged,
    ConversationState,
    shorten_keys,
)
from ctxadmin.realtime.following import next_state
from ctxadmin.realtime.protocol import AnnouncedFrame, State, Who
from tests.servers import ROOT
from workflows.events.frames import DraftChanged, WorkflowState

Follow = Callable[[State, AnnouncedFrame], State | None]
WHO = Who(kind="person", id="1", name="Ada")


def _in_the_browser() -> Follow:
    context = quickjs.Context()
    context.eval((ROOT / "tests/assets/build/live.js").read_text())
    context.eval(
        "var told = (a, b) => JSON.stringify(island.follow(JSON.parse(a), JSON.parse(b)));"
    )
    told = context.get("told")

    def followed(state: State, frame: AnnouncedFrame) -> State | None:
        found: Any = json.loads(told(state.model_dump_json(), frame.model_dump_json()))
        return None if found is None else type(state).model_validate(found)

    return followed


@pytest.fixture(params=["server", "browser"], scope="module")
def follows(request: pytest.FixtureRequest) -> Follow:
    server: Follow = next_state  # type: ignore[assignment]  # which is never asked about what is gone
    return server if request.param == "server" else _in_the_browser()


changes = st.lists(
    st.fixed_dictionaries(
        {
            "status": st.sampled_from(["IDLE", "RUNNING", "PAUSED", "FAILED"]),
            "writes": st.booleans(),
            "again": st.booleans(),
            "count": st.integers(0, 9),
            "revision": st.integers(0, 3),
        }
    ),
    max_size=12,
)


def history(
    made: list[dict[str, Any]],
) -> tuple[list[ConversationState], list[ConversationChanged]]:
    """The state after each change, and the messages about it."""
    now = ConversationState(
        id="one", seq=1, execution=None, version=0, status="IDLE", revision=0, count=0
    )
    states, frames = [now], []
    for each in made:
        writes = each["writes"]
        begins = now.execution is None or each["again"]
        execution = f"exec-{now.seq}" if begins else now.execution
        version = 0 if begins else now.version + 1
        fields = {name: each[name] for name in ("status", "count", "revision")}
        seq = now.seq + 1
        told = {"execution": execution, "version": version} if writes else {}
        frames.append(ConversationChanged(id="one", seq=seq, what="x", who=WHO, **fields, **told))
        now = now.model_copy(update={"seq": seq, **fields, **told})
        states.append(now)
    return states, frames


@given(made=changes, data=st.data())
def test_snapshot_and_events_are_the_fresh_snapshot(
    follows: Follow, made: list[dict[str, Any]], data: st.DataObject
) -> None:
    """Whatever is dropped, doubled or out of order, a client shows what was true at some time."""
    states, frames = history(made)
    arriving = data.draw(st.lists(st.sampled_from(frames), max_size=30)) if frames else []
    at = data.draw(st.integers(0, len(states) - 1))
    shown: State = states[at]
    heard = 0
    for frame in arriving:
        heard = max(heard, frame.seq)
        after = follows(shown, frame)
        # A gap is fetched again: by then any later change may have been made, too.
        fetched = st.integers(heard - 1, len(states) - 1)
        shown = states[data.draw(fetched)] if after is None else after
        assert shown == states[shown.seq - 1]
        assert shown.seq >= heard


@given(made=changes)
def test_without_losses_nothing_is_fetched_again(
    follows: Follow, made: list[dict[str, Any]]
) -> None:
    states, frames = history(made)
    shown: State | None = states[0]
    for frame, true in zip(frames, states[1:], strict=True):
        assert shown is not None
        shown = follows(shown, frame)
        assert shown == true


@given(made=changes)
def test_what_was_found_by_looking_is_a_frame_like_others(
    follows: Follow, made: list[dict[str, Any]]
) -> None:
    states, _ = history(made)
    for before, true in itertools.pairwise(states):
        assert follows(before, true.as_change()) == true


def test_a_workflow_is_followed_by_its_drafts(follows: Follow) -> None:
    state = WorkflowState(id="flow", seq=3, draft_version=2, published_version=None)
    frame = DraftChanged(
        id="flow", seq=4, what="draft", who=WHO, draft_version=3, published_version=1
    )
    assert follows(state, frame) == WorkflowState(
        id="flow", seq=4, draft_version=3, published_version=1
    )
    assert follows(state, frame.model_copy(update={"seq": 5})) is None
    assert follows(state, frame.model_copy(update={"seq": 3})) == state


def test_a_frame_names_so_many_keys_and_no_long_ones() -> None:
    assert shorten_keys(["a", "b", "a"]) == (("a", "b"), False)
    assert shorten_keys(["a", "x" * 200]) == (("a",), True)
    short, more = shorten_keys(f"key-{number}" for number in range(MOST_KEYS + 1))
    assert (len(short), more) == (MOST_KEYS, True)
