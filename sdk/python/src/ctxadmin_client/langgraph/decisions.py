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

    ``node`` is where the execution waited, ``version`` the latest one. ``edited`` is what people
    made of what the interrupt asked, None if they left it as it was.
    """

    decision: str
    reason: str | None
    by: str
    node: str
    version: int
    status: str
    edited: Any = None

    def as_json(self) -> dict[str, Any]:
        """What ``interrupt()`` returns in the node."""
        told = {"decision": self.decision, "reason": self.reason, "by": self.by}
        return told if self.edited is None else {**told, "edited": self.edited}


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


def edited_payload(now: Any, questions: Sequence[Any]) -> Any:
    """What people made of the questions of all interrupts, None if these stand as they were asked.

    Several questions are a list, in whichever order they were asked.
    """
    if now is None or (len(questions) == 1 and now == questions[0]):
        return None
    if len(questions) > 1 and isinstance(now, list):
        rest = list(now)
        for each in questions:
            if each not in rest:
                return now
            rest.remove(each)
        return now if rest else None
    return now if questions else None
