"""The page that shows what an edit would change, before it is applied."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpResponse
from django.utils.translation import gettext as _
from pydantic import JsonValue

from checkpoints.domain.merge import MergedState, merge_states
from checkpoints.editing import state_form
from checkpoints.editing.entries import mark_of_changes
from checkpoints.pages import presenters
from checkpoints.pages.decisions.decision import claim_of_another
from checkpoints.pages.decisions.edits_of_others import (
    NO_EDITS,
    EditsOfOthers,
    edits_of_others,
)
from checkpoints.pages.decisions.queue_step import QueueStep
from checkpoints.pages.editing.edit_request import (
    ChangeAuthors,
    Edit,
    authors_since,
    execution_of,
    versions_since,
)
from checkpoints.pages.executions.version_pages import MOST_ROWS, keys_too_large, values_after
from checkpoints.pages.presenters import NamedNode, PositionView, TimelineLine
from checkpoints.pages.state.place_names import PlaceNames
from checkpoints.pages.state.state_rows import state_rows
from checkpoints.reading import queries
from checkpoints.reading.state_values import reducers_for, values_of
from checkpoints.services.annotations import NOBODY, ClaimResult
from checkpoints.store.snapshots import StoredSnapshot
from conversations.models import Conversation
from ctxadmin.identity.roles import Action
from ctxadmin.lib.structural_diff import diff
from ctxadmin.ui.components import Crumb, DiffRow, Text
from ctxadmin.ui.pages import show


@dataclass(frozen=True, slots=True)
class NewerVersion:
    """A version written since the one that was shown, and its changes of the state.

    ``both`` are the places that the edit changes too; ``too_large`` keys are not compared.
    """

    version: int
    rows: Sequence[DiffRow]
    both: Sequence[str]
    too_large: Sequence[str]


@dataclass(frozen=True, slots=True)
class SummaryPage:
    """The changes of an edit; ``others`` is what happened since it was shown or merged.

    ``newer`` is a version it is not based on, ``whose`` its author. ``edit`` is the mark of the
    changes; ``revision`` and ``visible_count`` are the messages that an approval has seen.
    ``claim`` and ``edits`` are those of others, whom an approval would forestall.
    ``step`` is the queue that the reader works through, ``position`` has the deadline.
    """

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    execution: str
    version: int
    node: NamedNode | None
    rows: Sequence[DiffRow]
    edit: str
    revision: int
    visible_count: int
    seq: int
    reason: str
    others: Sequence[TimelineLine]
    newer: NewerVersion | None
    whose: ChangeAuthors
    may_approve: bool
    claim: ClaimResult
    edits: EditsOfOthers
    step: QueueStep
    position: PositionView
    problem: str

    @property
    def reads_first(self) -> bool:
        """Returns True if the page says something that the reader does not expect."""
        return bool(self.problem or self.newer or self.others)

    @property
    def overrides(self) -> bool:
        """Returns True if an approval would forestall the claim or the edits of others."""
        return bool(self.claim.holder or self.edits.who)


@dataclass(frozen=True, slots=True)
class MergeSides:
    """The three states of a merge, for the keys that the edit changes, and the merged one."""

    theirs: Mapping[str, JsonValue]
    merged: MergedState


def show_summary(
    task: Edit,
    *,
    others: Sequence[TimelineLine] = (),
    whose: ChangeAuthors = ChangeAuthors.OTHERS,
    status: int = 200,
    problem: str = "",
) -> HttpResponse:
    """Shows what an edit would change in its base state."""
    newer = _newer(task)
    may_approve = newer is None and task.actor.may(Action.EXECUTION_APPROVE)
    before = values_of(task.base, task.changes.keys())
    after = state_form.with_changes(before, task.changes)
    shown = SummaryPage(
        title=_("Review changes"),
        crumbs=presenters.crumbs(task.head, Crumb(_("Edit the state"))),
        head=task.head,
        execution=execution_of(task.base),
        version=task.version,
        node=presenters.named_node(task.base.pinned, task.base.node_id),
        rows=state_rows(diff(dict(before), after), after),
        edit=mark_of_changes(task.changes),
        revision=task.now.revision,
        visible_count=task.now.visible_count,
        seq=task.draft.seq,
        reason=task.reason,
        others=versions_since(task, task.now) if newer else others,
        newer=newer,
        whose=authors_since(task, task.now) if newer else whose,
        may_approve=may_approve,
        claim=claim_of_another(task.actor, task.now.row) if may_approve else NOBODY,
        edits=edits_of_others(task.actor, task.now.row) if may_approve else NO_EDITS,
        step=QueueStep.of(task.request),
        position=presenters.position_view(task.now),
        problem=problem,
    )
    return show(task.request, "checkpoints/summary.html", shown, status=status)


def _newer(task: Edit) -> NewerVersion | None:
    """Returns what someone else wrote since; None if nobody did."""
    if task.now.version <= task.version:
        return None
    too_large = keys_too_large(task.base, task.now)
    found = [] if too_large else queries.compare_moments(task.base, task.now).state[:MOST_ROWS]
    sides = merge_edit(task, task.now)
    names = PlaceNames(dict(sides.merged.state))
    both = [names.name(each.path) for each in sides.merged.conflicts]
    rows = state_rows(found, values_after(task.now, found))
    return NewerVersion(task.now.version, rows, both, too_large)


def merge_edit(task: Edit, theirs: StoredSnapshot) -> MergeSides:
    """Merges the keys that the edit changes; no others can conflict."""
    names = task.changes.keys()
    base = values_of(task.base, names)
    other = values_of(theirs, names)
    mine = state_form.with_changes(base, task.changes)
    reducers = reducers_for(theirs.row)
    return MergeSides(other, merge_states(base, mine, other, reducers))
