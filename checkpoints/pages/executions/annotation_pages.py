"""The pages on which people comment, label versions, and claim reviews."""

from urllib.parse import urlencode

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from checkpoints.models import Execution
from checkpoints.pages import presenters
from checkpoints.pages.decisions.queue_step import queue_in
from checkpoints.pages.expected_version_fields import execution_in, require_seen, version_fields
from checkpoints.services import annotations
from checkpoints.services.annotations import SetLabel, WriteComment
from checkpoints.store.executions import find_checkpoint, find_current
from conversations.models import Comment, Conversation
from conversations.pages.changes.single_submit import submit_once
from conversations.pages.reading.view_window import is_number
from conversations.services import comments
from conversations.store.conversation import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import (
    ContextError,
    InvalidState,
    NotFound,
    ValidationFailed,
    VersionConflict,
)
from ctxadmin.ui.components import Crumb
from ctxadmin.ui.confirm_page import Confirm, OtherButton, Redirection, TextEntry, confirm_page
from ctxadmin.ui.form_idempotency import run_once_per_form
from ctxadmin.ui.pages import page
from ctxadmin.ui.sentences import translated


@require_http_methods(["GET", "HEAD", "POST"])
@page
@submit_once
def comment(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Adds a comment on the message, version or key that the address names."""
    actor.require(Action.COMMENT_WRITE)
    head = find_head(actor.workspace, conversation_id)
    about = _about(request)
    back, title = _url_and_title(head, about)
    is_bound = "message" not in about

    def write(text: str) -> Redirection:
        if is_bound:
            require_seen(head, request)
        wanted = parse(WriteComment, {**about, "text": text})
        annotations.comment(actor, head.public_id, wanted, execution=execution_in(request))
        return Redirection(back, _("Comment added."))

    def question(refusal: ContextError | None) -> Confirm:
        if is_bound and refusal is None:
            require_seen(head, request)
        return Confirm(
            title=title,
            text=_("Everyone in the workspace can read it. It is never sent to a model."),
            submit=_("Comment"),
            back=back,
            crumbs=presenters.crumbs(head, Crumb(_("Comment"))),
            action=request.get_full_path(),
            once=True,
            hidden=version_fields(head, request) if is_bound else {},
        )

    entry = TextEntry(
        name="text",
        label=_("Comment"),
        limit=comments.LONGEST,
        wrong=_("Enter a comment of at most %(n)s characters.") % {"n": comments.LONGEST},
        rows=4,
    )
    return confirm_page(request, question, write, entry=entry)


@require_http_methods(["GET", "HEAD", "POST"])
@page
@submit_once
def uncomment(
    request: HttpRequest, actor: Actor, conversation_id: str, number: int
) -> HttpResponse:
    actor.require(Action.COMMENT_DELETE)
    head = find_head(actor.workspace, conversation_id)
    comment = Comment.objects.filter(conversation=head.key, number=number).first()
    if comment is None:
        raise NotFound(_("There is no comment %(n)s.") % {"n": number})
    back = _back_from(head, comment)

    def write(_reason: str) -> Redirection:
        comments.remove_comment(actor, conversation_id, number)
        return Redirection(back, _("Comment removed."))

    confirm = Confirm(
        title=_("Remove this comment"),
        text=_("Its text is removed for good. The audit still shows that there was a comment."),
        submit=_("Remove"),
        back=back,
        crumbs=presenters.crumbs(head, Crumb(_("Comment"))),
        danger=True,
        once=True,
    )
    return confirm_page(request, confirm, write)


@require_http_methods(["GET", "HEAD", "POST"])
@page
@submit_once
def label(request: HttpRequest, actor: Actor, conversation_id: str, number: int) -> HttpResponse:
    """Sets or removes the label of a version."""
    actor.require(Action.LABEL_SET)
    head = find_head(actor.workspace, conversation_id)
    row = find_current(head.key)
    if row is None:
        raise NotFound(_("This conversation has no execution."))
    back = reverse("checkpoints:version", args=[conversation_id, number])
    known = annotations.labels_of(row, [number]).get(number, "")

    def write(text: str) -> Redirection:
        _require_version(head, row, number, request)
        seen = execution_in(request)
        if "remove" not in request.POST:
            wanted = parse(SetLabel, {"label": text})
            annotations.set_label(actor, conversation_id, number, wanted.label, execution=seen)
            return Redirection(back, _("Label added to version %(n)s.") % {"n": number})
        if not known:
            return Redirection(back)
        annotations.remove_label(actor, conversation_id, number, execution=seen)
        return Redirection(back, _("Label removed."))

    def question(refusal: ContextError | None) -> Confirm:
        if refusal is None:
            _require_version(head, row, number, request)
        title = _("Label version %(n)s") % {"n": number}
        remove = OtherButton("remove", _("Remove label"), "trash")
        return Confirm(
            title=title,
            text=_("A labeled version keeps its state, whatever the retention policy says."),
            submit=_("Label"),
            back=back,
            crumbs=presenters.crumbs(head, Crumb(title)),
            once=True,
            hidden=version_fields(head, request),
            other=remove if known else None,
        )

    entry = TextEntry(
        name="text",
        label=_("Label"),
        limit=80,
        wrong=_("Enter a label of 1 to 80 characters."),
        value=known,
        pointer="/label",
    )
    return confirm_page(request, question, write, entry=entry)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def claim(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Claims, takes over or releases a review; then returns to the page of the button."""
    head = find_head(actor.workspace, conversation_id)
    if request.method != "POST":
        return redirect("checkpoints:detail", conversation_id)
    from_list = request.POST.get("from") == "reviews"
    queue = queue_in(request)
    back = reverse("reviews") if from_list else reverse("checkpoints:detail", args=[head.public_id])
    if queue is not None:
        back += f"?{queue.list_query if from_list else queue.card_query}"
    if from_list and request.POST.get("cursor"):  # the page of the queue
        back += f"{'&' if '?' in back else '?'}{urlencode({'cursor': request.POST['cursor']})}"

    def act() -> HttpResponse:
        if request.POST.get("do") == "release":
            annotations.release(actor, head.public_id, execution=execution_in(request))
            said, stays = _("You released this review."), queue is None or queue.who != "mine"
        else:
            over = request.POST.get("do") == "take-over"
            annotations.claim(actor, head.public_id, over=over, execution=execution_in(request))
            said, stays = _("You claimed this review."), queue is None or queue.who != "free"
        if from_list and stays:  # its line says so, in the place where it was
            return redirect(f"{back}#review-{head.public_id}")
        flash.success(request, said)
        return redirect(back)

    try:
        return run_once_per_form(request, actor, head.key, act)
    except (InvalidState, VersionConflict) as error:
        flash.warning(request, translated(error.detail))
        return redirect(back)


def _require_version(head: Conversation, row: Execution, number: int, request: HttpRequest) -> None:
    """InvalidState if another execution was seen than that of now, NotFound if it has no such."""
    require_seen(head, request)
    find_checkpoint(head.key, row.number, number)


def _about(request: HttpRequest) -> dict[str, int | str]:
    """Returns what the address names: ``message=3``, ``version=2``, ``key=draft&version=2``."""
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


def _url_and_title(head: Conversation, about: dict[str, int | str]) -> tuple[str, str]:
    """Returns where the subject of a comment is shown, and the title of the page."""
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


def _back_from(head: Conversation, comment: Comment) -> str:
    about: dict[str, int | str] = {}
    if comment.message is not None:
        about["message"] = comment.message
    elif comment.version is not None:
        about["version"] = comment.version
    return _url_and_title(head, about)[0]
