"""The reasons to stop a graph: a question to people, an error, or a run elsewhere."""

import time
import logging
from typing import Any, Final

from ctxadmin_client.errors import CtxAdminError, InvalidState, VersionConflict
from ctxadmin_client.langgraph._sync.removal import Removal
from ctxadmin_client.langgraph.checkpoints import ERROR, PAYLOAD, Head
from ctxadmin_client.langgraph.threads import (
    Now,
    Place,
    Stopped,
    Thread,
    pause_id,
    questions_in,
    reason_of,
)

_LOG: Final = logging.getLogger("ctxadmin_client.langgraph")
_TRIES: Final = 5
_LOOK: Final = 0.02  # seconds
_PATIENCE: Final = 10.0  # seconds, for a checkpoint whose interrupt is here already


class Stops(Removal):
    """Pauses an execution at an interrupt, fails it at an error, refuses outdated saves."""

    def _pause(
        self, place: Place, thread: Thread, task_id: str, node: str, value: Any
    ) -> None:
        """Pauses before the node that asks, with all questions of this checkpoint."""
        self._until_known(place, thread)
        with self._lock(place.thread):
            now = thread.now or self._read(place.thread, thread)
            thread.interrupts[task_id] = (node or "interrupt", questions_in(value))
            questions = [each for _, listed in thread.interrupts.values() for each in listed]
            payload = questions[0] if len(questions) == 1 else questions
            nodes = ", ".join(dict.fromkeys(name for name, _ in thread.interrupts.values()))[:128]
            for left in reversed(range(_TRIES)):
                head = now.head(place.namespace, self.serde)
                waits = now.pause["node_id"] if now.pause else None
                asks = now.state.data.get(PAYLOAD)
                if now.status == "PAUSED" and waits == nodes and asks == payload:
                    return  # asked earlier and not answered yet
                now = self._go_on(place.thread, thread)
                try:
                    answer = self._conversation(place.thread).save(
                        pause_id(place.checkpoint or "", now.version),
                        nodes,
                        state_data={PAYLOAD: payload},
                        pause_before=nodes,
                        pause_reason=reason_of(payload),
                        expected_version=now.version,
                    )
                except (InvalidState, VersionConflict) as error:
                    now = self._read(place.thread, thread)
                    self._refuse_if_elsewhere(place, head, now, error)
                    if not left or now.ended:
                        raise
                else:
                    now.status, now.version = str(answer["status"]), int(answer["version"])
                    now.state.data[PAYLOAD] = payload
                    now.pause = {"node_id": nodes}
                    return

    def _fail(self, place: Place, thread: Thread, node: str, why: str) -> None:
        """Records that the graph failed, so that it does not look running; resumed, it tries again.

        An error of this call is only logged, since the error of the graph matters more.
        """
        self._until_known(place, thread)
        with self._lock(place.thread):
            try:
                now = thread.now or self._read(place.thread, thread)
                if now.status != "RUNNING":
                    return
                answer = self._conversation(place.thread).save(
                    pause_id(f"{place.checkpoint}|failed", now.version),
                    node[:128],
                    state_data={ERROR: why},
                    status="FAILED",
                    expected_version=now.version,
                )
            except CtxAdminError as error:
                _LOG.info("%s: the failure could not be stored: %s", place.thread, error)
            else:
                now.status, now.version = str(answer["status"]), int(answer["version"])
                now.state.data[ERROR] = why

    def _until_known(self, place: Place, thread: Thread) -> None:
        """Waits until the checkpoint of an interrupt is saved: LangGraph does both at once."""
        waited = 0.0
        while place.checkpoint not in thread.known and waited < _PATIENCE:
            time.sleep(_LOOK)
            waited += _LOOK

    def _refuse_if_elsewhere(
        self, place: Place, head: Head | None, now: Now, error: Exception
    ) -> None:
        """Raises Stopped if somebody else has saved after the last known checkpoint."""
        latest = now.head(place.namespace, self.serde)
        if now.exists and (latest and latest.id) != (head and head.id):
            raise Stopped(
                "The thread went on elsewhere: another process runs it, or somebody restored a"
                " version. Nothing of this step is stored."
            ) from error
