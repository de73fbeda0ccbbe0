"""Policies: which of the earlier messages each call of a model sees."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Self

from pydantic import Field, TypeAdapter, model_validator

from conversations.domain.view import View
from ctxadmin.lib.contract import Contract, did_you_mean
from ctxadmin.lib.errors import ContextError, FieldProblem, ValidationFailed
from ctxadmin.lib.sentence import say
from workflows.domain.backtests.presets import PRESET_TITLES, PRESETS, preset
from workflows.domain.backtests.reach import Reaches, reaches_node
from workflows.domain.backtests.recorded import Recorded
from workflows.domain.context.prompt_context import Messages, NodeInput, PromptContext
from workflows.domain.document.topology import usual_edges
from workflows.domain.filters.context_filter import ContextFilter, Operations, filter_step
from workflows.domain.processors.registries import standard
from workflows.domain.running import flow
from workflows.domain.running.plan import Plan
from workflows.domain.selection.message_view import PlacedOperation, filter_messages
from workflows.domain.selection.sections import KEEP_ALL

MAX_POLICIES: Final = 32
FULL: Final = "full"
RECORDED: Final = "recorded"

# What a call sees of an input with all messages before it; the index of the message of the call.
See = Callable[[NodeInput, int], Messages]


class PolicyConfig(Contract):
    """One policy of a backtest: operations on messages, a node of the workflow, or a preset."""

    name: Annotated[str, Field(max_length=200)] = Field(
        "",
        description="Name of the row; by default that of the preset or node.",
        examples=["Budget of ours"],
    )
    messages: Operations | None = Field(
        None, description="Operations on the messages, as in the filter of a node."
    )
    node: Annotated[str, Field(max_length=200)] | None = Field(
        None,
        description="Id of a node of the workflow, with all filters on the way to it.",
        examples=["draft"],
    )
    preset: Annotated[str, Field(max_length=40)] | None = Field(
        None,
        description=f"Name of a policy that is known: {', '.join(PRESETS)}.",
        examples=["budget"],
    )

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        given = [each for each in (self.messages, self.node, self.preset) if each is not None]
        if len(given) != 1:
            raise ValueError(say("a policy has one of messages, node and preset"))
        if self.preset is not None and self.preset not in PRESETS:
            known = ", ".join(PRESETS)
            raise ValueError(say("this preset is unknown; known: {names}", names=known))
        return self

    @property
    def title(self) -> str:
        """Returns the name of its row."""
        return self.name or PRESET_TITLES.get(self.preset or "", "") or self.node or "messages"

    @property
    def operations(self) -> Operations | None:
        """Returns the operations of a policy on messages or of a preset."""
        return self.messages if self.preset is None else preset(self.preset)


Policies: Final = TypeAdapter(
    Annotated[list[PolicyConfig], Field(min_length=1, max_length=MAX_POLICIES)]
)


@dataclass(frozen=True, slots=True)
class Policy:
    """A row of a backtest, ready to run."""

    key: str
    title: str
    see: See
    reaches: Reaches | None = None


def policies_of(
    configs: Sequence[PolicyConfig], plan: Plan | None = None, pointer: str = "/policies"
) -> list[Policy]:
    """Returns the rows: the full history and what was seen, then each policy.

    Raises ValidationFailed for a policy that cannot run, with pointers.
    """
    rows = [Policy(FULL, "Full history", _see_all), Policy(RECORDED, "As recorded", _see_all)]
    for number, config in enumerate(configs):
        where = f"{pointer}/{number}"
        see, reaches = _see_of(config, plan, where), None
        if plan is not None and config.node is not None:
            reaches = reaches_node(plan, config.node)
        rows.append(Policy(str(number), config.title, see, reaches))
    return rows


def _see_all(node_input: NodeInput, call: int) -> Messages:
    return node_input.messages


def recorded_views(recorded: Recorded) -> See | None:
    """Returns what was seen at each call, as far as it is recorded."""
    views = recorded.seen
    if views is None:
        return None

    def see(node_input: NodeInput, call: int) -> Messages:
        return node_input.messages.with_view(View(views.get(call, ())))

    return see


def _see_of(config: PolicyConfig, plan: Plan | None, pointer: str) -> See:
    if config.node is None:
        return _see_by_steps(config.operations or (), f"{pointer}/messages")
    if plan is None:
        message: str = say("name the workflow that has this node")
        raise ValidationFailed.at(f"{pointer}/node", message)
    if config.node not in plan.graph.nodes:
        unknown = say("there is no node {name}", name=repr(config.node))
        message = did_you_mean(unknown, config.node, plan.graph.nodes)
        raise ValidationFailed.at(f"{pointer}/node", message)
    return _see_by_node(plan, config.node, pointer)


def _see_by_steps(operations: Operations, pointer: str) -> See:
    """As a filter of a node with these operations alone, whose other sections nobody looks at."""
    wanted = ContextFilter(default_behavior="pass", messages=operations)
    filter_step([wanted], standard())  # refuses what no filter may have
    placed = [
        PlacedOperation.of(config, index, f"{pointer}/{index}")
        for index, config in enumerate(operations)
    ]

    def see(node_input: NodeInput, call: int) -> Messages:
        seen = filter_messages(
            node_input.messages, KEEP_ALL, placed, "filter", False, with_notices=False
        )
        return seen.messages

    return see


def _see_by_node(plan: Plan, node: str, pointer: str) -> See:
    """As if the conditions on the way were true: nobody recorded the variables of a call."""
    edges = usual_edges(plan.graph, node)
    plan = plan.assuming(edges)
    try:
        flow.enter(plan, node, NodeInput.of(PromptContext()), edges, check=False)
    except ValidationFailed as error:
        problem = FieldProblem(f"{pointer}/node", error.detail)
        raise ValidationFailed(error.detail, problems=[problem]) from None
    except ContextError:
        pass  # an empty conversation has no place for an operation; others may have

    def see(node_input: NodeInput, call: int) -> Messages:
        return flow.enter(plan, node, node_input, edges, check=False).node_input.messages

    return see
