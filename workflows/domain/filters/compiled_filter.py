"""The effect of a filter once its conditions are decided: a selection for each section."""

from collections.abc import Sequence
from dataclasses import dataclass

from workflows.domain.context.explain import Label, StepOutcome
from workflows.domain.context.prompt_context import NodeInput, PromptContext
from workflows.domain.selection.message_view import PlacedOperation, filter_messages
from workflows.domain.selection.sections import KEEP_ALL, Selection, select_history, select_names


@dataclass(frozen=True, slots=True)
class CompiledFilter:
    """A selection for each section, and operations on the messages; the template passes.

    With ``leave_pointer`` a line names the messages that the selection hides.
    """

    variables: Selection = KEEP_ALL
    history: Selection = KEEP_ALL
    metadata: Selection = KEEP_ALL
    messages: Selection = KEEP_ALL
    operations: Sequence[PlacedOperation] = ()
    leave_pointer: bool = False

    @classmethod
    def nothing(cls, reason: str) -> "CompiledFilter":
        """Returns the filter that passes the template only."""
        block = Selection(keeps_rest=False, rest=reason)
        return cls(block, block, block, block)

    def apply(self, node_input: NodeInput, step: Label, explain: bool) -> StepOutcome:
        """Applies the filter.

        Raises Duplicate on a rename that collides, and what operations raise.
        """
        context = node_input.context
        variables, of_variables = select_names(
            self.variables, "variables", context.variables, step, explain
        )
        history, of_history = select_history(self.history, context.history, step, explain)
        metadata, of_metadata = select_names(
            self.metadata, "metadata", context.metadata, step, explain
        )
        narrowed = filter_messages(
            node_input.messages,
            self.messages,
            self.operations,
            step,
            explain,
            leave_pointer=self.leave_pointer,
        )
        passed = NodeInput(
            PromptContext(context.template, variables, history, metadata), narrowed.messages
        )
        decisions = (*of_variables, *of_history, *of_metadata, *narrowed.decisions)
        return StepOutcome(passed, decisions, narrowed.warnings)
