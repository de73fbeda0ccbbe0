"""The request body of ``enter``; those of writes are in ``checkpoints.domain.commands``."""

from typing import Annotated

from pydantic import Field

from ctxadmin.lib.contract import Contract
from workflows.domain.document.graph import ElementId


class Known(Contract):
    """`revision` and `count` of the answer when the engine last entered the same node."""

    revision: Annotated[int, Field(ge=0, lt=2**31)] = Field(
        description="`revision` of the earlier answer.", examples=[3]
    )
    count: Annotated[int, Field(ge=0, lt=2**31)] = Field(
        description="`count` of the earlier answer.", examples=[12]
    )


class EnterNode(Contract):
    """``POST nodes/{node_id}/enter``: the incoming edges; by default those that are ready.

    With ``known`` the answer has only the messages added since.
    """

    edges: Annotated[list[ElementId], Field(max_length=1000)] | None = Field(
        None,
        description="Ids of the edges to enter along; by default the ready ones.",
        examples=[["to-review"]],
    )
    explain: bool = Field(False, description="Whether to explain which rule decided what.")
    known: Known | None = Field(
        None, description="What the engine has; the answer then leaves it out."
    )
