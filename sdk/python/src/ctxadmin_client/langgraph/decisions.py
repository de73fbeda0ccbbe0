"""Reads people's decisions on a paused graph from the latest versions: pure rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ctxadmin_client.langgraph.threads import RESUMED

_DECISIONS: Final = ("approve", "reject", "resume")
_LONGEST_REASON: Final = 1_000
LOOKED_AT: Final = 10  # versions: a decision and the resumes of workers that handled it


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision on a graph: ``approve``, ``reject`` or ``resume``, by whom and why.

    ``node`` is where the execution waited, ``version`` the latest one. ``asked`` is the question of
    the interrupt, ``edited`` the question with people's edits, None without any.
    """

    decision: str
    reason: str | None
    by: str
    node: str
    version: int
    status: str
    edited: Any = None
    asked: Any = None

    def as_json(self) -> dict[str, Any]:
        """Returns what ``interrupt()`` returns in the node."""
        told = {"decision": self.decision, "reason": self.reason, "by": self.by}
        return told if self.edited is None else {**told, "edited": self.edited}


def decision_of(versions: Sequence[Mapping[str, Any]]) -> Decision | None:
    """Returns the decision that no graph has handled yet; ``versions`` are newest first.

    A decision is handled when there is a checkpoint after it. A saver's resume alone does not
    count: its process may have died before the next checkpoint.
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


def human_in_the_loop(decision: Decision) -> dict[str, Any]:
    """Answers LangChain's ``HumanInTheLoopMiddleware``: ``answer=human_in_the_loop``.

    One decision for all calls of tools that it asked about. A call whose name or arguments people
    changed on the review card is edited, the others are approved, or all are rejected with the
    reason. Raises ValueError if another program asked, or people removed a call.
    """
    calls = _calls(decision.asked)
    if decision.decision == "reject":
        return {"decisions": [{"type": "reject", "message": decision.reason or ""} for _ in calls]}
    now = calls if decision.edited is None else _calls(decision.edited)
    if len(now) != len(calls):
        raise ValueError(f"{len(calls)} calls of tools were asked about, now there are {len(now)}")
    return {
        "decisions": [
            {"type": "approve"} if new == old else {"type": "edit", "edited_action": new}
            for old, new in zip(calls, now, strict=True)
        ]
    }


def unanswered(error: ValueError) -> str:
    """Returns the text for reviewers whose decision cannot be turned into an answer."""
    told = f"The graph cannot take this decision. Correct what it asks and decide again. {error}"
    return told.strip().encode(errors="replace").decode()[:_LONGEST_REASON]


def _calls(payload: Any) -> list[dict[str, Any]]:
    """Returns the names and arguments of the calls that the middleware asks about."""
    listed = payload.get("action_requests") if isinstance(payload, dict) else None
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise ValueError("interrupt: this is no question of HumanInTheLoopMiddleware")
    return [{"name": each.get("name"), "args": each.get("args")} for each in listed]


def edited_payload(now: Any, questions: Sequence[Any]) -> Any:
    """Returns the questions of all interrupts with people's edits, None if nobody edited them.

    Several questions are a list, in the order in which they were asked.
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
