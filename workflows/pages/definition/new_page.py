"""The page that creates a workflow, from a template or empty, and opens its canvas."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods

from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ContextError, Forbidden, NotFound
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import page, show
from workflows.domain.document.graph import MAX_NAME
from workflows.models import Workflow
from workflows.pages.definition.links import crumbs
from workflows.pages.drawing.thumbnail import Thumbnail, thumbnail
from workflows.pages.elements.forms import CreateForm
from workflows.services import use_cases
from workflows.services.use_cases import NewWorkflow
from workflows.starters import STARTERS, StarterName, starter

_WORDS: Final[dict[StarterName, tuple[Text, Text]]] = {
    "chat": (
        gettext_lazy("Chat"),
        gettext_lazy("A model and a person take turns. A budget keeps a long chat affordable."),
    ),
    "review": (
        gettext_lazy("Review loop"),
        gettext_lazy("A model drafts, another checks, and a person approves before it is sent."),
    ),
    "research": (
        gettext_lazy("Research note"),
        gettext_lazy("Two branches look things up in parallel. An editor joins what they found."),
    ),
    "support": (
        gettext_lazy("Customer support"),
        gettext_lazy("Tool calls with their results, a context that is compacted, an approval."),
    ),
}

_FIRST: Final = next(iter(_WORDS))


@dataclass(frozen=True, slots=True)
class Template:
    """A template to choose; the empty one has no ``value`` and no ``picture``.

    The first one is chosen at first: it can be previewed and published as it is.
    """

    value: str
    title: Text
    words: Text
    picture: Thumbnail | None
    chosen: bool


@dataclass(frozen=True, slots=True)
class NewWorkflowPage:
    """The form of a new workflow; the slug stands under *Advanced*, opened if it is wrong."""

    title: Text
    crumbs: Sequence[Crumb]
    form: CreateForm
    templates: Sequence[Template]
    wrong_slug: bool


@require_http_methods(["GET", "HEAD", "POST"])
@page
def create(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Creates a workflow; without a slug it gets one from its name.

    A link can choose the template by ``start_with``.
    """
    actor.require(Action.WORKFLOW_CHANGE)
    form = CreateForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        given = form.model
        try:
            new = NewWorkflow(given.slug, given.name, given.description, given.start_with)
            row = use_cases.create(actor, new)
        except ContextError as error:
            _show_error(form, error)
        else:
            return redirect("workflows:editor", row.slug)
    if not form.errors:
        form.fields["name"].widget.attrs["autofocus"] = True
    shown = NewWorkflowPage(
        title=_("New workflow"),
        crumbs=crumbs(None, Crumb(_("New"))),
        form=form,
        templates=_templates(
            request.GET.get("start_with", _FIRST)
            if request.method != "POST"
            else str(form["start_with"].value() or "")
        ),
        wrong_slug=bool(form["slug"].errors),
    )
    return show(request, "workflows/new.html", shown, status=422 if form.errors else 200)


def _templates(chosen: str) -> list[Template]:
    templates = [
        Template(name, title, words, _picture(name), name == chosen)
        for name, (title, words) in _WORDS.items()
    ]
    text = _("Draw your own from the first node on.")
    return [*templates, Template("", _("Empty"), text, None, chosen not in STARTERS)]


@require_GET
@page
def same_name(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Shows the workflow that has the typed name already, and the slug that the name would get."""
    actor.require(Action.WORKFLOW_CHANGE)
    name = request.GET.get("name", "").strip()[:MAX_NAME]
    rows = Workflow.objects.for_workspace(actor.workspace)
    row = rows.filter(name=name).order_by("key").first() if name else None
    slug = use_cases.free_slug(actor, name) if name else ""
    shown = {"row": row, "slug": slug, "is_of_name": use_cases.makes_slug(name)}
    return render(request, "workflows/_same_name.html", shown)


@cache
def _picture(name: StarterName) -> Thumbnail:
    return thumbnail(starter(name, name))


def _show_error(form: CreateForm, error: ContextError) -> None:
    """Shows an error at its field; an error without a field gets a page of its own."""
    if isinstance(error, NotFound | Forbidden) or not error.problems:
        raise error
    form.add_problems(error.problems)
