"""One conversation: its messages, and its execution."""

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
    """A conversation by its ``id``; each method is one REST call, or yields the items of a list."""

    def __init__(self, transport: Transport, conversation_id: str) -> None:
        self.id = conversation_id
        self._transport = transport

    def read(self) -> JsonObject:
        """Returns title, workflow, status, metadata, and the numbers of messages and tokens."""
        found: JsonObject = self._get()
        return found

    def delete(self) -> None:
        """Erases the conversation with all its content."""
        self._transport.send(Call("DELETE", self._path()))

    def append(self, *messages: Mapping[str, Any], provider: str | None = None) -> Appended:
        """Appends messages in the format of ``provider``, all or none."""
        call = Call(
            "POST",
            self._path("messages"),
            query={"format": provider},
            body={"messages": list(messages)},
            key=new_key(),
        )
        return Appended.of(self._transport.send(call))

    def messages(self, view: str = "current") -> Iterator[JsonObject]:
        """Yields the visible messages, or all with ``view="all"``; pages are fetched as needed."""
        cursor = None
        while True:
            page = self._get("messages", view=view, cursor=cursor)
            for each in page["results"]:
                yield each
            cursor = page["next"]
            if cursor is None:
                return

    def messages_for(self, provider: str) -> JsonObject:
        """Returns the visible messages in the format of a provider, with ``warnings``.

        ``provider`` is ``openai``, ``anthropic``, ``responses`` or ``vercel``.
        """
        found: JsonObject = self._get("messages", format=provider)
        return found

    def recall(self, message: str | int, node: str | None = None) -> JsonObject:
        """Returns a whole message by its index or id, also a hidden one; this counts as a recall.

        ``node`` is the node that reads: with it, messages that only its filter hides count too.
        Without the scope ``engine`` the message is returned and nothing is counted.
        """
        found: JsonObject = self._get("messages", str(message), node=node)
        return found

    def recalls(self) -> Iterator[JsonObject]:
        """Yields how often engines recalled each message, by node, in the order of the log."""
        cursor = None
        while True:
            page = self._get("recalls", cursor=cursor)
            for each in page["results"]:
                yield each
            cursor = page["next"]
            if cursor is None:
                return

    def pop(self, count: int = 1) -> Sequence[JsonObject]:
        """Hides and returns the last visible messages; no two callers get the same one."""
        return list((self._post("messages", "pop", body={"count": count}))["messages"])

    def operate(self, operation: str, /, **config: Any) -> Operated:
        """Applies an operation: ``operate("truncate", truncate={"keep_last": 6})``."""
        return Operated.of(self._post("operations", body={"operation": operation, **config}))

    def roll_back(self, batch: int, reason: str | None = None) -> Operated:
        """Rolls the view back to an earlier batch."""
        return Operated.of(self._post("rollback", body=_given(batch=batch, reason=reason)))

    def snapshot(self, *keys: str, state: bool = True) -> Snapshot:
        """Returns the execution with its whole state, some ``keys``, or without ``state``."""
        chosen = ",".join(keys) if keys or not state else None
        return Snapshot.of(self._get("snapshot", keys=chosen))

    def start(self, **begun: Any) -> JsonObject:
        """Starts an execution; raises InvalidState while another one has not ended."""
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
        """Returns the context of a node. It changes nothing and can be repeated."""
        body = _given(known=known, explain=explain or None)
        where = self._path("nodes", node, "enter")
        call = Call("POST", where, query={"format": provider}, body=body)
        return Entered.of(self._transport.send(call))

    def claim_node(self, node: str, ttl: int, lease: str | None = None) -> JsonObject:
        """Claims a node for ``ttl`` seconds; InvalidState with ``held_by`` if it is claimed."""
        body = _given(ttl=ttl, lease=lease)
        held: JsonObject = self._post("nodes", node, "claim", body=body)
        return held

    def release_node(self, node: str, lease: str) -> None:
        """Releases a claimed node; tried only briefly, because the lease expires anyway."""
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
        """Completes a node; repeated with the same id and body it is done once."""
        body = _given(checkpoint_id=checkpoint_id, result=result, **rest)
        where = self._path("nodes", node, "complete")
        call = Call("POST", where, query={"format": provider}, body=body)
        return Completed.of(self._transport.send(call))

    def save(self, checkpoint_id: str, node: str, **rest: Any) -> JsonObject:
        """Saves a checkpoint; repeated with the same id and body it is done once."""
        body = {"state_data": {}, **_given(node_id=node, **rest)}
        call = Call("PUT", self._path("checkpoints", checkpoint_id), body=body)
        saved: JsonObject = self._transport.send(call)
        return saved

    def executions(self) -> Iterator[JsonObject]:
        """Yields the executions of the conversation, latest first; only the latest can continue."""
        for each in self._listed("executions", {}):
            yield each

    def checkpoints(self, **query: Any) -> Iterator[JsonObject]:
        """Yields the versions of the execution, newest first; rest.md lists the filters."""
        for each in self._listed("checkpoints", query):
            yield each

    def delete_checkpoint(self, version: int, *, execution: str | None = None) -> None:
        """Deletes a version and its bytes, by default of the current execution."""
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
        """Changes the state of a PAUSED execution if it still has ``expected_version``."""
        body = _given(node_id=node, state_data=state, **rest)
        call = Call("PATCH", self._path("snapshot"), body=body, key=new_key())
        changed: JsonObject = self._transport.send(call)
        return changed

    def pause(self, **said: Any) -> Moved:
        """Pauses at once, or after the node that is running."""
        return self._move("pause", said)

    def resume(self, **said: Any) -> Moved:
        """Resumes a paused execution, or continues it at ``from_node``."""
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
        """Waits for a version after ``after_version`` with one of the statuses, at most 60 s.

        ``execution`` is the id of the expected execution: if another one has started, the answer
        comes at once, with the last status and version of the expected one.
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
        """Yields the changes of this conversation as they happen, after the last known one."""
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
