"""The endpoint that tries a changed workflow on recorded executions. Nothing is stored."""

from collections import Counter
from typing import Annotated, ClassVar, Self

from pydantic import Field, JsonValue, model_validator
from rest_framework.request import Request
from rest_framework.response import Response

from checkpoints.contexts.what_if import (
    MAX_EXECUTIONS,
    ReplayedExecution,
    ReplayedInput,
    WhatIf,
    last_executions,
    named_executions,
    what_if,
)
from ctxadmin.http.described import Answer, FromOne, FromZero, Time, described
from ctxadmin.http.endpoints.endpoint import Endpoint
from ctxadmin.identity.roles import Action
from ctxadmin.lib import clock
from ctxadmin.lib.contract import Contract
from ctxadmin.lib.sentence import say
from workflows.domain.document.graph import Document
from workflows.domain.running.plan import Plan
from workflows.domain.running.what_if import ChangeKind


class WhatIfAsked(Contract):
    """``POST /workflows/{slug}/what-if``: the given executions, or the latest ones.

    Executions are given by their ids, as in a snapshot.
    """

    document: Document = Field(description="The workflow document.")
    executions: (
        Annotated[
            list[Annotated[str, Field(max_length=64)]],
            Field(min_length=1, max_length=MAX_EXECUTIONS),
        ]
        | None
    ) = Field(
        None, description="Ids of the executions to replay.", examples=[["exec_7q2m4x8k1n5p9r3t"]]
    )
    last: Annotated[int, Field(ge=1, le=MAX_EXECUTIONS)] | None = Field(
        None, description="Replay this many of the latest executions.", examples=[20]
    )

    @model_validator(mode="after")
    def _one_choice(self) -> Self:
        if (self.executions is None) == (self.last is None):
            raise ValueError(say("send executions, or how many of the latest ones"))
        return self


class InputChangeAnswer(Answer):
    """A variable or message that would be removed, added or different, and the rule that does
    it.
    """

    section: str = Field(
        description="Section of the context: variables, history, metadata or messages.",
        examples=["variables"],
    )
    kind: ChangeKind = Field(description="Whether it would be lost, gained or changed.")
    name: str | None = Field(
        None, description="Name, in the sections of names.", examples=["draft"]
    )
    index: FromZero | None = Field(None, description="Log index, of a message.", examples=[8])
    step: str | FromZero | None = Field(
        None, description="Step of the filters: a name, or a number from 0.", examples=["filter"]
    )
    filter: FromZero | None = Field(
        None, description="Number of the filter in its step, from 0.", examples=[0]
    )
    rule: FromZero | None = Field(
        None, description="Number of the rule in its filter, from 0.", examples=[0]
    )
    reason: str | None = Field(
        None,
        description="Why the rule decided so.",
        examples=["no rule matches it, the default is pass"],
    )


class TriedInputAnswer(Answer):
    """A node whose context would change, with the version that it wrote.

    ``tokens`` are those of its messages, before and after. ``gone_edges`` led to it then and no
    longer do. ``problem`` says what the node would lack, or why it cannot be compared.
    """

    version: FromZero = Field(description="Version that the node wrote.", examples=[13])
    node_id: str = Field(description="Id of the node.", examples=["draft"])
    changes: list[InputChangeAnswer] = Field(description="What the node would see differently.")
    more_changes: FromZero = Field(
        description="Number of changes that are not listed.", examples=[0]
    )
    gone_edges: list[str] = Field(
        description="Ids of edges that no longer lead to the node.", examples=[["to-review"]]
    )
    tokens_before: FromZero = Field(description="Tokens of its messages then.", examples=[2400])
    tokens_after: FromZero = Field(
        description="Tokens of its messages with this document.", examples=[900]
    )
    problem: str | None = Field(
        description="What it would lack, or why nothing can be compared.",
        examples=["The context lacks draft."],
    )

    @classmethod
    def of(cls, tried: ReplayedInput) -> Self:
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
    """One execution: the number of compared contexts, and those that would change.

    ``thinned`` counts contexts whose state was removed. ``complete`` is false after a timeout.
    """

    conversation_id: str = Field(description="Id of the conversation.", examples=["support-42"])
    execution: str = Field(description="Id of the execution.", examples=["exec_7q2m4x8k1n5p9r3t"])
    workflow_version: FromOne | None = Field(
        description="Version of the workflow that ran.", examples=[1]
    )
    status: str = Field(description="Status of the execution.", examples=["RUNNING"])
    created_at: Time = Field(description="When it was created (ISO 8601, UTC).")
    inputs: FromZero = Field(description="Number of compared inputs.", examples=[6])
    thinned: FromZero = Field(description="Number of inputs whose state was removed.", examples=[0])
    complete: bool = Field(description="False if the time ended before all was compared.")
    nodes: list[TriedInputAnswer] = Field(description="The inputs that would change.")

    @classmethod
    def of(cls, tried: ReplayedExecution) -> Self:
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
    """The number of contexts of a node that were compared, and of those that would change."""

    node_id: str = Field(description="Id of the node.", examples=["draft"])
    inputs: FromZero = Field(description="Number of compared inputs.", examples=[6])
    changed: FromZero = Field(description="Number of inputs that would change.", examples=[2])


class WhatIfAnswer(Answer):
    """The changes. ``left`` are executions that were not reached in time: call again with them."""

    executions: list[TriedExecutionAnswer] = Field(description="Each replayed execution.")
    nodes: list[NodeSumAnswer] = Field(description="Sums for each node.")
    left: list[str] = Field(
        description="Ids of executions that were not reached: call again.",
        examples=[["exec_7q2m4x8k1n5p9r3t"]],
    )

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
        """Tries this document: what each completed node would lose, gain or see differently.

        Only contexts that change are listed. A call takes about five seconds at most; executions
        that it did not reach are in `left`.
        """
        self.actor.require(Action.PREVIEW)
        body = self.body(WhatIfAsked)
        if body.executions is not None:
            recorded = named_executions(self.actor, slug, body.executions)
        else:
            recorded = last_executions(self.actor, slug, body.last or 1)
        return WhatIfAnswer.of(what_if(self.actor, Plan(body.document), recorded)).response()
