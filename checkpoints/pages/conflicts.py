"""The pages behind an edit: what would change, and what to do when somebody else was faster."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.contrib import messages as flash
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from pydantic import JsonValue

from checkpoints import queries
from checkpoints.domain.merge import Conflict, MergedState, merge_states, resolve
from checkpoints.domain.status import Status
from checkpoints.moments import Moment
from checkpoints.pages import lost, pending, presenters, state_form, values
from checkpoints.pages.edits import Edit, execution_of, others_since
from checkpoints.pages.presenters import Named, VersionLine
from checkpoints.pages.seen import version_in
from checkpoints.pages.state_form import Changes
from checkpoints.pages.state_rows import shown_value, state_rows
from checkpoints.pages.versions import MOST_ROWS, keys_too_large
from conversations.models import Conversation
from ctxadmin.accounts.roles import Action
from ctxadmin.lib.errors import ContextError, ValidationFailed
from ctxadmin.lib.structural_diff import ABSENT, Value, diff, equal
from ctxadmin.web.components import Crumb, DiffRow, Text
from ctxadmin.web.pages import show

_CHOICES: Final = ("mine", "theirs", "offer", "edit")


@dataclass(frozen=True, slots=True)
class Newer:
    """A version that was written since the one that was seen: what it changed of the state.

    ``both`` are the places that the edit changes, too; ``too_large`` keys are not compared.
    """

    version: int
    rows: Sequence[DiffRow]
    both: Sequence[str]
    too_large: Sequence[str]


@dataclass(frozen=True, slots=True)
class SummaryPage:
    """What an edit would change; ``others`` is what happened since it was seen or merged.

    ``newer`` tells what it was not made from.
    """

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    execution: str
    version: int
    node: Named | None
    rows: Sequence[DiffRow]
    changes: str
    seq: int
    reason: str
    others: Sequence[VersionLine]
    newer: Newer | None
    may_approve: bool


@dataclass(frozen=True, slots=True)
class ConflictView:
    """One place that both changed; ``text`` is what is in the box for a value of one's own."""

    place: int
    path: str
    base: str
    mine: str
    theirs: str
    offer: str
    has_offer: bool
    reducer: str
    kind: str
    text: str
    choice: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ConflictPage:
    """Both edits, place by place; what merges by itself is in ``merged``."""

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    execution: str
    version: int
    theirs: int
    node: Named | None
    conflicts: Sequence[ConflictView]
    merged: Sequence[DiffRow]
    changes: str
    seq: int
    reason: str
    others: Sequence[VersionLine]
    problem: str


@dataclass(frozen=True, slots=True)
class _Sides:
    """The three states of a merge, of the keys that the edit changes, and their merge."""

    theirs: Mapping[str, JsonValue]
    merged: MergedState


def show_summary(
    task: Edit, *, others: Sequence[VersionLine] = (), status: int = 200
) -> HttpResponse:
    """What the changes of an edit would do to the state that was seen."""
    newer = _newer(task)
    before = values.values_of(task.base, task.changes.keys())
    after = state_form.with_changes(before, task.changes)
    shown = SummaryPage(
        title=_("What would change"),
        crumbs=presenters.crumbs(task.head, Crumb(_("Edit the state"))),
        head=task.head,
        execution=execution_of(task.base),
        version=task.version,
        node=presenters.named(task.base.pinned, task.base.node_id),
        rows=state_rows(diff(dict(before), after)),
        changes=state_form.changes_text(task.changes),
        seq=task.seq,
        reason=task.reason,
        others=others_since(task, task.now) if newer else others,
        newer=newer,
        may_approve=newer is None and task.actor.may(Action.EXECUTION_APPROVE),
    )
    return show(task.request, "checkpoints/summary.html", shown, status=status)


def _newer(task: Edit) -> Newer | None:
    """What somebody else wrote since; None if nobody did."""
    if task.now.version <= task.version:
        return None
    too_large = keys_too_large(task.base, task.now)
    found = [] if too_large else queries.compare_moments(task.base, task.now).state
    both = [conflict.path for conflict in _merge(task, task.now).merged.conflicts]
    return Newer(task.now.version, state_rows(found[:MOST_ROWS]), both, too_large)


def show_conflict(task: Edit) -> HttpResponse:
    """Somebody was faster: merge what goes together, ask for the rest, lose nothing."""
    if task.now.status is not Status.PAUSED or not task.same_execution:
        return lost.show_lost(task)
    sides = _merge(task, task.now)
    if sides.merged.conflicts:
        return _show_choices(task, task.now, sides, {}, status=409)
    return _go_on(task, task.now, sides, sides.merged.state, status=409)


def resolved(task: Edit) -> HttpResponse:
    """What was chosen on the conflict page; the result is shown once more before it is applied."""
    version = version_in(task.request.POST, "theirs")
    if not task.same_execution or version is None:
        return lost.show_lost(task)
    theirs = queries.find_moment(task.actor, task.head.public_id, version)
    sides = _merge(task, theirs)
    decided: dict[str, Value] = {}
    problems: dict[int, str] = {}
    for place, conflict in enumerate(sides.merged.conflicts):
        try:
            decided[conflict.path] = _chosen(task, place, conflict)
        except ContextError as error:
            problems[place] = error.detail
    if problems:
        return _show_choices(task, theirs, sides, problems, status=422)
    final = resolve(dict(sides.merged.state), decided)
    if not isinstance(final, dict):
        raise ValidationFailed(_("The state is one JSON object: {…}."))
    problems = _refused(task, theirs, sides.merged.conflicts, final)
    if problems:
        return _show_choices(task, theirs, sides, problems, status=422)
    return _go_on(task, theirs, sides, final, status=200)


def _refused(
    task: Edit, theirs: Moment, places: Sequence[Conflict], final: Mapping[str, JsonValue]
) -> dict[int, str]:
    """What was written anew and its key's reducer could not go on from, by place."""
    reducers = values.reducers_for(theirs.row)
    problems: dict[int, str] = {}
    for place, conflict in enumerate(places):
        key = _key_of(conflict)
        if task.request.POST.get(f"choice-{place}") != "edit" or key not in final:
            continue
        try:
            state_form.check_reducible(key, final[key], reducers)
        except ContextError as error:
            problems[place] = error.detail
    return problems


def _key_of(conflict: Conflict) -> str:
    return conflict.path.split("/")[1].replace("~1", "/").replace("~0", "~")


def _merge(task: Edit, theirs: Moment) -> _Sides:
    """Only the keys that the edit changes can be in conflict."""
    names = task.changes.keys()
    base = values.values_of(task.base, names)
    other = values.values_of(theirs, names)
    mine = state_form.with_changes(base, task.changes)
    reducers = values.reducers_for(theirs.row)
    return _Sides(other, merge_states(base, mine, other, reducers))


def _go_on(
    task: Edit, theirs: Moment, sides: _Sides, final: Mapping[str, JsonValue], *, status: int
) -> HttpResponse:
    """The merged edit as changes of the state of now, to be looked at before it is applied."""
    changes = _against(sides.theirs, final, task.changes)
    if not changes:
        pending.applied(task.actor, task.base, task.seq, task.changes)
        flash.info(task.request, _("Nothing is left to change: the state is as you wanted it."))
        return redirect("checkpoints:detail", task.head.public_id)
    others = others_since(task, theirs)
    seq = pending.rebased(task.actor, theirs, task.seq, changes)
    task = replace(task, base=theirs, changes=changes, seq=seq)
    return show_summary(task, others=others, status=status)


def _against(
    theirs: Mapping[str, JsonValue], final: Mapping[str, JsonValue], names: Changes
) -> dict[str, Value]:
    changes: dict[str, Value] = {}
    for name in names:
        before, after = theirs.get(name, ABSENT), final.get(name, ABSENT)
        if before is ABSENT or after is ABSENT:
            if before is not after:
                changes[name] = after
        elif not equal(before, after):
            changes[name] = after
    return changes


def _chosen(task: Edit, place: int, conflict: Conflict) -> Value:
    sent = task.request.POST
    match sent.get(f"choice-{place}"):
        case "mine":
            return conflict.mine
        case "theirs":
            return conflict.theirs
        case "offer" if conflict.offer is not ABSENT:
            return conflict.offer
        case "edit":
            text = sent.get(f"value-{place}", "")
            if sent.get(f"kind-{place}") == "text":
                return text.replace("\r\n", "\n")
            return state_form.read_json(text)
    raise ValidationFailed(_("Choose which of the two stands, or write it anew."))


def _show_choices(
    task: Edit, theirs: Moment, sides: _Sides, problems: Mapping[int, str], *, status: int
) -> HttpResponse:
    merged = diff(dict(sides.theirs), dict(sides.merged.state))
    undecided = [conflict.path for conflict in sides.merged.conflicts]
    rows = [each for each in merged if not any(_is_in(each.path, path) for path in undecided)]
    shown = ConflictPage(
        title=_("Somebody else was faster"),
        crumbs=presenters.crumbs(task.head, Crumb(_("Edit the state"))),
        head=task.head,
        execution=execution_of(theirs),
        version=task.version,
        theirs=theirs.version,
        node=presenters.named(theirs.pinned, theirs.node_id),
        conflicts=[
            _view(task, place, each, theirs, problems.get(place, ""))
            for place, each in enumerate(sides.merged.conflicts)
        ],
        merged=state_rows(rows),
        changes=state_form.changes_text(task.changes),
        seq=task.seq,
        reason=task.reason,
        others=others_since(task, theirs),
        problem=_("Some places are not decided yet.") if problems else "",
    )
    return show(task.request, "checkpoints/conflict.html", shown, status=status)


def _is_in(path: str, other: str) -> bool:
    return path == other or path.startswith(f"{other}/")


def _view(task: Edit, place: int, conflict: Conflict, theirs: Moment, problem: str) -> ConflictView:
    sent = task.request.POST
    kind = "text" if isinstance(conflict.mine, str) else "json"
    mine = conflict.mine if isinstance(conflict.mine, str) else state_form.pretty(conflict.mine)
    choice = sent.get(f"choice-{place}", "")
    return ConflictView(
        place=place,
        path=conflict.path,
        base=shown_value(conflict.base),
        mine=shown_value(conflict.mine),
        theirs=shown_value(conflict.theirs),
        offer=shown_value(conflict.offer),
        has_offer=conflict.offer is not ABSENT,
        reducer=values.reducers_for(theirs.row).for_key(_key_of(conflict)).value,
        kind=kind,
        text=sent.get(f"value-{place}", mine),
        choice=choice if choice in _CHOICES else "",
        problem=problem,
    )
