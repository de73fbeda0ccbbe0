"""What people decided on a paused graph, read from the latest versions: pure rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ctxadmin_client.langgraph.threads import RESUMED

_DECISIONS: Final = ("approve", "reject", "resume")
LOOKED_AT: Final = 10  # versions: a decision and the resumes of those who took it up


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision on a graph: ``approve``, ``reject`` or ``resume``, by whom and why.

    ``node`` is where the execution waited, ``version`` the latest one.
    """

    decision: str
    reason: str | None
    by: str
    node: str
    version: int
    status: str

    def as_json(self) -> dict[str, Any]:
        """What ``interrupt()`` returns in the node."""
        return {"decision": self.decision, "reason": self.reason, "by": self.by}


def decision_of(versions: Sequence[Mapping[str, Any]]) -> Decision | None:
    """The decision that no graph has taken up; ``versions`` come newest first.

    One has if there is a checkpoint behind the decision. The resume by which a saver takes it up
    is none: whoever did that may have died before the next checkpoint.
    """
    found = None
    for row in versions:
        if row["kind"] != "move" or row["move"] not in _DECISIONS:
            break
        if row["move"] == "resume" and row["reason"] == RESUMED:
            continue
        found = row
        break
    if found is None or versions[0]["status"] not in ("RUNNING", "FAILED"):
        return None
    return Decision(
        decision=str(found["move"]),
        reason=found["reason"],
        by=str(found["author"]),
        node=str(found["current_node_id"] or "graph"),
        version=int(versions[0]["version"]),
        status=str(versions[0]["status"]),
    )
