"""The endpoints of comments, labels and claims."""

from typing import Self

from django.http import HttpResponse
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from checkpoints.api.endpoints import ExecutionEndpoint, version_in
from checkpoints.services import annotations
from checkpoints.services.annotations import ClaimResult, SetLabel, WriteComment
from checkpoints.services.assignments import AssignReview, assign
from checkpoints.store.executions import find_current
from conversations.models import Comment
from conversations.services import comments
from conversations.store.conversation import find_head
from ctxadmin.http.described import PAGE, Answer, FromZero, ListOf, Time, described
from ctxadmin.http.endpoints.pagination import PageRequest, page_of, position_after
from ctxadmin.identity.roles import Action
from ctxadmin.lib import clock


class CommentAnswer(Answer):
    """A comment on the conversation, or on one `message`, `version` or `key`."""

    number: FromZero = Field(description="Number of the comment in its conversation.", examples=[1])
    message: FromZero | None = Field(
        None, description="Log index of the message that it is on.", examples=[0]
    )
    version: FromZero | None = Field(None, description="Version that it is on.", examples=[13])
    key: str | None = Field(None, description="State key that it is on.", examples=["draft"])
    text: str = Field(description="What it says.", examples=["Check the name."])
    author: str = Field(
        description="Who did it: a token, a person or the system.", examples=["token:engine"]
    )
    created_at: Time = Field(description="When it was created (ISO 8601, UTC).")


class LabelAnswer(Answer):
    """The label of a version."""

    version: FromZero = Field(
        description="Version of the execution, counted from 0.", examples=[13]
    )
    label: str = Field(description="The label.", examples=["approved"])


class ClaimAnswer(Answer):
    """The person who has claimed the review; null if it is unclaimed."""

    holder: str | None = Field(
        description="Who claimed it; null if unclaimed.", examples=["person:rita"]
    )
    claimed_at: Time | None = Field(description="When it was claimed (ISO 8601, UTC).")

    @classmethod
    def of(cls, claimed: ClaimResult) -> Self:
        at = claimed.claimed_at
        return cls(holder=claimed.holder or None, claimed_at=clock.iso(at) if at else None)


class Comments(ExecutionEndpoint):
    @described("List comments", answer=ListOf[CommentAnswer], query=PAGE)
    def get(self, request: Request, conversation_id: str) -> Response:
        """Lists all comments of the conversation, oldest first, including those on earlier
        executions.
        """
        head = find_head(self.actor.workspace, conversation_id)
        asked = PageRequest.of(request.query_params)
        rows = Comment.objects.filter(
            conversation=head.key, number__gte=position_after(asked)
        ).order_by("number")
        found = page_of(list(rows[: asked.limit + 1]), asked, lambda row: (row.number,))
        shown = [comments.comment_json(each) for each in found.items]
        return Response({"results": shown, "next": found.next})

    @described(
        "Comment on a message, a version or a key",
        body=WriteComment,
        answer=CommentAnswer,
        status=201,
        errors=("out_of_range",),
        needs=Action.COMMENT_WRITE,
    )
    def post(self, request: Request, conversation_id: str) -> Response:
        """Adds a comment. A model never sees comments."""
        comment = annotations.comment(self.actor, conversation_id, self.body(WriteComment))
        return Response(comments.comment_json(comment), status=201)


class OneComment(ExecutionEndpoint):
    @described("Delete a comment", needs=Action.COMMENT_DELETE, operation_id="take_comment_back")
    def delete(self, request: Request, conversation_id: str, number: str) -> HttpResponse:
        """Deletes a comment of your own; an admin can delete any."""
        comments.remove_comment(self.actor, conversation_id, version_in(number))
        return HttpResponse(status=204)


class Labels(ExecutionEndpoint):
    @described("List labels", answer=ListOf[LabelAnswer])
    def get(self, request: Request, conversation_id: str) -> Response:
        """Lists the labels of the current execution, ordered by version."""
        head = find_head(self.actor.workspace, conversation_id)
        row = find_current(head.key)
        found = annotations.labels_of(row) if row is not None else {}
        shown = [{"version": version, "label": name} for version, name in found.items()]
        return Response({"results": shown, "next": None})


class OneLabel(ExecutionEndpoint):
    @described("Label a version", body=SetLabel, answer=LabelAnswer, needs=Action.LABEL_SET)
    def put(self, request: Request, conversation_id: str, version: str) -> Response:
        """Labels a version.

        A labeled version keeps its state, whatever the retention policy says.
        """
        wanted = self.body(SetLabel)
        made = annotations.set_label(self.actor, conversation_id, version_in(version), wanted.label)
        return Response({"version": made.version, "label": made.name})

    @described("Remove a label", needs=Action.LABEL_SET)
    def delete(self, request: Request, conversation_id: str, version: str) -> HttpResponse:
        """Removes the label of a version; `not_found` if it has none."""
        annotations.remove_label(self.actor, conversation_id, version_in(version))
        return HttpResponse(status=204)


class ClaimReview(ExecutionEndpoint):
    @described(
        "Claim a review",
        body=AssignReview,
        answer=ClaimAnswer,
        errors=("invalid_state", "version_conflict"),
        needs=Action.REVIEW_CLAIM,
    )
    def post(self, request: Request, conversation_id: str) -> Response:
        """Claims a paused execution, so that others see who handles it.

        The claim ends with the pause.

        With `assignee` the review is assigned to someone else, who is notified.
        """
        wanted = self.body(AssignReview)
        if wanted.assignee is None:
            claimed = annotations.claim(self.actor, conversation_id, over=wanted.over)
        else:
            claimed = assign(self.actor, conversation_id, wanted.assignee, over=wanted.over)
        return ClaimAnswer.of(claimed).response()


class ReleaseReview(ExecutionEndpoint):
    @described(
        "Release a review",
        answer=ClaimAnswer,
        errors=("version_conflict",),
        needs=Action.REVIEW_RELEASE,
    )
    def post(self, request: Request, conversation_id: str) -> Response:
        """Releases the claim: the review is unclaimed."""
        annotations.release(self.actor, conversation_id)
        return ClaimAnswer.of(annotations.NOBODY).response()
