"""The position of an execution: its node and side, ready nodes, and pauses before them."""

from checkpoints.domain.execution import Execution
from checkpoints.domain.pauses import When
from checkpoints.domain.status import FINAL, Status
from checkpoints.store.pinned_workflow import PinnedVersion
from workflows.domain.running.routing import Marking


def position_of(execution: Execution) -> tuple[str | None, When]:
    """Returns the node at which an execution is, and the side of it.

    Before it: the node runs next, because the execution was paused, failed or resumed there.
    """
    if execution.pause is not None:
        return execution.pause.node_id, execution.pause.when
    if execution.failure is not None:
        return execution.failure.node_id or execution.node_id, When.BEFORE
    if execution.resumed_at is not None:
        return execution.resumed_at, When.BEFORE
    return execution.node_id, When.AFTER


def ready_nodes(
    status: Status,
    node_id: str | None,
    when: When,
    pinned: PinnedVersion | None,
    marking: Marking | None,
) -> tuple[str, ...]:
    """Returns the nodes whose dependencies are done (semantics 3.8), none after the end.

    A free execution has no workflow: it knows only the node before which it is.
    """
    if status in FINAL:
        return ()
    if pinned is not None and marking is not None:
        return marking.ready(pinned.graph)
    return (node_id,) if node_id is not None and when is When.BEFORE else ()


def ready_of(
    execution: Execution, pinned: PinnedVersion | None, marking: Marking | None
) -> tuple[str, ...]:
    """Returns ``ready_nodes`` of an execution as it is now."""
    node_id, when = position_of(execution)
    return ready_nodes(execution.status, node_id, when, pinned, marking)


def waits_for_review(execution: Execution, pinned: PinnedVersion | None) -> bool:
    """Returns True if the execution is paused where its workflow needs review
    (``config.pause``).
    """
    pause = execution.pause
    if pause is None or pause.node_id is None or pinned is None:
        return False
    rule = pinned.rules.get(pause.node_id)
    return rule is not None and rule.when is pause.when


def requires_review_before(node_id: str | None, pinned: PinnedVersion | None) -> bool:
    """Returns True if the workflow needs review before this node runs."""
    rule = pinned.rules.get(node_id) if pinned is not None and node_id is not None else None
    return rule is not None and rule.when is When.BEFORE
