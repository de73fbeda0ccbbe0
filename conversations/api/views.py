"""The endpoints of conversations and their messages."""

from typing import ClassVar

from django.conf import settings
from django.http import HttpResponse
from pydantic import JsonValue
from rest_framework.request import Request
from rest_framework.response import Response

from conversations.api.answers import (
    ConversationAnswer,
    ImportedAnswer,
    MigratedAnswer,
    ValidatedAnswer,
)
from conversations.api.endpoints import ConversationEndpoint, conversation_response, created
from conversations.api.formats import EXPORT_FORMAT, IN_FORMAT, format_of
from conversations.api.schemas import (
    ChangeConversation,
    CreateConversation,
    CreateInFormat,
    metadata_bytes,
)
from conversations.domain import legacy
from conversations.domain.configs import OperationConfig, read_operation
from conversations.domain.imports.shapes import EXPORT_NAME, NAMES
from conversations.domain.imports.uploads import read_value, report_of
from conversations.lifecycle import archival, erasure, transfers
from conversations.reading import queries
from conversations.services import use_cases
from conversations.services.metadata import change_metadata
from conversations.services.use_cases import NewConversation
from conversations.store.conversation import find_with_details, read_details
from conversations.workspace.matching import STATUSES, ConversationFilter
from ctxadmin.http.described import IF_MATCH, NAME, PAGE, ListOf, Parameter, described
from ctxadmin.http.endpoints.endpoint import Endpoint
from ctxadmin.http.endpoints.pagination import PageRequest
from ctxadmin.identity.roles import Action

_SHAPE = Parameter(
    "shape",
    "The only format to try, if the structure alone does not tell.",
    limits={"enum": sorted((*NAMES, EXPORT_NAME))},
)


class Conversations(Endpoint):
    @described(
        "List conversations",
        answer=ListOf[ConversationAnswer],
        query=(
            Parameter(
                "status",
                "Only those with this status; `IDLE` is without an execution.",
                limits={"enum": [*STATUSES]},
            ),
            Parameter("workflow", "Only those of the workflow with this slug.", limits=NAME),
            Parameter("q", "Only those with this text in the title or id."),
            Parameter("archived", "`true` for archived ones; otherwise they are left out.", bool),
            *PAGE,
        ),
    )
    def get(self, request: Request) -> Response:
        query = request.query_params
        wanted = ConversationFilter(
            status=query.get("status", ""),
            workflow=query.get("workflow", ""),
            text=query.get("q", ""),
            archived=self.query_flag("archived"),
        )
        page = queries.list_conversations(self.actor, wanted, PageRequest.of(query))
        heads = read_details(page.items)
        return Response(page.as_json([queries.listed_json(head) for head in heads]))

    @described(
        "Create a conversation",
        body=CreateConversation | CreateInFormat,
        answer=ConversationAnswer,
        status=201,
        query=(IN_FORMAT,),
        errors=("duplicate", "not_found"),
        needs=Action.CONVERSATION_CREATE,
        answer_headers=("ETag", "Location"),
    )
    def post(self, request: Request) -> Response:
        """Creates a conversation.

        With `format` the messages are those of a provider, as `GET messages` returns them.
        """
        body: CreateConversation | CreateInFormat
        name = format_of(self)
        if name is None:
            body = self.body(CreateConversation)
            drafts = body.drafts()
        else:
            body = self.body(CreateInFormat)
            drafts = body.drafts(name)
        new = NewConversation(
            public_id=body.id,
            title=body.title,
            workflow=body.workflow or "",
            metadata=metadata_bytes(body.metadata),
            tools=body.tools,
            drafts=drafts,
        )
        head = use_cases.create(self.actor, new)
        self.made_conversation = head.key
        return created(head)


class OneConversation(ConversationEndpoint):
    @described("Get a conversation", answer=ConversationAnswer, answer_headers=("ETag",))
    def get(self, request: Request, conversation_id: str) -> Response:
        return conversation_response(
            find_with_details(self.actor.workspace, conversation_id, checked=True)
        )

    @described(
        "Change a conversation",
        body=ChangeConversation,
        answer=ConversationAnswer,
        headers=(IF_MATCH,),
        errors=("version_conflict",),
        needs=Action.CONVERSATION_UPDATE,
        answer_headers=("ETag",),
    )
    def patch(self, request: Request, conversation_id: str) -> Response:
        body = self.body(ChangeConversation)
        metadata = None if body.metadata is None else metadata_bytes(body.metadata)
        head = change_metadata(
            self.actor,
            conversation_id,
            title=body.title,
            metadata=metadata,
            tools=body.tools,
            view=self.seen_view(),
        )
        return conversation_response(head)

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
        answer_headers=("ETag",),
    )
    def post(self, request: Request, conversation_id: str) -> Response:
        """Archives the conversation: it is no longer listed but otherwise unchanged.

        Any write unarchives it.
        """
        return conversation_response(
            archival.archive(self.actor, conversation_id, seen=self.seen_view())
        )


class Unarchive(ConversationEndpoint):
    @described(
        "Unarchive a conversation",
        operation_id="bring_archived_conversation_back",
        answer=ConversationAnswer,
        status=200,
        headers=(IF_MATCH,),
        errors=("version_conflict",),
        needs=Action.CONVERSATION_UNARCHIVE,
        answer_headers=("ETag",),
    )
    def post(self, request: Request, conversation_id: str) -> Response:
        return conversation_response(
            archival.unarchive(self.actor, conversation_id, seen=self.seen_view())
        )


class Export(ConversationEndpoint):
    @described(
        "Export a conversation",
        answer=dict[str, JsonValue],
        query=(EXPORT_FORMAT,),
        errors=("too_large",),
    )
    def get(self, request: Request, conversation_id: str) -> HttpResponse:
        """Exports the log with all revisions; with `format` the body of a request to a provider.

        That is `messages` (for Responses `input`) and, for Anthropic, `system`; `GET
        messages?format=` lists what the format cannot express.
        """
        provider = format_of(self)
        document = transfers.export(self.actor, conversation_id, provider)
        name = f'attachment; filename="{transfers.file_name(conversation_id, provider)}"'
        return HttpResponse(
            document, content_type="application/json", headers={"Content-Disposition": name}
        )


class Import(Endpoint):
    max_body_bytes: ClassVar[int] = settings.MAX_IMPORT_BYTES

    @described(
        "Import a conversation",
        body=dict[str, JsonValue] | list[JsonValue],
        answer=ImportedAnswer,
        status=201,
        query=(_SHAPE,),
        errors=("duplicate", "too_large"),
        needs=Action.CONVERSATION_IMPORT,
        answer_headers=("ETag", "Location"),
    )
    def post(self, request: Request) -> Response:
        """Imports an export of ctxadmin, or one conversation in a format of other programs.

        The format is recognized by its structure: OpenAI chat (also lines of fine-tuning and of
        batches), OpenAI Responses, Anthropic Messages, Vercel AI UI and model messages, Gemini
        contents, LangChain messages, LangSmith runs, OpenTelemetry GenAI spans, ShareGPT. `report`
        lists what was stored as what, and what was left out. If one message is invalid, nothing is
        imported, and the error names its place. A body with several conversations is refused.
        """
        source = read_value(self.take_data(), request.query_params.get("shape"))
        head = transfers.import_one(self.actor, source)
        self.made_conversation = head.key
        response = created(head)
        response.data["report"] = report_of(source).as_json()
        return response


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
