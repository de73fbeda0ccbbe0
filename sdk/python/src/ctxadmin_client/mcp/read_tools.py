"""Tools that read: conversations, messages, differences, executions and explanations."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from ctxadmin_client import AsyncClient
from ctxadmin_client.answers import JsonObject
from ctxadmin_client.calls import Call, path
from ctxadmin_client.mcp.excerpts import excerpt, shortened, state_excerpt

ConversationId = Annotated[str, Field(description="Id of the conversation.")]
_Limit = Annotated[int, Field(ge=1, le=200, description="Most entries in the answer.")]
_Cursor = Annotated[str | None, Field(description="The `next` of the page before.")]


class ReadTools:
    """Each method is one tool; its name, parameters and docstring are what a model reads."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    def tools(self) -> Sequence[Callable[..., Awaitable[JsonObject]]]:
        return (
            self.search,
            *(self.list_conversations, self.read_conversation, self.read_messages),
            *(self.read_message, self.list_batches, self.compare_revisions),
            *(self.read_execution, self.list_checkpoints, self.compare_checkpoints),
            self.explain_node,
        )

    async def search(
        self,
        query: Annotated[
            str,
            Field(
                description='Words that a text must all have; `"two words"` follow each other,'
                " `refu*` begins a word."
            ),
        ],
        kinds: Annotated[
            str | None,
            Field(
                description="Of message, conversation, state, reason, comment, workflow;"
                " with commas between."
            ),
        ] = None,
        role: Annotated[str | None, Field(description="Only messages of this role.")] = None,
        tool: Annotated[str | None, Field(description="Only calls and results of it.")] = None,
        status: Annotated[str | None, Field(description="Of the conversation.")] = None,
        workflow: Annotated[str | None, Field(description="Slug of a workflow.")] = None,
        since: Annotated[str | None, Field(description="24h, 7d, 2w, or a day.")] = None,
        limit: _Limit = 20,
        cursor: _Cursor = None,
    ) -> JsonObject:
        """Search messages (also hidden ones), states, reasons, comments and titles, latest first.

        Each hit has a snippet and its place. A page can be empty and still have a `next`.
        """
        filters = {"role": role, "tool": tool, "status": status, "workflow": workflow}
        where = {"q": query, "in": kinds, "since": since, "limit": min(limit, 100)}
        return await self._get("search", **where, **filters, cursor=cursor)

    async def list_conversations(
        self,
        query: Annotated[str | None, Field(description="Text to search for.")] = None,
        status: Annotated[
            str | None, Field(description="Such as RUNNING, PAUSED, COMPLETED or FAILED.")
        ] = None,
        workflow: Annotated[str | None, Field(description="Slug of a workflow.")] = None,
        limit: _Limit = 20,
        cursor: _Cursor = None,
    ) -> JsonObject:
        """List conversations, newest first. Paused ones need review."""
        return await self._get(
            "conversations", q=query, status=status, workflow=workflow, limit=limit, cursor=cursor
        )

    async def read_conversation(self, conversation_id: ConversationId) -> JsonObject:
        """Read title, workflow, status, metadata, current revision, and counts of messages."""
        return await self._get("conversations", conversation_id)

    async def read_messages(
        self,
        conversation_id: ConversationId,
        view: Annotated[
            str,
            Field(description="`current` (visible), `all` (also hidden) or `revision:N`."),
        ] = "current",
        order: Literal["asc", "desc"] = "asc",
        limit: _Limit = 50,
        cursor: _Cursor = None,
    ) -> JsonObject:
        """Read the messages of a view, page by page. `excerpt` marks a message that was cut."""
        page = await self._get(
            "conversations",
            conversation_id,
            "messages",
            view=view,
            order=order,
            limit=limit,
            cursor=cursor,
        )
        return {**page, "results": [excerpt(each) for each in page["results"]]}

    async def read_message(
        self,
        conversation_id: ConversationId,
        message: Annotated[str, Field(description="Index in the log, or id, of the message.")],
        node: Annotated[
            str | None, Field(description="Id of the node that did not see it, if it asks.")
        ] = None,
    ) -> JsonObject:
        """Recall one message in full, also one that is hidden (`visible` is false).

        A line such as `[4 messages are hidden: 3-6. ...]` names what can be recalled.
        """
        return await self._get("conversations", conversation_id, "messages", message, node=node)

    async def list_batches(
        self, conversation_id: ConversationId, limit: _Limit = 50, cursor: _Cursor = None
    ) -> JsonObject:
        """List the batches of the view, with operation, reason and author. Roll back to one."""
        where = ("conversations", conversation_id, "batches")
        return shortened(await self._get(*where, limit=limit, cursor=cursor), "results")

    async def compare_revisions(
        self,
        conversation_id: ConversationId,
        from_revision: Annotated[int, Field(ge=0)],
        to_revision: Annotated[int, Field(ge=0)],
        limit: _Limit = 50,
        cursor: _Cursor = None,
    ) -> JsonObject:
        """Compare two revisions of the view: which messages were added, shown, hidden, edited."""
        query = {"from": from_revision, "to": to_revision, "limit": limit, "cursor": cursor}
        page = await self._get("conversations", conversation_id, "diff", **query)
        return shortened(page, "results")

    async def read_execution(
        self,
        conversation_id: ConversationId,
        keys: Annotated[
            list[str] | None,
            Field(description="Only these state keys, in full; by default all, long texts cut."),
        ] = None,
    ) -> JsonObject:
        """Read the execution as it stands: status, version, state, ready nodes, and the pause.

        Messages are only counted: read_messages has them. `excerpt` marks a state that was cut.
        """
        chosen = ",".join(keys) if keys else None
        found = await self._get("conversations", conversation_id, "snapshot", keys=chosen)
        return found if keys else state_excerpt(found)

    async def list_checkpoints(
        self, conversation_id: ConversationId, limit: _Limit = 20, cursor: _Cursor = None
    ) -> JsonObject:
        """List the versions of the execution, newest first, with their changed keys."""
        where = ("conversations", conversation_id, "checkpoints")
        return await self._get(*where, limit=limit, cursor=cursor)

    async def compare_checkpoints(
        self,
        conversation_id: ConversationId,
        from_version: Annotated[int, Field(ge=0)],
        to_version: Annotated[int, Field(ge=0)],
    ) -> JsonObject:
        """Compare two versions of the execution: state and messages."""
        query = {"from": from_version, "to": to_version}
        where = ("conversations", conversation_id, "checkpoints", "diff")
        return shortened(await self._get(*where, **query), "state", "messages")

    async def explain_node(
        self,
        conversation_id: ConversationId,
        node: Annotated[str, Field(description="Id of a node of the execution.")],
    ) -> JsonObject:
        """Explain what a node would get now: context, messages, and which rule decided on each."""
        where = path("conversations", conversation_id, "nodes", node, "enter")
        call = Call("POST", where, body={"explain": True})
        seen: JsonObject = await self._client.transport.send(call)
        cut = shortened(seen, "context")
        return {**cut, "messages": [excerpt(each) for each in seen["messages"]]}

    async def _get(self, *parts: str, **query: Any) -> JsonObject:
        found: JsonObject = await self._client.transport.send(
            Call("GET", path(*parts), query=query)
        )
        return found
