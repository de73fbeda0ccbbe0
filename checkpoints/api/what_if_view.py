"""The endpoint that tries a changed workflow on recorded executions; nothing is stored."""

from collections import Counter
from typing import Annotated, ClassVar, Self

from pydantic import Field, JsonValue, model_validator
from rest_framework.request import Request
from rest_framework.response import Response

from checkpoints.what_if import (
    MAX_EXECUTIONS,
    TriedExecution,
    TriedInput,
    WhatIf,
    last_executions,
    named_executions,
    what_if,
)
from ctxadmin.http.described import Answer, described
from ctxadmin.http.endpoint import Endpoint
from ctxadmin.identity.roles import Action
from ctxadmin.lib import clock
from ctxadmin.lib.contract import Contract
from workflows.domain.graph import Document
from workflows.domain.plan import Plan
from workflows.domain.what_if import ChangeKind


class WhatIfAsked(Contract):
    """``POST /workflows/{slug}/what-if``: the given executions, or the latest ones.

    Executions are given by their ids, as in a snapshot.
    """

    document: Document
    executions: (
        Annotated[
            list[Annotated[str, Field(max_length=64)]],
            Field(min_length=1, max_length=MAX_EXECUTIONS),
        ]
        | None
    ) = None
    last: Annotated[int, Field(ge=1, le=MAX_EXECUTIONS)] | None = None

    @model_validator(mode="after")
    def _one_choice(self) -> Self:
        if (self.executions is None) == (self.last is None):
            raise ValueError("name executions, or how many of the last")
        return self


class InputChangeAnswer(Answer):
    """A name or message that would be gone, new or different, and by which rule."""

    section: str
    kind: ChangeKind
    name: str | None = None
    index: int | None = None
    step: str | int | None = None
    filter: int | None = None
    rule: int | None = None
    reason: str | None = None


class TriedInputAnswer(Answer):
    """A node whose input would change, with the version that it wrote.

    ``tokens`` are those of its messages, before and after. ``gone_edges`` led to it then and do not
    now. ``problem`` says what it would lack, or why nothing can be compared.
    """

    version: int
    node_id: str
    changes: list[InputChangeAnswer]
    more_changes: int
    gone_edges: list[str]
    tokens_before: int
    tokens_after: int
    problem: str | None

    @classmethod
    def of(cls, tried: TriedInput) -> Self:
        changes: list[dict[str, JsonValue]] = [each.as_json() for each in tried.changes]
        return cls(
            version=tried.version,
            node_id=tried.node_id,
            changes=[InputChangeAnswer.model_validate(each) for each in changes],
            more_changes=tried.more,
            gone_edges=list(tried.gone_edges),
            tokens_before=tried.tokens_before,
            tokens_after=tried.tokens_after,
            problem=tried.problem or None,
        )


class TriedExecutionAnswer(Answer):
    """One execution: how many inputs were compared, and those that would change.

    ``thinned`` counts inputs whose state was removed. ``complete`` is false after a timeout.
    """

    conversation_id: str
    execution: str
    workflow_version: int | None
    status: str
    created_at: str
    inputs: int
    thinned: int
    complete: bool
    nodes: list[TriedInputAnswer]

    @classmethod
    def of(cls, tried: TriedExecution) -> Self:
        row = tried.recorded.row
        return cls(
            conversation_id=tried.recorded.head.public_id,
            execution=row.public_id,
            workflow_version=row.workflow_version,
            status=row.status,
            created_at=clock.iso(row.created_at),
            inputs=tried.inputs.total(),
            thinned=tried.thinned,
            complete=tried.complete,
            nodes=[TriedInputAnswer.of(each) for each in tried.changed],
        )


class NodeSumAnswer(Answer):
    """How many inputs of a node were compared, and how many would change."""

    node_id: str
    inputs: int
    changed: int


class WhatIfAnswer(Answer):
    """What would change. ``left`` are executions that were not reached in time: call again."""

    executions: list[TriedExecutionAnswer]
    nodes: list[NodeSumAnswer]
    left: list[str]

    @classmethod
    def of(cls, found: WhatIf) -> Self:
        inputs: Counter[str] = Counter()
        changed: Counter[str] = Counter()
        for tried in found.tried:
            inputs += tried.inputs
            changed.update(each.node_id for each in tried.changed)
        nodes = [
            NodeSumAnswer(node_id=name, inputs=count, changed=changed[name])
            for name, count in inputs.items()
        ]
        executions = [TriedExecutionAnswer.of(each) for each in found.tried]
        return cls(executions=executions, nodes=nodes, left=list(found.left))


class TryWhatIf(Endpoint):
    keep_answers: ClassVar[bool] = False  # nothing is written

    @described(
        "Try a change on recorded executions",
        body=WhatIfAsked,
        answer=WhatIfAnswer,
        needs=Action.PREVIEW,
    )
    def post(self, request: Request, slug: str) -> Response:
        """What each completed node would lose, gain or see differently with this document.

        Only inputs that change are listed. A call takes about five seconds at most; executions
        that it did not reach are in `left`.
        """
        self.actor.require(Action.PREVIEW)
        body = self.body(WhatIfAsked)
        if body.executions is not None:
            recorded = named_executions(self.actor, slug, body.executions)
        else:
            recorded = last_executions(self.actor, slug, body.last or 1)
        return WhatIfAnswer.of(what_if(self.actor, Plan(body.document), recorded)).response()
