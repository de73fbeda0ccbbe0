"""The endpoints of messages: list, append, get, change and pop."""

from collections.abc import Sequence
from typing import Final

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from conversations.api.answers import (
    AppendedAnswer,
    MessageAnswer,
    OneMessageAnswer,
    PoppedAnswer,
)
from conversations.api.endpoints import ConversationEndpoint, json_answer
from conversations.api.formats import FORMAT, IN_FORMAT, FormattedAnswer, format_of, formatted_json
from conversations.api.schemas import AppendInFormat, AppendMessages, ChangeMessage, PopMessages
from conversations.domain.bodies import StoredMessage
from conversations.domain.formats.formats import ProviderFormat
from conversations.domain.formats.formatted_view import FormattedView
from conversations.domain.message import MessageDraft
from conversations.models import Conversation
from conversations.reading import message_pages, queries
from conversations.reading.provider_views import view_in_format
from conversations.services import pins, use_cases
from conversations.services.recalls import LONGEST_NODE, count_recall, is_recall
from conversations.store import pin_rows
from conversations.store.conversation import find_head
from ctxadmin.http.described import IF_MATCH, PAGE, ListOf, Parameter, described
from ctxadmin.http.endpoints.pagination import PageRequest
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.lib.sentence import say

_VIEW: Final = Parameter(
    "view",
    "`current`, `all` or `revision:N`.",
    limits={"pattern": "^(?:current|all|revision:[0-9]+)$", "default": "current"},
)
_NODE: Final = Parameter(
    "node",
    "Id of the node that asks for a message which it did not see; it counts as a recall.",
    limits={"maxLength": LONGEST_NODE},
)
_ORDER: Final = Parameter(
    "order",
    "`asc`, or `desc` for pages that begin with the last message.",
    limits={"enum": ["asc", "desc"], "default": "asc"},
)


class Messages(ConversationEndpoint):
    @described(
        "List messages",
        answer=ListOf[MessageAnswer] | FormattedAnswer,
        query=(_VIEW, _ORDER, FORMAT, *PAGE),
        errors=("too_large",),
    )
    def get(self, request: Request, conversation_id: str) -> HttpResponse:
        """Lists messages in pages, or with a provider's `format` all of a view at once.

        A page ends early before it would have more than 16 MiB of messages; `next` is its end.

        In a provider's format a page could split a tool call from its result, so there is no
        `cursor` and no `limit`; a view of more than 10,000 messages or 16 MiB is `too_large`.
        """
        head = find_head(self.actor.workspace, conversation_id)
        name = format_of(self)
        if name is not None:
            return json_answer(dumps(formatted_json(self._in_format(head, name), name)))
        asked = PageRequest.of(request.query_params)
        which = request.query_params.get("view", "current")
        page = message_pages.message_page(head, which, asked, newest_first=self._newest_first())
        return json_answer(_list_of(page.items, page.next))

    def _newest_first(self) -> bool:
        order = self.request.query_params.get("order", "asc")
        if order not in ("asc", "desc"):
            raise ValidationFailed.at("?order", say("order must be asc or desc."))
        return order == "desc"

    def _in_format(self, head: Conversation, name: ProviderFormat) -> FormattedView:
        query = self.request.query_params
        for parameter in ("cursor", "limit", "order"):
            if parameter in query:
                message = f"A provider's format has no pages: leave out {parameter}."
                raise ValidationFailed.at(f"?{parameter}", message)
        which = query.get("view", "current")
        if which == "all":
            raise ValidationFailed.at(
                "?view", say("A provider's format is for a view, not for all.")
            )
        return view_in_format(head, queries.shown_revision(head, which), name)

    @described(
        "Append messages",
        body=AppendMessages | AppendInFormat,
        answer=AppendedAnswer,
        status=201,
        query=(IN_FORMAT,),
        headers=(IF_MATCH,),
        errors=("duplicate", "version_conflict"),
        needs=Action.MESSAGES_APPEND,
    )
    def post(self, request: Request, conversation_id: str) -> Response:
        """Appends messages. Never conflicts without `If-Match`.

        With `format` the messages are those of a provider, as `GET` returns them; what cannot be
        stored is refused with its place.
        """
        name = format_of(self)
        if name is None:
            drafts: Sequence[MessageDraft] = self.body(AppendMessages).messages
        else:
            drafts = self.body(AppendInFormat).drafts(name)
        seen = self.seen_view()
        appended = use_cases.append(self.actor, conversation_id, drafts, seen=seen)
        return Response(appended.as_json(), status=201)


class OneMessage(ConversationEndpoint):
    @described("Get a message", answer=OneMessageAnswer, query=(_NODE,))
    def get(self, request: Request, conversation_id: str, message: str) -> HttpResponse:
        """A message of the log by its index or its id; `visible` is that of the current view.

        Digits are an index. A message whose id has only digits, or is `pop`, is found by its index.
        It is a recall, and counted, if a token with the scope `engine` gets a message that is not
        visible, or names the `node` that asks for it.
        """
        node = request.query_params.get("node", "")
        if len(node) > LONGEST_NODE:
            raise ValidationFailed.at(
                "?node", say("node has at most {most} characters.", most=LONGEST_NODE)
            )
        head = find_head(self.actor.workspace, conversation_id)
        found = message_pages.one_message(head, message)
        if is_recall(self.actor, found, node):
            count_recall(self.actor, head, found.index, node)
        return json_answer(_one_message(head, found))

    @described(
        "Pin a message",
        body=ChangeMessage,
        answer=OneMessageAnswer,
        headers=(IF_MATCH,),
        errors=("version_conflict", "invalid_state"),
        needs=Action.MESSAGES_PIN,
    )
    def patch(self, request: Request, conversation_id: str, message: str) -> HttpResponse:
        """Pins the message with `pinned: true`, unpins it with `false`.

        Without it nothing changes.

        Operations and filters keep a pinned message unless they say `include_pinned`. The view
        stays as it is, but its revision is a new one under the same batch number.
        """
        body = self.body(ChangeMessage)
        if body.pinned is not None:
            pins.pin(
                self.actor,
                conversation_id,
                message,
                pinned=body.pinned,
                reason=body.reason,
                seen=self.expected_view(body),
            )
        head = find_head(self.actor.workspace, conversation_id)
        return json_answer(_one_message(head, message_pages.one_message(head, message)))


class PoppedMessages(ConversationEndpoint):
    @described(
        "Pop messages",
        body=PopMessages,
        answer=PoppedAnswer,
        headers=(IF_MATCH,),
        errors=("version_conflict", "invalid_state"),
        needs=Action.MESSAGES_OPERATE,
    )
    def post(self, request: Request, conversation_id: str) -> HttpResponse:
        """Hides the last visible messages and returns them; no two callers get the same.

        It opens one batch, which a rollback undoes. For an empty view the list is empty and no
        batch is opened.
        """
        body = self.body(PopMessages)
        popped = use_cases.pop_messages(
            self.actor,
            conversation_id,
            body.count,
            reason=body.reason,
            seen=self.expected_view(body),
        )
        head = find_head(self.actor.workspace, conversation_id)
        messages = queries.hidden_messages(head, popped.messages)
        applied = popped.applied
        rest = {
            "batch": applied.batch,
            "revision": applied.revision,
            "visible_count": applied.visible_count,
            "warnings": [warning.as_json() for warning in applied.warnings],
        }
        joined = b",".join(message.as_bytes() for message in messages)
        return json_answer(b'{"messages":[' + joined + b"]," + dumps(rest)[1:])


def _one_message(head: Conversation, found: StoredMessage) -> bytes:
    """A message with who pinned it."""
    made = pin_rows.pins_among(head.key, [found.index]).get(found.index) if found.pinned else None
    if made is None:
        return found.as_bytes()
    return b'{"pinned_by":' + dumps(pin_rows.pin_json(made)) + b"," + found.as_bytes()[1:]


def _list_of(messages: Sequence[StoredMessage], following: str | None) -> bytes:
    """Returns a page of messages, with their bytes joined."""
    joined = b",".join(message.as_bytes() for message in messages)
    return b'{"results":[' + joined + b'],"next":' + dumps(following) + b"}"
