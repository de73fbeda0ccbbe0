"""Applies the outcomes of pauses whose deadline has passed."""

from collections.abc import Iterator

from checkpoints.domain import execution as rules
from checkpoints.domain.pauses import AUTOMATIC, TimeoutOutcome
from checkpoints.models import Execution
from checkpoints.services.preconditions import open_current
from checkpoints.services.status_changes import nodes_ready_after, record_move
from conversations.models import Conversation
from conversations.writing.conversation import writing
from ctxadmin.accounts.models import Workspace
from ctxadmin.accounts.services import system_actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib import clock
from ctxadmin.lib.errors import Damaged, InvalidState, NotFound

_ACTIONS = {
    TimeoutOutcome.APPROVE: Action.EXECUTION_APPROVE,
    TimeoutOutcome.REJECT: Action.EXECUTION_REJECT,
    TimeoutOutcome.CANCEL: Action.EXECUTION_CANCEL,
}


def answer_overdue(name: str = "answer_overdue") -> int:
    """Applies the outcome of every overdue pause; returns how many there were.

    Each has a transaction of its own, by the system actor ``name``; a pause that someone decides
    meanwhile is left alone.
    """
    return sum(_answer(workspace, public_id, name) for workspace, public_id in _overdue())


def _overdue() -> Iterator[tuple[Workspace, str]]:
    rows = Execution.objects.filter(deadline__lte=clock.now()).order_by("deadline")
    workspaces = {row.key: row for row in Workspace.objects.all()}
    for workspace, conversation in rows.values_list("workspace", "conversation"):
        head = Conversation.objects.only("public_id").filter(key=conversation).first()
        if head is not None and workspace in workspaces:
            yield workspaces[workspace], head.public_id


def _answer(workspace: Workspace, public_id: str, name: str) -> bool:
    actor = system_actor(workspace, name)
    try:
        with writing(actor, public_id) as opened:
            run = open_current(opened, None)
            pause = run.now.pause
            decision = rules.time_out(
                run.now, opened.at, ready=nodes_ready_after(run), rules=run.rules
            )
            if decision is None or pause is None or pause.outcome is None:
                return False
            record_move(run, decision, _ACTIONS[pause.outcome], str(AUTOMATIC[pause.outcome]))
    except (NotFound, InvalidState):  # erased, or answered by someone, since it was listed
        return False
    except Damaged:  # it is logged, and holds up no other
        return False
    return True
