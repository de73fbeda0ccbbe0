"""The open threads of a saver: what it knows of each; calls of one thread are serialized."""

import threading
from typing import Any, Final

from langgraph.checkpoint.serde.base import SerializerProtocol

from ctxadmin_client._sync.client import Client
from ctxadmin_client._sync.conversation import Conversation
from ctxadmin_client.answers import JsonObject
from ctxadmin_client.calls import Call, new_key, path
from ctxadmin_client.errors import InvalidState, NotFound
from ctxadmin_client.langgraph.checkpoints import PAYLOAD, public_id
from ctxadmin_client.langgraph.threads import RESUMED, Now, Stopped, Thread, now_of

_MOST_THREADS: Final = 256  # that are remembered
_LONGEST_TITLE: Final = 300


class OpenThreads:
    """The threads of a saver by id, each with its conversation as last read."""

    client: Client
    app: str
    serde: SerializerProtocol
    _threads: dict[str, Thread]
    _locks: dict[str, threading.Lock]

    def _thread(self, thread_id: str) -> Thread:
        thread = self._threads.get(thread_id)
        if thread is None:
            if len(self._threads) >= _MOST_THREADS:
                self._threads.pop(next(iter(self._threads)), None)
            thread = self._threads.setdefault(thread_id, Thread())
        return thread

    def _lock(self, thread_id: str) -> threading.Lock:
        if len(self._locks) > 4 * _MOST_THREADS:
            for name, lock in [*self._locks.items()]:
                if not lock.locked() and name not in self._threads:
                    self._locks.pop(name, None)
        return self._locks.setdefault(thread_id, threading.Lock())

    def payload(self, thread_id: str) -> Any:
        """Returns what the latest interrupt asks, with people's edits; None without one."""
        now = self._thread(thread_id).now
        return None if now is None else now.state.data.get(PAYLOAD)

    def forget_reads(self, thread_id: str) -> None:
        """Forgets the older checkpoints that were read: the graph does not continue from them."""
        self._thread(thread_id).then.clear()

    def _conversation(self, thread_id: str) -> Conversation:
        return self.client.conversation(public_id(thread_id))

    def _mark(self, thread_id: str) -> JsonObject:
        """Returns the metadata that identify the conversations of this saver."""
        return {"langgraph": {"thread_id": thread_id, "app": self.app}}

    def _read(self, thread_id: str, thread: Thread) -> Now:
        """Returns the current thread; an empty one if there is no conversation."""
        conversation = self._conversation(thread_id)
        try:
            snapshot = conversation.snapshot()
            stored = snapshot.state_data.get("messages") or []
            if snapshot.execution is None:
                stored = [each for each in conversation.messages()]
        except NotFound:
            thread.now = Now(exists=False)
            return thread.now
        thread.now = now_of(snapshot, stored, thread.now, self.serde)
        thread.used.update(name for name in thread.now.logged if name is not None)
        return thread.now

    def _ensured(self, thread_id: str, thread: Thread) -> None:
        """Creates the conversation if needed; Stopped if it was erased while the graph ran.

        Called with the lock of the thread.
        """
        if thread.erased:
            raise Stopped("The conversation was erased while the graph was running.")
        if thread.now is None or not thread.now.exists:
            title = thread_id[:_LONGEST_TITLE] if public_id(thread_id) != thread_id else None
            self.client.ensure(
                public_id(thread_id), title=title, metadata=self._mark(thread_id)
            )
            if thread.now is not None:
                thread.now.exists = True

    def _ensured_once(self, thread_id: str, thread: Thread) -> None:
        """Does the same without the lock of the thread, and takes it if a request is needed.

        Of two callers that both make a conversation, the later could make it again once erased.
        """
        if thread.erased or thread.now is None or not thread.now.exists:
            with self._lock(thread_id):
                self._ensured(thread_id, thread)

    def _refuse_if_erased(self, thread_id: str, thread: Thread) -> None:
        """Raises Stopped if the conversation is gone, and not only a checkpoint of it."""
        try:
            self._conversation(thread_id).read()
        except NotFound:
            thread.erased = True
            self._ensured(thread_id, thread)

    def _marked(self, thread_id: str, *, replaces: bool = False) -> None:
        """Marks a conversation that was created elsewhere; ``replaces`` the mark of another."""
        conversation = self._conversation(thread_id)
        metadata = (conversation.read()).get("metadata") or {}
        if replaces or "langgraph" not in metadata:
            body = {"metadata": {**metadata, **self._mark(thread_id)}}
            where = path("conversations", conversation.id)
            self.client.transport.send(Call("PATCH", where, body=body, key=new_key()))

    def _go_on(self, thread_id: str, thread: Thread) -> Now:
        """Resumes an execution that is paused or was rejected, because the graph continues."""
        now = thread.now or self._read(thread_id, thread)
        if now.status not in ("PAUSED", "FAILED"):
            return now
        if thread.stopped:
            raise Stopped("The execution is PAUSED: somebody asked for a pause.")
        try:
            moved = self._conversation(thread_id).resume(reason=RESUMED)
        except InvalidState:  # another caller resumed it first
            return self._read(thread_id, thread)
        now.status, now.version, now.pause = moved.status, moved.version, None
        return now
