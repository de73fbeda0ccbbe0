"""The endpoints that try filters, conditions and nodes; nothing is stored.

Every token can use those that only compute with the caller's own data: they read nothing of the
workspace and change nothing. The preview shows stored messages and state under rules of the
caller's choice, so it needs the scope design or review.
"""

from rest_framework.request import Request
from rest_framework.response import Response

from conversations.api.formats import FORMAT, format_of
from conversations.domain.formats.formats import OWN
from ctxadmin.http.described import described
from ctxadmin.http.endpoints.endpoint import Endpoint
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ValidationFailed
from workflows.api.dry_run_answers import AppliedAnswer, CheckedAnswer, JoinedAnswer, PreviewAnswer
from workflows.api.schemas import ApplyFilters, CheckCondition, JoinArrivals, PreviewNode
from workflows.domain.conditions.condition import compile_condition
from workflows.domain.context.prompt_context import PromptContext
from workflows.previews import conversation as previews
from workflows.previews import dry_run


class _Trial(Endpoint):
    """An endpoint without stored answers for Idempotency-Key: a repeat computes the same again."""

    keep_answers = False


class Preview(_Trial):
    @described(
        "Preview a node",
        body=PreviewNode,
        answer=PreviewAnswer,
        query=(FORMAT,),
        errors=("duplicate", "out_of_range"),
        needs=Action.PREVIEW,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Shows what the node would see: each name and message with the rule that decided."""
        asked = self.body(PreviewNode).question()
        provider = format_of(self)
        found = previews.preview(self.actor, slug, asked, provider)
        return PreviewAnswer.of_preview(found, provider or OWN).response()


class Apply(_Trial):
    @described(
        "Apply filters",
        body=ApplyFilters,
        answer=AppliedAnswer,
        errors=("duplicate", "out_of_range"),
    )
    def post(self, request: Request) -> Response:
        """Applies filters.

        Each step applies to the previous result; `step` in the explanation is its index.
        """
        body = self.body(ApplyFilters)
        return AppliedAnswer.of(dry_run.apply_steps(body.given_context(), body.steps)).response()


class Join(_Trial):
    @described(
        "Merge the contexts of several edges",
        operation_id="join_arrivals",
        body=JoinArrivals,
        answer=JoinedAnswer,
        errors=("duplicate", "out_of_range"),
    )
    def post(self, request: Request) -> Response:
        """Merges the contexts of several edges.

        Of two values under one name the later edge wins, and the conflict is reported.
        """
        arrivals = self.body(JoinArrivals).given_arrivals()
        return JoinedAnswer.of(dry_run.join_arrivals(arrivals)).response()


class _ConditionFault(ValidationFailed):
    """A condition that does not compile; its place is also outside the list of errors."""

    def extra(self) -> dict[str, object]:
        return dict(self.problems[0].extra)


class Check(_Trial):
    @described("Check a condition", body=CheckCondition, answer=CheckedAnswer)
    def post(self, request: Request) -> Response:
        """Checks a condition.

        An invalid one is `validation` with line, column, start, end and hint.
        """
        body = self.body(CheckCondition)
        context = None
        if body.context is not None:
            context = PromptContext.read(body.context, "/context")
        try:
            condition = compile_condition(body.text, "/text")
        except ValidationFailed as error:
            raise _ConditionFault(error.detail, problems=error.problems) from None
        answer: dict[str, object] = {"ok": True, "names": sorted(condition.names())}
        if context is not None:
            answer["value"] = condition.value(context.variables, context.metadata)
            answer["holds"] = condition.evaluate(context.variables, context.metadata)
        return Response(answer)
