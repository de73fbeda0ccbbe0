"""The request bodies that move, restore and fork executions."""

from typing import Annotated

from pydantic import Field

from checkpoints.domain.commands import MAX_TITLE, CheckpointId, NodeId, Reason, Version
from ctxadmin.lib.contract import Contract

ExpectedRevision = Annotated[
    Annotated[int, Field(ge=0)] | None,
    Field(
        description="The revision of the messages that you read; another one now is"
        " `version_conflict`.",
        examples=[3],
    ),
]

ExpectedCount = Annotated[
    Annotated[int, Field(ge=0)] | None,
    Field(
        description="How many messages you saw; another number now is `version_conflict`.",
        examples=[42],
    ),
]


class _SeenState(Contract):
    """The reason of a change, and what its writer saw of state and view."""

    reason: Reason | None = Field(
        None,
        description="Why it was done, in the author's words.",
        examples=["The date was wrong."],
    )
    expected_version: Version | None = Field(
        None,
        description="The version that you read; another one now is `version_conflict`.",
        examples=[13],
    )
    expected_revision: ExpectedRevision = None
    expected_count: ExpectedCount = None


class MoveExecution(_SeenState):
    """``POST pause``, ``resume``, ``cancel``, ``approve`` and ``reject``."""

    node_id: NodeId | None = Field(
        None, description="Node at which it must be paused, to be sure.", examples=["draft"]
    )
    from_node: NodeId | None = Field(
        None, description="Node from which to resume instead.", examples=["draft"]
    )


class RestoreCheckpoint(_SeenState):
    """``POST checkpoints/{version}/restore``."""


class ForkCheckpoint(Contract):
    """``POST checkpoints/{version}/fork``: the new conversation's id and title."""

    id: CheckpointId | None = Field(
        None,
        description="Id of the new conversation; by default one is made.",
        examples=["support-42-b"],
    )
    title: Annotated[str, Field(max_length=MAX_TITLE)] | None = Field(
        None, description="Title of the new conversation.", examples=["Lost parcel"]
    )
