"""The part of a view that a page shows, as sections of cards with the gaps between them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from conversations.domain import runs
from conversations.domain.bodies import StoredMessage
from conversations.domain.view import View
from conversations.models import Conversation
from conversations.pages.batch_words import batch_words
from conversations.pages.reading.cards import (
    CommentView,
    Gap,
    HiddenBy,
    MessageCard,
    SummaryView,
    comment_view,
    join_results,
    message_card,
)
from conversations.reading import hidden_messages, queries, summaries
from conversations.reading.batch_changes import BatchChange, Place, changes_of
from conversations.reading.hidden_messages import HidingRevision
from conversations.reading.navigation import EVERYTHING, ReadingFilter, narrowed
from conversations.reading.node_names import names_of_nodes
from conversations.reading.node_visits import node_visits
from conversations.reading.queries import MessageWindow
from conversations.services import comments, recalls
from conversations.store import pin_rows
from conversations.store.conversation import view_of
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import NotFound, ValidationFailed
from ctxadmin.lib.whole_number import whole_number

SECTION: Final = 50
_AROUND: Final = 12  # messages on each side of one that a large window shows
Gaps = Mapping[int, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class ShownView:
    """What of a conversation is asked for: a view, how many of its messages, the words to mark.

    ``whole`` marks only whole words. ``only`` leaves out messages for a reader; the view stays as
    it is.

    ``which`` is ``current``, ``all`` or the number of a revision; ``count`` goes back to when the
    view had so many messages; ``hidden`` asks for what it does not show, too.
    """

    which: str = "current"
    count: int | None = None
    hidden: bool = False
    words: str = ""
    whole: bool = False
    only: ReadingFilter = EVERYTHING

    @property
    def query(self) -> str:
        """Returns the query string of this view, to which a place is added."""
        then = "" if self.count is None else f"count={self.count}&"
        return f"?view={self.which}&{then}{self.filters}" + ("hidden=1&" if self.hidden else "")

    @property
    def find_query(self) -> str:
        """The words and how they are looked for, as they stand in the address; "" for none."""
        whole = {"whole": "1"} if self.whole else {}
        return urlencode({"q": self.words} | whole) if self.words else ""

    @property
    def given(self) -> list[tuple[str, str]]:
        """The fields of the filter that are filled in."""
        names = ("role", "tool", "node", "author")
        return [(name, value) for name in names if (value := getattr(self.only, name))]

    @property
    def filters(self) -> str:
        """The filter as it stands in the address."""
        return f"{urlencode(self.given)}&" if self.given else ""


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of messages; only the requested ones come with their cards.

    ``url`` returns the cards alone, ``query`` is that of the page that has them loaded; ``gap`` are
    the hidden messages before the first one.
    """

    start: int
    stop: int
    label: str
    url: str
    query: str
    cards: Sequence[MessageCard]
    gap: Gap | None = None


def is_number(text: str) -> bool:
    return whole_number(text) is not None


def view_shown(head: Conversation, shown: ShownView) -> View:
    """The view itself, without its messages; narrowed to what the reader wants."""
    return narrowed(head, whole_view(head, shown), shown.only)


def whole_view(head: Conversation, shown: ShownView) -> View:
    """The view whatever of it is shown."""
    if shown.which == "all":
        return View([(0, head.log_count)])
    view = view_of(queries.shown_revision(head, _name(shown.which)))
    return view if shown.count is None else view.slice(0, shown.count)


def window_of(head: Conversation, shown: ShownView, start: int) -> MessageWindow:
    """Returns the messages of a section."""
    which = shown.which
    if which not in ("all", "current") and not is_number(which):
        text = _("Unknown view. Use current, all, or a revision number.")
        raise ValidationFailed.at("?view", text)
    if shown.only:
        return _narrow_window(head, shown, start)
    if which == "all":
        return queries.log_window(head, start, SECTION)
    row = queries.shown_revision(head, _name(which))
    return queries.visible_window(head, row, start, SECTION, count=shown.count)


def _narrow_window(head: Conversation, shown: ShownView, start: int) -> MessageWindow:
    """A section of what a filter keeps, with the positions that the messages have in the view."""
    whole = whole_view(head, shown)
    kept = narrowed(head, whole, shown.only)
    part = kept.slice(start, start + SECTION)
    current = whole if shown.which != "all" else whole_view(head, ShownView())
    messages = queries.messages_of(head, part, current)
    places = [whole.position_of(index) or 0 for index in part]
    return MessageWindow(messages, places, len(kept), head.current_revision)


def place_of(head: Conversation, shown: ShownView, index: int) -> int | None:
    """Returns the position of a message in a view, None if it is hidden there.

    NotFound without it.
    """
    if index >= head.log_count:
        raise NotFound(_("There is no message #%(n)s.") % {"n": index})
    everything = shown.which == "all" and not shown.only
    return index if everything else view_shown(head, shown).position_of(index)


def place_near(head: Conversation, shown: ShownView, index: int) -> int:
    """Returns the position of a message, or if it is hidden there of the one before it."""
    place = place_of(head, shown, index)
    if place is not None:
        return place
    runs = view_shown(head, shown).runs
    before = sum(min(stop, index) - start for start, stop in runs if start < index)
    return max(before - 1, 0)


def start_beside(place: int, count: int) -> int | None:
    """Returns the start of the next section that a window around a position shows, too.

    None if it is in the middle of its section, or there is no other on that side.
    """
    start = place // SECTION * SECTION
    if place - start < _AROUND and start > 0:
        return start - SECTION
    return (
        start + SECTION if start + SECTION - place <= _AROUND and start + SECTION < count else None
    )


def messages_url(head: Conversation, shown: ShownView) -> str:
    """Returns the page of a view, to which ``at=index#mindex`` is added."""
    return reverse("conversations:detail", args=[head.public_id]) + shown.query


def sections_of(
    actor: Actor,
    head: Conversation,
    shown: ShownView,
    windows: Mapping[int, MessageWindow],
    view: View,
) -> list[Section]:
    """Returns the sections of these windows with their messages, the others as placeholders.

    ``windows`` are by their starts; ``view`` has the messages of all sections.
    """
    base = reverse("conversations:section", args=[head.public_id])
    label = _("Messages #%(a)s to #%(b)s")
    gaps = gaps_of(head, shown)
    found: list[Section] = []
    count = next(iter(windows.values())).view_count
    for first in range(0, count, SECTION):
        stop = min(first + SECTION, count)
        window = windows.get(first)
        cards = () if window is None else cards_of(actor, head, shown, window, gaps)
        query = f"{shown.query}start={first}"
        found.append(
            Section(
                start=first,
                stop=stop,
                label=label % {"a": view.index_at(first), "b": view.index_at(stop - 1)},
                url=base + query,
                query=f"{query}#s{first}",
                cards=cards,
                gap=gap_behind(head, shown, gaps, -1) if first == 0 else None,
            )
        )
    return found


def gaps_of(head: Conversation, shown: ShownView) -> Gaps:
    """Returns the hidden messages of a view, by the log index that they follow, -1 for the
    front.

    A view in the middle of a revision has none.
    """
    if shown.which == "all" or shown.count is not None or shown.only:
        return {}
    if shown.which == "current" and head.visible_count == head.log_count:
        return {}
    row = queries.shown_revision(head, _name(shown.which))
    length = head.log_count if row.number == head.current_revision else row.log_length
    return hidden_messages.gaps_behind(hidden_messages.hidden_runs(view_of(row), length))


def gap_behind(head: Conversation, shown: ShownView, gaps: Gaps, index: int) -> Gap | None:
    """Returns the hidden messages right after a message, -1 for the front."""
    run = gaps.get(index)
    return None if run is None else gap_of(head, shown, *run)


def gap_of(head: Conversation, shown: ShownView, start: int, stop: int) -> Gap:
    base = reverse("conversations:hidden", args=[head.public_id])
    page = reverse("conversations:detail", args=[head.public_id])
    return Gap(
        start,
        stop,
        f"{base}{shown.query}start={start}&stop={stop}",
        f"{page}?view=all&at={start}#m{start}",
    )


def cards_of(
    actor: Actor, head: Conversation, shown: ShownView, window: MessageWindow, gaps: Gaps
) -> list[MessageCard]:
    """Returns the messages of a section, with results in the cards of their calls."""
    messages = window.messages
    results = queries.results_of(head, [message.index for message in messages])
    hidden = hidden_by(head, [each for each in messages if not each.visible])
    comments = _comments_on(actor, head, [message.index for message in messages])
    pinned = pin_rows.pins_among(head.key, [message.index for message in messages])
    covers = _summaries(head, [message.index for message in messages])
    recalled = recalls.recalls_among(head, [message.index for message in messages])
    visits = node_visits(head, messages)
    nodes = names_of_nodes(head, {each.node_id for each in messages})
    whole_log = shown.which == "all"
    places: Sequence[int | None] = [None] * len(messages) if whole_log else window.positions
    return join_results(
        [
            message_card(
                message,
                results,
                position,
                gap=gap_behind(head, shown, gaps, message.index),
                hidden_by=hidden.get(message.index),
                comments=comments.get(message.index, ()),
                pin=pinned.get(message.index),
                summary=covers.get(message.index),
                recalled=recalled.get(message.index),
                visit=visits.get(message.index, 0),
                nodes=nodes,
            )
            for message, position in zip(messages, places, strict=True)
        ]
    )


def _comments_on(
    actor: Actor, head: Conversation, indices: Sequence[int]
) -> Mapping[int, Sequence[CommentView]]:
    """Returns the comments on messages."""
    found = comments.of_messages(head, indices) if indices else {}
    return {index: [comment_view(actor, each) for each in rows] for index, rows in found.items()}


def _summaries(head: Conversation, indices: Sequence[int]) -> Mapping[int, SummaryView]:
    """Returns what the summaries among some messages cover."""
    diff = reverse("conversations:diff", args=[head.public_id])
    return {
        index: SummaryView(
            runs.count(each.sources), f"{diff}?from={each.parent}&to={each.revision}"
        )
        for index, each in summaries.summaries_among(head, indices).items()
    }


def hidden_cards(
    actor: Actor, head: Conversation, shown: ShownView, start: int, stop: int
) -> list[MessageCard]:
    """Returns messages that a view hides, grayed, with what hid them; leaves out visible ones."""
    view = view_shown(head, shown)
    row = queries.shown_revision(head, _name(shown.which))
    asked = [index for index in range(start, min(stop, head.log_count)) if index not in view]
    messages = queries.messages_at(head, asked, view)
    results = queries.results_of(head, asked)
    hidden = hidden_by(head, messages, row.number)
    comments = _comments_on(actor, head, asked)
    pinned = pin_rows.pins_among(head.key, asked)
    covers = _summaries(head, asked)
    recalled = recalls.recalls_among(head, asked)
    visits = node_visits(head, messages)
    nodes = names_of_nodes(head, {each.node_id for each in messages})
    return join_results(
        [
            message_card(
                message,
                results,
                None,
                hidden_by=hidden.get(message.index),
                comments=comments.get(message.index, ()),
                pin=pinned.get(message.index),
                summary=covers.get(message.index),
                recalled=recalled.get(message.index),
                visit=visits.get(message.index, 0),
                nodes=nodes,
            )
            for message in messages
        ]
    )


def hidden_by(
    head: Conversation, messages: Sequence[StoredMessage], revision: int | None = None
) -> dict[int, HiddenBy]:
    """Returns by log index what hid the messages from a revision's view, by default the current."""
    if not messages:
        return {}
    number = head.current_revision if revision is None else revision
    row = queries.shown_revision(head, f"revision:{number}")
    found = hidden_messages.hiding_revisions(head, row, [message.index for message in messages])
    hiders = {each.revision.number: each.revision for each in found.values()}
    batches = changes_of(list(hiders.values()))
    return {index: _hider_words(head, each, batches) for index, each in found.items()}


def _hider_words(
    head: Conversation, hider: HidingRevision, batches: Mapping[Place, BatchChange]
) -> HiddenBy:
    row = hider.revision
    if not hider.on_branch:
        words = _("of batch %(n)s (rolled back)") % {"n": row.batch}
        page = reverse("conversations:detail", args=[head.public_id])
        return HiddenBy(words, "", f"{page}?view={row.number}")
    operation = batch_words(row, batches)
    words = _("hidden by batch %(n)s: %(operation)s") % {"n": row.batch, "operation": operation}
    before = row.number if row.parent is None else row.parent
    diff = reverse("conversations:diff", args=[head.public_id])
    return HiddenBy(
        words,
        row.reason,
        f"{diff}?from={before}&to={row.number}",
    )


def _name(which: str) -> str:
    return f"revision:{which}" if is_number(which) else which
