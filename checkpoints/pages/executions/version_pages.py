"""The pages of earlier versions: one version, and the difference of two."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import orjson
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from pydantic import JsonValue

from checkpoints.domain.timeline import compare_keys
from checkpoints.domain.usage import ModelUsage
from checkpoints.models import Execution
from checkpoints.pages import presenters
from checkpoints.pages.executions.execution_pages import tabs_of
from checkpoints.pages.executions.version_steps import VersionSteps, version_steps
from checkpoints.pages.presenters import NamedNode, PathNode, PositionView, TimelineLine
from checkpoints.pages.state import state_view
from checkpoints.pages.state.change_tree import ChangeBranch, tree_of
from checkpoints.pages.state.key_comments import comments_until, with_comments
from checkpoints.pages.state.place_names import key_of
from checkpoints.pages.state.state_view import StateView
from checkpoints.reading import queries
from checkpoints.reading.message_versions import messages_of_version
from checkpoints.reading.state_values import heads_by_name, values_of
from checkpoints.reading.version_range import latest_difference
from checkpoints.services.annotations import labels_of
from checkpoints.store.details import details_at
from checkpoints.store.executions import (
    find_checkpoint,
    find_saved_version,
    state_after,
    state_before,
)
from checkpoints.store.snapshots import StoredSnapshot
from checkpoints.store.usage import usage_at
from conversations.domain.diff import ViewDifference
from conversations.models import Conversation
from conversations.pages.comparison.comparison_pages import ViewDifferences, message_changes
from conversations.pages.reading.cards import CommentView, comment_view
from conversations.reading.message_search import LONGEST
from conversations.store.conversation import find_head
from conversations.workspace.pricing import prices_of
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import NotFound, ValidationFailed
from ctxadmin.lib.structural_diff import Difference
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.ui.components import Crumb, Tab, Text
from ctxadmin.ui.pages import page, show

MOST_ROWS: Final = 400
_MOST_COMPARED: Final = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class VersionPage:
    """An execution at one version; ``newest`` is the current version.

    ``before`` and ``after`` are the nearest versions with their state, ``written`` the log indices
    of the messages written with it. ``namespace``, ``parent`` and ``metadata`` are the details of
    the checkpoint, ``usage`` what the engine reported, ``price_cost`` its cost in US dollars, None
    for an unknown model; ``words``, perhaps only ``whole`` ones, are looked for in the key that
    ``text`` names;
    ``parent_version`` is None if the parent is not of this execution.
    ``audit_seq`` is the number of its audit entry, 0 if the reader may not see that.
    """

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    execution: str
    tabs: Sequence[Tab]
    line: TimelineLine
    position: PositionView
    steps: Sequence[PathNode]
    executed: Sequence[NamedNode] | None
    executed_count: int
    history: Sequence[JsonValue] | None
    state: StateView
    text: str
    words: str
    whole: bool
    newest: int
    before: int | None
    after: int | None
    namespace: str
    parent: str
    parent_version: int | None
    metadata: JsonValue
    usage: ModelUsage | None
    price_cost: Decimal | None
    written: range
    label: str
    comments: Sequence[CommentView]
    may_comment: bool
    may_label: bool
    may_delete: bool
    moves: frozenset[str]
    audit_seq: int


@dataclass(frozen=True, slots=True)
class DiffPage:
    """The difference of two versions: the state as a tree, then the visible messages.

    ``steps`` says what happened between them, also where neither of both differs.
    ``too_large`` names differing keys whose values are too large to compare here. ``missing`` is
    the version of the address if it has no state any more and the one before is compared, else
    None.
    """

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    tabs: Sequence[Tab]
    before: int
    after: int
    missing: int | None
    newest: int
    steps: VersionSteps
    state: ChangeBranch
    state_shown: int
    state_total: int
    messages: ViewDifferences
    too_large: Sequence[str]


def _named(moment: StoredSnapshot, executed: Sequence[str] | None) -> list[NamedNode] | None:
    """Returns the names of the executed nodes; None if there are too many to show."""
    if executed is None or len(executed) > MOST_ROWS:
        return None
    return [NamedNode(each, presenters.name_of(moment.pinned, each)) for each in executed]


def _cost(actor: Actor, used: ModelUsage | None) -> Decimal | None:
    """Returns US dollars by the price of the model; None if that is unknown."""
    price = prices_of(actor.workspace).price_of(used.model) if used is not None else None
    return price.cost(used) if price is not None and used is not None else None


@require_safe
@page
def version(request: HttpRequest, actor: Actor, conversation_id: str, number: int) -> HttpResponse:
    head = find_head(actor.workspace, conversation_id)
    now = queries.find_moment(actor, conversation_id)
    row = _row(now)
    checkpoint = find_checkpoint(head.key, row.number, number)
    moment = queries.find_moment(actor, conversation_id, number)
    text = request.GET.get("q", "")
    executed = state_view.executed_nodes(moment)
    comments = comments_until(moment)
    details = details_at(checkpoint)
    used = usage_at(checkpoint)
    state = with_comments(actor, moment, state_view.state_view(moment, text=text), comments)
    beside = {key.name for key in state.keys}
    title = _("Version %(n)s") % {"n": number}
    shown = VersionPage(
        title=title,
        crumbs=presenters.crumbs(head, Crumb(title)),
        head=head,
        execution=row.public_id,
        tabs=tabs_of(head, now, ""),
        line=presenters.version_line(row, checkpoint, moment.pinned),
        position=presenters.position_view(moment),
        steps=presenters.steps_of(moment, executed),
        executed=_named(moment, executed),
        executed_count=checkpoint.executed_count,
        history=state_view.history_entries(moment),
        state=state,
        text=text,
        words=request.GET.get("words", "")[:LONGEST],
        whole=request.GET.get("whole") == "1",
        newest=now.version,
        before=state_before(row, number),
        after=state_after(row, number),
        namespace=details.namespace,
        parent=details.parent,
        parent_version=find_saved_version(row, details.parent) if details.parent else None,
        metadata=orjson.loads(details.metadata),
        usage=used,
        price_cost=_cost(actor, used),
        written=messages_of_version(row, checkpoint),
        label=labels_of(row, [number]).get(number, ""),
        comments=[
            comment_view(actor, each)
            for each in comments
            if each.version == number and each.key_name not in beside
        ],
        may_comment=actor.may(Action.COMMENT_WRITE),
        may_label=actor.may(Action.LABEL_SET),
        may_delete=presenters.may_delete(actor, row, number),
        moves=presenters.moves_for(actor, now.status),
        audit_seq=max(checkpoint.change_seq, 0) if actor.may(Action.AUDIT_READ) else 0,
    )
    return show(request, "checkpoints/version.html", shown)


@require_safe
@page
def diff(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    head = find_head(actor.workspace, conversation_id)
    now = queries.find_moment(actor, conversation_id)
    row = _row(now)
    wanted, after = _compared(request, row)
    before = wanted
    if row.thinned_count and before < after:  # what a link names may have been thinned
        before = state_before(row, before + 1) or 0
    first = queries.find_moment(actor, conversation_id, before)
    last = queries.find_moment(actor, conversation_id, after)
    too_large = keys_too_large(first, last)
    state: Sequence[Difference] = ()
    changes: Sequence[ViewDifference] = ()
    if not too_large:
        found = queries.compare_moments(first, last)
        state, changes = found.state, found.messages
    title = _("Changes from version %(a)s to %(b)s") % {"a": before, "b": after}
    shown = DiffPage(
        title=title,
        crumbs=presenters.crumbs(head, Crumb(_("Difference"))),
        head=head,
        tabs=tabs_of(head, now, "diff"),
        before=before,
        after=after,
        missing=wanted if wanted != before else None,
        newest=now.version,
        steps=version_steps(row, first, last),
        state=ChangeBranch(
            "", branches=tree_of(state[:MOST_ROWS], values_after(last, state[:MOST_ROWS]))
        ),
        state_shown=min(len(state), MOST_ROWS),
        state_total=len(state),
        messages=message_changes(head, first.view(), last.view(), changes),
        too_large=too_large,
    )
    return show(request, "checkpoints/diff.html", shown)


def _compared(request: HttpRequest, row: Execution) -> tuple[int, int]:
    """Returns the versions to compare; without any in the address the latest two that differ."""
    named = request.GET.get("from") or request.GET.get("to")
    if not named and (found := latest_difference(row)):
        return found
    after = _number(request, "to", row.version)
    return _number(request, "from", max(after - 1, 0)), after


def keys_too_large(first: StoredSnapshot, last: StoredSnapshot) -> list[str]:
    """Returns the differing keys whose comparison would take too long for a page."""
    sides = [
        {name: held.head for name, held in heads_by_name(each).items() if held.head}
        for each in (first, last)
    ]
    keys = compare_keys(sides[0], sides[1])
    differ = sorted((*keys.added, *keys.removed, *keys.changed))
    size = sum(side[name].size for side in sides for name in differ if name in side)
    return differ if size > _MOST_COMPARED else []


def values_after(last: StoredSnapshot, found: Sequence[Difference]) -> dict[str, JsonValue]:
    """Returns the values in which differences that led to a version have their places."""
    return values_of(last, {key_of(each.path) for each in found})


def _row(moment: StoredSnapshot) -> Execution:
    if moment.row is None:
        raise NotFound(_("This conversation has no execution."))
    return moment.row


def _number(request: HttpRequest, name: str, default: int) -> int:
    text = request.GET.get(name)
    number = whole_number(text) if text else default
    if number is None:
        raise ValidationFailed.at(f"?{name}", _("Enter a whole number."))
    return number
