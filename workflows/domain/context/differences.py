"""Explains a step that is known by its effect only, such as a processor."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from conversations.domain import runs as run_sets
from conversations.domain.view import View
from ctxadmin.lib.structural_diff import equal
from workflows.domain.context.explain import Decision, Label, Section, Verdict
from workflows.domain.context.prompt_context import HistoryEntry, NodeInput


def differences(
    node_input: NodeInput, seen: NodeInput, name: str, reasons: Mapping[Section, str], label: Label
) -> Iterator[Decision]:
    """Returns a decision for each name and message, with the reason of its section in
    ``reasons``.
    """
    collector = _Teller(name, reasons, label)
    yield from collector.names("variables", node_input.context.variables, seen.context.variables)
    yield from collector.history(node_input.context.history, seen.context.history)
    yield from collector.names("metadata", node_input.context.metadata, seen.context.metadata)
    yield from collector.messages(node_input.messages.view, seen.messages.view)


@dataclass(frozen=True, slots=True)
class _Teller:
    """The decisions of a step that is known by its effect only."""

    name: str
    reasons: Mapping[Section, str]
    label: Label

    def reason(self, section: Section, verdict: Verdict) -> str:
        return self.reasons.get(section, f"{self.name}: {verdict}")

    def names(
        self, section: Section, old: Mapping[str, JsonValue], new: Mapping[str, JsonValue]
    ) -> Iterator[Decision]:
        for name, before in old.items():
            after = new.get(name)
            verdict: Verdict = "kept" if equal(before, after) else "changed"
            if name not in new:
                verdict = "dropped"
            decision = Decision(
                section, verdict, self.label, self.reason(section, verdict), name=name
            )
            if verdict == "changed":
                decision = replace(decision, before=before, after=after)
            yield decision
        for name in new:
            if name not in old:
                yield Decision(
                    section, "added", self.label, self.reason(section, "added"), name=name
                )

    def history(
        self, old: Sequence[HistoryEntry], new: Sequence[HistoryEntry]
    ) -> Iterator[Decision]:
        places = _places(old, new)
        for index, before in enumerate(old):
            place = places.get(index)
            after = None if place is None else new[place]
            verdict: Verdict = "dropped"
            if after is not None:
                verdict = "kept" if after is before or after == before else "changed"
            yield Decision(
                "history",
                verdict,
                self.label,
                self.reason("history", verdict),
                name=before.node_id,
                index=index,
                before=before.as_json() if verdict == "changed" else None,
                after=after.as_json() if after and verdict == "changed" else None,
                place=place,
            )
        for place in sorted(set(range(len(new))) - set(places.values())):
            reason = self.reason("history", "added")
            yield Decision(
                "history", "added", self.label, reason, name=new[place].node_id, place=place
            )

    def messages(self, old: View, new: View) -> Iterator[Decision]:
        shown = {*run_sets.indices(new.indices_as_runs())}
        for index in old:
            verdict: Verdict = "kept" if index in shown else "dropped"
            reason = self.reason("messages", verdict)
            yield Decision("messages", verdict, self.label, reason, index=index)
        for index in new.without(old.indices_as_runs()):
            reason = self.reason("messages", "added")
            yield Decision("messages", "added", self.label, reason, index=index)


def _places(old: Sequence[HistoryEntry], new: Sequence[HistoryEntry]) -> dict[int, int]:
    """Returns the position of each old entry among the new: itself, else the next of the same
    node.
    """
    by_identity = {id(entry): place for place, entry in enumerate(new)}
    places = {
        index: by_identity[id(entry)] for index, entry in enumerate(old) if id(entry) in by_identity
    }
    taken = set(places.values())
    free: dict[str, list[int]] = {}
    for place in range(len(new) - 1, -1, -1):
        if place not in taken:
            free.setdefault(new[place].node_id, []).append(place)
    for index, entry in enumerate(old):
        if index not in places and free.get(entry.node_id):
            places[index] = free[entry.node_id].pop()
    return places
