"""The request body of ``enter``; those of writes stand in ``checkpoints.domain.commands``."""

from typing import Annotated

from pydantic import Field

from ctxadmin.lib.contract import Contract
from workflows.domain.graph import ElementId


class EnterNode(Contract):
    """``POST nodes/{node_id}/enter``: the incoming edges; by default those that are ready."""

    edges: Annotated[list[ElementId], Field(max_length=1000)] | None = None
    explain: bool = False
