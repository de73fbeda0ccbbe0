"""Removes checkpoints: single ones, those of runs, whole threads."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from ctxadmin_client._async.conversation import AsyncConversation
from ctxadmin_client.errors import InvalidState, NotFound
from ctxadmin_client.langgraph._async.history import AsyncHistory
from ctxadmin_client.langgraph.checkpoints import State
from ctxadmin_client.langgraph.threads import (
    Now,
    pause_id,
    read_messages,
    shown,
    versions_to_delete,
)


class AsyncRemoval(AsyncHistory):
    """The deleting methods of ``BaseCheckpointSaver``; a thread without checkpoints is erased."""

    async def adelete_thread(self, thread_id: str) -> None:
        """Erases the conversation of a thread with all its content."""
        with suppress(NotFound):
            await self._conversation(thread_id).delete()
        self._threads.pop(thread_id, None)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Removes the checkpoints that runs saved; erases a thread that has no others."""
        for run_id in run_ids:
            async for place in self._places(None):
                query = {"metadata.run_id": run_id}
                rows = [row async for row in self._rows(place.thread, query)]
                if rows:
                    await self._remove(place.thread, {str(row["checkpoint_id"]) for row in rows})

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Removes all checkpoints but the latest of each namespace, or all with ``delete``."""
        for thread_id in thread_ids:
            if strategy == "delete":
                await self.adelete_thread(thread_id)
                continue
            kept: set[str] = set()
            doomed: set[str] = set()
            async for row in self._rows(thread_id, {}):
                if row["namespace"] in kept:
                    doomed.add(str(row["checkpoint_id"]))
                kept.add(str(row["namespace"]))
            await self._remove(thread_id, doomed)

    async def _remove(self, thread_id: str, doomed: set[str]) -> None:
        """Deletes checkpoints, and the conversation with the last of them."""
        if not doomed:
            return
        rows = [row async for row in self._rows(thread_id, {})]
        left = [row for row in rows if row["checkpoint_id"] not in doomed]
        if not left:
            await self.adelete_thread(thread_id)
            return
        conversation = self._conversation(thread_id)
        async with self._lock(thread_id):
            thread = self._thread(thread_id)
            now = await self._read(thread_id, thread)
            current = [row for row in rows if row["execution"] == now.execution]
            heads = [row for row in current if row["checkpoint_id"] in doomed]
            if heads and heads[0]["version"] == now.version:
                await self._go_back(thread_id, now, left[0], doomed)
            async for each in conversation.executions():
                await self._free(conversation, str(each["execution"]), doomed)
            thread.now = None

    async def _free(
        self, conversation: AsyncConversation, execution: str, doomed: set[str]
    ) -> None:
        """Deletes checkpoints of one turn, each with the versions in which people changed it.

        Later versions read values of a checkpoint, so they are deleted first: an interrupted
        removal is completed by calling it again.
        """
        query = {"execution": execution, "include": "deleted"}
        rows = [row async for row in conversation.checkpoints(**query)]
        for version in versions_to_delete(rows, doomed):
            with suppress(InvalidState):  # people still need it: it has a label or edits
                await conversation.delete_checkpoint(version, execution=execution)

    async def _go_back(
        self, thread_id: str, now: Now, row: Mapping[str, Any], doomed: set[str]
    ) -> None:
        """Writes an older checkpoint's state as the latest version, which cannot be deleted."""
        query = {"id": row["checkpoint_id"], "execution": "any", "include": "state"}
        conversation = self._conversation(thread_id)
        rows = [each async for each in conversation.checkpoints(**query)]
        whole = rows[0]
        messages, _ = read_messages(whole["state_data"].get("messages") or [], now, self.serde)
        state = State(whole["state_data"], whole.get("opaque") or {}, messages)
        data = {key: value for key, value in state.data.items() if key != "messages"}
        data |= {key: {"$delete": True} for key in now.state.keys - state.keys}
        view = shown(now, messages, self._thread(thread_id), self.serde, again=False)
        await conversation.save(
            pause_id(str(row["checkpoint_id"]), now.version),
            "deletion",
            state_data={key: _literal(value) for key, value in data.items()},
            opaque=state.opaque or None,
            messages=view.appended or None,
            operations=view.operations or None,
            new_execution=now.ended or None,
        )


def _literal(value: Any) -> Any:
    return value if value == {"$delete": True} else {"$replace": value}
