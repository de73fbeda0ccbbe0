"""The endpoint that tells what the elements of a draft would have cost."""

from rest_framework.request import Request
from rest_framework.response import Response

from ctxadmin.http.described import described
from ctxadmin.http.endpoints.endpoint import Endpoint
from ctxadmin.identity.roles import Action
from workflows.api.cost_answers import DraftCostsAnswer
from workflows.api.cost_bodies import EstimateCosts
from workflows.costs.elements import draft_costs
from workflows.previews.conversation import document_of


class Costs(Endpoint):
    keep_answers = False  # a repeat replays what is left

    @described(
        "Estimate the costs of a draft",
        body=EstimateCosts,
        answer=DraftCostsAnswer,
        needs=Action.PREVIEW,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Replays the latest 50 conversations of the workflow under the policy of each element.

        While these have fewer than 20 messages, the latest others of the workspace are added.
        A call replays a part of them: ask again until `complete`. Nothing is stored.
        """
        self.actor.require(Action.PREVIEW)
        body = self.body(EstimateCosts)
        document = document_of(self.actor, slug, body.document, body.version)
        found = draft_costs(self.actor, slug, document, offers=body.offers)
        return DraftCostsAnswer.of(found).response()
