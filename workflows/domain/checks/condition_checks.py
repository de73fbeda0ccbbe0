"""Warns of conditions that read what nothing writes, and of comparisons with only one outcome."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from pydantic import JsonValue

from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say
from workflows.domain.conditions.condition import FIGURES, compile_condition
from workflows.domain.conditions.outcomes import fixed_outcomes
from workflows.domain.conditions.parser import Lookup
from workflows.domain.document.elements import Problem
from workflows.domain.document.graph import Document, filters_in
from workflows.domain.selection.patterns import PatternSet, pattern_fault

_MOST_HINTS: Final = 200
_MOST_SUGGESTIONS: Final = 20  # one takes milliseconds


@dataclass(frozen=True, slots=True)
class _Place:
    """A condition, and where it is written."""

    text: str
    pointer: str
    node: str | None = None
    edge: str | None = None


def condition_warnings(document: Document, pointer: str) -> Iterator[Problem]:
    """Yields the warnings of all conditions that compile, in document order.

    Source: semantics 2.7. Only names of the state are judged: metadata come from outside.
    """
    written = _WrittenNames(document)
    suggestions = _MOST_SUGGESTIONS
    for place in _conditions(document, pointer):
        try:
            condition = compile_condition(place.text)
        except ValidationFailed:
            continue  # told as an error of its element
        for lookup in condition.lookups():
            if not written.may_have(lookup):
                yield _unwritten(lookup, written.hints if suggestions > 0 else (), place)
                suggestions -= 1
        for outcome in fixed_outcomes(condition.expression):
            if not written.may_have_name(outcome.figure):
                yield _warning(place, "fixed_condition", outcome.message)


def _unwritten(lookup: Lookup, hints: Sequence[str], place: _Place) -> Problem:
    parts = lookup.names[:-1] if lookup.names[1:] and lookup.names[-1] == "length" else lookup.names
    name = _called(parts)
    if lookup.root == "context":
        unknown = say(
            "nothing in this workflow writes {name}: give it a reducer if an engine or the initial "
            "state writes it, or write {metadata} if it is metadata",
            name=name,
            metadata=f"metadata[{lookup.names[0]!r}]{_path(lookup.names[1:])}",
        )
    else:
        unknown = say(
            "nothing in this workflow writes {name}: give it a reducer if an engine or the initial "
            "state writes it",
            name=name,
        )
    meant = _meant(lookup, parts, hints)
    message = say("{text}; did you mean {name}?", text=unknown, name=meant) if meant else unknown
    return _warning(place, "unwritten_name", message)


def _called(parts: Sequence[str]) -> str:
    """Returns the names that a lookup can mean: its first part, or all of it."""
    whole = repr(".".join(parts))
    return say("{others} or {last}", others=repr(parts[0]), last=whole) if parts[1:] else whole


def _meant(lookup: Lookup, parts: Sequence[str], hints: Sequence[str]) -> str:
    """Returns a known name that is close, as the condition has to write it; "" if none is."""
    for end in dict.fromkeys((len(parts), 1)):
        for close in get_close_matches(".".join(parts[:end]), hints, n=1):
            rest = _path(lookup.names[min(len(parts), 1 + close.count(".")) :])
            return f"context.{close}{rest}" if lookup.root == "context" else repr(close)
    return ""


def _path(names: Sequence[str]) -> str:
    return "".join(f".{each}" for each in names)


def _warning(place: _Place, code: str, message: str) -> Problem:
    return Problem(place.pointer, code, message, "warning", node=place.node, edge=place.edge)


class _WrittenNames:
    """The names that a workflow writes into its state.

    These are the outputs of its nodes, what its reducers name, and the new names of transforms.
    """

    def __init__(self, document: Document) -> None:
        renames = (str(name) for name in _renames(document))
        self._names = {*(f"{node.id}_output" for node in document.nodes), *renames}
        patterns = [each for each in document.reducers if pattern_fault(each) is None]
        self._patterns = PatternSet(patterns)
        named = [each for each in patterns if "*" not in each]
        # The exact names that a misspelled one can mean; to compare with more takes milliseconds.
        self.hints: Final = sorted({*FIGURES, *named, *self._names})[:_MOST_HINTS]

    def may_have(self, lookup: Lookup) -> bool:
        """Returns whether a name exists that this lookup can find (semantics 2.7)."""
        if lookup.root == "metadata":
            return True
        if lookup.root == "context" and lookup.names[0] in FIGURES:
            return True
        parts = lookup.names
        ends = range(1, len(parts) + 1)
        return any(self.may_have_name(".".join(parts[:end])) for end in ends)

    def may_have_name(self, name: str) -> bool:
        return name in self._names or self._patterns.matches(name)


def _renames(document: Document) -> Iterator[JsonValue]:
    for edge in document.edges:
        for key in ("transform_rules", "transformRules"):
            listed = (edge.context_filter or {}).get(key)
            if isinstance(listed, list):
                yield from (each.get("rename") for each in listed if isinstance(each, dict))


def _conditions(document: Document, pointer: str) -> Iterator[_Place]:
    for index, node in enumerate(document.nodes):
        for name in ("context_filter", "outgoing_filter"):
            source = getattr(node, name)
            for number, each in enumerate(filters_in(source)):
                where = f"{pointer}/nodes/{index}/{name}"
                if isinstance(source, list):
                    where = f"{where}/{number}"
                for text, place in _in_filter(each, where):
                    yield _Place(text, place, node=node.id)
    for index, edge in enumerate(document.edges):
        where = f"{pointer}/edges/{index}"
        if edge.condition is not None:
            yield _Place(edge.condition, f"{where}/condition", edge=edge.id)
        if edge.context_filter is not None:
            for text, place in _in_filter(edge.context_filter, f"{where}/context_filter"):
                yield _Place(text, place, edge=edge.id)


_LISTS: Final[Sequence[str]] = ("rules", "filterRules", "transform_rules", "transformRules")


def _in_filter(source: Mapping[str, JsonValue], pointer: str) -> Iterator[tuple[str, str]]:
    """Yields the conditions of a filter and of its rules, with their pointers."""
    condition = source.get("condition")
    if isinstance(condition, str):
        yield condition, f"{pointer}/condition"
    for key in _LISTS:
        listed = source.get(key)
        for number, rule in enumerate(listed if isinstance(listed, list) else ()):
            own = rule.get("condition") if isinstance(rule, dict) else None
            if isinstance(own, str):
                yield own, f"{pointer}/{key}/{number}/condition"
