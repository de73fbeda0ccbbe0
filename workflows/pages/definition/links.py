"""Links to the parts of a workflow, and the breadcrumbs of its pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from ctxadmin.ui.components import Crumb
from workflows.domain.checks.problems import Problem
from workflows.domain.document.graph import Document
from workflows.models import Workflow
from workflows.pages.drawing.svg import Links
from workflows.pages.elements.problem_places import ProblemPlace, ProblemPlaces, message_at


class FormLinks(Links):
    """Links nodes and edges of the draft to their forms.

    Without the right to edit, to the outline.
    """

    def __init__(self, slug: str, *, may_change: bool) -> None:
        self._slug = slug
        self._may_change = may_change

    def node(self, node_id: str) -> str:
        if self._may_change:
            return reverse("workflows:node", args=[self._slug, node_id])
        return f"#node-{node_id}"

    def edge(self, edge_id: str) -> str:
        if self._may_change:
            return reverse("workflows:edge", args=[self._slug, edge_id])
        return f"#edge-{edge_id}"


class OutlineLinks(Links):
    """Links nodes and edges of a version, which never changes, to its outline."""

    def node(self, node_id: str) -> str:
        return f"#node-{node_id}"

    def edge(self, edge_id: str) -> str:
        return f"#edge-{edge_id}"


@dataclass(frozen=True, slots=True)
class ProblemLine:
    """One problem with a link to its element, and the name of the input; "" if there is none."""

    severity: str
    message: str
    where: str
    url: str
    node: str = ""
    edge: str = ""
    input: str = ""


def problem_lines(
    document: Document, problems: Sequence[Problem], links: Links, slug: str
) -> list[ProblemLine]:
    places = ProblemPlaces(document)
    return [_problem_line(problem, places.of(problem), links, slug) for problem in problems]


def _problem_line(problem: Problem, place: ProblemPlace, links: Links, slug: str) -> ProblemLine:
    message = message_at(problem, place)
    extra = dict(problem.extra)
    if "column" in extra and "column" not in problem.message:
        where = {"line": extra.get("line", 1), "column": extra["column"]}
        message += " " + _("(line %(line)s, column %(column)s)") % where
    if problem.node is not None:
        url = _at_field(links.node(problem.node), place)
        return ProblemLine(
            problem.severity, message, place.text, url, node=problem.node, input=place.input
        )
    if problem.edge is not None:
        url = _at_field(links.edge(problem.edge), place)
        return ProblemLine(
            problem.severity, message, place.text, url, edge=problem.edge, input=place.input
        )
    if problem.pointer.startswith("/reducers"):
        url = reverse("workflows:reducers", args=[slug])
        return ProblemLine(problem.severity, message, _("reducers"), url)
    return ProblemLine(problem.severity, message, _("workflow"), "")


def _at_field(url: str, place: ProblemPlace) -> str:
    """Returns the form of an element at the field; the outline has no fields."""
    return f"{url}#id_{place.input}" if place.input and "#" not in url else url


def crumbs(row: Workflow | None = None, *more: Crumb) -> tuple[Crumb, ...]:
    """Returns the breadcrumbs of a page of a workflow."""
    first = Crumb(_("Workflows"), reverse("workflows:list"))
    if row is None:
        return (first, *more)
    return (first, Crumb(row.name, reverse("workflows:detail", args=[row.slug])), *more)


def compare_url(slug: str, query: str = "") -> str:
    """The form of a workflow, with some fields filled in."""
    url = reverse("workflows:compare", args=[slug])
    return f"{url}?{query}" if query else url


def compare_url_of(slug: str, element: str, name: str) -> str:
    """The form with a node chosen; "" for an edge, or for a node that has no id yet."""
    is_node = element == "node" and bool(name)
    return compare_url(slug, urlencode({"node": name})) if is_node else ""
