"""What executions know of workflows: the app that runs them registers itself."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from conversations.models import Conversation


@dataclass(frozen=True, slots=True)
class ExecutionState:
    """The state of an execution at one version, and the messages visible then.

    ``values`` are the keys of the state without messages, ``history`` the entries of its nodes,
    ``metadata`` the execution's own. The messages are the first ``visible_count`` of the view of
    ``revision``. The edges in ``waiting`` have tokens; they are those of the workflow with the key
    ``workflow``.
    """

    version: int
    values: Mapping[str, JsonValue]
    history: Sequence[Mapping[str, JsonValue]]
    metadata: Mapping[str, JsonValue]
    revision: int
    visible_count: int
    workflow: int | None = None
    waiting: frozenset[str] = frozenset()


# Gives the newest state of a conversation's execution, or that of a version; None if there is no
# execution. Raises NotFound for a version that does not exist.
StateSource = Callable[[Conversation, int | None], ExecutionState | None]

SOURCES: list[StateSource] = []


def register_state_source(source: StateSource) -> None:
    """Registers the source of states; called once, when the app of executions is ready."""
    SOURCES[:] = [source]


def state_of(head: Conversation, version: int | None) -> ExecutionState | None:
    """Returns the state of a conversation from the registered source; None without one."""
    return SOURCES[0](head, version) if SOURCES else None


# Gives how often versions of a workflow were run: of the workspace and the key of the workflow.
RunCounter = Callable[[int, int, Sequence[int]], Mapping[int, int]]

_counters: list[RunCounter] = []


def register_run_counter(counter: RunCounter) -> None:
    """Registers the counter of runs; called once, when the app of executions is ready."""
    _counters[:] = [counter]


def runs_of(workspace: int, workflow: int, versions: Sequence[int]) -> Mapping[int, int] | None:
    """Returns the number of executions of each version that ran; None without a counter."""
    return _counters[0](workspace, workflow, versions) if _counters else None
