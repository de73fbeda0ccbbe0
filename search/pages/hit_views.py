"""Hits as pages show them: what it is, where it leads, the passage with its marks."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from conversations.reading.display_names import display_name, read_display_names
from ctxadmin.ui.components import Text
from search.domain.passages import Passage
from search.domain.query import HitKind
from search.hits import Hit

LABELS: Final[Mapping[HitKind, Text]] = {
    HitKind.WORKFLOW: _("Workflow"),
    HitKind.CONVERSATION: _("Conversation"),
    HitKind.MESSAGE: _("Message"),
    HitKind.STATE: _("State"),
    HitKind.REASON: _("Reason"),
    HitKind.COMMENT: _("Comment"),
}
PLURALS: Final[Mapping[HitKind, Text]] = {
    HitKind.WORKFLOW: _("Workflows"),
    HitKind.CONVERSATION: _("Conversations"),
    HitKind.MESSAGE: _("Messages"),
    HitKind.STATE: _("State"),
    HitKind.REASON: _("Reasons"),
    HitKind.COMMENT: _("Comments"),
}
ICONS: Final[Mapping[HitKind, str]] = {
    HitKind.WORKFLOW: "topology-star-3",
    HitKind.CONVERSATION: "messages",
    HitKind.MESSAGE: "message",
    HitKind.STATE: "braces",
    HitKind.REASON: "history",
    HitKind.COMMENT: "notes",
}
_ESCAPED: Final = re.compile(r"\\([*_`~|\[\]])")  # in Markdown, where pages show the sign alone
_LONGEST_WORDS: Final = 100  # that a page of messages looks for


@dataclass(frozen=True, slots=True)
class HitView:
    """A hit on a page; ``url`` is its very place, ``title`` names the conversation or workflow.

    ``conversation`` is its id, "" for a workflow. ``place`` is a name within that: a number,
    a role, a key. ``status`` is that of the conversation and leads to ``status_url``, "" for a
    workflow.
    """

    kind: HitKind
    label: Text
    icon: str
    url: str
    conversation: str
    title: str
    place: str
    hidden: bool
    archived: bool
    author: str
    status: str
    status_url: str
    passage: Passage
    at: datetime


@dataclass(frozen=True, slots=True)
class HitCluster:
    """The latest hits of one kind in a conversation; ``more`` are behind ``url``, with all."""

    title: str
    hits: Sequence[HitView]
    more: int = 0
    url: str = ""


@dataclass(frozen=True, slots=True)
class HitGroup:
    """The hits of one kind on a page; ``count`` is how many there are in all, ``url`` has them."""

    label: Text
    icon: str
    count: int
    url: str
    clusters: Sequence[HitCluster]


def hit_views(hits: Sequence[Hit]) -> list[HitView]:
    """Returns hits with their links; the names of their conversations take one statement."""
    read_display_names(hit.head for hit in hits if hit.head is not None)
    return [_hit_view(hit) for hit in hits]


def clustered(hits: Sequence[HitView]) -> list[list[HitView]]:
    """Returns hits by conversation, in the order of the first hit of each."""
    by_conversation: dict[str, list[HitView]] = {}
    for hit in hits:
        by_conversation.setdefault(hit.conversation or hit.url, []).append(hit)
    return list(by_conversation.values())


def _hit_view(hit: Hit) -> HitView:
    return HitView(
        kind=hit.kind,
        label=LABELS[hit.kind],
        icon=ICONS[hit.kind],
        url=url_of(hit),
        conversation=hit.conversation,
        title=hit.title if hit.head is None else display_name(hit.head),
        place=_place_of(hit),
        hidden=hit.visible is False,
        archived=hit.head is not None and hit.head.archived,
        author="" if hit.kind is HitKind.MESSAGE else hit.author,
        status=hit.status,
        status_url=reverse("checkpoints:detail", args=[hit.conversation])
        if hit.status not in ("", "IDLE")
        else "",
        passage=hit.passage,
        at=hit.at,
    )


def _place_of(hit: Hit) -> str:
    match hit.kind:
        case HitKind.MESSAGE:
            return f"#{hit.index} {hit.role}" + (f" · {hit.node}" if hit.node else "")
        case HitKind.STATE:
            return hit.key
        case HitKind.COMMENT:
            return hit.key or (f"#{hit.index}" if hit.index is not None else "")
        case _:
            return ""


def url_of(hit: Hit) -> str:
    """Returns the address of the place where the text of a hit is."""
    if hit.kind is HitKind.WORKFLOW:
        return reverse("workflows:detail", args=[hit.workflow])
    name = hit.conversation
    conversation = reverse("conversations:detail", args=[name])
    if hit.kind is HitKind.MESSAGE:
        return f"{conversation}?{_message_query(hit)}#m{hit.index}"
    if hit.kind is HitKind.COMMENT and hit.index is not None:
        return f"{conversation}?{_comment_query(hit)}#c{hit.number}"
    if hit.version is not None:
        version = reverse("checkpoints:version", args=[name, hit.version])
        if hit.kind is HitKind.STATE:
            return f"{version}?{_state_query(hit)}#state"
        return f"{version}#c{hit.number}" if hit.kind is HitKind.COMMENT else version
    if hit.kind is HitKind.REASON:
        return f"{reverse('conversations:revisions', args=[name])}#r{hit.number}"
    return conversation


def found_words(passage: Passage) -> str:
    """Returns what a conversation looks for to show a passage: one match as it is, several in
    quotes, as far as there is room.
    """
    matches = (_ESCAPED.sub(r"\1", " ".join(match.split())) for match in passage.matches)
    apart = list({match.casefold(): match for match in matches}.values())
    if len(apart) < 2:
        return apart[0] if apart else ""
    quoted = [f'"{match}"' for match in apart if '"' not in match]
    while quoted and len(" ".join(quoted)) > _LONGEST_WORDS:
        quoted.pop()
    return " ".join(quoted) if len(quoted) > 1 else max(apart, key=len)


def _state_query(hit: Hit) -> str:
    """Returns the query that shows a key with the words that were found in its value."""
    return urlencode({"q": hit.key, **_words_of(hit, "words")})


def _comment_query(hit: Hit) -> str:
    """Returns the query that shows the comment on a message with the words that were found."""
    return urlencode({"at": str(hit.index), **_words_of(hit, "words")})


def _words_of(hit: Hit, name: str) -> dict[str, str]:
    """Returns the parameters that mark whole words, the words by ``name``; none for long ones."""
    words = found_words(hit.passage)
    return {name: words, "whole": "1"} if words and len(words) <= _LONGEST_WORDS else {}


def _message_query(hit: Hit) -> str:
    """Returns the query that shows a message with the words that were found in it."""
    return urlencode({"at": str(hit.index), **_words_of(hit, "q")})
