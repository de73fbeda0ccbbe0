"""How a client follows: the next change is applied, an old one ignored, a gap fetched again.

The same rules stand in ``frontend/src/live/model.ts``; a test holds both against each other.
"""

from ctxadmin.realtime.protocol import Change, State


def follow(state: State, change: Change) -> State | None:
    """The state after a change; None if others between the two were missed."""
    if change.seq <= state.seq:
        return state
    if change.seq != state.seq + 1:
        return None
    return change.applied_to(state)
