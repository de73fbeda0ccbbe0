"""Tools that change a view: always a dry run first, then exactly what it showed."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, Literal

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from ctxadmin_client import AsyncClient
from ctxadmin_client.answers import JsonObject
from ctxadmin_client.calls import Call, new_key, path
from ctxadmin_client.mcp.previews import Preview, Previews
from ctxadmin_client.mcp.read_tools import ConversationId

_Operation = Literal["truncate", "insert", "replace", "clear", "filter", "budget", "summarize"]
_Reason = Annotated[str, Field(min_length=1, description="Why; people read it in the history.")]


class OperationTools:
    """Each method is one tool; a preview is kept until it is applied."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client
        self._previews = Previews()

    def previews(self) -> Sequence[Callable[..., Awaitable[JsonObject]]]:
        """Returns the tools that change nothing."""
        return self.preview_operation, self.preview_rollback, self.preview_restore

    async def preview_operation(
        self,
        conversation_id: ConversationId,
        operation: _Operation,
        settings: Annotated[
            dict[str, Any],
            Field(
                description="The operation's own settings, such as {'keep_last': 6} for truncate,"
                " {'index': 2, 'message': {...}} for replace,"
                " {'max_tokens': 8000, 'target_tokens': 5000} for budget."
            ),
        ],
        reason: _Reason,
        keep_pinned: Annotated[
            bool, Field(description="Keep pinned messages whatever the operation says.")
        ] = True,
        leave_pointer: Annotated[
            bool, Field(description="Leave one short line that names what is hidden.")
        ] = False,
    ) -> JsonObject:
        """Preview an operation on the view: what it would hide, show and add, and its warnings.

        Nothing changes until apply_preview is called with the `preview` of the answer.
        """
        body: JsonObject = {"operation": operation, operation: settings, "reason": reason}
        if not keep_pinned:
            body["include_pinned"] = True
        if leave_pointer:
            body["leave_pointer"] = True
        return await self._preview(conversation_id, "operations", body)

    async def preview_rollback(
        self,
        conversation_id: ConversationId,
        batch: Annotated[int, Field(ge=0, description="Number of an earlier batch.")],
        reason: _Reason,
    ) -> JsonObject:
        """Preview a rollback of the view to an earlier batch. Nothing changes yet."""
        return await self._preview(conversation_id, "rollback", {"batch": batch, "reason": reason})

    async def preview_restore(
        self,
        conversation_id: ConversationId,
        revision: Annotated[int, Field(ge=0, description="Number of any earlier revision.")],
        reason: _Reason,
    ) -> JsonObject:
        """Preview a restore of any earlier revision of the view. Nothing changes yet."""
        body: JsonObject = {"revision": revision, "reason": reason}
        return await self._preview(conversation_id, "restore", body)

    async def apply_preview(
        self,
        preview: Annotated[str, Field(description="The `preview` of a previewed change.")],
    ) -> JsonObject:
        """Apply a change as it was previewed. Refused if the view has changed since."""
        found = self._previews.find(preview)
        if found is None:
            raise ToolError(
                "There is no such preview in this process, which may have been restarted. Look"
                " in list_batches whether it was applied, else preview the change again."
            )
        where = path("conversations", found.conversation_id, found.call)
        done: JsonObject = await self._client.transport.send(
            Call("POST", where, body=found.body, key=found.key)
        )
        return done

    async def _preview(self, conversation_id: str, call: str, body: JsonObject) -> JsonObject:
        """Runs the call dry on the current view, the only one that it can be applied to."""
        transport = self._client.transport
        seen = await transport.send(Call("GET", path("conversations", conversation_id)))
        bound = {
            **body,
            "expected_revision": seen["current_revision"],
            "expected_count": seen["visible_count"],
        }
        where = path("conversations", conversation_id, call)
        dry: JsonObject = await transport.send(Call("POST", where, body={**bound, "dry_run": True}))
        kept = self._previews.add(Preview(conversation_id, call, bound, new_key()))
        return {**dry, "preview": kept, "seen_revision": seen["current_revision"]}
