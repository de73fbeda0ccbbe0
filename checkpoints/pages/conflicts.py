"""The pages behind an edit: what would change, and what to do when somebody else was faster."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from pydantic import JsonValue

from checkpoints import queries
from checkpoints.domain.merge import Conflict, MergedState, merge_states, resolve
from checkpoints.domain.status import Status
from checkpoints.models import Checkpoint
from checkpoints.moments import Moment
from checkpoints.pages import pending, presenters, state_form, values
from checkpoints.pages.presenters import Named, VersionLine
from checkpoints.pages.seen import version_in
from checkpoints.pages.state_form import Changes
from checkpoints.pages.state_rows import shown_value, state_rows
from checkpoints.pages.versions import MOST_ROWS, keys_too_large
from conversations.models import Conversation
from ctxadmin.accounts.actor import Actor
from ctxadmin.accounts.roles import Action
from ctxadmin.lib.errors import ContextError, ValidationFailed
from ctxadmin.lib.structural_diff import ABSENT, Value, diff, equal
from ctxadmin.web.components import Crumb, DiffRow, Text
from ctxadmin.web.pages import show

_CHOICES: Final = ("mine", "theirs", "offer", "edit")
_MOST_OTHERS: Final = 10


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit under way: the state that was seen (``base``), what is there ``now``, the changes.

    ``seq`` is how often it was kept when the page was made.
    """

    request: HttpRequest
    actor: Actor
    head: Conversation
    now: Moment
    base: Moment
    changes: Changes
    seq: int = 0

    @classmethod
    def read(cls, request: HttpRequest, actor: Actor, head: Conversation, now: Moment) -> Self:
        """What the hidden fields of the form say; ValidationFailed if they say nothing."""
        sent = request.POST
        version = version_in(sent, "version")
        if version is None:
            raise ValidationFailed(_("The form does not say what was seen; reload the page."))
        another = now.row is None or sent.get("execution", "") != now.row.public_id
        base = now if another else queries.find_moment(actor, head.public_id, version)
        changes = state_form.read_changes(sent.get("changes") or "{}")
        return cls(request, actor, head, now, base, changes, version_in(sent, "seq") or 0)

    @property
    def version(self) -> int:
        return self.base.version

    @property
    def node_id(self) -> str:
        """The node that was seen to be paused; one that went back behind its start has none."""
        return self.base.node_id or "-"

    @property
    def same_execution(self) -> bool:
        """False if another execution was started since the form was filled in."""
        row = self.now.row
        return row is not None and self.request.POST.get("execution", "") == row.public_id

    @property
    def reason(self) -> str:
        return self.request.POST.get("reason", "")


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
class LostPage:
    """The execution goes on already: what was typed, for copying.

    ``execution`` and ``version`` are those that it is kept for; "" if it is not kept.
    """

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    execution: str
    version: int
    status: str
    changes: str
    reason: str
    others: Sequence[VersionLine]


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
        execution=_execution(task.base),
        version=task.version,
        node=presenters.named(task.base.pinned, task.base.node_id),
        rows=state_rows(diff(dict(before), after)),
        changes=state_form.changes_text(task.changes),
        seq=task.seq,
        reason=task.reason,
        others=_others(task, task.now) if newer else others,
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
        return show_lost(task)
    sides = _merge(task, task.now)
    if sides.merged.conflicts:
        return _show_choices(task, task.now, sides, {}, status=409)
    return _go_on(task, task.now, sides, sides.merged.state, status=409)


def show_lost(task: Edit) -> HttpResponse:
    """Nothing can be written any more: what was typed, for copying."""
    shown = LostPage(
        title=_("The execution does not wait any more"),
        crumbs=presenters.crumbs(task.head, Crumb(_("Edit the state"))),
        head=task.head,
        execution=_execution(task.now) if _is_kept(task) else "",
        version=task.version,
        status=task.now.status.value,
        changes=state_form.pretty(state_form.as_update(task.changes)),
        reason=task.reason,
        others=_others(task, task.now) if task.same_execution else (),
    )
    return show(task.request, "checkpoints/lost.html", shown, status=409)


def _is_kept(task: Edit) -> bool:
    return bool(pending.find(task.actor, task.now.row, task.version))


def resolved(task: Edit) -> HttpResponse:
    """What was chosen on the conflict page; the result is shown once more before it is applied."""
    version = version_in(task.request.POST, "theirs")
    if not task.same_execution or version is None:
        return show_lost(task)
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
    return _go_on(task, theirs, sides, final, status=200)


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
        if theirs.row is not None:
            pending.applied(task.actor, theirs.row, task.seq, task.changes)
        flash.info(task.request, _("Nothing is left to change: the state is as you wanted it."))
        return redirect("checkpoints:detail", task.head.public_id)
    others = _others(task, theirs)
    return show_summary(replace(task, base=theirs, changes=changes), others=others, status=status)


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
        execution=_execution(theirs),
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
        others=_others(task, theirs),
        problem=_("Some places are not decided yet.") if problems else "",
    )
    return show(task.request, "checkpoints/conflict.html", shown, status=status)


def _is_in(path: str, other: str) -> bool:
    return path == other or path.startswith(f"{other}/")


def _view(task: Edit, place: int, conflict: Conflict, theirs: Moment, problem: str) -> ConflictView:
    sent = task.request.POST
    kind = "text" if isinstance(conflict.mine, str) else "json"
    mine = conflict.mine if isinstance(conflict.mine, str) else state_form.pretty(conflict.mine)
    key = conflict.path.split("/")[1].replace("~1", "/").replace("~0", "~")
    choice = sent.get(f"choice-{place}", "")
    return ConflictView(
        place=place,
        path=conflict.path,
        base=shown_value(conflict.base),
        mine=shown_value(conflict.mine),
        theirs=shown_value(conflict.theirs),
        offer=shown_value(conflict.offer),
        has_offer=conflict.offer is not ABSENT,
        reducer=values.reducers_for(theirs.row).for_key(key).value,
        kind=kind,
        text=sent.get(f"value-{place}", mine),
        choice=choice if choice in _CHOICES else "",
        problem=problem,
    )


def _others(task: Edit, now: Moment) -> Sequence[VersionLine]:
    """The versions since the one that was seen, the newest first."""
    row = now.row
    if row is None:
        return ()
    rows = Checkpoint.objects.filter(
        conversation=row.conversation,
        execution=row.number,
        version__gt=task.version,
        version__lte=now.version,
    ).defer("answer", "marking", "routing")
    found = list(rows.order_by("-version")[:_MOST_OTHERS])
    return presenters.version_lines(row, found, now.pinned)


def _execution(moment: Moment) -> str:
    return moment.row.public_id if moment.row is not None else ""
