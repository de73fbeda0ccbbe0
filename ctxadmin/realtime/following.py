"""How a client follows an object: applies the next change, ignores old ones, refetches after
gaps.

``frontend/src/live/model.ts`` has the same rules; a test compares both.
"""

from ctxadmin.realtime.protocol import Change, State


def next_state(state: State, change: Change) -> State | None:
    """Returns the state after a change; None if changes between the two were missed."""
    if change.seq <= state.seq:
        return state
    if change.seq != state.seq + 1:
        return None
    return change.apply_to(state)
