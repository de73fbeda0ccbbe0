"""The endpoints of bulk actions: tried, started in the background, followed, cancelled."""

from collections.abc import Mapping
from typing import Final, Literal, Self

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from bulk import jobs, store
from bulk.api.bodies import SelectItems, StartBulkAction
from bulk.domain.rules import DryRun
from bulk.models import BulkItem, BulkJob
from bulk.store import BulkProblem
from ctxadmin.http.described import PAGE, Answer, FromZero, ListOf, Parameter, Time, described
from ctxadmin.http.endpoints.endpoint import Endpoint
from ctxadmin.http.endpoints.pagination import PageRequest, foreign_cursor, page_of
from ctxadmin.lib import clock
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say
from ctxadmin.lib.stored_sentence import read_sentence

Outcome = Literal["waiting", "done", "refused"]


class RefusalAnswer(Answer):
    """Items that an action refuses for one reason."""

    why: str = Field(description="Why they are refused.", examples=["It is not running."])
    count: FromZero = Field(description="How many.", examples=[3])


class BulkDryRunAnswer(Answer):
    """What a bulk action would do now."""

    total: FromZero = Field(description="Items that are selected.", examples=[15])
    changing: FromZero = Field(description="Of these, items that can be changed.", examples=[12])
    refused: list[RefusalAnswer] = Field(description="The others, the most frequent reason first.")

    @classmethod
    def of(cls, tried: DryRun) -> Self:
        refused = [RefusalAnswer(why=str(why), count=count) for why, count in tried.refused]
        return cls(total=tried.total, changing=tried.changing, refused=refused)


class BulkActionAnswer(Answer):
    """A bulk action; `done`, `cancelled` and `failed` are final."""

    id: str = Field(description="Id of the bulk action.", examples=["bulk_7q2m4x8k1n5p9r3t"])
    action: str = Field(description="What is done to each item.", examples=["archive"])
    status: Literal["queued", "running", "done", "cancelled", "failed"] = Field(
        description="Where it is."
    )
    total: FromZero = Field(description="Items that were selected.", examples=[15])
    done: FromZero = Field(description="Items that are changed.", examples=[12])
    refused: FromZero = Field(description="Items that were refused.", examples=[3])
    reason: str = Field(description="Reason that is recorded for each.", examples=["Old."])
    label: str = Field(description="Label that each gets; empty for others.", examples=[""])
    problem: str | None = Field(description="Why it failed.", examples=[None])
    author: str = Field(description="Who started it.", examples=["person:rita"])
    created_at: Time = Field(description="When it was started (ISO 8601, UTC).")
    ended_at: Time | None = Field(description="When it ended (ISO 8601, UTC).")

    @classmethod
    def of(cls, row: BulkJob) -> Self:
        return cls(
            id=row.public_id,
            action=row.action,
            status=BulkJob.Status(row.status).value,
            total=row.total,
            done=row.done,
            refused=row.refused,
            reason=row.reason,
            label=row.label,
            problem=str(BulkProblem(row.problem).sentence) if row.problem else None,
            author=row.author,
            created_at=clock.iso(row.created_at),
            ended_at=clock.iso(row.ended_at) if row.ended_at else None,
        )


class BulkActionsAnswer(ListOf[BulkActionAnswer]):
    """A page of bulk actions, latest first."""


class BulkItemAnswer(Answer):
    """What came of one item."""

    conversation_id: str = Field(description="Id of the conversation.", examples=["support-42"])
    execution: str | None = Field(
        description="Id of the execution that was selected; null for actions on conversations.",
        examples=["exec_7q2m4x8k1n5p9r3t"],
    )
    outcome: Outcome = Field(
        description="What came of it; `done` of a pause means that it is requested."
    )
    why: str | None = Field(description="Why it was refused.", examples=["It is not running."])

    @classmethod
    def of(cls, item: BulkItem) -> Self:
        why = bytes(item.why)
        return cls(
            conversation_id=item.public_id,
            execution=item.execution or None,
            outcome=_OUTCOMES[item.outcome],
            why=str(read_sentence(why)) if why else None,
        )


class BulkItemsAnswer(ListOf[BulkItemAnswer]):
    """A page of the items of a bulk action, in the order in which they are done."""


_OUTCOMES: Final[Mapping[str, Outcome]] = {
    BulkItem.Outcome.WAITING: "waiting",
    BulkItem.Outcome.DONE: "done",
    BulkItem.Outcome.REFUSED: "refused",
}
_WANTED: Final[Mapping[str, str]] = {name: outcome for outcome, name in _OUTCOMES.items()}


class BulkActions(Endpoint):
    @described("List bulk actions", answer=BulkActionsAnswer, query=PAGE)
    def get(self, request: Request) -> Response:
        """Those of the last 90 days."""
        asked = PageRequest.of(request.query_params)
        rows = store.jobs_before(self.actor.workspace, _number(asked), asked.limit + 1)
        part = page_of(rows, asked, lambda row: (row.key,))
        results = [BulkActionAnswer.of(row) for row in part.items]
        return BulkActionsAnswer(results=results, next=part.next).response()

    @described(
        "Start a bulk action",
        body=StartBulkAction,
        answer=BulkActionAnswer,
        status=201,
        errors=("invalid_state", "forbidden", "too_large"),
        answer_headers=("Location",),
    )
    def post(self, request: Request) -> Response:
        """It runs in the background, item by item, each with the rights of who started it.

        What is refused stops no other. A conversation that changes before its turn is refused, and
        so is an execution whose status changes. A workspace has at most 20 that are not done.
        """
        body = self.body(StartBulkAction)
        row = jobs.select_and_start(
            self.actor,
            body.bulk_action,
            body.selection,
            reason=body.reason.strip(),
            label=body.label,
            expected=body.expected_count,
        )
        location = f"/api/v1/bulk-actions/{row.public_id}"
        return BulkActionAnswer.of(row).response(201, {"Location": location})


class DryRunBulkAction(Endpoint):
    @described(
        "Try a bulk action",
        body=SelectItems,
        answer=BulkDryRunAnswer,
        errors=("forbidden", "too_large"),
    )
    def post(self, request: Request) -> Response:
        """What it would do now; nothing is changed."""
        body = self.body(SelectItems)
        return BulkDryRunAnswer.of(
            jobs.preview(self.actor, body.bulk_action, body.selection)
        ).response()


class OneBulkAction(Endpoint):
    @described("Get a bulk action", answer=BulkActionAnswer)
    def get(self, request: Request, job_id: str) -> Response:
        """With its progress. It is kept for 90 days."""
        return BulkActionAnswer.of(jobs.open_job(self.actor, job_id)).response()


class BulkActionItems(Endpoint):
    @described(
        "List the items of a bulk action",
        answer=BulkItemsAnswer,
        query=(
            *PAGE,
            Parameter(
                "outcome",
                "Only those of which this came.",
                limits={"enum": ["waiting", "done", "refused"]},
            ),
        ),
    )
    def get(self, request: Request, job_id: str) -> Response:
        """With what came of each."""
        asked = PageRequest.of(request.query_params)
        wanted = request.query_params.get("outcome")
        if wanted is not None and wanted not in _WANTED:
            raise ValidationFailed.at("?outcome", say("Use waiting, done or refused."))
        job = jobs.open_job(self.actor, job_id)
        rows = store.items_of(job, None if wanted is None else _WANTED[wanted])
        after = _number(asked)
        if after is not None:
            rows = rows.filter(place__gt=after)
        part = page_of(list(rows[: asked.limit + 1]), asked, lambda item: (item.place,))
        results = [BulkItemAnswer.of(item) for item in part.items]
        return BulkItemsAnswer(results=results, next=part.next).response()


class CancelBulkAction(Endpoint):
    @described("Cancel a bulk action", answer=BulkActionAnswer, errors=("forbidden",))
    def post(self, request: Request, job_id: str) -> Response:
        """What is done stays done. One that has ended stays as it is."""
        row = jobs.open_job(self.actor, job_id)
        jobs.cancel(self.actor, row)
        return BulkActionAnswer.of(jobs.open_job(self.actor, job_id)).response()


def _number(asked: PageRequest) -> int | None:
    """Returns the number of a cursor; None for the first page."""
    match asked.after:
        case ():
            return None
        case (int() as number,):
            return number
    raise foreign_cursor()
