"""The page on which conversations are uploaded."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.contrib import messages as flash
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods
from pydantic import JsonValue

from conversations import transfers
from conversations.domain.chat_json import read_chat_file
from conversations.domain.transfer import is_export, read_export
from conversations.models import Conversation
from conversations.pages import presenters
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ContextError, TooLarge, ValidationFailed
from ctxadmin.lib.json_bytes import loads_strict
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.form_idempotency import once_per_form
from ctxadmin.ui.pages import page, show

_MOST_NAMED: Final = 10


@dataclass(frozen=True, slots=True)
class ImportPage:
    """The upload form, and what was wrong with the last file."""

    title: Text
    crumbs: Sequence[Crumb]
    problem: str
    limit: int


@dataclass(frozen=True, slots=True)
class Imported:
    """A conversation that was made, and the id that the file wanted for it."""

    wanted: str | None
    head: Conversation

    @property
    def was_taken(self) -> bool:
        return self.wanted is not None and self.wanted != self.head.public_id


@require_http_methods(["GET", "HEAD", "POST"])
@page
def upload(request: HttpRequest, actor: Actor) -> HttpResponse:
    """All conversations of the file, or none and what is wrong with which line."""
    actor.require(Action.CONVERSATION_IMPORT)
    problem = ""
    if request.method == "POST":
        try:
            return once_per_form(request, actor, actor.workspace, lambda: _sent(request, actor))
        except ContextError as error:
            problem = error.detail
    shown = ImportPage(
        title=_("Import conversations"),
        crumbs=presenters.crumbs(None, Crumb(_("Import"))),
        problem=problem,
        limit=settings.MAX_IMPORT_BYTES // 1024**2,
    )
    return show(request, "conversations/import.html", shown, status=422 if problem else 200)


def _sent(request: HttpRequest, actor: Actor) -> HttpResponse:
    made = _import(actor, request.FILES.get("file"))
    text = ngettext("%(n)s conversation imported.", "%(n)s conversations imported.", len(made))
    flash.success(request, text % {"n": len(made)})
    renamed = [each for each in made if each.was_taken]
    if renamed:
        flash.warning(request, _of_taken(renamed))
    if len(made) == 1:
        return redirect("conversations:detail", made[0].head.public_id)
    return redirect("conversations:list")


def _of_taken(renamed: Sequence[Imported]) -> str:
    """Which ids of the file were taken, and what stands for them."""
    pairs = [f"{each.wanted} → {each.head.public_id}" for each in renamed[:_MOST_NAMED]]
    if len(renamed) > _MOST_NAMED:
        pairs.append("…")
    text = ngettext(
        "%(n)s id already existed and was replaced by a new one: %(ids)s",
        "%(n)s ids already existed and were replaced by new ones: %(ids)s",
        len(renamed),
    )
    return text % {"n": len(renamed), "ids": ", ".join(pairs)}


def _import(actor: Actor, file: "UploadedFile[bytes] | None") -> list[Imported]:
    if file is None:
        raise ValidationFailed(_("Select a file first."))
    if (file.size or 0) > settings.MAX_IMPORT_BYTES:
        raise TooLarge(_("The file is too large."), limit=settings.MAX_IMPORT_BYTES)
    data = file.read()
    with transaction.atomic():
        document = _export_in(data)
        if document is not None:
            transfer = read_export(document)
            made = transfers.import_export(actor, transfer)
            return [Imported(transfer.conversation_id, made)]
        return [
            Imported(chat.conversation_id, transfers.import_chat(actor, chat))
            for chat in read_chat_file(data)
        ]


def _export_in(data: bytes) -> JsonValue:
    """The export document of the file, None if it is something else."""
    if b'"format"' not in data[:4096]:
        return None
    try:
        document = loads_strict(data)
    except ValidationFailed:
        return None  # JSONL, or nothing that can be read: the chat reader names the line
    return document if is_export(document) else None
