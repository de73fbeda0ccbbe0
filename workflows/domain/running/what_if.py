"""Compares the context of a node under two workflow documents, for the same state."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import JsonValue

from conversations.domain.message import Entry
from ctxadmin.lib.sentence import say
from workflows.domain.context.explain import Decision, Label
from workflows.domain.running.flow import Entered

ChangeKind = Literal["lost", "gained", "changed"]

TEMPLATE: Final = "template"
MESSAGES: Final = "messages"
_Key = tuple[str, str | None, int | None]


@dataclass(frozen=True, slots=True)
class InputChange:
    """One name, history entry or message that a node would no longer see, newly see, or see
    changed.

    ``step``, ``rule`` and ``reason`` are those of the new document. ``index`` is that of the log
    for a message, the input position for a history entry.
    """

    section: str
    kind: ChangeKind
    name: str | None = None
    index: int | None = None
    step: Label | None = None
    filter: int | None = None
    rule: int | None = None
    reason: str = ""

    def as_json(self) -> dict[str, JsonValue]:
        listed: dict[str, JsonValue] = {
            "section": self.section,
            "kind": self.kind,
            "name": self.name,
            "index": self.index,
            "step": self.step,
            "filter": self.filter,
            "rule": self.rule,
            "reason": self.reason or None,
        }
        return {name: value for name, value in listed.items() if value is not None}


def is_same(before: Entered, after: Entered) -> bool:
    """Returns True if a node sees the same by both; needs no explanation."""
    old, new = before.node_input, after.node_input
    return (
        old.context == new.context
        and old.messages.view == new.messages.view
        and _bodies(before) == _bodies(after)
        and old.messages.rewrites == new.messages.rewrites
    )


def changes_of(before: Entered, after: Entered) -> list[InputChange]:
    """Returns what a node loses, gains or sees changed; both need an explanation, of one input."""
    found: list[InputChange] = []
    if before.node_input.context.template != after.node_input.context.template:
        reason = say("the node has a different template")
        found.append(InputChange(TEMPLATE, "changed", reason=reason))
    old, new = _decisions_by_item(before), _decisions_by_item(after)
    for key, decision in new.items():
        kind = _kind(before, old.get(key), after, decision)
        if kind is not None:
            found.append(_change(kind, decision))
    found += _inserted(before, after)
    if not found and before.node_input.messages.view != after.node_input.messages.view:
        reason = say("the messages are in a different order")
        found.append(InputChange(MESSAGES, "changed", reason=reason))
    return found


def _decisions_by_item(entered: Entered) -> Mapping[_Key, Decision]:
    """Returns the decision on each input item, by its original name and index."""
    logged = entered.node_input.messages.logged
    return {
        (each.section, each.name, each.index): each
        for each in entered.explanation
        if each.verdict != "added" and not (each.section == MESSAGES and _at(each) >= logged)
    }


def _at(decision: Decision) -> int:
    return -1 if decision.index is None else decision.index


def _kind(
    before: Entered, old: Decision | None, after: Entered, new: Decision
) -> ChangeKind | None:
    was = old is not None and old.verdict != "dropped"
    now = new.verdict != "dropped"
    if was != now:
        return "gained" if now else "lost"
    if old is None or not now:
        return None
    same = old.renamed == new.renamed and _value(before, old) == _value(after, new)
    return None if same else "changed"


def _value(entered: Entered, decision: Decision) -> object:
    """Returns what the node sees of an item; of a message only transformed texts are compared."""
    context = entered.node_input.context
    if decision.section == MESSAGES:
        return entered.node_input.messages.rewrites.get(_at(decision), ())
    if decision.section == "history":
        return None if decision.place is None else context.history[decision.place].as_json()
    values = context.variables if decision.section == "variables" else context.metadata
    return values.get(decision.renamed or decision.name or "")


def _change(kind: ChangeKind, decision: Decision) -> InputChange:
    return InputChange(
        section=decision.section,
        kind=kind,
        name=decision.name,
        index=decision.index,
        step=decision.step,
        filter=decision.filter,
        rule=decision.rule,
        reason=decision.reason,
    )


def _inserted(before: Entered, after: Entered) -> Iterator[InputChange]:
    """Compares messages that filters add by their texts: they have no place in the log."""
    old, new = Counter(_bodies(before)), Counter(_bodies(after))
    for kind, more in (("lost", old - new), ("gained", new - old)):
        for _body in more.elements():
            text = say("a filter inserts this message")
            yield InputChange(MESSAGES, "lost" if kind == "lost" else "gained", reason=text)


def _bodies(entered: Entered) -> list[bytes]:
    messages = entered.node_input.messages
    shown: list[Entry | None] = [messages.inserted_at(index) for index in messages.view]
    return [entry.draft.body for entry in shown if entry is not None]
