"""The step of one node: the edges that are taken, and the next status of the execution."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import astuple, dataclass, replace

import orjson
from pydantic import JsonValue

from checkpoints.domain.execution import Step, Transition, advance
from checkpoints.domain.pauses import Pause
from checkpoints.domain.status import Status
from checkpoints.models import Checkpoint
from checkpoints.store.pinned_workflow import PinnedVersion
from checkpoints.store.snapshots import metadata_of
from checkpoints.writing.execution import ExecutionWriting
from conversations.domain.view import View
from conversations.store.conversation import view_of
from conversations.store.damage import ALTERED, damaged
from ctxadmin.lib.json_bytes import dumps
from workflows.domain.conditions.condition import compile_condition
from workflows.domain.conditions.figures import add_figures, figures_of
from workflows.domain.running import routing
from workflows.domain.running.routing import EdgeOutcome, Marking, replay


@dataclass(frozen=True, slots=True)
class EngineReport:
    """What the engine reported for a node: its failure, a status, executed nodes, a pause."""

    failure: str | None = None
    status: Status | None = None
    executed: tuple[str, ...] | None = None
    hold: Pause | None = None

    @property
    def is_failed(self) -> bool:
        return self.failure is not None or self.status is Status.FAILED


@dataclass(frozen=True, slots=True)
class StepResult:
    """The decision on the execution and those on the outgoing edges of the node."""

    decision: Transition
    routing: tuple[EdgeOutcome, ...] = ()


def apply_step(run: ExecutionWriting, node_id: str, report: EngineReport) -> StepResult:
    """Decides on the execution and its edges after a node; sets marking and executed nodes.

    Conditions see the state with the node's changes. Raises InvalidState.
    """
    step = Step(
        node_id,
        run.opened.at,
        failure=report.failure,
        status=report.status,
        executed=report.executed,
        hold=report.hold,
    )
    if run.pinned is None or run.marking is None:
        taken = StepResult(advance(run.now, step))
        run.state.add_executed(taken.decision.done)
        return taken
    return _through(run, run.pinned, run.marking, step, failed=report.is_failed)


def _through(
    run: ExecutionWriting, pinned: PinnedVersion, marking: Marking, step: Step, *, failed: bool
) -> StepResult:
    """Takes the step along the edges of a workflow."""
    decided = _decide(run, pinned, step.node_id, failed=failed)
    edges = [each.edge for each in decided if each.passes]
    known: Sequence[routing.RouteDecision] = ()
    if step.executed is None:
        after = marking.after(pinned.graph, step.node_id, edges)
    elif _only_adds(run, step.executed):
        after = _moved_on(run, pinned, marking, step, edges)
    else:
        known = _decisions_on_record(run, step, decided)
        after = replay(pinned.graph, step.executed, known)
    ready = after.ready(pinned.graph)
    whole_step = replace(
        step, error_edges=failed and bool(edges), ready=ready, nothing_left=not ready
    )
    decision = advance(run.now, whole_step, pinned.rules)
    if decision.done.added or decision.done.whole is not None:
        run.marking = after
    run.state.add_executed(decision.done, dumps([astuple(each) for each in known]))
    return StepResult(decision, decided)


def _only_adds(run: ExecutionWriting, executed: Sequence[str]) -> bool:
    before = run.state.executed()
    return list(executed[: len(before)]) == before


def _decide(
    run: ExecutionWriting, pinned: PinnedVersion, node_id: str, *, failed: bool
) -> tuple[EdgeOutcome, ...]:
    """Decides on the node's edges; reads only what their conditions mention."""
    names: set[str] = set()
    figures: set[str] = set()
    for edge in pinned.graph.outgoing.get(node_id, ()):
        if edge.condition is not None and failed == (edge.type == "error"):
            condition = compile_condition(edge.condition)
            figures |= condition.figures
            for name in condition.names():
                parts = name.split(".")
                names.update(".".join(parts[:count]) for count in range(1, len(parts) + 1))
    variables = run.state.values_after(names) if names else {}
    metadata = metadata_of(run.opened.head, run.row) if names else {}
    metadata = add_figures(metadata, _figures(run, figures))
    return routing.decide(pinned.plan, node_id, variables, metadata, failed=failed)


def _figures(run: ExecutionWriting, wanted: Set[str]) -> Mapping[str, JsonValue]:
    """Returns the requested counts of visible messages after the step, from stored totals."""
    if not wanted:
        return {}
    head = run.opened.head
    view = View() if wanted <= {"tokens", "messages"} else view_of(run.opened.current)
    found = figures_of(wanted, view, run.opened.log, head.visible_tokens)
    return found | ({"messages": head.visible_count} if "messages" in wanted else {})


def _moved_on(
    run: ExecutionWriting, pinned: PinnedVersion, marking: Marking, step: Step, edges: Sequence[str]
) -> Marking:
    """Returns the marking after nodes that the engine reports beyond the known ones.

    The last of them uses the decisions just made; for the others, every edge except error edges is
    assumed to be taken.
    """
    executed = step.executed or ()
    for place in range(len(run.state.executed()), len(executed)):
        name = executed[place]
        last = name == step.node_id and place == len(executed) - 1
        ways = pinned.graph.outgoing.get(name, ())
        taken = edges if last else [edge.id for edge in ways if edge.type != "error"]
        marking = marking.after(pinned.graph, name, taken)
    return marking


def _decisions_on_record(
    run: ExecutionWriting, step: Step, decided: Sequence[EdgeOutcome]
) -> list[routing.RouteDecision]:
    """Returns the decisions for nodes that the engine reports in place of the known ones.

    They are those on record, except for the last node: if it just ended, those just made.
    """
    counts = Counter(step.executed)
    found = [each for each in recorded_decisions(run) if each.occurrence <= counts[each.node]]
    if step.executed and step.executed[-1] == step.node_id:
        last = counts[step.node_id]
        found += (
            routing.RouteDecision(step.node_id, last, way.edge, way.passes) for way in decided
        )
    return found


def recorded_decisions(run: ExecutionWriting) -> list[routing.RouteDecision]:
    """Returns the recorded decisions that led to the executed nodes, latest last."""
    rows = Checkpoint.objects.filter(
        conversation=run.row.conversation, execution=run.row.number
    ).only("version", "saved_node", "routing", "executed_count", "whole", "restored_from")
    by_version = {row.version: row for row in rows}
    executed = run.state.executed()
    occurrences = _occurrences(executed)
    found: list[list[routing.RouteDecision]] = []
    version = run.now.version
    while version > 0:
        row = by_version[version]
        if row.restored_from is not None and not 0 <= row.restored_from < version:
            raise damaged(run.row.conversation, "version", version, ALTERED)
        version = version - 1 if row.restored_from is None else row.restored_from
        place = row.executed_count - 1
        if 0 <= place < len(executed) and executed[place] == row.saved_node:
            occurrence = occurrences[place]
            steps = orjson.loads(bytes(row.routing))
            found.append(
                [
                    routing.RouteDecision(row.saved_node, occurrence, way["edge"], way["passes"])
                    for way in steps
                ]
            )
        if row.whole:
            found.append([routing.RouteDecision(*each) for each in orjson.loads(bytes(row.whole))])
            break
    return [each for decisions in reversed(found) for each in decisions]


def _occurrences(executed: Sequence[str]) -> list[int]:
    """Returns the occurrence number of each executed node, counted from 1 for each id."""
    seen: Counter[str] = Counter()
    places: list[int] = []
    for name in executed:
        seen[name] += 1
        places.append(seen[name])
    return places
