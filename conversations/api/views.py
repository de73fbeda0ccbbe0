"""The endpoints of conversations and their messages: parse, call one service, answer."""

from collections.abc import Sequence
from typing import ClassVar

from django.conf import settings
from django.http import HttpResponse
from pydantic import JsonValue
from rest_framework.request import Request
from rest_framework.response import Response

from conversations import archiving, describing, erasure, queries, services, transfers
from conversations.api.answers import (
    AppendedAnswer,
    ConversationAnswer,
    MessageAnswer,
    MigratedAnswer,
    ValidatedAnswer,
)
from conversations.api.endpoints import ConversationEndpoint, created, json_answer, shown
from conversations.api.formats import FORMAT, FormattedAnswer, format_of, formatted_json
from conversations.api.schemas import (
    AppendMessages,
    ChangeConversation,
    CreateConversation,
    metadata_bytes,
)
from conversations.domain import legacy
from conversations.domain.bodies import StoredMessage
from conversations.domain.chat_json import read_conversation
from conversations.domain.configs import OperationConfig, read_operation
from conversations.domain.formats.formats import ProviderFormat
from conversations.domain.formats.written import Written
from conversations.domain.transfer import is_export, read_export
from conversations.models import Conversation
from conversations.provider_views import view_in_format
from conversations.services import NewConversation
from conversations.store import find_head, find_with_details, read_details
from ctxadmin.http.described import IF_MATCH, PAGE, ListOf, Parameter, described
from ctxadmin.http.endpoint import Endpoint
from ctxadmin.http.pagination import PageRequest, encode
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.json_bytes import dumps

_VIEW = Parameter("view", "`current`, `all` or `revision:N`.", limits={"default": "current"})


class Conversations(Endpoint):
    @described(
        "List conversations",
        answer=ListOf[ConversationAnswer],
        query=(
            Parameter("status", "Only those with this status; `IDLE` is without an execution."),
            Parameter("workflow", "Only those of the workflow with this slug."),
            Parameter("q", "Only those with this text in the title or id."),
            Parameter("archived", "`true` for archived ones; otherwise they are left out.", bool),
            *PAGE,
        ),
    )
    def get(self, request: Request) -> Response:
        query = request.query_params
        wanted = queries.ConversationFilter(
            status=query.get("status", ""),
            workflow=query.get("workflow", ""),
            text=query.get("q", ""),
            archived=self.query_flag("archived"),
        )
        page = queries.list_conversations(self.actor, wanted, PageRequest.of(query))
        heads = read_details(page.items)
        return Response(page.as_json([queries.conversation_json(head) for head in heads]))

    @described(
        "Create a conversation",
        body=CreateConversation,
        answer=ConversationAnswer,
        status=201,
        errors=("duplicate", "not_found"),
        needs=Action.CONVERSATION_CREATE,
    )
    def post(self, request: Request) -> Response:
        body = self.body(CreateConversation)
        new = NewConversation(
            public_id=body.id,
            title=body.title,
            workflow=body.workflow or "",
            metadata=metadata_bytes(body.metadata),
            tools=body.tools,
            drafts=body.drafts(),
        )
        head = services.create(self.actor, new)
        self.made_conversation = head.key
        return created(head)


class OneConversation(ConversationEndpoint):
    @described("Get a conversation", answer=ConversationAnswer)
    def get(self, request: Request, conversation_id: str) -> Response:
        return shown(find_with_details(self.actor.workspace, conversation_id))

    @described(
        "Change a conversation",
        body=ChangeConversation,
        answer=ConversationAnswer,
        headers=(IF_MATCH,),
        errors=("version_conflict",),
        needs=Action.CONVERSATION_UPDATE,
    )
    def patch(self, request: Request, conversation_id: str) -> Response:
        body = self.body(ChangeConversation)
        metadata = None if body.metadata is None else metadata_bytes(body.metadata)
        head = describing.change(
            self.actor,
            conversation_id,
            title=body.title,
            metadata=metadata,
            tools=body.tools,
            view=self.seen_view(),
        )
        return shown(head)

    @described(
        "Erase a conversation",
        headers=(IF_MATCH,),
        errors=("version_conflict",),
        needs=Action.CONVERSATION_ERASE,
    )
    def delete(self, request: Request, conversation_id: str) -> Response:
        erasure.erase(self.actor, conversation_id, seen=self.seen_view())
        return Response(status=204)


class Archive(ConversationEndpoint):
    @described(
        "Archive a conversation",
        answer=ConversationAnswer,
        status=200,
        headers=(IF_MATCH,),
        errors=("version_conflict", "invalid_state"),
        needs=Action.CONVERSATION_ARCHIVE,
    )
    def post(self, request: Request, conversation_id: str) -> Response:
        """It is not listed any more but otherwise unchanged; any write unarchives it."""
        return shown(archiving.archive(self.actor, conversation_id, seen=self.seen_view()))


class Unarchive(ConversationEndpoint):
    @described(
        "Bring an archived conversation back",
        answer=ConversationAnswer,
        status=200,
        headers=(IF_MATCH,),
        errors=("version_conflict",),
        needs=Action.CONVERSATION_UNARCHIVE,
    )
    def post(self, request: Request, conversation_id: str) -> Response:
        return shown(archiving.unarchive(self.actor, conversation_id, seen=self.seen_view()))


class Messages(ConversationEndpoint):
    @described(
        "List messages",
        answer=ListOf[MessageAnswer] | FormattedAnswer,
        query=(_VIEW, FORMAT, *PAGE),
        errors=("too_large",),
    )
    def get(self, request: Request, conversation_id: str) -> HttpResponse:
        """Pages of messages, or with a provider's `format` all of a view at once.

        In a provider's format a page could split a tool call from its result, so there is no
        `cursor` and no `limit`; a view of more than 10,000 messages or 16 MiB is `too_large`.
        """
        head = find_head(self.actor.workspace, conversation_id)
        name = format_of(self)
        if name is not None:
            return json_answer(dumps(formatted_json(self._in_format(head, name), name)))
        asked = PageRequest.of(request.query_params)
        start = queries.position_after(asked)
        which = request.query_params.get("view", "current")
        if which == "all":
            window = queries.log_window(head, start, asked.limit)
        else:
            row = queries.shown_revision(head, which)
            window = queries.visible_window(head, row, start, asked.limit)
        more = window.positions.stop < window.view_count and len(window.positions) > 0
        following = encode((window.positions.stop - 1,)) if more else None
        return json_answer(_list_of(window.messages, following))

    def _in_format(self, head: Conversation, name: ProviderFormat) -> Written:
        query = self.request.query_params
        for parameter in ("cursor", "limit"):
            if parameter in query:
                told = f"A provider's format has no pages: leave out {parameter}."
                raise ValidationFailed.at(f"?{parameter}", told)
        which = query.get("view", "current")
        if which == "all":
            raise ValidationFailed.at("?view", "A provider's format is for a view, not for all.")
        return view_in_format(head, queries.shown_revision(head, which), name)

    @described(
        "Append messages",
        body=AppendMessages,
        answer=AppendedAnswer,
        status=201,
        headers=(IF_MATCH,),
        errors=("duplicate", "version_conflict"),
        needs=Action.MESSAGES_APPEND,
    )
    def post(self, request: Request, conversation_id: str) -> Response:
        """Never conflicts without `If-Match`."""
        drafts = self.body(AppendMessages).drafts()
        seen = self.seen_view()
        appended = services.append(self.actor, conversation_id, drafts, seen=seen)
        return Response(appended.as_json(), status=201)


class Export(ConversationEndpoint):
    @described("Export a conversation", answer=dict[str, JsonValue])
    def get(self, request: Request, conversation_id: str) -> HttpResponse:
        document = transfers.export(self.actor, conversation_id)
        name = f'attachment; filename="{conversation_id}.json"'
        return HttpResponse(
            document, content_type="application/json", headers={"Content-Disposition": name}
        )


class Import(Endpoint):
    max_body_bytes: ClassVar[int] = settings.MAX_IMPORT_BYTES

    @described(
        "Import a conversation",
        body=dict[str, JsonValue] | list[JsonValue],
        answer=ConversationAnswer,
        status=201,
        errors=("duplicate",),
        needs=Action.CONVERSATION_IMPORT,
    )
    def post(self, request: Request) -> Response:
        if is_export(request.data):
            head = transfers.import_export(self.actor, read_export(request.data))
        else:
            head = transfers.import_chat(self.actor, read_conversation(request.data))
        self.made_conversation = head.key
        return created(head)


class ValidateConfig(Endpoint):
    keep_answers = False

    @described("Validate a processor config", body=OperationConfig, answer=ValidatedAnswer)
    def post(self, request: Request) -> Response:
        config = read_operation(request.data)
        return Response({"ok": True, "config": config.model_dump(mode="json", exclude_none=True)})


class MigrateConfig(Endpoint):
    keep_answers = False

    @described("Migrate a processor config", body=dict[str, JsonValue], answer=MigratedAnswer)
    def post(self, request: Request) -> Response:
        config, report = legacy.migrate(request.data)
        return Response({"config": config, "report": [line.as_json() for line in report]})


def _list_of(messages: Sequence[StoredMessage], following: str | None) -> bytes:
    """A page of messages, their bytes joined."""
    joined = b",".join(message.as_bytes() for message in messages)
    return b'{"results":[' + joined + b'],"next":' + dumps(following) + b"}"
