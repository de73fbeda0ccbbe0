"""What the endpoints of one conversation have in common."""

from django.http import HttpResponse
from rest_framework.response import Response

from conversations.api.schemas import SeenView
from conversations.domain.revisions import Seen
from conversations.models import Conversation
from conversations.reading import queries
from conversations.store.conversation import find_head
from ctxadmin.http.endpoints import etags
from ctxadmin.http.endpoints.endpoint import Endpoint


class ConversationEndpoint(Endpoint):
    """An endpoint of one conversation, whose shard stores the answers for repeated requests."""

    def idempotency_stream(self) -> int:
        return find_head(self.actor.workspace, self.kwargs["conversation_id"]).key

    def expected_view(self, body: SeenView) -> Seen:
        """Returns the view that the writer saw, from the body or from If-Match."""
        return Seen(
            *etags.expected_view(
                self.request.headers.get("If-Match"), body.expected_revision, body.expected_count
            )
        )

    def seen_view(self) -> Seen:
        """Returns the view that the writer saw, for a request whose body does not say it."""
        return Seen(*etags.expected_view(self.request.headers.get("If-Match"), None, None))


def json_answer(data: bytes, status: int = 200) -> HttpResponse:
    """Returns finished JSON as an answer."""
    return HttpResponse(data, status=status, content_type="application/json")


def conversation_response(head: Conversation, status: int = 200) -> Response:
    """Returns the answer for a conversation, with its ETag."""
    response = Response(queries.conversation_json(head), status=status)
    response["ETag"] = etags.quoted(head.current_revision, head.visible_count)
    return response


def created(head: Conversation) -> Response:
    response = conversation_response(head, 201)
    response["Location"] = f"/api/v1/conversations/{head.public_id}"
    return response
