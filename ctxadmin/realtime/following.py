"""How a client follows: the next change is applied, an old one ignored, a gap fetched again.

The same rules stand in ``static/js/live.js``; a test holds both against each other.
"""

from ctxadmin.realtime.protocol import (
    Changed,
    ConversationState,
    DraftChanged,
    State,
    WorkflowState,
)


def follow(state: State, frame: Changed | DraftChanged) -> State | None:
    """The state after a frame; None if changes between the two were missed."""
    if frame.seq <= state.seq:
        return state
    if frame.seq != state.seq + 1:
        return None
    if isinstance(frame, Changed) and isinstance(state, ConversationState):
        return ConversationState(
            id=state.id,
            seq=frame.seq,
            execution=state.execution if frame.execution is None else frame.execution,
            version=state.version if frame.version is None else frame.version,
            status=frame.status,
            revision=frame.revision,
            count=frame.count,
        )
    if isinstance(frame, DraftChanged) and isinstance(state, WorkflowState):
        return WorkflowState(
            id=state.id,
            seq=frame.seq,
            draft_version=frame.draft_version,
            published_version=frame.published_version,
        )
    return None


def as_frame(state: State) -> Changed | DraftChanged:
    """What is told of a change that was found by looking."""
    if isinstance(state, WorkflowState):
        return DraftChanged(
            id=state.id,
            seq=state.seq,
            what="seen",
            who=None,
            draft_version=state.draft_version,
            published_version=state.published_version,
        )
    return Changed(
        id=state.id,
        seq=state.seq,
        what="seen",
        who=None,
        status=state.status,
        revision=state.revision,
        count=state.count,
        execution=state.execution,
        version=state.version,
    )
