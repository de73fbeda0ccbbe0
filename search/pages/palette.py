"""What the palette shows for words that are being typed: a few of each kind, as JSON."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from conversations.reading.queries import list_conversations
from conversations.workspace.matching import ConversationFilter
from ctxadmin.http.endpoints.pagination import PageRequest
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.ui.pages import page
from ctxadmin.ui.sentences import translated
from ctxadmin.ui.visible_text import plain
from search import queries
from search.domain.passages import Passage, PassagePiece
from search.domain.query import (
    LONGEST,
    VALUES,
    HitKind,
    Query,
    read_query,
    without_filters,
    without_unfinished,
)
from search.hits import Hit
from search.latest_texts import latest_texts
from search.pages.completions import completions, value_wanted
from search.pages.hit_views import HitView, hit_views

_OF_EACH: Final = 5
_TEXTS: Final = 8
_OF_ONE: Final = 3  # texts of one conversation
_LOOKED_AT: Final = 24
_IN_TEXTS: Final = frozenset({HitKind.MESSAGE, HitKind.STATE, HitKind.REASON, HitKind.COMMENT})


@dataclass(frozen=True, slots=True)
class _Found:
    workflows: Sequence[HitView] = ()
    conversations: Sequence[HitView] = ()
    texts: Sequence[HitView] = ()
    behind: int = 0
    archived: int = 0


_NOTHING: Final = _Found()


@require_safe
@page
def suggestions(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Returns hits for the words in ``?q=``, and a problem in the language of the page.

    ``completions`` are whole filters that the last word begins, of names that only the server
    knows.
    """
    text = request.GET.get("q", "")
    found, problem = _NOTHING, ""
    offered = completions(actor, text[: LONGEST + 1])
    try:
        typed = without_unfinished(text, {**VALUES, **offered})
        query = read_query(typed, {}, timezone.now(), typing=True)
        if query:
            found = _find(actor, query, without_filters(typed).strip())
        elif typed.strip():
            problem = _("Enter at least one letter or digit.")
    except ValidationFailed as refused:
        problem = translated(refused.detail)
    if found is _NOTHING and not problem and text.strip() and not any(offered.values()):
        problem = value_wanted(text)
    twins = _twins((*found.conversations, *found.texts))
    return JsonResponse(
        {
            "workflows": [_json(each, ()) for each in found.workflows],
            "conversations": [_json(each, twins) for each in found.conversations],
            "texts": [_json(each, twins) for each in found.texts],
            "behind": found.behind,
            "archived": found.archived,
            "problem": problem,
            "completions": [f"{name}:{each}" for name in offered for each in offered[name]],
        }
    )


def _find(actor: Actor, query: Query, words: str) -> _Found:
    wanted = queries.with_kinds(query).kinds or frozenset(HitKind)  # as the page of results
    texts = wanted & _IN_TEXTS
    shown = queries.search(actor, replace(query, kinds=wanted), PageRequest(limit=_LOOKED_AT))
    in_texts = _varied([hit for hit in shown.hits if hit.kind in texts])
    workflows = hit_views([hit for hit in shown.hits if hit.kind is HitKind.WORKFLOW])
    conversations: list[HitView] = []
    if HitKind.CONVERSATION in wanted and not query.of_messages_only:
        conversations = _conversations(actor, query, words)
    is_nothing = not (workflows or conversations or in_texts)
    archived = latest_texts(actor, query).counts(query.archived).archived if is_nothing else 0
    of_texts = hit_views(in_texts)
    conversations = _at_their_texts(conversations, of_texts)
    return _Found(workflows[:_OF_EACH], conversations, of_texts, shown.behind, archived)


def _at_their_texts(conversations: Sequence[HitView], texts: Sequence[HitView]) -> list[HitView]:
    """Returns conversations with the way to their latest message that has the words, if one has.

    Most titles are the beginning of the first message: who looks for what was said finds it there.
    """
    places: dict[str, str] = {}
    for each in texts:
        if each.kind is HitKind.MESSAGE:
            places.setdefault(each.conversation, each.url)
    return [replace(each, url=places.get(each.conversation, each.url)) for each in conversations]


def _varied(hits: Sequence[Hit]) -> list[Hit]:
    """Returns the first hits, with few of each conversation."""
    found: list[Hit] = []
    count: Counter[str] = Counter()
    for hit in hits:
        count[hit.conversation] += 1
        if count[hit.conversation] <= _OF_ONE and len(found) < _TEXTS:
            found.append(hit)
    return found


def _conversations(actor: Actor, query: Query, words: str) -> list[HitView]:
    """Returns the conversations with the words in title or id, latest change first.

    They are looked up by the list of conversations, which also finds parts of words.
    """
    wanted = ConversationFilter(status=query.status, workflow=query.workflow, text=words)
    found = list_conversations(actor, wanted, PageRequest(limit=_OF_EACH))
    hits = [
        Hit(
            kind=HitKind.CONVERSATION,
            at=head.updated_at,
            passage=Passage((PassagePiece(head.public_id),)),
            conversation=head.public_id,
            title=head.title,
            status=head.status,
            workflow=head.workflow,
            head=head,
        )
        for head in found.items
    ]
    return hit_views(hits)


def _twins(views: Sequence[HitView]) -> Collection[str]:
    """Returns the titles that several of the conversations have."""
    titles = {view.conversation: view.title for view in views}
    return [title for title, count in Counter(titles.values()).items() if count > 1]


def _json(view: HitView, twins: Collection[str]) -> dict[str, object]:
    """Returns a hit; of a title in ``twins`` with the id of the conversation beside its place."""
    places = [view.place, view.conversation if view.title in twins else ""]
    return {
        "label": plain(view.title),
        "kind": str(view.label),
        "icon": view.icon,
        "url": view.url,
        "place": plain(" · ".join(filter(None, places))),
        "status": view.status,
        "passage": [[plain(piece.readable), piece.marked] for piece in _passage_of(view)],
    }


def _passage_of(view: HitView) -> Sequence[PassagePiece]:
    """Returns the passage of a text, and of others if it has a word: else it is their name."""
    pieces = view.passage.pieces
    return pieces if view.kind in _IN_TEXTS or any(each.marked for each in pieces) else ()
