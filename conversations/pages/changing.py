"""The pages that change a conversation: operations, rollback, restore, details, erasure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import orjson
from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from conversations import erasure, services
from conversations.api.schemas import metadata_bytes
from conversations.models import Conversation
from conversations.pages import presenters
from conversations.pages.forms import ConversationForm, OperationForm
from conversations.pages.presenters import Effect
from conversations.services import Applied, Seen
from conversations.store import find_head
from ctxadmin.accounts.actor import Actor
from ctxadmin.accounts.roles import Action
from ctxadmin.lib.errors import ContextError, Forbidden, NotFound, ValidationFailed
from ctxadmin.web.components import Confirm, Crumb, Text
from ctxadmin.web.pages import page, show


@dataclass(frozen=True, slots=True)
class OperatePage:
    """The form of an operation; ``effect`` is its preview, once there was one."""

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    form: OperationForm
    effect: Effect | None
    expected_revision: int
    expected_count: int
    conflict: str


@dataclass(frozen=True, slots=True)
class MovePage:
    """The question before a rollback or a restore, with what comes and goes."""

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    confirm: Confirm
    effect: Effect


@dataclass(frozen=True, slots=True)
class FormPage:
    """A form about the conversation itself."""

    title: Text
    crumbs: Sequence[Crumb]
    head: Conversation
    form: ConversationForm


@dataclass(frozen=True, slots=True)
class ErasePage:
    """The question before an erasure."""

    title: Text
    crumbs: Sequence[Crumb]
    confirm: Confirm


@require_http_methods(["GET", "HEAD", "POST"])
@page
def operate(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Fill in, preview, apply; what is applied is what was previewed, or a conflict."""
    actor.require(Action.MESSAGES_OPERATE)
    head = find_head(actor.workspace, conversation_id)
    seen = _seen(request, head)
    effect: Effect | None = None
    conflict = ""
    if request.method == "POST":
        form = OperationForm(request.POST)
        if form.is_valid():
            apply = "apply" in request.POST
            try:
                applied = services.operate(
                    actor,
                    conversation_id,
                    form.model,
                    reason=form.model.reason,
                    seen=seen,
                    dry_run=not apply,
                )
            except ContextError as error:
                conflict = _place(form, error)
            else:
                if apply:
                    flash.success(request, _done(applied))
                    return redirect("conversations:detail", conversation_id)
                effect = presenters.effect_of(applied)
    else:
        chosen = request.GET.get("operation", "truncate")
        form = OperationForm(initial={"operation": chosen, "pairing": "keep"})
    shown = OperatePage(
        title=_("Change what the model sees"),
        crumbs=presenters.crumbs(head, Crumb(_("Operation"))),
        head=head,
        form=form,
        effect=effect,
        expected_revision=seen.revision or 0,
        expected_count=seen.count or 0,
        conflict=conflict,
    )
    status = 422 if request.method == "POST" and (conflict or form.errors) else 200
    return show(request, "conversations/operate.html", shown, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def rollback(request: HttpRequest, actor: Actor, conversation_id: str, batch: int) -> HttpResponse:
    def move(seen: Seen, reason: str | None, dry_run: bool) -> Applied:
        return services.rollback(
            actor, conversation_id, batch, reason=reason, seen=seen, dry_run=dry_run
        )

    actor.require(Action.BATCH_ROLLBACK)
    title = _("Roll back to batch %(n)s") % {"n": batch}
    return _move(request, actor, conversation_id, title, _("Roll back"), move)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def restore(
    request: HttpRequest, actor: Actor, conversation_id: str, revision: int
) -> HttpResponse:
    def move(seen: Seen, reason: str | None, dry_run: bool) -> Applied:
        return services.restore(
            actor, conversation_id, revision, reason=reason, seen=seen, dry_run=dry_run
        )

    actor.require(Action.REVISION_RESTORE)
    title = _("Restore revision %(n)s") % {"n": revision}
    return _move(request, actor, conversation_id, title, _("Restore"), move)


def _move(
    request: HttpRequest,
    actor: Actor,
    conversation_id: str,
    title: str,
    submit: str,
    move: Callable[[Seen, str | None, bool], Applied],
) -> HttpResponse:
    """Ask with a preview, then move, if nobody changed the view in between."""
    head = find_head(actor.workspace, conversation_id)
    back = reverse("conversations:detail", args=[conversation_id])
    seen = _seen(request, head)
    reason = request.POST.get("reason", "").strip() or None
    if request.method == "POST":
        move(seen, reason, False)
        flash.success(request, _("%(title)s: done.") % {"title": title})
        return redirect(back)
    effect = presenters.effect_of(move(Seen(), None, True))
    hidden = {
        "expected_revision": str(head.current_revision),
        "expected_count": str(head.visible_count),
    }
    confirm = Confirm(
        title=title,
        text=_("Nothing is lost: this can be undone by restoring revision %(n)s.")
        % {"n": head.current_revision},
        action=request.path,
        submit=submit,
        back=back,
        asks_reason=True,
        hidden=hidden,
    )
    crumbs = presenters.crumbs(head, Crumb(title))
    shown = MovePage(title=title, crumbs=crumbs, head=head, confirm=confirm, effect=effect)
    return show(request, "conversations/move.html", shown, confirm=confirm)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def edit(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Title, metadata and the description of the tools."""
    actor.require(Action.CONVERSATION_UPDATE)
    head = find_head(actor.workspace, conversation_id)
    if request.method == "POST":
        form = ConversationForm(request.POST)
        if form.is_valid():
            given = form.model
            services.change(
                actor,
                conversation_id,
                title=given.title or "",
                metadata=metadata_bytes(given.metadata or {}),
                tools=given.tools or "",
            )
            flash.success(request, _("Saved."))
            return redirect("conversations:detail", conversation_id)
    else:
        form = ConversationForm(
            initial={
                "title": head.title,
                "metadata": orjson.loads(bytes(head.metadata)),
                "tools": head.tools,
            }
        )
    shown = FormPage(
        title=_("Edit the conversation"),
        crumbs=presenters.crumbs(head, Crumb(_("Edit"))),
        head=head,
        form=form,
    )
    status = 422 if request.method == "POST" and form.errors else 200
    return show(request, "conversations/edit.html", shown, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def erase(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    actor.require(Action.CONVERSATION_ERASE)
    head = find_head(actor.workspace, conversation_id)
    if request.method == "POST":
        erasure.erase(actor, conversation_id)
        flash.success(request, _("The conversation %(id)s was erased.") % {"id": conversation_id})
        return redirect("conversations:list")
    confirm = Confirm(
        title=_("Erase the conversation %(id)s") % {"id": conversation_id},
        text=_(
            "All messages, batches, executions and checkpoints are removed for good. "
            "Only the audit keeps that it existed."
        ),
        action=request.path,
        submit=_("Erase"),
        back=reverse("conversations:detail", args=[conversation_id]),
        danger=True,
    )
    crumbs = presenters.crumbs(head, Crumb(_("Erase")))
    shown = ErasePage(title=confirm.title, crumbs=crumbs, confirm=confirm)
    return show(request, "confirm.html", shown, confirm=confirm)


def _seen(request: HttpRequest, head: Conversation) -> Seen:
    """What the person saw of the view: hidden fields of the form, else what is there now."""
    values = [request.POST.get(name, "") for name in ("expected_revision", "expected_count")]
    if request.method != "POST":
        return Seen(head.current_revision, head.visible_count)
    if not all(value.isascii() and value.isdigit() and len(value) < 10 for value in values):
        raise ValidationFailed(_("The form does not say what was seen; reload the page."))
    return Seen(int(values[0]), int(values[1]))


def _place(form: OperationForm, error: ContextError) -> str:
    """Show a refusal at its field, or return it as a sentence for the top of the page."""
    if isinstance(error, NotFound | Forbidden):
        raise error
    if error.problems:
        form.add_problems(error.problems)
        return ""
    return error.detail


def _done(applied: Applied) -> str:
    return ngettext(
        "Batch %(batch)s: %(n)s message is visible now.",
        "Batch %(batch)s: %(n)s messages are visible now.",
        applied.visible_count,
    ) % {"batch": applied.batch, "n": applied.visible_count}
