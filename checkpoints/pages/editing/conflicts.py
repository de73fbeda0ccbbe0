"""The page of conflicts: an edit and a newer version, merged or offered as a choice."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.contrib import messages as flash
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import JsonValue

from checkpoints.domain.merge import Conflict, resolve
from checkpoints.domain.rebase import changes_between
from checkpoints.domain.status import Status
from checkpoints.editing import draft_store, state_form
from checkpoints.pages import presenters
from checkpoints.pages.decisions.queue_step import QueueStep
from checkpoints.pages.editing import lost_edit_page
from checkpoints.pages.editing.edit_request import (
    ChangeAuthors,
    Edit,
    authors_of,
    authors_since,
    execution_of,
    versions_since,
)
from checkpoints.pages.editing.row_conflicts import is_kept
from checkpoints.pages.editing.summary import MergeSides, merge_edit, show_summary
from checkpoints.pages.expected_version_fields import version_in
from checkpoints.pages.presenters import NamedNode, TimelineLine
from checkpoints.pages.state.change_tree import ChangeBranch, tree_of
from checkpoints.pages.state.place_names import PlaceNames, key_of
from checkpoints.pages.state.state_rows import shown_value, state_rows, whole_value
from checkpoints.reading.state_values import last_writes, reducers_for
from checkpoints.store.snapshots import StoredSnapshot
from conversations.models import Conversation
from ctxadmin.lib.errors import ContextError, NotFound, ValidationFailed
from ctxadmin.lib.structural_diff import ABSENT, Difference, Value, diff
from ctxadmin.lib.text_diff import TextPiece, text_diff
from ctxadmin.ui.components import Crumb, DiffRow, Text
from ctxadmin.ui.pages import show
from ctxadmin.ui.sentences import translated

_CHOICES: Final = ("mine", "theirs", "offer", "edit")
_TITLES: Final[Mapping[ChangeAuthors, Text]] = {
    ChangeAuthors.OTHERS: gettext_lazy("This changed while you were editing"),
    ChangeAuthors.YOURS: gettext_lazy("You changed this in another tab"),
    ChangeAuthors.BOTH: gettext_lazy("You and others changed this while you were editing"),
}


@dataclass(frozen=True, slots=True)
class ConflictView:
    """One place that both changed; ``text`` is the text in the box for another value.

    ``name`` says where it is. ``own`` is True if the same person also wrote the current value,
    ``author`` is who did, "" if nobody knows. The pieces are the words that each side changed in
    the base; of lists and objects the changes.
    """

    place: int
    name: str
    base: str
    mine: str
    theirs: str
    offer: str
    has_offer: bool
    reducer: str
    kind: str
    text: str
    own: bool
    author: str = ""
    choice: str = ""
    problem: str = ""
    mine_pieces: Sequence[TextPiece] = ()
    theirs_pieces: Sequence[TextPiece] = ()
    mine_changes: Sequence[ChangeBranch] = ()
    theirs_changes: Sequence[ChangeBranch] = ()


@dataclass(frozen=True, slots=True)
class ConflictPage:
    """Both edits, place by place; ``merged`` has what merges automatically.

    ``whose`` is the author of the other edit, ``step`` the queue that the reader works through.
    """

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    execution: str
    version: int
    theirs: int
    node: NamedNode | None
    conflicts: Sequence[ConflictView]
    merged: Sequence[DiffRow]
    seq: int
    reason: str
    others: Sequence[TimelineLine]
    whose: ChangeAuthors
    step: QueueStep
    problem: str


def show_changes(task: Edit) -> HttpResponse:
    """Shows what an edit would change; asks at once about conflicts with a newer version."""
    if task.now.status is not Status.PAUSED:
        return lost_edit_page.show_lost_edit(task)
    if task.now.version > task.version:
        sides = merge_edit(task, task.now)
        conflicts = sides.merged.conflicts
        if conflicts and all(is_kept(task, each) for each in conflicts):
            decided = {each.path: each.mine for each in conflicts}
            final = resolve(dict(sides.merged.state), decided)
            if isinstance(final, dict):
                return _show_merged(task, task.now, sides, final, status=200)
        if conflicts:
            return _show_choices(task, task.now, sides, {}, status=200)
    return show_summary(task)


def show_conflict(task: Edit) -> HttpResponse:
    """Merges an edit with a version written meanwhile and asks about conflicts."""
    if task.now.status is not Status.PAUSED:
        return lost_edit_page.show_lost_edit(task)
    sides = merge_edit(task, task.now)
    if sides.merged.conflicts:
        return _show_choices(task, task.now, sides, {}, status=409)
    return _show_merged(task, task.now, sides, sides.merged.state, status=409)


def show_moved(task: Edit) -> HttpResponse:
    """Shows the summary again, because another page changed the draft since."""
    if not task.changes:
        flash.info(task.request, _("Your edits were applied or discarded in another tab."))
        return redirect(QueueStep.of(task.request).address("checkpoints:edit", task.head.public_id))
    problem = _("You edited this in another tab. Check the changes again.")
    written = entered_values(task)
    if written:
        problem += " " + _("You entered: %(text)s") % {"text": "; ".join(written)}
    return show_summary(task, status=409, problem=problem)


def apply_choices(task: Edit) -> HttpResponse:
    """Applies the choices of the conflict page; shows the result again before it is written."""
    version = version_in(task.request.POST, "theirs")
    if version is None:
        return lost_edit_page.show_lost_edit(task)
    task, theirs = task.of_draft(), task.moment_at(version)
    if task.draft.seq != task.seq:
        return show_moved(task)
    sides = merge_edit(task, theirs)
    decided: dict[str, Value] = {}
    problems: dict[int, str] = {}
    for place, conflict in enumerate(sides.merged.conflicts):
        try:
            decided[conflict.path] = _chosen(task, place, conflict)
        except ContextError as error:
            problems[place] = translated(error.detail)
    if problems:
        return _show_choices(task, theirs, sides, problems, status=422)
    final = resolve(dict(sides.merged.state), decided)
    if not isinstance(final, dict):
        raise ValidationFailed(_("The state must be one JSON object: {…}."))
    problems = _refused(task, theirs, sides.merged.conflicts, final)
    if problems:
        return _show_choices(task, theirs, sides, problems, status=422)
    return _show_merged(task, theirs, sides, final, status=200)


def entered_values(task: Edit) -> list[str]:
    """Returns the input of the conflict page with its places; it is not stored."""
    version = version_in(task.request.POST, "theirs")
    if version is None:
        return []
    try:
        theirs = task.moment_at(version)
    except NotFound:
        theirs = task.base
    found = []
    merged = merge_edit(task, theirs).merged
    names = PlaceNames(dict(merged.state))
    for place, conflict in enumerate(merged.conflicts):
        if _is_retyped(task, place, conflict):
            found.append(f"{names.name(conflict.path)}: {_value_sent(task, place)}")
    return found


def _value_sent(task: Edit, place: int) -> str:
    return task.request.POST.get(f"value-{place}", "").replace("\r\n", "\n")


def _is_retyped(task: Edit, place: int, conflict: Conflict) -> bool:
    text = _value_sent(task, place)
    return bool(text.strip()) and text != _as_typed(conflict.mine)


def _choice(task: Edit, place: int, conflict: Conflict) -> str:
    """Returns the choice for a conflict; without one, the input typed instead."""
    choice = task.request.POST.get(f"choice-{place}", "")
    if choice in _CHOICES:
        return choice
    if _is_retyped(task, place, conflict):
        return "edit"
    return "mine" if is_kept(task, conflict) else ""


def _as_typed(value: Value) -> str:
    return value if isinstance(value, str) else state_form.format_json(value)


def _refused(
    task: Edit, theirs: StoredSnapshot, places: Sequence[Conflict], final: Mapping[str, JsonValue]
) -> dict[int, str]:
    """Returns, by place, the typed values that their key's reducer could not continue from."""
    reducers = reducers_for(theirs.row)
    problems: dict[int, str] = {}
    for place, conflict in enumerate(places):
        key = _key_of(conflict)
        if _choice(task, place, conflict) != "edit" or key not in final:
            continue
        try:
            state_form.check_reducible(key, final[key], reducers)
        except ContextError as error:
            problems[place] = translated(error.detail)
    return problems


def _key_of(conflict: Conflict) -> str:
    return key_of(conflict.path)


def _show_merged(
    task: Edit,
    theirs: StoredSnapshot,
    sides: MergeSides,
    final: Mapping[str, JsonValue],
    *,
    status: int,
) -> HttpResponse:
    """Shows the merged edit as changes of the current state, before it is applied."""
    changes = changes_between(sides.theirs, final, task.changes)
    if not changes:
        draft_store.drop_applied(task.actor, task.base, task.draft, task.changes)
        flash.info(task.request, _("Nothing left to apply: the state already has your changes."))
        return redirect(
            QueueStep.of(task.request).address("checkpoints:detail", task.head.public_id)
        )
    others, whose = versions_since(task, theirs), authors_since(task, theirs)
    draft = draft_store.store_merged(task.actor, theirs, task.draft, task.changes.keys(), changes)
    if draft is None:
        return show_moved(task.of_draft())
    task = replace(task, base=theirs, changes=changes, draft=draft)
    return show_summary(task, others=others, whose=whose, status=status)


def _chosen(task: Edit, place: int, conflict: Conflict) -> Value:
    match _choice(task, place, conflict):
        case "mine":
            return conflict.mine
        case "theirs":
            return conflict.theirs
        case "offer" if conflict.offer is not ABSENT:
            return conflict.offer
        case "edit":
            text = _value_sent(task, place)
            is_text = task.request.POST.get(f"kind-{place}") == "text"
            return text if is_text else state_form.read_json(text)
    raise ValidationFailed(_("Choose one of the two values, or enter a new one."))


def _show_choices(
    task: Edit,
    theirs: StoredSnapshot,
    sides: MergeSides,
    problems: Mapping[int, str],
    *,
    status: int,
) -> HttpResponse:
    before, after = dict(sides.theirs), dict(sides.merged.state)
    found = diff(before, after)
    names = PlaceNames(after, found)
    rows = decided_differences(found, sides.merged.conflicts, names)
    whose = authors_since(task, theirs)
    authors = _authors_of_keys(task, theirs, {_key_of(each) for each in sides.merged.conflicts})
    shown = ConflictPage(
        title=_TITLES[whose],
        crumbs=presenters.crumbs(task.head, Crumb(_("Edit the state"))),
        head=task.head,
        execution=execution_of(theirs),
        version=task.version,
        theirs=theirs.version,
        node=presenters.named_node(theirs.pinned, theirs.node_id),
        conflicts=[
            replace(
                _view(task, place, each, theirs, problems.get(place, "")),
                name=names.name(each.path),
                own=authors.get(_key_of(each)) == task.actor.label,
                author=authors.get(_key_of(each), ""),
            )
            for place, each in enumerate(sides.merged.conflicts)
        ],
        merged=state_rows(rows, after),
        seq=task.draft.seq,
        reason=task.reason,
        others=versions_since(task, theirs),
        whose=whose,
        step=QueueStep.of(task.request),
        problem=_("Resolve all conflicts first.") if problems else "",
    )
    return show(task.request, "checkpoints/conflict.html", shown, status=status)


def decided_differences(
    found: Sequence[Difference], conflicts: Sequence[Conflict], names: PlaceNames
) -> list[Difference]:
    """Returns the differences outside of the places in conflict."""
    undecided = [conflict.path for conflict in conflicts]
    return [
        each
        for each in found
        if not any(_is_in(_place_after(each, names), path) for path in undecided)
    ]


def _place_after(each: Difference, names: PlaceNames) -> str:
    """Returns the place of a difference in the later state: of a removed item that of its list."""
    steps = names.steps(each)
    return each.path.rpartition("/")[0] if steps and steps[-1].removed else each.path


def _authors_of_keys(task: Edit, theirs: StoredSnapshot, keys: Collection[str]) -> dict[str, str]:
    """Returns who wrote the current values of keys, also who deleted them."""
    versions = last_writes(theirs, keys)
    authors = authors_of(theirs, set(versions.values()))
    return {name: authors[version] for name, version in versions.items() if version in authors}


def _changes(base: Value, side: Value) -> list[ChangeBranch]:
    """Returns the changes of a list or an object, nothing of other values."""
    for kind in (list, dict):
        if isinstance(base, kind) and isinstance(side, kind):
            return tree_of(diff(base, side), side)
    return []


def _pieces(base: Value, side: Value) -> Sequence[TextPiece]:
    """Returns the words that a side changed; nothing of numbers and the like, read whole."""
    if not all(isinstance(each, str | list | dict) for each in (base, side)):
        return ()
    return text_diff(whole_value(base), whole_value(side))


def _is_in(path: str, other: str) -> bool:
    return path == other or path.startswith(f"{other}/")


def _view(
    task: Edit, place: int, conflict: Conflict, theirs: StoredSnapshot, problem: str
) -> ConflictView:
    sent = task.request.POST
    kind = "text" if isinstance(conflict.mine, str) else "json"
    base, mine, others = map(shown_value, (conflict.base, conflict.mine, conflict.theirs))
    return ConflictView(
        place=place,
        name="",
        base=base,
        mine=mine,
        theirs=others,
        mine_pieces=_pieces(conflict.base, conflict.mine),
        theirs_pieces=_pieces(conflict.base, conflict.theirs),
        mine_changes=_changes(conflict.base, conflict.mine),
        theirs_changes=_changes(conflict.base, conflict.theirs),
        offer=shown_value(conflict.offer),
        has_offer=conflict.offer is not ABSENT,
        reducer=reducers_for(theirs.row).for_key(_key_of(conflict)).value,
        kind=kind,
        text=sent.get(f"value-{place}", _as_typed(conflict.mine)),
        own=False,
        choice=_choice(task, place, conflict),
        problem=problem,
    )
