"""One conversation: its messages, and the execution over it."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from ctxadmin_client._async.transport import AsyncTransport
from ctxadmin_client.answers import (
    Appended,
    Completed,
    Entered,
    JsonObject,
    Moved,
    Operated,
    Snapshot,
    Waited,
)
from ctxadmin_client.calls import Call, new_key, path
from ctxadmin_client.streams import Sent

_RELEASE = 2.0  # seconds


class AsyncConversation:
    """A conversation by its ``id``; each method is one call of the contract, or a list of them."""

    def __init__(self, transport: AsyncTransport, conversation_id: str) -> None:
        self.id = conversation_id
        self._transport = transport

    async def read(self) -> JsonObject:
        """Title, workflow, status, metadata, and how many messages and tokens it has."""
        found: JsonObject = await self._get()
        return found

    async def delete(self) -> None:
        """Erase the conversation with everything in it."""
        await self._transport.send(Call("DELETE", self._path()))

    async def append(self, *messages: Mapping[str, Any], provider: str | None = None) -> Appended:
        """Put messages behind the visible ones, all or none; as ``provider`` has them."""
        call = Call(
            "POST",
            self._path("messages"),
            query={"format": provider},
            body={"messages": list(messages)},
            key=new_key(),
        )
        return Appended.of(await self._transport.send(call))

    async def messages(self, view: str = "current") -> AsyncIterator[JsonObject]:
        """The visible messages, or with ``view="all"`` every one, page by page."""
        cursor = None
        while True:
            page = await self._get("messages", view=view, cursor=cursor)
            for each in page["results"]:
                yield each
            cursor = page["next"]
            if cursor is None:
                return

    async def messages_for(self, provider: str) -> JsonObject:
        """The visible messages as a provider takes them, with ``warnings``.

        ``provider`` is ``openai``, ``anthropic``, ``responses`` or ``vercel``.
        """
        found: JsonObject = await self._get("messages", format=provider)
        return found

    async def recall(self, message: str | int, node: str | None = None) -> JsonObject:
        """A message in full by its index or id, also a hidden one; counts as a recall.

        ``node`` is the node that asks: with it a message counts that only its filter hides. A token
        without the scope ``engine`` reads the same, and nothing is counted.
        """
        found: JsonObject = await self._get("messages", str(message), node=node)
        return found

    async def recalls(self) -> AsyncIterator[JsonObject]:
        """How often engines recalled which message, by node, in the order of the log."""
        cursor = None
        while True:
            page = await self._get("recalls", cursor=cursor)
            for each in page["results"]:
                yield each
            cursor = page["next"]
            if cursor is None:
                return

    async def pop(self, count: int = 1) -> Sequence[JsonObject]:
        """The last visible messages, which are hidden now; no two callers get the same."""
        return list((await self._post("messages", "pop", body={"count": count}))["messages"])

    async def operate(self, operation: str, /, **config: Any) -> Operated:
        """Apply an operation: ``operate("truncate", truncate={"keep_last": 6})``."""
        return Operated.of(await self._post("operations", body={"operation": operation, **config}))

    async def roll_back(self, batch: int, reason: str | None = None) -> Operated:
        """Show the messages as they were in an earlier batch."""
        return Operated.of(await self._post("rollback", body=_given(batch=batch, reason=reason)))

    async def snapshot(self, *keys: str, state: bool = True) -> Snapshot:
        """The execution as it stands, with all of its state, some ``keys``, or no ``state``."""
        chosen = ",".join(keys) if keys or not state else None
        return Snapshot.of(await self._get("snapshot", keys=chosen))

    async def start(self, **begun: Any) -> JsonObject:
        """Start an execution; InvalidState while another one has not ended."""
        made: JsonObject = await self._post("executions", body=_given(**begun))
        return made

    async def enter(
        self,
        node: str,
        *,
        provider: str | None = None,
        known: Mapping[str, int] | None = None,
        explain: bool = False,
    ) -> Entered:
        """What a node gets. It changes nothing and may be asked again."""
        body = _given(known=known, explain=explain or None)
        where = self._path("nodes", node, "enter")
        call = Call("POST", where, query={"format": provider}, body=body)
        return Entered.of(await self._transport.send(call))

    async def claim_node(self, node: str, ttl: int, lease: str | None = None) -> JsonObject:
        """Hold a node for ``ttl`` seconds; InvalidState with ``held_by`` if somebody else does."""
        body = _given(ttl=ttl, lease=lease)
        held: JsonObject = await self._post("nodes", node, "claim", body=body)
        return held

    async def release_node(self, node: str, lease: str) -> None:
        """Give a node up that was claimed; not for long, since the lease runs out by itself."""
        where = self._path("nodes", node, "release")
        call = Call("POST", where, body={"lease": lease}, key=new_key(), patience=_RELEASE)
        await self._transport.send(call)

    async def complete(
        self,
        node: str,
        checkpoint_id: str,
        result: Mapping[str, Any],
        *,
        provider: str | None = None,
        **rest: Any,
    ) -> Completed:
        """Say what a node did; the same id with the same body is the same completion."""
        body = _given(checkpoint_id=checkpoint_id, result=result, **rest)
        where = self._path("nodes", node, "complete")
        call = Call("POST", where, query={"format": provider}, body=body)
        return Completed.of(await self._transport.send(call))

    async def save(self, checkpoint_id: str, node: str, **rest: Any) -> JsonObject:
        """Save a checkpoint; the same id with the same body is the same save."""
        body = {"state_data": {}, **_given(node_id=node, **rest)}
        call = Call("PUT", self._path("checkpoints", checkpoint_id), body=body)
        saved: JsonObject = await self._transport.send(call)
        return saved

    async def executions(self) -> AsyncIterator[JsonObject]:
        """The executions of the conversation, latest first; only that one can go on."""
        async for each in self._listed("executions", {}):
            yield each

    async def checkpoints(self, **query: Any) -> AsyncIterator[JsonObject]:
        """The versions of the execution, newest first; see the contract for what chooses."""
        async for each in self._listed("checkpoints", query):
            yield each

    async def delete_checkpoint(self, version: int, *, execution: str | None = None) -> None:
        """Delete a version and its bytes; one of a former ``execution`` if it is named."""
        where = self._path("checkpoints", str(version))
        await self._transport.send(Call("DELETE", where, query={"execution": execution}))

    async def _listed(self, name: str, query: Mapping[str, Any]) -> AsyncIterator[JsonObject]:
        cursor = None
        while True:
            page = await self._get(name, **{**query, "cursor": cursor})
            for each in page["results"]:
                yield each
            cursor = page["next"]
            if cursor is None:
                return

    async def change_state(self, node: str, state: Mapping[str, Any], **rest: Any) -> JsonObject:
        """Change the state of a PAUSED execution; ``expected_version`` guards what you read."""
        body = _given(node_id=node, state_data=state, **rest)
        call = Call("PATCH", self._path("snapshot"), body=body, key=new_key())
        changed: JsonObject = await self._transport.send(call)
        return changed

    async def pause(self, **said: Any) -> Moved:
        """Pause, at once or after the node that is under way."""
        return await self._move("pause", said)

    async def resume(self, **said: Any) -> Moved:
        """Let a paused execution go on, elsewhere with ``from_node``."""
        return await self._move("resume", said)

    async def approve(self, **said: Any) -> Moved:
        return await self._move("approve", said)

    async def reject(self, **said: Any) -> Moved:
        return await self._move("reject", said)

    async def cancel(self, **said: Any) -> Moved:
        return await self._move("cancel", said)

    async def wait(
        self,
        *,
        after_version: int | None = None,
        status: Sequence[str] = (),
        execution: str | None = None,
        seconds: int = 50,
    ) -> Waited:
        """Wait for a version behind ``after_version`` and one of the statuses, at most 60 s.

        ``execution`` is the one that is meant: if another has begun, the answer comes at once, with
        the last status and version of the one that is meant.
        """
        query = {
            "execution": execution,
            "after_version": after_version,
            "status": ",".join(status) or None,
            "timeout": seconds,
        }
        call = Call("GET", self._path("wait"), query=query, wait=seconds)
        return Waited.of(await self._transport.send(call))

    async def events(self, last_id: str = "") -> AsyncIterator[Sent]:
        """The changes of this conversation as they come, behind the one that was seen last."""
        async for sent in self._transport.stream(self._path("events"), last_id):
            yield sent
            if sent.event == "erased":
                return

    async def _move(self, move: str, said: Mapping[str, Any]) -> Moved:
        return Moved.of(await self._post(move, body=_given(**said)))

    async def _get(self, *parts: str, **query: Any) -> Any:
        return await self._transport.send(Call("GET", self._path(*parts), query=query))

    async def _post(self, *parts: str, body: JsonObject) -> Any:
        call = Call("POST", self._path(*parts), body=body, key=new_key())
        return await self._transport.send(call)

    def _path(self, *parts: str) -> str:
        return path("conversations", self.id, *parts)


def _given(**fields: Any) -> JsonObject:
    return {name: value for name, value in fields.items() if value is not None}
