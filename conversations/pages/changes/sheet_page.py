"""The sheet beside the messages: what an action on selected ones would do, and doing it."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlencode

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods
from pydantic import JsonValue

from conversations.domain.revisions import Seen
from conversations.domain.runs import Runs
from conversations.models import Conversation
from conversations.pages.changes import selection
from conversations.pages.changes.change_effects import (
    Effect,
    current_view,
    effect_of,
    splits_pairs,
)
from conversations.pages.changes.followed_selection import follow_selection
from conversations.pages.changes.forms import OperationForm, OperationRequest
from conversations.pages.changes.operation_page import (
    address_near,
    edits_of,
    hidden_system_messages,
    operate_page,
    show_moved_form,
    success_message,
)
from conversations.pages.changes.sheet_words import effect_sentences, going_sentences
from conversations.pages.changes.single_submit import submit_once
from conversations.pages.changes.typed_messages import (
    form_message,
    map_messages,
    plain_content,
)
from conversations.pages.changes.unchanged_replacement import removes_calls, require_change
from conversations.pages.undo import undo_url
from conversations.services import use_cases
from conversations.store.conversation import find_head
from conversations.store.pin_rows import find_pinned
from ctxadmin.http.problems import wants_json
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import ContextError, ValidationFailed, VersionConflict
from ctxadmin.lib.text_diff import TextPiece, text_diff
from ctxadmin.ui.components import Text
from ctxadmin.ui.form_idempotency import FIELD as FORM_KEY
from ctxadmin.ui.form_idempotency import new_key
from ctxadmin.ui.pages import page
from ctxadmin.ui.sentences import translated

_TITLES: Final[Mapping[str, Text]] = {
    "hide": gettext_lazy("Hide messages"),
    "keep_from": gettext_lazy("Keep from here"),
    "insert": gettext_lazy("Insert message"),
    "replace": gettext_lazy("Replace message"),
    "summarize": gettext_lazy("Summarize messages"),
}
_PAIRINGS: Final = ("drop", "keep", "warn")
_TYPED: Final = ("insert", "replace", "summarize")
_NOT_WRITTEN: Final = "…"
_ROLES: Final = ("user", "assistant", "system")


@dataclass(frozen=True, slots=True)
class Sheet:
    """What an action would do, in words and figures.

    ``going`` are the log indices that would no longer be visible, as ``3-5,9``. ``text`` is what a
    message would say that comes for them, None if none comes. ``pairs`` tells that calls and
    results would be parted if nothing was done about it. ``effect`` is None as long as an
    inserted text is missing, or if ``problem`` says what is wrong; of a summary that is not written
    yet it is that of the shortest one. ``pieces`` are the words that a replacement takes
    and brings. A message that is inserted has a ``role``, and comes ``before`` a log index.
    ``news`` says how the conversation changed since the sheet was opened. ``needs_text`` tells that
    a replacement changes nothing as long as its text is that of the message, ``is_refused`` that
    it cannot be applied whatever the text is.
    """

    title: Text
    head: Conversation
    do: str
    positions: str
    pairing: str
    text: str | None
    reason: str
    sentences: Sequence[str]
    going: str
    effect: Effect | None
    pairs: bool
    problem: str
    advanced_url: str
    pieces: Sequence[TextPiece] = ()
    role: str = ""
    before: int | None = None
    news: str = ""
    needs_text: bool = False
    is_refused: bool = False

    @property
    def first(self) -> str:
        """Returns the log index of the first message that it is about, "" if there is none."""
        return str(self.before) if self.before is not None else self.going.partition("-")[0]

    @property
    def roles(self) -> Sequence[str]:
        """Returns the roles to choose from; none unless a message is inserted."""
        return _ROLES if self.role else ()


@require_http_methods(["GET", "HEAD", "POST"])
@page
@submit_once
def act(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Shows the sheet of an action; applies the action by POST.

    A sheet follows its messages when someone changes the view, and shows the figures of now. What
    cannot be applied as it was previewed stays in it to be confirmed, or leads without scripts to
    the full form, with all that was typed. Its address opened by itself leads to the conversation.
    """
    actor.require(Action.MESSAGES_OPERATE)
    head = find_head(actor.workspace, conversation_id)
    if request.method != "POST" and request.headers.get("Sec-Fetch-Mode") == "navigate":
        near = request.GET.get("near", "")
        here = reverse("conversations:detail", args=[conversation_id])
        return redirect(f"{here}?near={near}#m{near}" if near.isdecimal() else here)
    sent = request.POST if request.method == "POST" else request.GET
    if sent.get("do", "") not in _TITLES:
        raise ValidationFailed.at("?do", _("Use hide, keep_from, insert, replace or summarize."))
    if "apply" in request.POST:
        return _apply(request, actor, head)
    try:
        followed = follow_selection(head, sent)
        asked = _asked(head, followed.sent)
    except VersionConflict as error:
        # A sheet that is open stays, with what was typed into it.
        part = "_sheet_lost.html" if "preview" in sent else "_sheet_gone.html"
        context = {"problem": translated(error.detail), "sent": sent}
        return render(request, f"conversations/{part}", context, status=409)
    sheet = replace(_sheet_of(actor, head, followed.sent, asked), news=followed.news)
    part = "_sheet_effect.html" if "preview" in sent else "_sheet.html"
    return render(request, f"conversations/{part}", {"sheet": sheet})


def _apply(request: HttpRequest, actor: Actor, head: Conversation) -> HttpResponse:
    seen = Seen(_number(request.POST, "revision"), _number(request.POST, "count"))
    before = _as_seen(head, seen)
    try:
        asked = _asked(before, request.POST)
        model = parse(OperationRequest, asked)
        require_change(before, model, pointer="/text")
    except ContextError as error:
        if isinstance(error, ValidationFailed) and wants_json(request):
            return _stay(translated(error.detail), status=422)
        flash.warning(request, translated(error.detail))
        return redirect("conversations:detail", head.public_id)
    if seen.revision != head.current_revision:
        return _refuse(request, actor, head, model, seen)
    try:
        reason = model.reason
        applied = use_cases.apply_operation(actor, head.public_id, model, reason=reason, seen=seen)
    except VersionConflict:
        return _refuse(request, actor, find_head(actor.workspace, head.public_id), model, seen)
    except ContextError as error:
        shown = map_messages(asked, lambda message: form_message(message, keeps_calls=True))
        form = OperationForm(initial=shown)
        return operate_page(request, head, form, warning=translated(error.detail), status=422)
    flash.success(request, success_message(head, applied), extra_tags=undo_url(head, applied))
    return redirect(address_near(head, applied))


def _refuse(
    request: HttpRequest, actor: Actor, head: Conversation, model: OperationRequest, seen: Seen
) -> HttpResponse:
    """What was previewed is no longer what would happen: the sheet stays and asks for a preview."""
    if not wants_json(request):
        return show_moved_form(request, actor, head, model, seen)
    text = _("Nothing was applied: the conversation changed. Check the figures and apply again.")
    try:
        follow_selection(head, request.POST)
    except VersionConflict:
        text = _("Nothing was applied: the selected messages are no longer visible.")
    return _stay(text, status=409)


def _stay(text: str, *, status: int) -> HttpResponse:
    """The sheet stays as it is and says why beside its button."""
    return JsonResponse({"detail": text, FORM_KEY: new_key()}, status=status)


def _as_seen(head: Conversation, seen: Seen) -> Conversation:
    """The head as the person saw it, to be read only: the selection is about that view."""
    past = copy(head)
    past.current_revision, past.visible_count = seen.revision or 0, seen.count or 0
    return past


def _asked(head: Conversation, sent: QueryDict) -> dict[str, JsonValue]:
    """The operation that the sheet is about; ``text`` is the content of a message that comes."""
    asked = selection.operation_for(head, sent)
    pairing = sent.get("pairing", "drop")
    asked["pairing"] = pairing if pairing in _PAIRINGS else "drop"
    if reason := sent.get("reason", "").strip():
        asked["reason"] = reason
    wanted = sent.get("do", "")
    if wanted in ("insert", "summarize") and "apply" in sent and not sent.get("text", "").strip():
        raise ValidationFailed.at("/text", _("Write the text first."))
    if wanted == "replace":
        first = selection.first_position(sent)
        body = selection.body_at(head, first)
        edited = "text" in sent and _typed(sent, "text") != _text_of(body)
        message = body | {"content": _typed(sent, "text")} if edited else body
        asked["replace"] = {"index": first, "message": message}
    if wanted == "insert":
        draft: JsonValue = {"role": _role_in(sent), "content": _typed(sent, "text")}
        asked["insert"] = {"position": selection.first_position(sent), "messages": [draft]}
        asked["pairing"] = "warn"  # the new message is not to hide the pair that it stands in
    if wanted == "summarize":
        span = asked["summarize"]
        message = {"role": "user", "content": _typed(sent, "text")}
        asked["summarize"] = (span if isinstance(span, dict) else {}) | {"message": message}
    return asked


def _role_in(sent: QueryDict) -> str:
    role = sent.get("role", "")
    return role if role in _ROLES else _ROLES[0]


def _sheet_of(
    actor: Actor, head: Conversation, sent: QueryDict, asked: dict[str, JsonValue]
) -> Sheet:
    wanted = sent.get("do", "")
    chosen = selection.selected_runs(head, sent)
    text = _text_in(sent, asked) if wanted in _TYPED else None
    query = {name: sent.get(name, "") for name in ("do", "revision", "count")}
    query["positions"] = selection.positions_of(sent)
    sheet = Sheet(
        title=_TITLES[wanted],
        head=head,
        do=wanted,
        positions=query["positions"],
        pairing=str(asked["pairing"]),
        text=text,
        reason=sent.get("reason", ""),
        sentences=(),
        going="" if wanted == "insert" else _as_text(chosen),
        effect=None,
        pairs=False,
        problem="",
        role=_role_in(sent) if wanted == "insert" else "",
        before=_index_at(head, sent) if wanted == "insert" else None,
        advanced_url=reverse("conversations:operate", args=[head.public_id])
        + f"?{urlencode(query)}",
    )
    if wanted == "replace":
        first, index = selection.first_position(sent), _index_at(head, sent)
        if find_pinned(head.key, [index]):
            why = _("#%(n)s is pinned. Unpin it to replace it.") % {"n": index}
            return replace(sheet, problem=why, is_refused=True)
        sheet = replace(sheet, needs_text=not removes_calls(head, first, sheet.pairing))
    if wanted == "insert":
        inserts = _("The new message comes before #%(n)s.") % {"n": sheet.before}
        sheet = replace(sheet, sentences=[inserts])
    is_empty = text is not None and not text.strip()
    if is_empty and wanted == "insert":
        return sheet
    if is_empty and wanted == "summarize":
        asked = _with_placeholder(asked)
    try:
        model = parse(OperationRequest, asked)
        applied = use_cases.apply_operation(actor, head.public_id, model, dry_run=True)
        alone = model.model_copy(update={"pairing": "warn"})
        pairs = splits_pairs(use_cases.apply_operation(actor, head.public_id, alone, dry_run=True))
    except VersionConflict:
        raise
    except ContextError as error:
        if is_empty:
            return replace(sheet, sentences=going_sentences(wanted, chosen, chosen))
        return replace(sheet, problem=translated(error.detail))
    effect = effect_of(
        head, applied, edits_of(head, model, applied), kept=hidden_system_messages(head, model)
    )
    replaces = wanted == "replace"
    comes_again = replaces and len(applied.entries) > 1  # the results behind the new message
    return replace(
        sheet,
        sentences=sheet.sentences
        if wanted == "insert"
        else effect_sentences(head, wanted, chosen, applied, pairs=pairs),
        pieces=_words_replaced(head, sent, text) if replaces and text else (),
        going=_as_text(chosen if comes_again else applied.hidden),
        effect=effect,
        pairs=pairs and wanted != "insert",
    )


def _with_placeholder(asked: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Returns a summary with a sign for the words that are not written yet, for its preview."""
    span = asked["summarize"]
    message: JsonValue = {"role": "user", "content": _NOT_WRITTEN}
    return {**asked, "summarize": (span if isinstance(span, dict) else {}) | {"message": message}}


def _index_at(head: Conversation, sent: QueryDict) -> int:
    """The number of the message that a new one comes before."""
    return next(iter(current_view(head).slice(selection.first_position(sent), head.visible_count)))


def _words_replaced(head: Conversation, sent: QueryDict, text: str) -> Sequence[TextPiece]:
    """Returns the words of the message that a new text takes and brings; () if it is the same."""
    before = _text_of(selection.body_at(head, selection.first_position(sent)))
    return text_diff(before, text) if before and before != text else ()


def _typed(sent: QueryDict, name: str) -> str:
    """Returns a text with the line ends that its author typed; forms send others."""
    return sent.get(name, "").replace("\r\n", "\n")


def _text_in(sent: QueryDict, asked: dict[str, JsonValue]) -> str:
    if "text" in sent:
        return _typed(sent, "text")
    part = asked.get(str(asked["operation"]))
    message = part.get("message") if isinstance(part, dict) else None
    return _text_of(message) if isinstance(message, dict) else ""


def _text_of(message: Mapping[str, JsonValue]) -> str:
    """The words of a message as its text area has them."""
    content = plain_content(message.get("content"))
    return content if isinstance(content, str) else ""


def _as_text(runs: Runs) -> str:
    return ",".join(f"{start}-{stop - 1}" for start, stop in runs)


def _number(sent: QueryDict, name: str) -> int:
    text = sent.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ValidationFailed(_("The form is incomplete. Reload the page."))
    return int(text)
