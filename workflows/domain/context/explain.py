"""Explanations: what each step did to each name and message, and by which rule."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from pydantic import JsonValue

from ctxadmin.lib.work_budget import spend
from workflows.domain.context.prompt_context import NodeInput

Section = Literal["variables", "history", "metadata", "messages"]
Verdict = Literal["kept", "dropped", "changed", "added"]
Label = str | int

SECTIONS: Final[tuple[Section, ...]] = ("variables", "history", "metadata", "messages")


@dataclass(frozen=True, slots=True)
class Decision:
    """What one step did to one name or message (rest.md, "explanation").

    Variables and metadata have a ``name``; history entries a ``name`` (their node id) and an
    ``index`` (their input position); messages an ``index`` of the log. ``rule`` is the rule's index
    in the filter ``filter`` of the step's list (None if there is only one). ``renamed`` is the new
    name. ``place`` is the output position of a history entry.
    """

    section: Section
    verdict: Verdict
    step: Label
    reason: str
    name: str | None = None
    index: int | None = None
    rule: int | None = None
    filter: int | None = None
    renamed: str | None = None
    before: JsonValue = None
    after: JsonValue = None
    place: int | None = None

    def as_json(self) -> dict[str, JsonValue]:
        """Returns the decision in the contract's spelling.

        ``before`` and ``after`` only for changes.

        A changed message has neither: its text is in the messages.
        """
        optional: dict[str, JsonValue] = {
            "name": self.name,
            "index": self.index,
            "rule": self.rule,
            "filter": self.filter,
            "renamed": self.renamed,
        }
        result: dict[str, JsonValue] = {"section": self.section}
        result |= {key: value for key, value in optional.items() if value is not None}
        result |= {"verdict": self.verdict, "step": self.step, "reason": self.reason}
        if self.verdict == "changed" and self.section != "messages":
            result |= {"before": self.before, "after": self.after}
        return result


@dataclass(frozen=True, slots=True)
class StepNotice:
    """A warning about the messages of a step, e.g. a split tool pair.

    ``indices`` are log indices, ascending. Source: semantics 1.11.
    """

    code: str
    message: str
    indices: tuple[int, ...]
    step: Label

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "code": self.code,
            "message": self.message,
            "indices": list(self.indices),
            "step": self.step,
        }


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """The result of one or several steps on an input: the new input, and the decisions.

    ``decisions`` is empty unless an explanation was requested.
    """

    node_input: NodeInput
    decisions: tuple[Decision, ...] = ()
    warnings: tuple[StepNotice, ...] = ()


# Units of work that the decision on one item costs: 25,000 names in 15 steps took 12
# microseconds each.
_EXPLAINING: Final = 120

# A step gets the input, the label of its explanations, and whether it should explain.
Step = Callable[[NodeInput, Label, bool], StepOutcome]


def run_steps(
    node_input: NodeInput, steps: Sequence[tuple[Label, Step]], *, explain: bool = False
) -> StepOutcome:
    """Applies labelled steps one after the other (semantics 2.5, 2.13).

    The decisions of the result are the final ones: one for each name and message that was given or
    added, by the step that dropped or last changed it, else by the last that kept it.
    """
    decisions: list[tuple[Decision, ...]] = []
    warnings: list[StepNotice] = []
    each = _EXPLAINING if explain else 1
    for label, step in steps:
        spend(
            each * _size(node_input),
            f"what step {label} does to {_size(node_input)} names and messages",
        )
        applied = step(node_input, label, explain)
        node_input = applied.node_input
        decisions.append(applied.decisions)
        warnings.extend(applied.warnings)
    return StepOutcome(node_input, final_decisions(decisions) if explain else (), tuple(warnings))


def _size(node_input: NodeInput) -> int:
    """Returns the number of names, history entries and messages that a step processes."""
    context = node_input.context
    named = len(context.variables) + len(context.history) + len(context.metadata)
    return named + len(node_input.messages.view)


def final_decisions(steps: Iterable[Sequence[Decision]]) -> tuple[Decision, ...]:
    """Returns one decision for each item, from those of several steps in order.

    The sections come in the order of ``SECTIONS``, the items in that of their first mention.
    """
    decided_steps = [decisions for decisions in steps if decisions]
    if len(decided_steps) == 1:
        return tuple(decided_steps[0])
    story = _Story()
    for decisions in decided_steps:
        story.tell(decisions)
    order = {section: place for place, section in enumerate(SECTIONS)}
    return tuple(sorted(story.finals, key=lambda decision: order[decision.section]))


class _Story:
    """The final decision on every item, traced through renames and moves in the history."""

    def __init__(self) -> None:
        self.finals: list[Decision] = []
        self._named: dict[tuple[Section, str | int | None], int] = {}  # current key -> item
        self._entries: list[int] = []  # history: current place -> item
        self._added: set[int] = set()  # items that no step was given
        self._first = True

    def tell(self, decisions: Sequence[Decision]) -> None:
        """Adds the decisions of the next step."""
        moved: dict[tuple[Section, str | int | None], int] = {}
        entries: dict[int, int] = {}
        for decision in decisions:
            item = self._item(decision)
            if decision.section == "history":
                if decision.place is not None:
                    entries[decision.place] = item
            elif decision.verdict != "dropped" or decision.section == "messages":
                moved[decision.section, decision.renamed or _key(decision)] = item
        self._named |= moved
        self._entries = [entries[place] for place in sorted(entries)]
        self._first = False

    def _item(self, decision: Decision) -> int:
        known = self._find(decision)
        if known is None:
            self.finals.append(decision)
            if decision.verdict == "added":
                self._added.add(len(self.finals) - 1)
            return len(self.finals) - 1
        final = _combine(self.finals[known], decision)
        if final.verdict == "kept" and known in self._added:
            final = replace(final, verdict="added")
        self.finals[known] = final
        return known

    def _find(self, decision: Decision) -> int | None:
        if decision.section != "history":
            return self._named.pop((decision.section, _key(decision)), None)
        if self._first or decision.verdict == "added" or decision.index is None:
            return None
        return self._entries[decision.index]


def _key(decision: Decision) -> str | int | None:
    return decision.index if decision.section == "messages" else decision.name


def _combine(earlier: Decision, later: Decision) -> Decision:
    """Combines two decisions: a drop or a change wins.

    An item that is kept retains its earlier reason.
    """
    if later.verdict == "dropped":
        return _of_origin(later, earlier)
    if later.verdict == "added":  # hidden by an earlier step, shown again by this one
        return replace(later, verdict="kept" if earlier.verdict == "dropped" else earlier.verdict)
    if later.verdict == "changed":
        was = earlier if earlier.verdict == "changed" else later
        return replace(
            later,
            verdict="added" if earlier.verdict == "added" else "changed",
            name=earlier.name,
            index=earlier.index,
            before=was.before,
            renamed=later.renamed or earlier.renamed,
        )
    if earlier.verdict in ("changed", "added"):
        return earlier
    return _of_origin(later, earlier)


def _of_origin(later: Decision, earlier: Decision) -> Decision:
    """Returns the later decision under the item's original name and index."""
    if later.name == earlier.name and later.index == earlier.index:
        return later
    return replace(later, name=earlier.name, index=earlier.index)
