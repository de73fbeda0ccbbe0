"""The endpoint of a conversation's executions."""

from rest_framework.request import Request
from rest_framework.response import Response

from checkpoints.api.answers import ListedExecutionAnswer, StartedAnswer
from checkpoints.api.endpoints import ExecutionEndpoint
from checkpoints.domain.commands import StartExecution
from checkpoints.reading.execution_list import execution_json, executions_page
from checkpoints.services import execution_start
from ctxadmin.http.described import IF_MATCH, PAGE, ListOf, described
from ctxadmin.http.endpoints import etags
from ctxadmin.http.endpoints.pagination import PageRequest
from ctxadmin.identity.roles import Action


class Executions(ExecutionEndpoint):
    @described("List executions", answer=ListOf[ListedExecutionAnswer], query=PAGE)
    def get(self, request: Request, conversation_id: str) -> Response:
        """Lists the executions of a conversation, latest first; only the latest can go on.

        The checkpoints of each are listed with `GET checkpoints?execution=`.
        """
        page = executions_page(self.actor, conversation_id, PageRequest.of(request.query_params))
        return Response(page.as_json([execution_json(row) for row in page.items]))

    @described(
        "Start an execution",
        body=StartExecution,
        answer=StartedAnswer,
        status=201,
        headers=(IF_MATCH,),
        errors=("invalid_state", "type_mismatch", "duplicate", "version_conflict"),
        needs=Action.EXECUTION_START,
    )
    def post(self, request: Request, conversation_id: str) -> Response:
        """Starts an execution, pinned to a published version of a workflow, or free: then any
        node can run.
        """
        command = self.body(StartExecution)
        expected = etags.expected_version(self.whole_etag(), None)
        started = execution_start.start(
            self.actor, conversation_id, command, seen=self.seen_view(), expected=expected
        )
        return StartedAnswer.of(started).response(201)
