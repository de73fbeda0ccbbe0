"""The saver: checkpoints of LangGraph in a conversation and its executions."""

import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
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

from ctxadmin_client._sync.client import Client
from ctxadmin_client._sync.conversation import Conversation
from ctxadmin_client.answers import JsonObject
from ctxadmin_client.calls import Call, path
from ctxadmin_client.errors import Duplicate, InvalidState, NotFound
from ctxadmin_client.langgraph.checkpoints import (
    PAYLOAD,
    Head,
    State,
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
from ctxadmin_client.langgraph.threads import (
    INTERRUPT,
    RESUME,
    RESUMED,
    Now,
    Pending,
    Place,
    Shown,
    Stopped,
    Thread,
    asked,
    details_of,
    now_of,
    pause_id,
    pending,
    read_messages,
    reason_of,
    shown,
    writes_of,
)

_TRIES: Final = 5
_MOST_THREADS: Final = 256  # that are remembered
_LOOK: Final = 0.02  # seconds
_PATIENCE: Final = 10.0  # seconds, for a checkpoint whose interrupt is here already
_PAGE: Final = 20  # checkpoints with their states
_STOPPED: Final = frozenset({"PAUSED", "FAILED", "CANCELLED"})


class CtxAdminSaver(BaseCheckpointSaver[int]):
    """Keeps the checkpoints of graphs in ctxadmin: ``compile(checkpointer=CtxAdminSaver(c))``.

    A thread is the conversation with its id. Its channel ``messages`` is the conversation, other
    channels of JSON are state keys, the rest is opaque. ``interrupt()`` pauses the execution with
    what it asks; state and messages as people left them are what the graph goes on with. ``app``
    tells the graphs of several applications in a workspace apart. A token with the scope
    ``engine`` is enough.
    """

    def __init__(
        self, client: Client, *, app: str = "", serde: SerializerProtocol | None = None
    ) -> None:
        super().__init__(serde=serde)
        self.client = client
        self.app = app
        self._threads: dict[str, Thread] = {}
        self._locks: dict[str, threading.Lock] = {}

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The latest checkpoint with the state and messages of now, or one as it was saved."""
        place = Place.of(config)
        if place.checkpoint is not None:
            return self._saved(place, place.checkpoint)
        thread = self._thread(place.thread)
        with self._lock(place.thread):
            now = self._read(place.thread, thread)
            thread.stopped = False
            thread.interrupts = {}
            thread.prefix = []
            head = now.head(place.namespace, self.serde)
            if head is None:
                return None
            thread.known.add(head.id)
            writes = self._writes_now(place, head, now)
        checkpoint = checkpoint_of(head, now.state, place.namespace, self.serde, now=True)
        return _tuple(place, head, checkpoint, writes)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Checkpoints, the newest first, those of earlier turns behind those of later ones."""
        if limit is not None and limit <= 0:
            return
        left = limit
        for place in self._places(config):
            for found in self._listed(place, filter or {}, before, left):
                yield found
                if left is not None:
                    left -= 1
                    if left == 0:
                        return

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint: what changed of the state, and the new messages."""
        place = Place.of(config)
        told = dict(get_checkpoint_metadata(config, metadata))
        thread = self._thread(place.thread)
        with self._lock(place.thread):
            self._save(place, thread, checkpoint, told, new_versions)
            thread.known.add(checkpoint["id"])
        return place.config(checkpoint["id"])

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Save what a task wrote; an interrupt at the top pauses the execution."""
        place = Place.of(config)
        checkpoint = place.checkpoint
        if checkpoint is None:
            raise ValueError("writes need the id of their checkpoint")
        channels = {channel for channel, _ in writes}
        thread = self._thread(place.thread)
        if RESUME in channels and INTERRUPT not in channels and not place.namespace:
            with self._lock(place.thread):
                self._go_on(place.thread, thread)
        version = thread.now.version if thread.now is not None else 0
        body = {"writes": writes_of(writes, version, task_path, self.serde)}
        where = ("checkpoints", public_id(checkpoint), "writes", public_id(task_id))
        self._ensured(place.thread, thread)
        self.client.transport.send(
            Call("PUT", path("conversations", public_id(place.thread), *where), body=body)
        )
        if INTERRUPT in channels and not place.namespace:
            payload = next(value for channel, value in writes if channel == INTERRUPT)
            self._pause(place, thread, task_id, node_of_path(task_path), payload)

    def delete_thread(self, thread_id: str) -> None:
        """Erase the conversation of a thread with everything in it."""
        with suppress(NotFound):
            self._conversation(thread_id).delete()
        self._threads.pop(thread_id, None)

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Remove the checkpoints that runs saved; a thread that has no others is erased."""
        for run_id in run_ids:
            for place in self._places(None):
                query = {"metadata.run_id": run_id}
                rows = [row for row in self._rows(place.thread, query)]
                if rows:
                    self._remove(place.thread, {str(row["checkpoint_id"]) for row in rows})

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Fork a thread at its latest version; earlier turns stay with the source."""
        source = self._conversation(source_thread_id)
        snapshot = source.snapshot(state=False)
        where = path("conversations", source.id, "checkpoints", str(snapshot.version), "fork")
        body = {"id": public_id(target_thread_id)}
        self.client.transport.send(Call("POST", where, body=body))
        target = self._conversation(target_thread_id)
        where = path("conversations", target.id)
        mark = {"metadata": self._mark(target_thread_id)}
        self.client.transport.send(Call("PATCH", where, body=mark))
        if snapshot.status == "RUNNING":
            target.resume(reason="Copied from a thread that runs.")

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keep the latest checkpoint of each namespace, or with ``delete`` none."""
        for thread_id in thread_ids:
            if strategy == "delete":
                self.delete_thread(thread_id)
                continue
            kept: set[str] = set()
            doomed: set[str] = set()
            for row in self._rows(thread_id, {}):
                if row["namespace"] in kept:
                    doomed.add(str(row["checkpoint_id"]))
                kept.add(str(row["namespace"]))
            self._remove(thread_id, doomed)

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

    def _conversation(self, thread_id: str) -> Conversation:
        return self.client.conversation(public_id(thread_id))

    def _mark(self, thread_id: str) -> JsonObject:
        """By which the conversations of this saver are known."""
        return {"langgraph": {"thread_id": thread_id, "app": self.app}}

    def _read(self, thread_id: str, thread: Thread) -> Now:
        """The thread as it stands; one that is not there yet is empty."""
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
        """Make the conversation if there is none."""
        if thread.now is None or not thread.now.exists:
            title = thread_id if public_id(thread_id) != thread_id else None
            self.client.ensure(
                public_id(thread_id), title=title, metadata=self._mark(thread_id)
            )
            if thread.now is not None:
                thread.now.exists = True

    def _save(
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
            now = thread.now or self._read(place.thread, thread)
            self._ensured(place.thread, thread)
            paused = now.pause if now.status == "PAUSED" else None
            now = self._go_on(place.thread, thread)
            if now.is_new:  # the conversation began without a graph: what it has stays
                thread.prefix = [*now.state.messages]
            head = now.head(place.namespace, self.serde)
            is_next = head is not None and head.id == place.checkpoint and not now.ended
            changed = new_versions if is_next else None
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
            }
            if not place.namespace:
                rest |= _standing(checkpoint, metadata, paused)
            node = node_name(checkpoint, metadata, place.namespace, head)
            conversation = self._conversation(place.thread)
            try:
                answer = conversation.save(public_id(checkpoint["id"]), node, **rest)
            except (NotFound, InvalidState) as error:
                thread.now = None
                if not left:
                    raise
                self._refuse_if_stopped(before, self._read(place.thread, thread), error)
            except Duplicate as error:
                if again or not any(
                    fault.pointer.startswith(("/messages", "/operations")) for fault in error.faults
                ):
                    raise
                again = True
            else:
                self._note(place, thread, now, update, new, view, answer)
                return

    def _tidy(self, place: Place, now: Now, update: Update) -> None:
        """Drop what the state does not need any more: an answered question, ended subgraphs."""
        if place.namespace:
            return
        gone = of_ended_tasks(now.state.keys)
        if PAYLOAD in now.state.keys:
            gone.add(PAYLOAD)
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
        """Remember what a save made of the thread."""
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
        thread.now = now

    def _go_on(self, thread_id: str, thread: Thread) -> Now:
        """Resume an execution that waits or was rejected: the graph goes on."""
        now = thread.now or self._read(thread_id, thread)
        if now.status not in ("PAUSED", "FAILED"):
            return now
        if thread.stopped:
            raise Stopped("The execution is PAUSED: somebody asked for a pause.")
        try:
            moved = self._conversation(thread_id).resume(reason=RESUMED)
        except InvalidState:  # somebody was faster
            return self._read(thread_id, thread)
        now.status, now.version, now.pause = moved.status, moved.version, None
        return now

    def _pause(
        self, place: Place, thread: Thread, task_id: str, node: str, value: Any
    ) -> None:
        """Pause before the node that asks, with all that is asked at this checkpoint."""
        self._until_known(place, thread)
        with self._lock(place.thread):
            now = thread.now or self._read(place.thread, thread)
            thread.interrupts[task_id] = (node or "interrupt", asked(value))
            questions = [each for _, listed in thread.interrupts.values() for each in listed]
            payload = questions[0] if len(questions) == 1 else questions
            nodes = ", ".join(dict.fromkeys(name for name, _ in thread.interrupts.values()))[:128]
            for left in reversed(range(_TRIES)):
                waits = now.pause["node_id"] if now.pause else None
                asks = now.state.data.get(PAYLOAD)
                if now.status == "PAUSED" and waits == nodes and asks == payload:
                    return  # asked before, and not answered yet
                now = self._go_on(place.thread, thread)
                try:
                    answer = self._conversation(place.thread).save(
                        pause_id(place.checkpoint or "", now.version),
                        nodes,
                        state_data={PAYLOAD: payload},
                        pause_before=nodes,
                        pause_reason=reason_of(payload),
                    )
                except InvalidState:
                    now = self._read(place.thread, thread)
                    if not left or now.ended:
                        raise
                else:
                    now.status, now.version = str(answer["status"]), int(answer["version"])
                    now.state.data[PAYLOAD] = payload
                    now.pause = {"node_id": nodes}
                    return

    def _until_known(self, place: Place, thread: Thread) -> None:
        """Wait until the checkpoint of an interrupt is saved: LangGraph does both at once."""
        waited = 0.0
        while place.checkpoint not in thread.known and waited < _PATIENCE:
            time.sleep(_LOOK)
            waited += _LOOK

    def _writes_now(self, place: Place, head: Head, now: Now) -> Pending:
        """The writes of the latest checkpoint that count."""
        conversation = self._conversation(place.thread)
        query = {"id": public_id(head.id), "include": "writes"}
        rows = [row for row in conversation.checkpoints(**query)]
        if not rows or not rows[0]["writes"]:
            return []
        since = 0
        if now.version > rows[0]["version"]:
            for row in conversation.checkpoints(limit=50):
                if row["version"] <= rows[0]["version"]:
                    break
                if row["kind"] == "restore":
                    since = int(row["version"])
                    break
        return pending(rows[0]["writes"], self.serde, since=since, until=now.version)

    def _saved(self, place: Place, checkpoint: str) -> CheckpointTuple | None:
        """A checkpoint as it was saved, of whichever turn."""
        query = {"id": public_id(checkpoint), "execution": "any", "include": "state,writes"}
        try:
            rows = [row for row in self._conversation(place.thread).checkpoints(**query)]
        except NotFound:
            return None
        for row in rows:
            found = self._of_row(place, row)
            if found is not None:
                self._thread(place.thread).known.add(checkpoint)
                return found
        return None

    def _of_row(self, place: Place, row: Mapping[str, Any]) -> CheckpointTuple | None:
        """The checkpoint of a row of the list, None if it is one of something else."""
        if row.get("state_data") is None or row["namespace"] != place.namespace[:1_000]:
            return None
        now = self._thread(place.thread).now
        messages, _ = read_messages(row["state_data"].get("messages") or [], now, self.serde)
        state = State(row["state_data"], row.get("opaque") or {}, messages)
        head = state.head(place.namespace, self.serde)
        if head is None or public_id(head.id) != row["checkpoint_id"]:
            return None
        checkpoint = checkpoint_of(head, state, place.namespace, self.serde, now=False)
        return _tuple(place, head, checkpoint, pending(row["writes"], self.serde))

    def _places(self, config: RunnableConfig | None) -> Iterator[Place]:
        """The thread and namespace of a config, or all threads of this saver."""
        if config is not None:
            yield Place.of(config)
            return
        for each in self.client.conversations():
            mark = (each.get("metadata") or {}).get("langgraph")
            if isinstance(mark, dict) and mark.get("app", "") == self.app:
                yield Place(str(mark["thread_id"]), "", None)

    def _listed(
        self,
        place: Place,
        wanted: Mapping[str, Any],
        before: RunnableConfig | None,
        limit: int | None,
    ) -> Iterator[CheckpointTuple]:
        query: JsonObject = {
            "namespace": place.namespace[:1_000],
            "include": "state,writes",
            "limit": min(limit or _PAGE, _PAGE),
        }
        for name, value in wanted.items():
            query[f"metadata.{name}"] = json.dumps(value, ensure_ascii=False)
        if before is not None and before["configurable"].get("checkpoint_id"):
            query["before"] = public_id(before["configurable"]["checkpoint_id"])
        if place.checkpoint is not None:
            query["id"] = public_id(place.checkpoint)
        for row in self._rows(place.thread, query):
            found = self._of_row(place, row)
            if found is not None and all(
                found.metadata.get(name) == value for name, value in wanted.items()
            ):
                yield found

    def _rows(self, thread_id: str, query: JsonObject) -> Iterator[JsonObject]:
        """The checkpoints of a thread, those of its former executions behind the others."""
        conversation = self._conversation(thread_id)
        execution: str | None = None
        before = query.get("before")
        try:
            if before is not None:
                found = conversation.checkpoints(id=before, execution="any")
                rows = [row for row in found]
                if not rows:
                    return
                execution = str(rows[0]["execution"])
            while True:
                asked_for = {**query, "before": before, "execution": execution}
                for row in conversation.checkpoints(**asked_for):
                    if row["kind"] == "checkpoint" and row["metadata"].get("source"):
                        yield row
                execution, before = self._previous(conversation, execution), None
                if execution is None:
                    return
        except NotFound:
            return  # there is no such thread, or it was forked from one that had more

    def _previous(self, conversation: Conversation, execution: str | None) -> str | None:
        looked = 0
        for row in conversation.checkpoints(execution=execution, namespace="", limit=50):
            if row["metadata"].get("source"):
                previous = row["metadata"].get("previous_execution")
                return str(previous) if previous else None
            looked += 1
            if looked >= 1_000:
                break
        return None

    def _remove(self, thread_id: str, doomed: set[str]) -> None:
        """Delete checkpoints; the conversation goes with the last of them."""
        if not doomed:
            return
        rows = [row for row in self._rows(thread_id, {})]
        left = [row for row in rows if row["checkpoint_id"] not in doomed]
        if not left:
            self.delete_thread(thread_id)
            return
        conversation = self._conversation(thread_id)
        with self._lock(thread_id):
            thread = self._thread(thread_id)
            now = self._read(thread_id, thread)
            current = [row for row in rows if row["execution"] == now.execution]
            heads = [row for row in current if row["checkpoint_id"] in doomed]
            if heads and heads[0]["version"] == now.version:
                self._go_back(thread_id, now, left[0], doomed)
            for row in conversation.checkpoints():
                is_pause = str(row["checkpoint_id"] or "").startswith("pause-")
                if row["checkpoint_id"] in doomed or is_pause:
                    with suppress(InvalidState):  # people still need it: it has a label, or edits
                        self._delete(conversation, int(row["version"]))
            thread.now = None

    def _go_back(
        self, thread_id: str, now: Now, row: Mapping[str, Any], doomed: set[str]
    ) -> None:
        """Write the state of an older checkpoint as the latest version, which cannot be deleted."""
        query = {"id": row["checkpoint_id"], "execution": "any", "include": "state"}
        conversation = self._conversation(thread_id)
        rows = [each for each in conversation.checkpoints(**query)]
        whole = rows[0]
        messages, _ = read_messages(whole["state_data"].get("messages") or [], now, self.serde)
        state = State(whole["state_data"], whole.get("opaque") or {}, messages)
        data = {key: value for key, value in state.data.items() if key != "messages"}
        data |= {key: {"$delete": True} for key in now.state.keys - state.keys}
        view = shown(now, messages, self._thread(thread_id), self.serde, again=False)
        conversation.save(
            pause_id(str(row["checkpoint_id"]), now.version),
            "deletion",
            state_data={key: _literal(value) for key, value in data.items()},
            opaque=state.opaque or None,
            messages=view.appended or None,
            operations=view.operations or None,
            new_execution=now.ended or None,
        )

    def _delete(self, conversation: Conversation, version: int) -> None:
        where = path("conversations", conversation.id, "checkpoints", str(version))
        self.client.transport.send(Call("DELETE", where))


def _literal(value: Any) -> Any:
    return value if value == {"$delete": True} else {"$replace": value}


def _standing(
    checkpoint: Checkpoint, metadata: Mapping[str, Any], paused: Mapping[str, Any] | None
) -> JsonObject:
    """How the execution stands behind a checkpoint at the top."""
    if paused is not None and metadata.get("source") == "update" and paused.get("node_id"):
        reason = paused.get("reason")
        return {"pause_before": str(paused["node_id"]), "pause_reason": reason or None}
    return {"status": "COMPLETED"} if is_finished(checkpoint) else {}


def _tuple(place: Place, head: Head, checkpoint: Any, writes: Pending) -> CheckpointTuple:
    metadata: Any = dict(head.metadata)
    parent = place.config(head.parent) if head.parent is not None else None
    return CheckpointTuple(place.config(head.id), checkpoint, metadata, parent, writes)
