"""The page of a search: a form that works without scripts, and the hits in their context."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from conversations.reading.navigation import ROLES
from ctxadmin.http.endpoints.pagination import PageRequest
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.ui.components import STATUSES, Crumb, Text
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.sentences import translated
from search import queries
from search.domain.query import LONGEST, HitKind, Query, filters_in, read_query, without_filters
from search.pages.hit_views import PLURALS, HitView, hit_views
from search.queries import SearchPage

_PAGE: Final = 25
_SPANS: Final[Sequence[tuple[str, Text]]] = (
    ("24h", gettext_lazy("Last 24 hours")),
    ("7d", gettext_lazy("Last 7 days")),
    ("30d", gettext_lazy("Last 30 days")),
    ("90d", gettext_lazy("Last 90 days")),
)


@dataclass(frozen=True, slots=True)
class SearchForm:
    """What the form shows: the words, and each filter as it is given."""

    words: str
    kind: str = ""
    role: str = ""
    status: str = ""
    tool: str = ""
    workflow: str = ""
    since: str = ""
    archived: bool = False


@dataclass(frozen=True, slots=True)
class ResultsPage:
    """The hits of a search; ``next`` is the cursor of the next page, None at the end.

    ``asked`` is False as long as nothing is searched for, ``first`` on the first page, ``filtered``
    if a filter is set. ``behind`` counts changes that cannot be found yet. ``problems`` say what is
    wrong with the form.
    """

    title: Text
    crumbs: Sequence[Crumb]
    form: SearchForm
    hits: Sequence[HitView]
    next: str | None
    asked: bool
    filtered: bool
    first: bool
    behind: int
    problems: Sequence[str]
    kinds: Sequence[tuple[HitKind, Text]]
    roles: Sequence[str]
    statuses: Sequence[str]
    spans: Sequence[tuple[str, Text]]
    longest: int


@require_safe
@page
def results(request: HttpRequest, actor: Actor) -> HttpResponse:
    form = _form_of(request)
    problems: Sequence[str] = ()
    query, found = Query(), SearchPage((), None, 0)
    try:
        query = _query_of(form)
        asked = request.GET.copy()
        asked["limit"] = str(_PAGE)
        found = queries.search(actor, query, PageRequest.of(asked))
    except ValidationFailed as refused:
        problems = [translated(each.message) for each in refused.problems]
    shown = ResultsPage(
        title=_("Search"),
        crumbs=(),
        form=form,
        hits=hit_views(found.hits),
        next=found.next,
        asked=bool(query),
        filtered=form != SearchForm(words=form.words),
        first="cursor" not in request.GET,
        behind=found.behind,
        problems=problems,
        kinds=tuple(PLURALS.items()),
        roles=tuple(ROLES),
        statuses=tuple(STATUSES),
        spans=_spans(form.since),
        longest=LONGEST,
    )
    return show(request, "search/results.html", shown, status=422 if problems else 200)


def _form_of(request: HttpRequest) -> SearchForm:
    """Returns the form; filters among the words move into their fields, which come first."""
    text = request.GET.get("q", "").strip()
    typed = filters_in(text[: LONGEST + 1])

    def given(name: str) -> str:
        return request.GET.get(name, "").strip() or typed.get(name, "")

    return SearchForm(
        words=without_filters(text) if typed else text,
        kind=given("in").lower(),
        role=given("role").lower(),
        status=given("status").upper(),
        tool=given("tool"),
        workflow=given("workflow"),
        since=given("since"),
        archived=request.GET.get("archived") == "true",
    )


def _query_of(form: SearchForm) -> Query:
    given = {
        "in": form.kind,
        "role": form.role,
        "status": form.status,
        "tool": form.tool,
        "workflow": form.workflow,
        "since": form.since,
    }
    # As in the palette, whose last line leads here: the last word may be the beginning of one.
    return read_query(form.words, given, timezone.now(), archived=form.archived, typing=True)


def _spans(chosen: str) -> Sequence[tuple[str, Text]]:
    """Returns the spans of time to choose from, with the one that was typed."""
    known = [value for value, _label in _SPANS]
    return _SPANS if not chosen or chosen in known else (*_SPANS, (chosen, chosen))
