"""The page on which conversations are uploaded."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.conf import settings
from django.contrib import messages as flash
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods
from pydantic import TypeAdapter

from conversations.domain.imports.chats import OPENAI
from conversations.domain.imports.reasons import BY_TEXT
from conversations.domain.imports.report import ImportNote, ImportReport, merge_reports
from conversations.domain.imports.shapes import EXPORT_NAME, NAMES, TITLES
from conversations.domain.imports.uploads import Importable, read_upload, report_of
from conversations.lifecycle import transfers
from conversations.models import Conversation
from conversations.pages import presenters
from ctxadmin.http.requests.early_rights import body_needs
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ContextError, TooLarge, ValidationFailed
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.form_idempotency import run_once_per_form
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.sentences import translated

_MOST_NAMED: Final = 10
_MOST_LINKS: Final = 20
_OWN: Final = (OPENAI.name, EXPORT_NAME)
_KEPT: Final = "import_report"  # in the session, until it is shown

_Reports = TypeAdapter(list[ImportReport])


@dataclass(frozen=True, slots=True)
class ImportPage:
    """The upload form, and the problems of the last file."""

    title: Text
    crumbs: Sequence[Crumb]
    problem: str
    limit: int
    shapes: Sequence[tuple[str, str]]
    shape: str


@dataclass(frozen=True, slots=True)
class ReportPage:
    """What the last import stored as what and left out, with links to some of the conversations."""

    title: Text
    crumbs: Sequence[Crumb]
    reports: Sequence[tuple[str, ImportReport]]
    made: Sequence[str]
    more: int


@dataclass(frozen=True, slots=True)
class Imported:
    """A conversation that was created, and the id that the file has for it."""

    wanted: str | None
    head: Conversation
    report: ImportReport

    @property
    def has_new_id(self) -> bool:
        return self.wanted is not None and self.wanted != self.head.public_id


@require_http_methods(["GET", "HEAD", "POST"])
@page
@body_needs(Action.CONVERSATION_IMPORT)
def upload(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Imports all conversations of the file, or none; errors name the line."""
    actor.require(Action.CONVERSATION_IMPORT)
    problem = ""
    if request.method == "POST":
        try:
            return run_once_per_form(request, actor, actor.workspace, lambda: _sent(request, actor))
        except ContextError as error:
            problem = _sentence(translated(error.detail))
    shown = ImportPage(
        title=_("Import conversations"),
        crumbs=presenters.crumbs(None, Crumb(_("Import"))),
        problem=problem,
        limit=settings.MAX_IMPORT_BYTES // 1024**2,
        shapes=[(name, TITLES[name]) for name in (*NAMES, EXPORT_NAME)],
        shape=request.POST.get("shape", ""),
    )
    return show(request, "conversations/import.html", shown, status=422 if problem else 200)


@require_http_methods(["GET", "HEAD"])
@page
def report(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Returns the report of this session's last import, once."""
    actor.require(Action.CONVERSATION_IMPORT)
    kept = request.session.pop(_KEPT, None)
    if kept is None:
        return redirect("conversations:list")
    reports = _Reports.validate_python(kept["reports"])
    shown = ReportPage(
        title=_("Import report"),
        crumbs=presenters.crumbs(
            None, Crumb(_("Import"), reverse("conversations:import")), Crumb(_("Report"))
        ),
        reports=[(TITLES[each.shape], _in_the_readers_language(each)) for each in reports],
        made=kept["made"],
        more=kept["count"] - len(kept["made"]),
    )
    return show(request, "conversations/import_report.html", shown)


def _in_the_readers_language(report: ImportReport) -> ImportReport:
    return replace(
        report, left_out=_translated(report.left_out), warnings=_translated(report.warnings)
    )


def _translated(notes: Sequence[ImportNote]) -> tuple[ImportNote, ...]:
    return tuple(replace(note, why=translated(BY_TEXT.get(note.why, note.why))) for note in notes)


def _sentence(text: str) -> str:
    """Returns a text capitalized as a sentence, unless it begins with a name or a place."""
    first = text.partition(" ")[0]
    return capfirst(text) if first.isalpha() and first.islower() else text


def _sent(request: HttpRequest, actor: Actor) -> HttpResponse:
    made = _import(actor, request.FILES.get("file"), request.POST.get("shape") or None)
    text = ngettext("%(n)s conversation imported.", "%(n)s conversations imported.", len(made))
    flash.success(request, text % {"n": len(made)})
    renamed = [each for each in made if each.has_new_id]
    if renamed:
        flash.warning(request, _of_taken(renamed))
    reports = merge_reports(each.report for each in made)
    if not all(each.is_plain and each.shape in _OWN for each in reports):
        request.session[_KEPT] = {
            "reports": [each.as_json() for each in reports],
            "made": [each.head.public_id for each in made[:_MOST_LINKS]],
            "count": len(made),
        }
        return redirect("conversations:import-report")
    if len(made) == 1:
        return redirect("conversations:detail", made[0].head.public_id)
    return redirect("conversations:list")


def _of_taken(renamed: Sequence[Imported]) -> str:
    """Returns which ids of the file were taken, and their replacements."""
    pairs = [f"{each.wanted} → {each.head.public_id}" for each in renamed[:_MOST_NAMED]]
    if len(renamed) > _MOST_NAMED:
        pairs.append("…")
    text = ngettext(
        "%(n)s id already existed and was replaced by a new one: %(ids)s",
        "%(n)s ids already existed and were replaced by new ones: %(ids)s",
        len(renamed),
    )
    return text % {"n": len(renamed), "ids": ", ".join(pairs)}


def _import(actor: Actor, file: "UploadedFile[bytes] | None", shape: str | None) -> list[Imported]:
    if file is None:
        raise ValidationFailed(_("Select a file first."))
    if (file.size or 0) > settings.MAX_IMPORT_BYTES:
        raise TooLarge(_("The file is too large."), limit=settings.MAX_IMPORT_BYTES)
    data = file.read()
    with transaction.atomic():
        return [_made(actor, source) for source in read_upload(data, shape)]


def _made(actor: Actor, source: Importable) -> Imported:
    head = transfers.import_one(actor, source)
    return Imported(source.conversation_id, head, report_of(source))
