"""The conversation endpoints: parse, call one service, answer."""

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
    AppliedAnswer,
    BatchesAnswer,
    ChangeAnswer,
    ConversationAnswer,
    MessageAnswer,
    MigratedAnswer,
    ValidatedAnswer,
)
from conversations.api.schemas import (
    AppendMessages,
    ChangeConversation,
    CreateConversation,
    Guarded,
    OpenBatch,
    Operate,
    Restore,
    Rollback,
    metadata_bytes,
)
from conversations.domain import legacy
from conversations.domain.bodies import StoredMessage
from conversations.domain.chat_json import read_conversation
from conversations.domain.configs import OperationConfig, read_operation
from conversations.domain.diff import Change
from conversations.domain.revisions import Seen
from conversations.domain.transfer import is_export, read_export
from conversations.models import Conversation
from conversations.services import NewConversation
from conversations.store import find_head
from ctxadmin.accounts.roles import Action
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.web import etags
from ctxadmin.web.described import IF_MATCH, PAGE, ListOf, Parameter, described
from ctxadmin.web.endpoint import Endpoint
from ctxadmin.web.pagination import Page, PageRequest, cut, encode

_VIEW = Parameter("view", "`current`, `all` or `revision:N`.", limits={"default": "current"})
_REFUSALS = ("version_conflict", "invalid_state")


class ConversationEndpoint(Endpoint):
    """An endpoint of one conversation, whose shard keeps the answers of repeated calls."""

    def idempotency_stream(self) -> int:
        return find_head(self.actor.workspace, self.kwargs["conversation_id"]).key

    def seen(self, body: Guarded) -> Seen:
        """What the writer saw of the view, from the body or from If-Match."""
        return Seen(
            *etags.expected_view(
                self.request.headers.get("If-Match"), body.expected_revision, body.expected_count
            )
        )

    def seen_view(self) -> Seen:
        """What the writer saw of the view, of a call whose body does not say it."""
        return Seen(*etags.expected_view(self.request.headers.get("If-Match"), None, None))


class Conversations(Endpoint):
    @described(
        "List conversations",
        answer=ListOf[ConversationAnswer],
        query=(
            Parameter("status", "Only those in this status; `IDLE` is without an execution."),
            Parameter("workflow", "Only those of the workflow with this slug."),
            Parameter("q", "Only those with this text in their title or id."),
            Parameter(
                "archived", "`true` for those that are archived; else they are left out.", bool
            ),
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
        return Response(page.as_json([queries.conversation_json(head) for head in page.items]))

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
        return created(services.create(self.actor, new))


class OneConversation(ConversationEndpoint):
    @described("Get a conversation", answer=ConversationAnswer)
    def get(self, request: Request, conversation_id: str) -> Response:
        return shown(find_head(self.actor.workspace, conversation_id))

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
        errors=_REFUSALS,
        needs=Action.CONVERSATION_ARCHIVE,
    )
    def post(self, request: Request, conversation_id: str) -> Response:
        """It leaves the lists and stays as it is; whoever writes to it brings it back."""
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
    @described("List messages", answer=ListOf[MessageAnswer], query=(_VIEW, *PAGE))
    def get(self, request: Request, conversation_id: str) -> HttpResponse:
        head = find_head(self.actor.workspace, conversation_id)
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
        return HttpResponse(_list_of(window.messages, following), content_type="application/json")

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
        """Never a conflict, unless `If-Match` asks for one."""
        drafts = self.body(AppendMessages).drafts()
        seen = self.seen_view()
        appended = services.append(self.actor, conversation_id, drafts, seen=seen)
        return Response(appended.as_json(), status=201)


class Operations(ConversationEndpoint):
    @described(
        "Apply an operation",
        body=Operate,
        answer=AppliedAnswer,
        headers=(IF_MATCH,),
        errors=(*_REFUSALS, "out_of_range", "duplicate"),
        needs=Action.MESSAGES_OPERATE,
    )
    def post(self, request: Request, conversation_id: str) -> Response:
        if legacy.is_version_1(request.data):
            read_operation(request.data)
        body = self.body(Operate)
        applied = services.operate(
            self.actor,
            conversation_id,
            body,
            reason=body.reason,
            seen=self.seen(body),
            dry_run=body.dry_run,
        )
        return Response(applied.as_json())


class Batches(ConversationEndpoint):
    @described(
        "List batches",
        answer=BatchesAnswer,
        query=(Parameter("all", "`true` for every revision, with the moves.", bool), *PAGE),
    )
    def get(self, request: Request, conversation_id: str) -> Response:
        head = find_head(self.actor.workspace, conversation_id)
        asked = PageRequest.of(request.query_params)
        everything = self.query_flag("all")
        rows = queries.all_revisions(head) if everything else queries.branch_of(head)
        start = queries.position_after(asked)
        page = cut(
            [row for row in rows if row.number >= start][: asked.limit + 1],
            asked,
            lambda row: (row.number,),
        )
        answer = page.as_json(
            [queries.revision_json(row, with_parent=everything) for row in page.items]
        )
        answer["current_revision"] = head.current_revision
        if everything:
            answer["moves"] = [queries.move_json(move) for move in queries.moves_of(head)]
        return Response(answer)

    @described(
        "Open a batch",
        body=OpenBatch,
        answer=AppliedAnswer,
        status=201,
        also=(200,),
        headers=(IF_MATCH,),
        errors=(*_REFUSALS, "out_of_range"),
        needs=Action.BATCH_OPEN,
    )
    def post(self, request: Request, conversation_id: str) -> Response:
        body = self.body(OpenBatch)
        applied = services.open_batch(
            self.actor,
            conversation_id,
            body.boundary,
            reason=body.reason,
            seen=self.seen(body),
            dry_run=body.dry_run,
        )
        return Response(applied.as_json(), status=200 if body.dry_run else 201)


class RollbackTo(ConversationEndpoint):
    @described(
        "Roll back to a batch",
        body=Rollback,
        answer=AppliedAnswer,
        headers=(IF_MATCH,),
        errors=_REFUSALS,
        needs=Action.BATCH_ROLLBACK,
    )
    def post(self, request: Request, conversation_id: str) -> Response:
        body = self.body(Rollback)
        applied = services.rollback(
            self.actor,
            conversation_id,
            body.batch,
            reason=body.reason,
            seen=self.seen(body),
            dry_run=body.dry_run,
        )
        return Response(applied.as_json())


class RestoreRevision(ConversationEndpoint):
    @described(
        "Restore a revision",
        body=Restore,
        answer=AppliedAnswer,
        headers=(IF_MATCH,),
        errors=_REFUSALS,
        needs=Action.REVISION_RESTORE,
    )
    def post(self, request: Request, conversation_id: str) -> Response:
        body = self.body(Restore)
        applied = services.restore(
            self.actor,
            conversation_id,
            body.revision,
            reason=body.reason,
            seen=self.seen(body),
            dry_run=body.dry_run,
        )
        return Response(applied.as_json())


class Diff(ConversationEndpoint):
    @described(
        "Compare two revisions",
        answer=ListOf[ChangeAnswer],
        query=(
            Parameter("from", "The number of a revision.", int, required=True),
            Parameter("to", "The number of a revision.", int, required=True),
            *PAGE,
        ),
    )
    def get(self, request: Request, conversation_id: str) -> Response:
        before, after = self.query_int("from"), self.query_int("to")
        if before is None or after is None:
            raise ValidationFailed.at("?from", "from and to must be the numbers of revisions.")
        changes = queries.diff_of(self.actor, conversation_id, before, after)
        asked = PageRequest.of(request.query_params)
        start = queries.position_after(asked)
        part = list(enumerate(changes))[start : start + asked.limit + 1]
        page: Page[tuple[int, Change]] = cut(part, asked, lambda item: (item[0],))
        return Response(page.as_json([queries.change_json(change) for _, change in page.items]))


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


def shown(head: Conversation, status: int = 200) -> Response:
    """A conversation with its ETag."""
    response = Response(queries.conversation_json(head), status=status)
    response["ETag"] = etags.quoted(head.current_revision, head.visible_count)
    return response


def created(head: Conversation) -> Response:
    response = shown(head, 201)
    response["Location"] = f"/api/v1/conversations/{head.public_id}"
    return response


def _list_of(messages: Sequence[StoredMessage], following: str | None) -> bytes:
    """A page of messages, their bytes joined."""
    joined = b",".join(message.as_bytes() for message in messages)
    return b'{"results":[' + joined + b'],"next":' + dumps(following) + b"}"
