"""The pages on which people comment, name versions, and claim reviews."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from checkpoints.pages import presenters
from checkpoints.pages.expected_version_fields import bound_to, execution_in, require_seen
from checkpoints.services import annotations
from checkpoints.services.annotations import SetLabel, WriteComment
from checkpoints.store import find_checkpoint, find_current
from conversations import comments
from conversations.models import Comment, Conversation
from conversations.pages.single_submit import done_once
from conversations.pages.view_window import is_number
from conversations.store import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import InvalidState, NotFound, ValidationFailed, VersionConflict
from ctxadmin.ui.components import Confirm, Crumb, Text
from ctxadmin.ui.form_idempotency import once_per_form
from ctxadmin.ui.pages import ask, page, show
from ctxadmin.ui.sentences import translated


@dataclass(frozen=True, slots=True)
class CommentPage:
    """A form with one text: a comment, or the name of a version; ``limit`` characters at most."""

    title: Text
    crumbs: Sequence[Crumb]
    label: Text
    text: str
    limit: int
    problem: str
    may_remove: bool


@require_http_methods(["GET", "HEAD", "POST"])
@page
@done_once
def comment(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Comment on a message, a version or a key, which the address names."""
    actor.require(Action.COMMENT_WRITE)
    head = find_head(actor.workspace, conversation_id)
    about = _about(request)
    back, title = _place_of(head, about)
    is_bound = "message" not in about
    problem = _not_seen(head, request) if is_bound else ""
    if request.method == "POST" and not problem:
        try:
            _comment(request, actor, head, about)
            flash.success(request, _("Comment added."))
            return redirect(back)
        except ValidationFailed:
            problem = _("Enter a comment of at most %(n)s characters.") % {"n": comments.LONGEST}
        except InvalidState as error:
            problem = translated(error.detail)
    confirm = Confirm(
        title=title,
        text=_("Everyone in the workspace can read it. It is never sent to a model."),
        action=request.get_full_path(),
        submit=_("Comment"),
        back=back,
        once=True,
        hidden=bound_to(head, request) if is_bound else {},
    )
    shown = CommentPage(
        title=title,
        crumbs=presenters.crumbs(head, Crumb(_("Comment"))),
        label=_("Comment"),
        text=request.POST.get("text", ""),
        limit=comments.LONGEST,
        problem=problem,
        may_remove=False,
    )
    status = 422 if problem else 200
    return show(request, "checkpoints/say.html", shown, status=status, confirm=confirm)


@require_http_methods(["GET", "HEAD", "POST"])
@page
@done_once
def uncomment(
    request: HttpRequest, actor: Actor, conversation_id: str, number: int
) -> HttpResponse:
    actor.require(Action.COMMENT_DELETE)
    head = find_head(actor.workspace, conversation_id)
    said = Comment.objects.filter(conversation=head.key, number=number).first()
    if said is None:
        raise NotFound(_("There is no comment %(n)s.") % {"n": number})
    back = _back_from(head, said)
    if request.method == "POST":
        comments.remove_comment(actor, conversation_id, number)
        flash.success(request, _("Comment removed."))
        return redirect(back)
    confirm = Confirm(
        title=_("Remove this comment"),
        text=_("Its text is removed for good. The audit still shows that there was a comment."),
        action=request.path,
        submit=_("Remove"),
        back=back,
        danger=True,
        once=True,
    )
    crumbs = presenters.crumbs(head, Crumb(_("Comment")))
    return ask(request, confirm, crumbs)


@require_http_methods(["GET", "HEAD", "POST"])
@page
@done_once
def label(request: HttpRequest, actor: Actor, conversation_id: str, number: int) -> HttpResponse:
    """Name a version, or take its name away."""
    actor.require(Action.LABEL_SET)
    head = find_head(actor.workspace, conversation_id)
    row = find_current(head.key)
    if row is None:
        raise NotFound(_("This conversation has no execution."))
    problem = _not_seen(head, request)
    if not problem:
        find_checkpoint(head.key, row.number, number)
    back = reverse("checkpoints:version", args=[conversation_id, number])
    known = annotations.labels_of(row, [number]).get(number, "")
    text = request.POST.get("text", known).strip()
    if request.method == "POST" and not problem:
        seen = execution_in(request)
        try:
            if "remove" not in request.POST:
                wanted = parse(SetLabel, {"label": text})
                annotations.set_label(actor, conversation_id, number, wanted.label, execution=seen)
                flash.success(request, _("Label added to version %(n)s.") % {"n": number})
            elif known:
                annotations.remove_label(actor, conversation_id, number, execution=seen)
                flash.success(request, _("Label removed."))
            return redirect(back)
        except ValidationFailed:
            problem = _("Enter a label of 1 to 80 characters.")
        except InvalidState as error:
            problem = translated(error.detail)
    title = _("Label version %(n)s") % {"n": number}
    confirm = Confirm(
        title=title,
        text=_("A labeled version keeps its state, whatever the retention policy says."),
        action=request.path,
        submit=_("Label"),
        back=back,
        once=True,
        hidden=bound_to(head, request),
    )
    shown = CommentPage(
        title=title,
        crumbs=presenters.crumbs(head, Crumb(title)),
        label=_("Label"),
        text=text,
        limit=80,
        problem=problem,
        may_remove=bool(known),
    )
    status = 422 if problem else 200
    return show(request, "checkpoints/say.html", shown, status=status, confirm=confirm)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def claim(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Claim, take over or release what waits; then back to where the button was."""
    head = find_head(actor.workspace, conversation_id)
    if request.method != "POST":
        return redirect("checkpoints:detail", conversation_id)
    from_list = request.POST.get("from") == "reviews"
    back = reverse("reviews") if from_list else reverse("checkpoints:detail", args=[head.public_id])

    def act() -> HttpResponse:
        if request.POST.get("do") == "release":
            annotations.release(actor, head.public_id, execution=execution_in(request))
            flash.success(request, _("You released this review."))
        else:
            over = request.POST.get("do") == "take-over"
            annotations.claim(actor, head.public_id, over=over, execution=execution_in(request))
            flash.success(request, _("You claimed this review."))
        return redirect(back)

    try:
        return once_per_form(request, actor, head.key, act)
    except (InvalidState, VersionConflict) as error:
        flash.warning(request, translated(error.detail))
        return redirect(back)


def _comment(
    request: HttpRequest, actor: Actor, head: Conversation, about: Mapping[str, int | str]
) -> None:
    """ValidationFailed for a text that is none, InvalidState if another execution was started."""
    text = request.POST.get("text", "").replace("\r\n", "\n")
    wanted = parse(WriteComment, {**about, "text": text})
    annotations.comment(actor, head.public_id, wanted, execution=execution_in(request))


def _not_seen(head: Conversation, request: HttpRequest) -> str:
    """Why a form is not taken, "" if it is; what was typed stays in it. A link raises that."""
    try:
        require_seen(head, request)
    except InvalidState as error:
        if request.method != "POST":
            raise
        return translated(error.detail)
    return ""


def _about(request: HttpRequest) -> dict[str, int | str]:
    """What the address names: ``message=3``, ``version=2``, ``key=draft&version=2``."""
    about: dict[str, int | str] = {}
    for name in ("message", "version"):
        text = request.GET.get(name)
        if text is not None:
            if not is_number(text):
                raise ValidationFailed.at(f"?{name}", _("Enter a whole number."))
            about[name] = int(text)
    if key := request.GET.get("key"):
        about["key"] = key
    parse(WriteComment, about | {"text": "-"})
    return about


def _place_of(head: Conversation, about: dict[str, int | str]) -> tuple[str, str]:
    """Where what is commented on is shown, and the title of the page."""
    name = head.public_id
    if "message" in about:
        index = about["message"]
        if int(index) >= head.log_count:
            raise NotFound(_("There is no message #%(n)s.") % {"n": index})
        here = reverse("conversations:detail", args=[name])
        return f"{here}?at={index}#m{index}", _("Comment on message #%(n)s") % {"n": index}
    version = about.get("version")
    back = (
        reverse("checkpoints:detail", args=[name])
        if version is None
        else reverse("checkpoints:version", args=[name, version])
    )
    if "key" in about:
        return back, _("Comment on the key %(name)s") % {"name": str(about["key"])[:80]}
    return back, _("Comment on version %(n)s") % {"n": version}


def _back_from(head: Conversation, said: Comment) -> str:
    about: dict[str, int | str] = {}
    if said.message is not None:
        about["message"] = said.message
    elif said.version is not None:
        about["version"] = said.version
    return _place_of(head, about)[0]
