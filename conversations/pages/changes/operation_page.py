"""The page that operates on the view: from selected messages or by form, previewed, applied."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, get_args

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods
from pydantic import JsonValue

from conversations.domain import operations, runs
from conversations.domain.configs import OperationName
from conversations.domain.revisions import Seen
from conversations.domain.runs import Runs
from conversations.models import Conversation
from conversations.pages import presenters
from conversations.pages.batch_words import words_of
from conversations.pages.changes import position_drift, selection
from conversations.pages.changes.change_effects import (
    Effect,
    current_view,
    effect_of,
    find_system_messages,
    splits_pairs,
)
from conversations.pages.changes.forms import OperationForm, OperationRequest
from conversations.pages.changes.frequent_changes import (
    FrequentChange,
    chosen_operation,
    frequent_changes,
    refused,
)
from conversations.pages.changes.typed_messages import form_message, map_messages
from conversations.pages.changes.unchanged_replacement import require_change
from conversations.pages.undo import undo_url
from conversations.reading.queries import find_call
from conversations.services import use_cases
from conversations.services.results import Applied
from conversations.store.conversation import find_head, find_revision, view_of
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import (
    ContextError,
    Forbidden,
    NotFound,
    ValidationFailed,
    VersionConflict,
)
from ctxadmin.lib.json_bytes import canonical, digest
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.form_idempotency import run_once_per_form
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.sentences import translated

MEANWHILE: Final = gettext_lazy(
    "The view has changed since, so nothing was done. This preview shows what would happen now."
)
_FOLLOWED: Final = gettext_lazy(
    "The view has changed since, so nothing was done. The same messages are selected at their "
    "new positions; check the preview."
)
_OFFERS: Final = ("keep", "drop", "warn")
_WRITTEN: Final = ("insert", "replace", "summarize")  # incomplete without a typed message
_GONE: Final = gettext_lazy(
    "The view has changed since, so nothing was done: the selected messages are no longer visible."
)


@dataclass(frozen=True, slots=True)
class OperatePage:
    """The form of an operation; ``effect`` is its preview, if there was one.

    ``previewed`` is the digest of what was previewed, ``warning`` says why nothing was applied.
    ``offers`` are the other ways to treat pairs that would be split. ``place`` says between which
    messages an inserted one would stand. ``frequent`` are the changes in words to begin with.
    """

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    form: OperationForm
    effect: Effect | None
    previewed: str
    warning: str
    pairing: str
    offers: Sequence[str]
    place: str
    frequent: Sequence[FrequentChange]


@require_http_methods(["GET", "HEAD", "POST"])
@page
def operate(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Shows the form, previews, applies; only what was previewed is applied.

    A form that was changed after its preview, or is of another view, is previewed again.
    """
    actor.require(Action.MESSAGES_OPERATE)
    head = find_head(actor.workspace, conversation_id)
    if request.method != "POST":
        return _start(request, actor, head)
    if "apply" in request.POST:
        return run_once_per_form(request, actor, head.key, lambda: _sent(request, actor, head))
    return _sent(request, actor, head)


def _sent(request: HttpRequest, actor: Actor, head: Conversation) -> HttpResponse:
    form = OperationForm(_with_offer(request.POST))
    if not form.is_valid():
        return operate_page(request, head, form, status=422 if form.errors else 200)
    warning, seen = "", seen_view(request, head)
    if seen.revision != head.current_revision:
        return show_moved_form(request, actor, head, form.model, seen)
    try:
        require_change(head, form.model)
        if "apply" in request.POST and request.POST.get("previewed") == _digest_of(form.model):
            applied = _operate(actor, head, form, seen)
            flash.success(
                request, success_message(head, applied), extra_tags=undo_url(head, applied)
            )
            return redirect("conversations:detail", head.public_id)
        if "apply" in request.POST:
            warning = _("You changed the form after the preview. Check the preview again.")
    except VersionConflict:
        head = find_head(actor.workspace, head.public_id)
        if seen.revision != head.current_revision:
            return show_moved_form(request, actor, head, form.model, seen)
        warning = str(MEANWHILE)
    except ContextError as error:
        return operate_page(request, head, form, warning=_show_error(form, error), status=422)
    try:
        effect = _preview(actor, head, form.model)
    except ContextError as error:
        return operate_page(request, head, form, warning=_show_error(form, error), status=422)
    status = 409 if warning else 200
    return operate_page(
        request,
        head,
        form,
        warning=warning,
        effect=effect,
        previewed=_digest_of(form.model),
        status=status,
    )


def _start(request: HttpRequest, actor: Actor, head: Conversation) -> HttpResponse:
    """Returns the empty form, that of a frequent change or that of the selection.

    A complete one is previewed.
    """
    if not selection.is_selection(request.GET):
        return _start_with_change(request, actor, head)
    try:
        asked = selection.operation_for(head, request.GET)
    except (VersionConflict, ValidationFailed) as error:
        flash.warning(request, translated(error.detail))
        return redirect("conversations:detail", head.public_id)
    if asked["operation"] in _WRITTEN:
        return operate_page(request, head, OperationForm(initial=asked))
    return _previewed_page(request, actor, head, asked)


def _start_with_change(request: HttpRequest, actor: Actor, head: Conversation) -> HttpResponse:
    """Returns the form of a frequent change, or the changes on offer above the empty form."""
    operation = request.GET.get("operation", "")
    named = operation in get_args(OperationName)
    truncate: JsonValue = {"keep_system": True}
    empty: dict[str, JsonValue] = {
        "operation": operation if named else "truncate",
        "pairing": "keep",
        "truncate": truncate,
    }
    offered = () if named else frequent_changes(head)
    form, status = OperationForm(initial=empty), 200
    try:
        chosen = chosen_operation(request.GET)
    except ValidationFailed as error:
        chosen, status = None, 422
        offered = refused(offered, request.GET, translated(error.detail))
    if chosen is None:
        return operate_page(request, head, form, frequent=offered, status=status)
    if chosen["operation"] in _WRITTEN:
        return operate_page(request, head, OperationForm(initial=chosen))
    return _previewed_page(request, actor, head, chosen)


def _previewed_page(
    request: HttpRequest, actor: Actor, head: Conversation, asked: dict[str, JsonValue]
) -> HttpResponse:
    form = OperationForm(initial=asked)
    model = parse(OperationRequest, asked)
    try:
        effect = _preview(actor, head, model)
    except ContextError as error:
        return operate_page(request, head, form, warning=translated(error.detail), status=409)
    return operate_page(request, head, form, effect=effect, previewed=_digest_of(model))


def show_moved_form(
    request: HttpRequest, actor: Actor, head: Conversation, wanted: OperationRequest, seen: Seen
) -> HttpResponse:
    """Returns the form moved to the current view; previewed only if all of it still exists."""
    before = view_of(find_revision(head.key, seen.revision or 0)).slice(0, seen.count or 0)
    now = view_of(find_revision(head.key, head.current_revision))
    fields = position_drift.moved_positions(wanted, before, now)
    shown = map_messages(fields, lambda message: form_message(message, keeps_calls=True))
    try:
        model = parse(OperationRequest, fields)
        effect = _preview(actor, head, model)
    except ContextError:
        return operate_page(
            request, head, OperationForm(initial=shown), warning=str(_GONE), status=409
        )
    return operate_page(
        request,
        head,
        OperationForm(initial=shown),
        warning=str(_FOLLOWED if model != wanted else MEANWHILE),
        effect=effect,
        previewed=_digest_of(model),
        status=409,
    )


def _with_offer(sent: QueryDict) -> QueryDict:
    """Returns the fields with the treatment of split pairs that a button offers."""
    offer = sent.get("offer", "")
    if offer not in _OFFERS:
        return sent
    changed = sent.copy()
    changed["pairing"] = offer
    return changed


def _preview(actor: Actor, head: Conversation, model: OperationRequest) -> Effect:
    def would_be(model: OperationRequest) -> Applied:
        return use_cases.apply_operation(actor, head.public_id, model, dry_run=True)

    applied = would_be(model)
    effect = effect_of(
        head, applied, edits_of(head, model, applied), kept=hidden_system_messages(head, model)
    )
    if model.pairing == "warn":
        return effect
    alone = would_be(model.model_copy(update={"pairing": "warn"}))
    return replace(effect, splits=splits_pairs(alone))


def edits_of(head: Conversation, model: OperationRequest, applied: Applied) -> dict[int, int]:
    """The messages that others would replace, by log index."""
    if model.budget is not None and runs.count(applied.hidden) == len(applied.entries):
        emptied = zip(runs.indices(applied.hidden), applied.entries, strict=True)
        return {index: entry.index for index, entry in emptied}
    if model.replace is None or not applied.entries:
        return {}
    return {current_view(head).index_at(model.replace.index): applied.entries[0].index}


def hidden_system_messages(head: Conversation, model: OperationRequest) -> Runs:
    """Returns the system messages that the options of a truncate alone would hide."""
    if model.truncate is None or not model.truncate.keep_system:
        return ()
    view = current_view(head)
    gone = view.without(operations.truncate(model.truncate, view).indices_as_runs())
    return find_system_messages(head, gone.indices_as_runs())


def _operate(actor: Actor, head: Conversation, form: OperationForm, seen: Seen) -> Applied:
    return use_cases.apply_operation(
        actor, head.public_id, form.model, reason=form.model.reason, seen=seen
    )


def operate_page(
    request: HttpRequest,
    head: Conversation,
    form: OperationForm,
    *,
    warning: str = "",
    effect: Effect | None = None,
    previewed: str = "",
    frequent: Sequence[FrequentChange] = (),
    status: int = 200,
) -> HttpResponse:
    """The form of an operation, with its preview if there was one."""
    pairing = str(form["pairing"].value() or "warn")
    shown = OperatePage(
        title=_("Edit context"),
        crumbs=presenters.crumbs(head, Crumb(_("Edit context"))),
        head=head,
        form=form,
        effect=effect,
        previewed=previewed,
        warning=warning,
        pairing=pairing,
        offers=_offers(form, pairing) if effect is not None and effect.splits else (),
        place=_place_words(head, form),
        frequent=frequent,
    )
    return show(request, "conversations/operate.html", shown, status=status)


def _place_words(head: Conversation, form: OperationForm) -> str:
    """Says in numbers of messages where the position of an insert is; "" for other operations."""
    given = str(form["insert-position"].value())
    position = head.visible_count if given == "-1" else whole_number(given)
    if form["operation"].value() != "insert" or position is None:
        return ""
    near = list(current_view(head).slice(max(position - 1, 0), position + 1))
    if position > head.visible_count or not near:
        return ""
    values = {"first": near[0], "last": near[-1]}
    if position == 0:
        return _("Goes before #%(last)s.") % values
    if position == head.visible_count:
        return _("Goes after #%(first)s.") % values
    return _("Goes between #%(first)s and #%(last)s.") % values


def _offers(form: OperationForm, pairing: str) -> list[str]:
    """Returns the offers; keeping partners equals a warning for messages that are put in, except
    for calls that are replaced.
    """
    operation = form["operation"].value()
    calls = operation == "replace" and form["replace-message-calls-choice"].value() == "keep"
    keeps = calls or operation not in ("insert", "replace")
    return [each for each in _OFFERS if each != pairing and (keeps or each != "keep")]


def _digest_of(model: OperationRequest) -> str:
    """Returns the identity of an operation: all of the form except the reason."""
    beside = {"reason", "expected_revision", "expected_count"}
    return digest(canonical(model.model_dump(mode="json", exclude=beside))).hex()


def seen_view(request: HttpRequest, head: Conversation) -> Seen:
    """Returns the view that the person saw, from the form or its address, else the current one."""
    if request.method != "POST":
        return Seen(head.current_revision, head.visible_count)
    names = ("expected_revision", "expected_count")
    values = [request.POST.get(name, request.GET.get(name, "")) for name in names]
    if not all(value.isascii() and value.isdigit() and len(value) < 10 for value in values):
        raise ValidationFailed(_("The form is incomplete. Reload the page."))
    return Seen(int(values[0]), int(values[1]))


def address_near(head: Conversation, applied: Applied, shown: str = "") -> str:
    """Returns the address of the page at what came, or else at what is left before what went.

    A tool result stands in the closed card of its call, so the address is that of the call. The
    page stays in the view of ``shown``, a query string, also once the message is hidden there.
    """
    here = reverse("conversations:detail", args=[head.public_id])
    came = applied.added or applied.shown
    if came:
        place = came[0][0]
    else:
        hidden = applied.hidden[0][0] if applied.hidden else 0
        earlier = [index for index in applied.view if index < hidden]
        place = earlier[-1] if earlier else next(iter(applied.view), -1)
        call = find_call(head, place)
        place = call if call is not None and call in applied.view else place
    view = f"{shown}&" if shown else ""
    return f"{here}?{view}near={place}#m{place}" if place >= 0 else f"{here}?{shown}".rstrip("?")


def _show_error(form: OperationForm, error: ContextError) -> str:
    """Shows an error at its field, or returns it as a sentence for the top of the page."""
    if isinstance(error, NotFound | Forbidden):
        raise error
    if error.problems:
        form.add_problems(error.problems)
        return ""
    return translated(error.detail)


def success_message(head: Conversation, applied: Applied) -> str:
    """What is said when an operation was applied, in the words of its batch."""
    row = find_revision(head.key, applied.target)
    batch = ngettext(
        "Batch %(batch)s: %(n)s message visible.",
        "Batch %(batch)s: %(n)s messages visible.",
        applied.visible_count,
    ) % {"batch": applied.batch, "n": applied.visible_count}
    return _("%(words)s. %(batch)s") % {"words": words_of(row), "batch": batch}
