"""Keeps, drops and changes the items of one section by patterns on their names."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pydantic import JsonValue

from ctxadmin.lib.errors import Duplicate
from ctxadmin.lib.sentence import say
from ctxadmin.lib.structural_diff import equal
from ctxadmin.lib.work_budget import spend
from workflows.domain.context.explain import Decision, Label, Section, Verdict
from workflows.domain.context.prompt_context import HistoryEntry
from workflows.domain.context.transforms import Transform
from workflows.domain.selection.patterns import PatternSet, capture


@dataclass(frozen=True, slots=True)
class Clause:
    """One pattern, with the words that name it; ``rule`` and ``filter`` as in ``Decision``."""

    pattern: str
    words: str
    rule: int | None = None
    filter: int | None = None


@dataclass(frozen=True, slots=True)
class ItemChange:
    """A change of the kept items that a clause's pattern matches."""

    clause: Clause
    transform: Transform | None = None
    rename: str | None = None

    def new_name(self, name: str) -> str:
        """Returns the name after the rename; its ``*`` is what the pattern's ``*`` matched."""
        if self.rename is None:
            return name
        return self.rename.replace("*", capture(self.clause.pattern, name) or "", 1)


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether an item is kept, and by which clause, or why without one."""

    kept: bool
    reason: str
    clause: Clause | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """The rules for the items of one section.

    Excludes win over includes, the order does not matter; ``keeps_rest`` decides about unmentioned
    items and ``rest`` is its reason in words. ``idle`` are clauses whose condition is false: they
    have no effect except in reasons. Source: semantics 2.3.
    """

    includes: tuple[Clause, ...] = ()
    excludes: tuple[Clause, ...] = ()
    changes: tuple[ItemChange, ...] = ()
    keeps_rest: bool = True
    rest: str = say("no rule excludes it")
    idle: tuple[Clause, ...] = ()
    _included: PatternSet = field(init=False, repr=False, compare=False)
    _excluded: PatternSet = field(init=False, repr=False, compare=False)
    _changed: PatternSet = field(init=False, repr=False, compare=False)
    _ignored: PatternSet = field(init=False, repr=False, compare=False)
    _unmentioned: Judgement = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        changing = [change.clause for change in self.changes]
        for name, clauses in (
            ("_included", self.includes),
            ("_excluded", self.excludes),
            ("_changed", changing),
            ("_ignored", self.idle),
        ):
            object.__setattr__(self, name, PatternSet([clause.pattern for clause in clauses]))

        object.__setattr__(self, "_unmentioned", Judgement(self.keeps_rest, self.rest))

    def keeps(self, name: str) -> bool:
        """Returns whether the items of that name are kept."""
        return (self.keeps_rest or self._included.matches(name)) and not self._excluded.matches(
            name
        )

    def decide(self, name: str) -> Judgement:
        """Returns whether they are kept, and why; agrees with ``keeps``."""
        excluded = self._excluded.first(name)
        if excluded is not None:
            clause = self.excludes[excluded]
            return Judgement(False, say("{rule} matches", rule=clause.words), clause)
        included = self._included.first(name)
        if included is not None:
            clause = self.includes[included]
            return Judgement(True, say("{rule} matches", rule=clause.words), clause)
        ignored = self._ignored.first(name)
        if ignored is not None:
            words = self.idle[ignored].words
            reason = say(
                "{rest}; {rule} is skipped: its condition is false", rest=self.rest, rule=words
            )
            return Judgement(self.keeps_rest, reason)
        return self._unmentioned

    def changes_of(self, name: str) -> list[ItemChange]:
        """Returns the changes of the items of that name, in the order of the rules."""
        return [self.changes[number] for number in self._changed.all(name)] if self.changes else []

    def spend(self, section: Section, names: Collection[str]) -> None:
        """Spends the worst-case cost of comparing names with the rules; raises TooLarge.

        Comparing a long name counts as one more for each 64 characters.
        """
        sets = (self._included, self._excluded, self._changed, self._ignored)
        looks = sum(patterns.looks for patterns in sets)
        if looks:
            sizes = len(names) + sum(map(len, names)) // 64
            spend(looks * sizes, f"comparing the names of {section} with rules")

    @property
    def is_trivial(self) -> bool:
        """Returns True if everything stays unchanged."""
        return self.keeps_rest and not self.excludes and not self.changes


KEEP_ALL: Final = Selection()


def select_names(
    selection: Selection,
    section: Section,
    values: Mapping[str, JsonValue],
    step: Label,
    explain: bool,
) -> tuple[Mapping[str, JsonValue], list[Decision]]:
    """Returns the kept names with their values, changed and renamed, in order.

    Raises Duplicate if two of them would get the same name (semantics 2.4).
    """
    if not explain and selection.is_trivial:
        return values, []
    selection.spend(section, values)
    if not explain and not selection.changes:
        return {name: values[name] for name in values if selection.keeps(name)}, []
    kept: dict[str, JsonValue] = {}
    decisions: list[Decision] = []
    for name, value in values.items():
        judgement = selection.decide(name) if explain else None
        if not (judgement.kept if judgement else selection.keeps(name)):
            if judgement:
                decisions.append(_decision(section, judgement, step, name))
            continue
        changes = selection.changes_of(name)
        new_name, after = _changed(name, value, changes)
        if new_name in kept:
            raise _collision(section, name, new_name)
        kept[new_name] = after
        if judgement:
            decision = _decision(section, judgement, step, name)
            decisions.append(_with_changes(decision, changes, new_name, value, after))
    return kept, decisions


def _changed(name: str, value: JsonValue, changes: Sequence[ItemChange]) -> tuple[str, JsonValue]:
    """Returns name and value after all changes; the first rename wins."""
    new_name = name
    for change in changes:
        if change.transform is not None:
            value = change.transform(value)
        if new_name == name:
            new_name = change.new_name(name)
    return new_name, value


def _collision(section: Section, name: str, new_name: str) -> Duplicate:
    if name == new_name:
        return Duplicate(
            say(
                "{section}: another name was renamed to {name}, which exists",
                section=section,
                name=repr(name),
            )
        )
    return Duplicate(
        say(
            "{section}: {name} cannot be renamed to {new_name}, which exists",
            section=section,
            name=repr(name),
            new_name=repr(new_name),
        )
    )


def _decision(
    section: Section,
    judgement: Judgement,
    step: Label,
    name: str,
    index: int | None = None,
    place: int | None = None,
) -> Decision:
    clause = judgement.clause
    verdict: Verdict = "kept" if judgement.kept else "dropped"
    rule, number = (clause.rule, clause.filter) if clause else (None, None)
    return Decision(
        section,
        verdict,
        step,
        judgement.reason,
        name=name,
        index=index,
        rule=rule,
        filter=number,
        place=place,
    )


def _with_changes(
    decision: Decision,
    changes: Sequence[ItemChange],
    new_name: str,
    before: JsonValue,
    after: JsonValue,
) -> Decision:
    """Returns the decision as ``changed`` if something differs, by the last rule that did it."""
    renamed = new_name if new_name != decision.name else None
    if not changes or (renamed is None and equal(before, after)):
        return decision
    clause = changes[-1].clause
    return replace(
        decision,
        verdict="changed",
        reason=", ".join(change.clause.words for change in changes),
        rule=clause.rule,
        filter=clause.filter,
        renamed=renamed,
        before=before,
        after=after,
    )


def select_history(
    selection: Selection, history: Sequence[HistoryEntry], step: Label, explain: bool
) -> tuple[tuple[HistoryEntry, ...], list[Decision]]:
    """Returns the kept entries in order; transforms change their prompt and their response."""
    if not explain and selection.is_trivial:
        return tuple(history), []
    selection.spend("history", [entry.node_id for entry in history])
    kept: list[HistoryEntry] = []
    decisions: list[Decision] = []
    for index, entry in enumerate(history):
        judgement = selection.decide(entry.node_id) if explain else None
        stays = judgement.kept if judgement else selection.keeps(entry.node_id)
        changes = selection.changes_of(entry.node_id) if stays else []
        after = _changed_entry(entry, changes)
        if judgement:
            place = len(kept) if stays else None
            decision = _decision("history", judgement, step, entry.node_id, index, place)
            if after is not entry:
                decision = _with_changes(
                    decision, changes, entry.node_id, entry.as_json(), after.as_json()
                )
            decisions.append(decision)
        if stays:
            kept.append(after)
    return tuple(kept), decisions


def _changed_entry(entry: HistoryEntry, changes: Sequence[ItemChange]) -> HistoryEntry:
    if not changes:
        return entry
    _, prompt = _changed(entry.node_id, entry.prompt, changes)
    _, response = _changed(entry.node_id, entry.response, changes)
    return replace(entry, prompt=prompt, response=response)
