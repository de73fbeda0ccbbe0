"""The page that imports a workflow from YAML, as a file or pasted."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.contrib import messages as flash
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods
from pydantic import TypeAdapter

from ctxadmin.http.requests.early_rights import body_needs
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import ContextError, FieldProblem, TooLarge, ValidationFailed
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.sentences import as_sentence, translated
from workflows.api.schemas import Slug
from workflows.pages.definition.links import crumbs
from workflows.pages.elements.problem_places import ProblemPlaces, document_of_input, message_at
from workflows.services import imports, use_cases
from workflows.services.use_cases import SavedDraft
from workflows.store.definitions import definition

_SLUG: TypeAdapter[str] = TypeAdapter(Slug)
_MOST_SHOWN = 50
_MOST_TOLD = 5


@dataclass(frozen=True, slots=True)
class ImportPage:
    """The form, with the input and its problems."""

    title: Text
    crumbs: Sequence[Crumb]
    slug: str
    yaml: str
    problem: str
    problems: Sequence[str]
    limit: int


@require_http_methods(["GET", "HEAD", "POST"])
@page
@body_needs(Action.WORKFLOW_CHANGE)
def upload(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Imports a workflow from YAML, even with problems; nothing if it cannot be read."""
    actor.require(Action.WORKFLOW_CHANGE)
    problem = ""
    problems: list[str] = []
    slug = request.POST.get("slug", "").strip()
    text = request.POST.get("yaml", "")
    if request.method == "POST":
        try:
            given = _text_given(text, request.FILES.get("file"))
            saved = _import(actor, slug, given)
        except ContextError as error:
            problem = translated(error.detail)
            shown_problems = error.problems[:_MOST_SHOWN]
            places = _places(text, request.FILES.get("file"), shown_problems)
            problems = [_sentence(each, places) for each in shown_problems]
        else:
            _add_message(request, saved, given)
            return redirect("workflows:detail", saved.workflow.slug)
    shown = ImportPage(
        title=_("Import a workflow"),
        crumbs=crumbs(None, Crumb(_("Import"))),
        slug=slug,
        yaml=text,
        problem=problem,
        problems=problems if len(problems) > 1 else (),
        limit=settings.MAX_BODY_BYTES // 1024**2,
    )
    return show(request, "workflows/import.html", shown, status=422 if problem else 200)


def _text_given(text: str, file: "UploadedFile[bytes] | None") -> str | bytes:
    if file is None and not text.strip():
        raise ValidationFailed(_("Select a file, or paste the YAML."))
    if file is not None and (file.size or 0) > settings.MAX_BODY_BYTES:
        raise TooLarge(_("The file is too large."), limit=settings.MAX_BODY_BYTES)
    return text if file is None else file.read()


def _import(actor: Actor, slug: str, given: str | bytes) -> SavedDraft:
    named = parse(_SLUG, slug, "/slug") if slug else None
    document = imports.read_yaml(given, default_name=slug)
    return use_cases.import_document(actor, document, named, None)


def _places(
    text: str, file: "UploadedFile[bytes] | None", problems: Sequence[FieldProblem]
) -> ProblemPlaces | None:
    """Returns the names of elements and fields in a text; None if no problem is at one."""
    if not any(each.pointer for each in problems):
        return None
    if file is not None:
        file.seek(0)
    try:
        given = imports.read_json(text if file is None else file.read())
    except ContextError:
        return None
    return ProblemPlaces(document_of_input(given))


def _sentence(problem: FieldProblem, places: ProblemPlaces | None) -> str:
    extra, message = dict(problem.extra), as_sentence(problem.message)
    if problem.pointer:
        place = None if places is None else places.of_input(problem.pointer)
        message = message_at(problem, place) if place else message
        message = f"{place.text if place else problem.pointer}: {message}"
    if "line" not in extra:
        return message
    where = {"line": extra["line"], "column": extra.get("column", 1), "message": message}
    return _("Line %(line)s, column %(column)s: %(message)s") % where


def _add_message(request: HttpRequest, saved: SavedDraft, given: str | bytes) -> None:
    errors = [problem for problem in saved.problems if problem.severity == "error"]
    if not errors:
        flash.success(request, _("Imported."))
        return
    text = ngettext(
        "Imported. Fix %(n)s problem before publishing.",
        "Imported. Fix %(n)s problems before publishing.",
        len(errors),
    )
    flash.warning(request, text % {"n": len(errors)})
    shown = errors[:_MOST_TOLD]
    names = ProblemPlaces(definition(bytes(saved.workflow.draft)).document)
    for problem, place in zip(shown, imports.places_of(given, shown), strict=True):
        message = as_sentence(problem.message)
        if name := names.of(problem).text:
            message = f"{name}: {message}"
        where = {"line": place.line, "column": place.column, "message": message}
        flash.warning(request, _("Line %(line)s, column %(column)s: %(message)s") % where)
