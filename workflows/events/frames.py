"""The frames that tell pages about a workflow: its state, and its changes."""

from typing import Literal

from ctxadmin.realtime.protocol import Change, State


class WorkflowState(State):
    """The state of a workflow."""

    kind: Literal["workflow"] = "workflow"
    draft_version: int
    published_version: int | None

    def as_change(self) -> "DraftChanged":
        return DraftChanged(
            id=self.id,
            seq=self.seq,
            what="seen",
            who=None,
            draft_version=self.draft_version,
            published_version=self.published_version,
        )


class DraftChanged(Change):
    """A workflow changed: its draft, its published version or its description."""

    type: Literal["draft"] = "draft"
    draft_version: int
    published_version: int | None

    def apply_to(self, state: State) -> WorkflowState | None:
        if not isinstance(state, WorkflowState):
            return None
        return WorkflowState(
            id=state.id,
            seq=self.seq,
            draft_version=self.draft_version,
            published_version=self.published_version,
        )
