"""Checkpoints that a graph removes: single ones, those of runs, whole threads."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from ctxadmin_client._async.conversation import AsyncConversation
from ctxadmin_client.errors import InvalidState, NotFound
from ctxadmin_client.langgraph._async.history import AsyncHistory
from ctxadmin_client.langgraph.checkpoints import State
from ctxadmin_client.langgraph.threads import Now, of_doomed, pause_id, read_messages, shown


class AsyncRemoval(AsyncHistory):
    """What of ``BaseCheckpointSaver`` deletes; a thread without checkpoints is erased."""

    async def adelete_thread(self, thread_id: str) -> None:
        """Erase the conversation of a thread with everything in it."""
        with suppress(NotFound):
            await self._conversation(thread_id).delete()
        self._threads.pop(thread_id, None)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Remove the checkpoints that runs saved; a thread that has no others is erased."""
        for run_id in run_ids:
            async for place in self._places(None):
                query = {"metadata.run_id": run_id}
                rows = [row async for row in self._rows(place.thread, query)]
                if rows:
                    await self._remove(place.thread, {str(row["checkpoint_id"]) for row in rows})

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keep the latest checkpoint of each namespace, or with ``delete`` none."""
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
        """Delete checkpoints; the conversation goes with the last of them."""
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
        """Delete checkpoints of one turn, each with the versions that people made of it.

        What follows a checkpoint reads its values, so it goes first: a removal that was interrupted
        is complete when it is called again.
        """
        query = {"execution": execution, "include": "deleted"}
        rows = [row async for row in conversation.checkpoints(**query)]
        for version in of_doomed(rows, doomed):
            with suppress(InvalidState):  # people still need it: it has a label, or edits
                await conversation.delete_checkpoint(version, execution=execution)

    async def _go_back(
        self, thread_id: str, now: Now, row: Mapping[str, Any], doomed: set[str]
    ) -> None:
        """Write the state of an older checkpoint as the latest version, which cannot be deleted."""
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
