"""The filter of the messages of a page: its fields with their choices, and what is chosen."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from conversations.models import Conversation
from conversations.pages.reading import view_window
from conversations.pages.reading.url_parameters import requested_view
from conversations.pages.reading.view_window import ShownView
from conversations.reading.filter_choices import MOST_COUNTED, Choices, filter_choices
from conversations.reading.node_names import names_of_nodes
from conversations.store.conversation import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.ui.components import Text, author_label
from ctxadmin.ui.pages import page, part_of

COUNTED_AT_ONCE: Final = 1000  # messages of a log: 8 ms of processor time; of more when it opens

_LABELS: Final[Mapping[str, tuple[Text, Text]]] = {
    "role": (gettext_lazy("Role"), gettext_lazy("Any role")),
    "tool": (gettext_lazy("Tool"), gettext_lazy("Any tool")),
    "node": (gettext_lazy("Node"), gettext_lazy("Any node")),
    "author": (gettext_lazy("Author"), gettext_lazy("Any author")),
}


@dataclass(frozen=True, slots=True)
class FilterField:
    """A field with its choices: value, words for it, number of messages."""

    name: str
    label: Text
    nothing: Text
    chosen: str
    choices: Sequence[tuple[str, str, int]]


@dataclass(frozen=True, slots=True)
class FilterForm:
    """The fields that have something to choose from.

    ``counted`` is how many messages of a longer log were counted, 0 if all were.
    """

    head: Conversation
    wanted: ShownView
    fields: Sequence[FilterField]
    counted: int


@dataclass(frozen=True, slots=True)
class ChosenFilter:
    """One field that is filtered by, with the address of the page without it."""

    label: Text
    words: str
    url: str


def filter_form(head: Conversation, shown: ShownView) -> FilterForm:
    """The fields of the filter for a view, counted now."""
    found = filter_choices(head, view_window.whole_view(head, shown), shown.only)
    nodes = _node_words(head, [value for value, _count in found.nodes])
    fields = [
        _field(shown, "role", found.roles, str),
        _field(shown, "tool", found.tools, str),
        _field(shown, "node", found.nodes, nodes.__getitem__),
        _field(shown, "author", found.authors, author_label),
    ]
    counted = MOST_COUNTED if head.log_count > MOST_COUNTED else 0
    return FilterForm(head, shown, [each for each in fields if each.choices], counted)


def _field(
    shown: ShownView, name: str, choices: Choices, words: Callable[[str], str]
) -> FilterField:
    label, nothing = _LABELS[name]
    listed = [(value, words(value), count) for value, count in choices]
    return FilterField(name, label, nothing, getattr(shown.only, name), listed)


def _node_words(head: Conversation, node_ids: Sequence[str]) -> Mapping[str, str]:
    """Returns what nodes are called, with their ids where several have one name."""
    names = names_of_nodes(head, node_ids)
    counts = Counter(names.values())
    return {each: f"{name} ({each})" if counts[name] > 1 else name for each, name in names.items()}


def chosen_filters(head: Conversation, shown: ShownView) -> list[ChosenFilter]:
    """What the messages are filtered by now."""
    return [
        ChosenFilter(
            label=_LABELS[name][0],
            words=_chosen_words(head, name, value),
            url=replace(shown, only=replace(shown.only, **{name: ""})).query,
        )
        for name, value in shown.given
    ]


def _chosen_words(head: Conversation, name: str, value: str) -> str:
    if name == "author":
        return author_label(value)
    return names_of_nodes(head, [value])[value] if name == "node" else value


@require_safe
@part_of("conversations:detail", "conversation_id")
@page
def filter_fields(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """The fields of the filter for a page of a long conversation, when someone opens them."""
    head = find_head(actor.workspace, conversation_id)
    form = filter_form(head, requested_view(request))
    return render(request, "conversations/_filter.html", {"form": form})
