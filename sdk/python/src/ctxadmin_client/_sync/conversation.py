"""One conversation: its messages, and the execution over it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ctxadmin_client._sync.transport import Transport
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


class Conversation:
    """A conversation by its ``id``; each method is one call of the contract, or a list of them."""

    def __init__(self, transport: Transport, conversation_id: str) -> None:
        self.id = conversation_id
        self._transport = transport

    def read(self) -> JsonObject:
        """Title, workflow, status, metadata, and how many messages and tokens it has."""
        found: JsonObject = self._get()
        return found

    def delete(self) -> None:
        """Erase the conversation with everything in it."""
        self._transport.send(Call("DELETE", self._path()))

    def append(self, *messages: Mapping[str, Any], provider: str | None = None) -> Appended:
        """Put messages behind the visible ones, all or none; as ``provider`` has them."""
        call = Call(
            "POST",
            self._path("messages"),
            query={"format": provider},
            body={"messages": list(messages)},
            key=new_key(),
        )
        return Appended.of(self._transport.send(call))

    def messages(self, view: str = "current") -> Iterator[JsonObject]:
        """The visible messages, or with ``view="all"`` every one, page by page."""
        cursor = None
        while True:
            page = self._get("messages", view=view, cursor=cursor)
            for each in page["results"]:
                yield each
            cursor = page["next"]
            if cursor is None:
                return

    def messages_for(self, provider: str) -> JsonObject:
        """The visible messages as a provider takes them, with ``warnings``.

        ``provider`` is ``openai``, ``anthropic``, ``responses`` or ``vercel``.
        """
        found: JsonObject = self._get("messages", format=provider)
        return found

    def recall(self, message: str | int, node: str | None = None) -> JsonObject:
        """A message in full by its index or id, also a hidden one; counts as a recall.

        ``node`` is the node that asks: with it a message counts that only its filter hides. A token
        without the scope ``engine`` reads the same, and nothing is counted.
        """
        found: JsonObject = self._get("messages", str(message), node=node)
        return found

    def recalls(self) -> Iterator[JsonObject]:
        """How often engines recalled which message, by node, in the order of the log."""
        cursor = None
        while True:
            page = self._get("recalls", cursor=cursor)
            for each in page["results"]:
                yield each
            cursor = page["next"]
            if cursor is None:
                return

    def pop(self, count: int = 1) -> Sequence[JsonObject]:
        """The last visible messages, which are hidden now; no two callers get the same."""
        return list((self._post("messages", "pop", body={"count": count}))["messages"])

    def operate(self, operation: str, /, **config: Any) -> Operated:
        """Apply an operation: ``operate("truncate", truncate={"keep_last": 6})``."""
        return Operated.of(self._post("operations", body={"operation": operation, **config}))

    def roll_back(self, batch: int, reason: str | None = None) -> Operated:
        """Show the messages as they were in an earlier batch."""
        return Operated.of(self._post("rollback", body=_given(batch=batch, reason=reason)))

    def snapshot(self, *keys: str, state: bool = True) -> Snapshot:
        """The execution as it stands, with all of its state, some ``keys``, or no ``state``."""
        chosen = ",".join(keys) if keys or not state else None
        return Snapshot.of(self._get("snapshot", keys=chosen))

    def start(self, **begun: Any) -> JsonObject:
        """Start an execution; InvalidState while another one has not ended."""
        made: JsonObject = self._post("executions", body=_given(**begun))
        return made

    def enter(
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
        return Entered.of(self._transport.send(call))

    def claim_node(self, node: str, ttl: int, lease: str | None = None) -> JsonObject:
        """Hold a node for ``ttl`` seconds; InvalidState with ``held_by`` if somebody else does."""
        body = _given(ttl=ttl, lease=lease)
        held: JsonObject = self._post("nodes", node, "claim", body=body)
        return held

    def release_node(self, node: str, lease: str) -> None:
        """Give a node up that was claimed; not for long, since the lease runs out by itself."""
        where = self._path("nodes", node, "release")
        call = Call("POST", where, body={"lease": lease}, key=new_key(), patience=_RELEASE)
        self._transport.send(call)

    def complete(
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
        return Completed.of(self._transport.send(call))

    def save(self, checkpoint_id: str, node: str, **rest: Any) -> JsonObject:
        """Save a checkpoint; the same id with the same body is the same save."""
        body = {"state_data": {}, **_given(node_id=node, **rest)}
        call = Call("PUT", self._path("checkpoints", checkpoint_id), body=body)
        saved: JsonObject = self._transport.send(call)
        return saved

    def executions(self) -> Iterator[JsonObject]:
        """The executions of the conversation, latest first; only that one can go on."""
        for each in self._listed("executions", {}):
            yield each

    def checkpoints(self, **query: Any) -> Iterator[JsonObject]:
        """The versions of the execution, newest first; see the contract for what chooses."""
        for each in self._listed("checkpoints", query):
            yield each

    def delete_checkpoint(self, version: int, *, execution: str | None = None) -> None:
        """Delete a version and its bytes; one of a former ``execution`` if it is named."""
        where = self._path("checkpoints", str(version))
        self._transport.send(Call("DELETE", where, query={"execution": execution}))

    def _listed(self, name: str, query: Mapping[str, Any]) -> Iterator[JsonObject]:
        cursor = None
        while True:
            page = self._get(name, **{**query, "cursor": cursor})
            for each in page["results"]:
                yield each
            cursor = page["next"]
            if cursor is None:
                return

    def change_state(self, node: str, state: Mapping[str, Any], **rest: Any) -> JsonObject:
        """Change the state of a PAUSED execution; ``expected_version`` guards what you read."""
        body = _given(node_id=node, state_data=state, **rest)
        call = Call("PATCH", self._path("snapshot"), body=body, key=new_key())
        changed: JsonObject = self._transport.send(call)
        return changed

    def pause(self, **said: Any) -> Moved:
        """Pause, at once or after the node that is under way."""
        return self._move("pause", said)

    def resume(self, **said: Any) -> Moved:
        """Let a paused execution go on, elsewhere with ``from_node``."""
        return self._move("resume", said)

    def approve(self, **said: Any) -> Moved:
        return self._move("approve", said)

    def reject(self, **said: Any) -> Moved:
        return self._move("reject", said)

    def cancel(self, **said: Any) -> Moved:
        return self._move("cancel", said)

    def wait(
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
        return Waited.of(self._transport.send(call))

    def events(self, last_id: str = "") -> Iterator[Sent]:
        """The changes of this conversation as they come, behind the one that was seen last."""
        for sent in self._transport.stream(self._path("events"), last_id):
            yield sent
            if sent.event == "erased":
                return

    def _move(self, move: str, said: Mapping[str, Any]) -> Moved:
        return Moved.of(self._post(move, body=_given(**said)))

    def _get(self, *parts: str, **query: Any) -> Any:
        return self._transport.send(Call("GET", self._path(*parts), query=query))

    def _post(self, *parts: str, body: JsonObject) -> Any:
        call = Call("POST", self._path(*parts), body=body, key=new_key())
        return self._transport.send(call)

    def _path(self, *parts: str) -> str:
        return path("conversations", self.id, *parts)


def _given(**fields: Any) -> JsonObject:
    return {name: value for name, value in fields.items() if value is not None}
