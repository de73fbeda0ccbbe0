"""The saver: stores checkpoints of LangGraph in a conversation and its executions."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from ctxadmin_client._async.client import AsyncClient
from ctxadmin_client.answers import JsonObject
from ctxadmin_client.calls import Call, new_key, path
from ctxadmin_client.errors import Duplicate, InvalidState, NotFound, VersionConflict
from ctxadmin_client.langgraph._async.history import tuple_of
from ctxadmin_client.langgraph._async.stops import AsyncStops
from ctxadmin_client.langgraph.checkpoints import (
    ERROR,
    PAYLOAD,
    Head,
    Update,
    checkpoint_of,
    head_key,
    is_finished,
    node_name,
    node_of_path,
    of_ended_tasks,
    public_id,
    update_of,
)
from ctxadmin_client.langgraph.other_calls import AsyncOtherCalls
from ctxadmin_client.langgraph.threads import (
    INTERRUPT,
    RESUME,
    Now,
    Place,
    Shown,
    Stopped,
    Thread,
    details_of,
    failure_of,
    shown,
    writes_of,
)

_TRIES: Final = 5
_STOPPED: Final = frozenset({"PAUSED", "FAILED", "CANCELLED"})


class AsyncCtxAdminSaver(AsyncStops, AsyncOtherCalls, BaseCheckpointSaver[int]):
    """Stores checkpoints of graphs in ctxadmin: ``compile(checkpointer=AsyncCtxAdminSaver(c))``.

    A thread is the conversation with its id. Its channel ``messages`` is the conversation, other
    channels of JSON are state keys, the rest is opaque. ``interrupt()`` pauses the execution and
    shows its question; the graph continues with state and messages as people left them. ``app``
    distinguishes the graphs of several applications in a workspace. A token with the scope
    ``engine`` is enough.
    """

    def __init__(
        self, client: AsyncClient, *, app: str = "", serde: SerializerProtocol | None = None
    ) -> None:
        super().__init__(serde=serde)
        if not isinstance(client, AsyncClient):
            raise TypeError(f"this saver takes a client of the class {AsyncClient.__name__}")
        self.client = client
        self.app = app
        self._threads: dict[str, Thread] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Returns the latest checkpoint with current state and messages, or an older one."""
        place = Place.of(config)
        if place.checkpoint is not None:
            return await self._saved(place, place.checkpoint)
        thread = self._thread(place.thread)
        async with self._lock(place.thread):
            now = await self._read(place.thread, thread)
            thread.stopped = thread.erased = False
            thread.interrupts = {}
            thread.prefix = []
            head = now.head(place.namespace, self.serde)
            if head is None:
                return None
            thread.known.add(head.id)
            writes = await self._writes_now(place, head, now)
        checkpoint = checkpoint_of(head, now.state, place.namespace, self.serde, now=True)
        return tuple_of(place, head, checkpoint, writes)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Yields saved checkpoints, newest first, over all turns."""
        if limit is not None and limit <= 0:
            return
        left = limit
        async for place in self._places(config):
            async for found in self._listed(place, filter or {}, before, left):
                yield found
                if left is not None:
                    left -= 1
                    if left == 0:
                        return

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Saves a checkpoint: the changes of the state, and the new messages."""
        place = Place.of(config)
        told = dict(get_checkpoint_metadata(config, metadata))
        thread = self._thread(place.thread)
        async with self._lock(place.thread):
            await self._save(place, thread, checkpoint, told, new_versions)
            thread.known.add(checkpoint["id"])
        return place.config(checkpoint["id"])

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Saves the writes of a task; a top-level interrupt pauses, an error fails the run."""
        place = Place.of(config)
        checkpoint = place.checkpoint
        if checkpoint is None:
            raise ValueError("writes need the id of their checkpoint")
        channels = {channel for channel, _ in writes}
        thread = self._thread(place.thread)
        if RESUME in channels and INTERRUPT not in channels and not place.namespace:
            async with self._lock(place.thread):
                await self._go_on(place.thread, thread)
        version = thread.now.version if thread.now is not None else 0
        body = {"writes": writes_of(writes, version, task_path, self.serde)}
        where = ("checkpoints", public_id(checkpoint), "writes", public_id(task_id))
        await self._ensured_once(place.thread, thread)
        call = Call("PUT", path("conversations", public_id(place.thread), *where), body=body)
        try:
            await self.client.transport.send(call)
        except NotFound:
            await self._refuse_if_erased(place.thread, thread)
            raise
        if INTERRUPT in channels and not place.namespace:
            payload = next(value for channel, value in writes if channel == INTERRUPT)
            await self._pause(place, thread, task_id, node_of_path(task_path), payload)
        why = failure_of(writes)
        if why and not place.namespace:
            await self._fail(place, thread, node_of_path(task_path) or "graph", why)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Forks a thread at its latest version; earlier turns are not copied."""
        source = self._conversation(source_thread_id)
        snapshot = await source.snapshot(state=False)
        where = path("conversations", source.id, "checkpoints", str(snapshot.version), "fork")
        body = {"id": public_id(target_thread_id)}
        await self.client.transport.send(Call("POST", where, body=body, key=new_key()))
        await self._marked(target_thread_id, replaces=True)
        if snapshot.status == "RUNNING":
            target = self._conversation(target_thread_id)
            await target.resume(reason="Copied from a thread that runs.")

    async def _save(
        self,
        place: Place,
        thread: Thread,
        checkpoint: Checkpoint,
        metadata: JsonObject,
        new_versions: ChannelVersions,
    ) -> None:
        before = thread.now
        again = False
        for left in reversed(range(_TRIES)):
            goes_back = metadata.get("source") == "fork" or place.checkpoint in thread.then
            now = await self._before_save(place, thread, goes_back=goes_back)
            paused = now.pause if now.status == "PAUSED" else None
            now = await self._go_on(place.thread, thread)
            if now.is_new:  # the conversation began without a graph: its messages stay
                thread.prefix = [*now.state.messages]
            head = now.head(place.namespace, self.serde)
            is_next = head is not None and head.id == place.checkpoint and not now.ended
            changed = new_versions if is_next and not goes_back else None
            update = update_of(
                checkpoint, place.namespace, head, changed, self.serde, now.state.messages
            )
            previous = now.previous(self.serde)
            kept = {name: checkpoint[name] for name in checkpoint if name != "channel_values"}  # type: ignore[literal-required]
            new = Head(kept, metadata, place.checkpoint, update.values, update.internal, previous)
            view = Shown()
            if update.messages is not None:
                view = shown(now, update.messages, thread, self.serde, again=again)
            self._tidy(place, now, update)
            rest: JsonObject = {
                "state_data": update.data,
                "opaque": {**update.opaque, head_key(place.namespace): new.packed(self.serde)},
                "messages": view.appended or None,
                "operations": view.operations or None,
                "metadata": details_of(metadata, previous if not place.namespace else None),
                "parent": place.checkpoint and public_id(place.checkpoint),
                "namespace": place.namespace[:1_000] or None,
                "new_execution": now.ended or None,
                "expected_version": 0 if now.ended else now.version,
            }
            if not place.namespace:
                rest |= _final_fields(checkpoint, metadata, paused)
            node = node_name(checkpoint, metadata, place.namespace, head)
            conversation = self._conversation(place.thread)
            try:
                answer = await conversation.save(public_id(checkpoint["id"]), node, **rest)
            except NotFound:
                await self._refuse_if_erased(place.thread, thread)
                raise
            except (InvalidState, VersionConflict) as error:
                thread.now = None
                if not left:
                    raise
                current = await self._read(place.thread, thread)
                self._refuse_if_elsewhere(place, head, current, error)
                self._refuse_if_stopped(before, current, error)
            except Duplicate as error:
                if again or not any(
                    fault.pointer.startswith(("/messages", "/operations")) for fault in error.faults
                ):
                    raise
                again = True
            else:
                self._note(place, thread, now, update, new, view, answer)
                return

    async def _before_save(self, place: Place, thread: Thread, *, goes_back: bool) -> Now:
        """Returns the current thread, read again if the graph goes back to an older checkpoint.

        Such a graph did not read the latest checkpoint, so what the saver knows may be outdated.
        """
        now = thread.now or await self._read(place.thread, thread)
        head = now.head(place.namespace, self.serde)
        is_other = head is not None and place.checkpoint not in (None, head.id)
        if is_other or goes_back:
            now = await self._read(place.thread, thread)
        was_there = now.exists
        await self._ensured(place.thread, thread)
        if was_there and now.is_new and not place.namespace:
            await self._marked(place.thread)
        return now

    def _tidy(self, place: Place, now: Now, update: Update) -> None:
        """Drops keys that are no longer needed: an answered question, ended subgraphs."""
        if place.namespace:
            return
        gone = of_ended_tasks(now.state.keys) | ({PAYLOAD, ERROR} & now.state.keys)
        for key in gone:
            if not now.ended:
                update.data[key] = {"$delete": True}

    def _refuse_if_stopped(self, before: Now | None, now: Now, error: Exception) -> None:
        if before is None or before.status not in ("RUNNING", "IDLE"):
            return
        if now.status in _STOPPED:
            raise Stopped(
                f"The execution is {now.status}: somebody decided so while the graph was running."
            ) from error

    def _note(
        self,
        place: Place,
        thread: Thread,
        now: Now,
        update: Update,
        head: Head,
        view: Shown,
        answer: Mapping[str, Any],
    ) -> None:
        """Updates the thread after a save."""
        if now.ended:
            now.state.data, now.state.opaque, now.heads = {}, {}, {}
            now.execution = None
        for key, value in update.data.items():
            now.state.opaque.pop(key, None)
            if value == {"$delete": True}:
                now.state.data.pop(key, None)
            else:
                now.state.data[key] = value
        for key, value in update.opaque.items():
            now.state.data.pop(key, None)
            now.state.opaque[key] = value
        now.state.opaque[head_key(place.namespace)] = {}
        for namespace in [*now.heads]:
            if update.data.get(head_key(namespace)) == {"$delete": True}:
                now.heads[namespace] = None
        now.heads[place.namespace] = head
        if update.messages is not None:
            first = min(len(now.logged), len(view.logged) - len(view.appended))
            new = view.logged if view.operations else view.logged[first:]
            thread.used.update(name for name in new if name is not None)
            now.state.messages, now.logged = view.messages, view.logged
        was_asked = place.namespace or now.status == "PAUSED"
        now.version, now.status = int(answer["version"]), str(answer["status"])
        thread.stopped = now.status == "PAUSED" and not was_asked
        now.pause = None
        if not place.namespace:
            thread.interrupts = {}
        thread.then.clear()
        thread.now = now


def _final_fields(
    checkpoint: Checkpoint, metadata: Mapping[str, Any], paused: Mapping[str, Any] | None
) -> JsonObject:
    """Returns the fields of a save that pause or complete the execution, if it is time to."""
    if paused is not None and metadata.get("source") == "update" and paused.get("node_id"):
        reason = paused.get("reason")
        return {"pause_before": str(paused["node_id"]), "pause_reason": reason or None}
    return {"status": "COMPLETED"} if is_finished(checkpoint) else {}
