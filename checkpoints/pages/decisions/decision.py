"""The decisions that a person can make on an execution, as its page offers them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils.translation import gettext_lazy

from checkpoints.domain.status import Status
from checkpoints.models import Checkpoint, Execution
from checkpoints.pages import presenters
from checkpoints.pages.decisions.changes_since_read import changed_since_read
from checkpoints.pages.decisions.edits_of_others import (
    NO_EDITS,
    EditsOfOthers,
    edits_of_others,
)
from checkpoints.pages.decisions.past_decision import PastDecision, latest_decision
from checkpoints.pages.decisions.queue_step import queue_in
from checkpoints.pages.decisions.review_looks import Look
from checkpoints.pages.expected_version_fields import execution_in
from checkpoints.pages.presenters import NamedNode
from checkpoints.reading.waiting_reviews import (
    EVERYTHING,
    QueueFilter,
    QueuePlace,
    next_in_queue,
    place_in_queue,
)
from checkpoints.services.annotations import NOBODY, ClaimResult, claim_of, holder_id
from checkpoints.store.snapshots import StoredSnapshot
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ContextError
from ctxadmin.ui.components import Text
from ctxadmin.ui.sentences import translated

# What people type into forms of an execution, by the names of the fields.
_TYPED: Final[Mapping[str, Text]] = {
    "reason": gettext_lazy("Reason"),
    "from_node": gettext_lazy("Next node"),
    "id": gettext_lazy("Id of the new conversation"),
    "title": gettext_lazy("Title"),
}


@dataclass(frozen=True, slots=True)
class TypedField:
    """The input of a field of a refused form, and the field's name."""

    field: Text
    text: str


@dataclass(frozen=True, slots=True)
class DecidedNote:
    """The decision of someone else on what the reader came to review, and where to go on.

    ``next_url`` is the next review of the queue, else the list; ``has_next`` tells them apart.
    """

    decision: PastDecision
    next_url: str
    has_next: bool


@dataclass(frozen=True, slots=True)
class DecisionForm:
    """The decisions that a person can make, and the input of a refused form.

    ``reason`` and ``from_node`` are in the form again, ``typed`` is what has no field in it.
    ``since`` says what changed since the refused form was shown. ``version`` is the one shown,
    ``revision`` and ``visible_count`` are of the view; they are not sent with a pause or a
    cancellation of a running execution, because all of them change meanwhile.

    ``place`` is the place among the reviews that wait, ``queue`` what the reader works through;
    ``works_through`` is True if the reader came from there, so that a decision leads on. ``look``
    proves that the reader saw the page, and ``seen`` differs whenever it would show something else.
    ``asks`` is the decision to make in spite of someone else's claim, or of their unapplied
    ``edits``; "" if none was pressed.
    """

    moves: frozenset[str]
    version: int
    revision: int
    visible_count: int
    nodes: Sequence[NamedNode]
    free: bool
    refusal: str = ""
    refused_field: str = ""
    claim: ClaimResult = NOBODY
    mine: bool = False
    may_claim: bool = False
    reason: str = ""
    from_node: str = ""
    typed: Sequence[TypedField] = ()
    since: Sequence[str] = ()
    place: QueuePlace | None = None
    queue: QueueFilter = EVERYTHING
    works_through: bool = False
    look: str = ""
    seen: str = ""
    asks: str = ""
    edits: EditsOfOthers = NO_EDITS

    @property
    def decides(self) -> bool:
        """Returns True if the page has the form with the reason."""
        return not self.moves.isdisjoint(("approve", "resume", "pause"))


def decision_of(
    actor: Actor,
    moment: StoredSnapshot,
    request: HttpRequest,
    *,
    refusal: ContextError | None = None,
    fields: Sequence[str] = (),
    asks: str = "",
) -> DecisionForm:
    """Returns the decisions on an execution; after a refused form with the input of its fields.

    ``asks`` is a decision that was pressed although someone else has claimed or edits it.
    """
    claim = claim_of(moment.row) if moment.row is not None else NOBODY
    decision = DecisionForm(
        moves=presenters.moves_for(actor, moment.status),
        version=moment.version,
        revision=moment.revision,
        visible_count=moment.visible_count,
        nodes=presenters.node_choices(moment),
        free=moment.pinned is None,
        refusal=translated(refusal.detail) if refusal else "",
        claim=claim,
        mine=moment.row is not None and claim.holder_id == holder_id(actor),
        may_claim=actor.may(Action.REVIEW_CLAIM),
        refused_field=refusal.problems[0].pointer if refusal and refusal.problems else "",
        since=changed_since_read(actor, moment, request.POST) if refusal else (),
        asks=asks,
        edits=edits_of_others(actor, moment.row) if asks else NO_EDITS,
    )
    return _with_typed(_in_queue(actor, decision, request, moment), request, moment, fields)


def claim_of_another(actor: Actor, row: Execution | None) -> ClaimResult:
    """Returns who else has claimed the pause of an execution; none if nobody or the reader has."""
    claim = claim_of(row) if row is not None else NOBODY
    return NOBODY if claim.holder_id == holder_id(actor) else claim


def unconfirmed_claim(actor: Actor, row: Execution | None, sent: QueryDict) -> ClaimResult:
    """Returns the claim of someone else if a sent decision does not say that it is known."""
    claim = claim_of_another(actor, row)
    return NOBODY if sent.get("over") == claim.holder_id else claim


def decided_note(
    actor: Actor, moment: StoredSnapshot, request: HttpRequest, newest: Sequence[Checkpoint]
) -> DecidedNote | None:
    """Returns the note on an execution that waits no more; None if nobody just decided.

    A reader who works through the queue is told of any decision, others if nothing came after it.
    It leads to the next review, without a queue only after a decision of the reader.
    """
    if moment.row is None or moment.status is Status.PAUSED:
        return None
    queue = queue_in(request)
    decision = latest_decision(actor, newest if queue else newest[:1])
    if decision is None:
        return None
    wanted = queue or EVERYTHING
    key = (moment.row.conversation, moment.row.number)
    following = next_in_queue(actor, wanted, (), key) if queue or decision.mine else ""
    if following:
        url = f"{reverse('checkpoints:detail', args=[following])}?{wanted.card_query}"
        return DecidedNote(decision, url, has_next=True)
    return DecidedNote(decision, f"{reverse('reviews')}?{wanted.list_query}", has_next=False)


def _in_queue(
    actor: Actor, decision: DecisionForm, request: HttpRequest, moment: StoredSnapshot
) -> DecisionForm:
    row, look = moment.row, Look.at(moment)
    if row is None or look is None or row.waiting_since is None or "approve" not in decision.moves:
        return decision
    wanted = queue_in(request)
    queue = wanted or EVERYTHING
    return replace(
        decision,
        place=place_in_queue(actor, queue, row),
        queue=queue,
        works_through=wanted is not None,
        look=look.sign(actor),
        seen=look.seen,
    )


def _with_typed(
    decision: DecisionForm, request: HttpRequest, moment: StoredSnapshot, fields: Sequence[str]
) -> DecisionForm:
    """Returns the decision with the input: in the form for the same execution, else for copying."""
    typed = {name: request.POST.get(name, "").replace("\r\n", "\n") for name in fields}
    row = moment.row
    if decision.decides and row is not None and execution_in(request) in (None, row.public_id):
        reason, from_node = typed.pop("reason", ""), typed.pop("from_node", "")
        decision = replace(decision, reason=reason, from_node=from_node)
    rest = [TypedField(_TYPED[name], text) for name, text in typed.items() if text.strip()]
    return replace(decision, typed=rest)
