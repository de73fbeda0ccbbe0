"""The page of a search: a form that works without scripts, and the hits in their context."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from conversations.models import Conversation
from conversations.reading.display_names import display_name, read_display_names
from conversations.reading.navigation import ROLES
from conversations.store.conversation import find_head
from ctxadmin.http.endpoints.pagination import PageRequest
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.ui.components import STATUSES, Crumb, Tab, Text
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.sentences import translated
from search import queries
from search.conversation_hits import ConversationHitsPage, search_conversations
from search.domain.query import (
    LONGEST,
    HitKind,
    Query,
    filters_in,
    mistyped_filter,
    read_query,
    without_filters,
)
from search.domain.terms import MOST_CHARACTERS
from search.hits import Hit
from search.latest_texts import HitCounts, LatestTexts, latest_texts
from search.pages.completions import value_wanted
from search.pages.hit_views import (
    ICONS,
    PLURALS,
    HitCluster,
    HitGroup,
    HitView,
    clustered,
    hit_views,
)

_PAGE: Final = 25  # conversations, or hits of one
_FEW: Final = 5  # hits: who misses one is told what is searched
_BOTH: Final = "also"
_NOTHING: Final = ConversationHitsPage((), {}, True, None, 0)
_ARCHIVED: Final[Mapping[str, bool | None]] = {"": False, "true": True, _BOTH: None}
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
    archived: str = ""
    conversation: str = ""


@dataclass(frozen=True, slots=True)
class ResultsPage:
    """The hits of a search; ``next`` is the cursor of the next page, None at the end.

    ``asked`` is False as long as nothing is searched for, ``first`` on the first page, ``filtered``
    if a filter is set. ``groups`` have the hits of the page by kind, ``tabs`` lead to one kind,
    ``total`` counts all hits, unless not ``complete`` of the latest texts only. ``archived_count``
    are left out because their conversations are archived. ``mistyped`` is a word that looks like a
    filter and the filter that is probably meant. ``behind`` counts changes that cannot be found
    yet. ``few`` tells to name the ``most_characters`` of a text that are searched.
    ``conversation`` is the title of the only one that is searched, "" for all, and
    ``everywhere_url`` searches all. ``partly_grouped`` if only the latest hits are grouped by
    conversation: a later page can have earlier ones of the same.
    ``unknown_workflow`` is the id of a wanted workflow that there never was. ``value_wanted`` says
    that a filter without a value ends the words. ``problems`` say what
    is wrong with the form.
    """

    title: Text
    crumbs: Sequence[Crumb]
    form: SearchForm
    groups: Sequence[HitGroup]
    tabs: Sequence[Tab]
    total: int
    complete: bool
    archived_count: int
    archived_url: str
    mistyped: tuple[str, str] | None
    corrected_url: str
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
    most_characters: int
    few: bool
    conversation: str
    everywhere_url: str
    partly_grouped: bool
    unknown_workflow: str
    value_wanted: str


@require_safe
@page
def results(request: HttpRequest, actor: Actor) -> HttpResponse:
    form = _form_of(request)
    problems: Sequence[str] = ()
    query, found, counts = Query(), _NOTHING, HitCounts({}, 0, True)
    head = _conversation(actor, form)
    try:
        query = replace(_query_of(form), conversation=head.key if head else 0)
        asked = request.GET.copy()
        asked["limit"] = str(_PAGE)
        latest = latest_texts(actor, query) if query else None
        found = _found(actor, query, PageRequest.of(asked), latest)
        if latest:
            counts = latest.counts(query.archived)
    except ValidationFailed as refused:
        problems = [translated(each.message) for each in refused.problems]
    counted = _with_workflows(counts.found, found.hits)
    mistyped = mistyped_filter(form.words)
    shown = ResultsPage(
        title=_("Search"),
        crumbs=(),
        form=form,
        groups=_groups(form, hit_views(found.hits), counted, found.counts),
        tabs=_tabs(form, counted),
        total=sum(n for kind, n in counted.items() if not form.kind or _is_kind(form, kind)),
        complete=counts.complete,
        archived_count=counts.archived,
        archived_url=_url(replace(form, archived=_BOTH)),
        mistyped=mistyped,
        corrected_url=_url(_corrected(form, mistyped)) if mistyped else "",
        next=found.next,
        asked=bool(query),
        filtered=form != SearchForm(words=form.words, conversation=form.conversation),
        first="cursor" not in request.GET,
        behind=found.behind,
        problems=problems,
        kinds=tuple(PLURALS.items()),
        roles=tuple(ROLES),
        statuses=tuple(STATUSES),
        spans=_spans(form.since),
        longest=LONGEST,
        most_characters=MOST_CHARACTERS,
        few=sum(counted.values()) < _FEW,
        conversation=display_name(head) if head else "",
        everywhere_url=_url(replace(form, conversation="")),
        partly_grouped=not found.complete,
        value_wanted=value_wanted(form.words),
        unknown_workflow="" if found.hits else queries.unknown_workflow(actor, query),
    )
    return show(request, "search/results.html", shown, status=422 if problems else 200)


def _form_of(request: HttpRequest) -> SearchForm:
    """Returns the form; filters among the words move into their fields, which come first."""
    text = request.GET.get("q", "").strip()
    typed = filters_in(text[: LONGEST + 1])

    def given(name: str) -> str:
        return request.GET.get(name, "").strip() or typed.get(name, "")

    archived = request.GET.get("archived", "")
    return SearchForm(
        words=without_filters(text) if typed else text,
        kind=given("in").lower(),
        role=given("role").lower(),
        status=given("status").upper(),
        tool=given("tool"),
        workflow=given("workflow"),
        since=given("since"),
        archived=archived if archived in _ARCHIVED else "",
        conversation=request.GET.get("conversation", "").strip(),
    )


def _conversation(actor: Actor, form: SearchForm) -> Conversation | None:
    """Returns the only conversation to search, None for all; raises NotFound."""
    if not form.conversation:
        return None
    head = find_head(actor.workspace, form.conversation)
    read_display_names([head])
    return head


def _found(
    actor: Actor, query: Query, request: PageRequest, latest: LatestTexts | None
) -> ConversationHitsPage:
    """Returns a page of conversations, or one of the hits of a single one."""
    if not query.conversation:
        return search_conversations(actor, query, request, latest)
    page = queries.search(actor, query, request)
    return ConversationHitsPage(page.hits, {}, True, page.next, page.behind)


def _filters_of(form: SearchForm) -> dict[str, str]:
    return {
        "in": form.kind,
        "role": form.role,
        "status": form.status,
        "tool": form.tool,
        "workflow": form.workflow,
        "since": form.since,
    }


def _query_of(form: SearchForm) -> Query:
    # As in the palette, whose last line leads here: the last word may be the beginning of one.
    return read_query(
        form.words,
        _filters_of(form),
        timezone.now(),
        archived=_ARCHIVED[form.archived],
        typing=True,
    )


def _url(form: SearchForm) -> str:
    """Returns the address of a search, on its first page."""
    given = {"q": form.words, **_filters_of(form), "archived": form.archived}
    given["conversation"] = form.conversation
    return "?" + urlencode({name: value for name, value in given.items() if value})


def _corrected(form: SearchForm, mistyped: tuple[str, str]) -> SearchForm:
    typed, meant = mistyped
    pattern = rf"(?<![a-z]){re.escape(typed)}[:：]"
    return replace(form, words=re.sub(pattern, f"{meant}:", form.words, count=1))


def _with_workflows(found: Mapping[HitKind, int], hits: Sequence[Hit]) -> Mapping[HitKind, int]:
    """Returns the counts with those of workflows, which are all on the first page."""
    workflows = sum(hit.kind is HitKind.WORKFLOW for hit in hits)
    return {**found, HitKind.WORKFLOW: workflows} if workflows else found


def _tabs(form: SearchForm, counted: Mapping[HitKind, int]) -> list[Tab]:
    """Returns links to the hits of each kind that has some; none for one kind alone."""
    if len(counted) < 2 and not form.kind:
        return []
    everything = Tab(
        _("Everything"), _url(replace(form, kind="")), not form.kind, sum(counted.values())
    )
    return [
        everything,
        *(
            Tab(label, _url(replace(form, kind=kind.value)), _is_kind(form, kind), counted[kind])
            for kind, label in PLURALS.items()
            if counted.get(kind)
        ),
    ]


def _is_kind(form: SearchForm, kind: HitKind) -> bool:
    return form.kind in (kind.value, f"{kind.value}s")


def _groups(
    form: SearchForm,
    hits: Sequence[HitView],
    counted: Mapping[HitKind, int],
    counts: Mapping[tuple[str, HitKind], int],
) -> list[HitGroup]:
    """Returns the hits of a page by kind, in the order of the kinds, and by conversation."""
    groups = []
    for kind, label in PLURALS.items():
        of_kind = [hit for hit in hits if hit.kind is kind]
        if of_kind:
            count = max(counted.get(kind, 0), len(of_kind))
            url = "" if form.kind or count == len(of_kind) else _url(replace(form, kind=kind.value))
            clusters = [_cluster(form, each, counts) for each in clustered(of_kind)]
            groups.append(HitGroup(label, ICONS[kind], count, url, clusters))
    return groups


def _cluster(
    form: SearchForm, hits: Sequence[HitView], counts: Mapping[tuple[str, HitKind], int]
) -> HitCluster:
    first = hits[0]
    more = counts.get((first.conversation, first.kind), 0) - len(hits)
    if more <= 0:
        return HitCluster(first.title, hits)
    alone = replace(form, kind=first.kind.value, conversation=first.conversation)
    return HitCluster(first.title, hits, more, _url(alone))


def _spans(chosen: str) -> Sequence[tuple[str, Text]]:
    """Returns the spans of time to choose from, with the one that was typed."""
    known = [value for value, _label in _SPANS]
    return _SPANS if not chosen or chosen in known else (*_SPANS, (chosen, chosen))
