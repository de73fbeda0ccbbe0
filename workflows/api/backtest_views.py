"""The endpoints of backtests: started in the background, looked at, removed."""

from rest_framework.request import Request
from rest_framework.response import Response

from ctxadmin.http.described import described
from ctxadmin.http.endpoints.endpoint import Endpoint
from ctxadmin.identity.roles import Action
from workflows.api.backtest_answers import BacktestAnswer
from workflows.api.backtest_bodies import StartBacktest
from workflows.backtests import use_cases


class Backtests(Endpoint):
    @described(
        "Start a backtest",
        body=StartBacktest,
        answer=BacktestAnswer,
        status=201,
        errors=("invalid_state", "not_found", "too_large"),
        needs=Action.PREVIEW,
        answer_headers=("Location",),
    )
    def post(self, request: Request) -> Response:
        """It runs in the background: ask for it until it is `done` or `failed`.

        One of an `upload` is done at once. A workspace has at most 4 that are not done.
        """
        body = self.body(StartBacktest)
        row = use_cases.start(self.actor, body.new_backtest(self.actor.workspace))
        location = f"/api/v1/backtests/{row.public_id}"
        return BacktestAnswer.of(row).response(201, {"Location": location})


class OneBacktest(Endpoint):
    @described("Get a backtest", answer=BacktestAnswer)
    def get(self, request: Request, backtest_id: str) -> Response:
        """With its progress, and its result once it is done. It is kept for 7 days."""
        return BacktestAnswer.of(use_cases.open_backtest(self.actor, backtest_id)).response()

    @described("Cancel or remove a backtest", needs=Action.PREVIEW)
    def delete(self, request: Request, backtest_id: str) -> Response:
        """One that runs is cancelled; its result is removed."""
        use_cases.remove(self.actor, backtest_id)
        return Response(status=204)
