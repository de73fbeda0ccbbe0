"""Reads the saved checkpoints of a thread, over all its turns."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple

from ctxadmin_client.answers import JsonObject
from ctxadmin_client.errors import NotFound
from ctxadmin_client.langgraph._sync.open_threads import OpenThreads
from ctxadmin_client.langgraph.checkpoints import Head, State, checkpoint_of, public_id
from ctxadmin_client.langgraph.threads import (
    Now,
    Pending,
    Place,
    is_of_graph,
    pending,
    read_messages,
    thread_of,
)

_PAGE: Final = 20  # checkpoints with their states


class History(OpenThreads):
    """Reads the rows of checkpoints, later turns first."""

    def _writes_now(self, place: Place, head: Head, now: Now) -> Pending:
        """Returns the writes of the latest checkpoint that are still valid."""
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
        """Returns a saved checkpoint of any turn."""
        query = {"id": public_id(checkpoint), "execution": "any", "include": "state,writes"}
        try:
            rows = [row for row in self._conversation(place.thread).checkpoints(**query)]
        except NotFound:
            return None
        for row in rows:
            found = self._of_row(place, row)
            if found is not None:
                thread = self._thread(place.thread)
                thread.known.add(checkpoint)
                thread.then.add(checkpoint)
                return found
        return None

    def _of_row(self, place: Place, row: Mapping[str, Any]) -> CheckpointTuple | None:
        """Returns the checkpoint of a row of the list, None if LangGraph did not save it."""
        if row.get("state_data") is None or row["namespace"] != place.namespace[:1_000]:
            return None
        now = self._thread(place.thread).now
        messages, _ = read_messages(row["state_data"].get("messages") or [], now, self.serde)
        state = State(row["state_data"], row.get("opaque") or {}, messages)
        head = state.head(place.namespace, self.serde)
        if head is None or public_id(head.id) != row["checkpoint_id"]:
            return None
        checkpoint = checkpoint_of(head, state, place.namespace, self.serde, now=False)
        return tuple_of(place, head, checkpoint, pending(row["writes"], self.serde))

    def _places(self, config: RunnableConfig | None) -> Iterator[Place]:
        """Yields the thread and namespace of a config, or all threads of this saver."""
        if config is not None:
            yield Place.of(config)
            return
        for each in self.client.conversations():
            mark = (each.get("metadata") or {}).get("langgraph")
            if isinstance(mark, dict) and mark.get("app", "") == self.app:
                yield Place(thread_of(str(each["id"]), mark), "", None)

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
        """Yields the checkpoints of a thread, the current execution first."""
        conversation = self._conversation(thread_id)
        before, begin = query.get("before"), None
        try:
            if before is not None:
                found = conversation.checkpoints(id=before, execution="any")
                rows = [row for row in found]
                if not rows:
                    return
                begin = rows[0]["execution"]
            for each in conversation.executions():
                if begin not in (None, each["execution"]):
                    continue
                asked_for = {**query, "before": before, "execution": each["execution"]}
                for row in conversation.checkpoints(**asked_for):
                    if is_of_graph(row):
                        yield row
                begin = before = None
        except NotFound:
            return  # there is no such thread


def tuple_of(place: Place, head: Head, checkpoint: Any, writes: Pending) -> CheckpointTuple:
    metadata: Any = dict(head.metadata)
    parent = place.config(head.parent) if head.parent is not None else None
    return CheckpointTuple(place.config(head.id), checkpoint, metadata, parent, writes)
