"""What the page shell shows around every page: the main menu, the theme, how data is kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.functional import SimpleLazyObject, cached_property
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override

from ctxadmin.accounts.authentication import person_actor
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.storage.redis import links
from ctxadmin.ui.components import Text
from ctxadmin.ui.places import PLACES, Place
from ctxadmin.ui.theme import Theme, chosen_theme


@dataclass(frozen=True, slots=True)
class MenuItem:
    """One place of the main menu: shown if its url exists and the actor has the right ``needs``.

    ``key`` is pressed after ``g`` to go there; ``way`` is the button by which an error page leads
    there.
    """

    label: Text
    url_name: str
    icon: str
    key: str
    way: Text
    needs: Action = Action.READ


@dataclass(frozen=True, slots=True)
class NavItem:
    """A place of the menu as the template shows it."""

    label: Text
    url: str
    icon: str
    key: str
    way: Text
    current: bool


@dataclass(frozen=True, slots=True)
class PlaceLink:
    """A page or action as the palette shows it; ``names`` are its labels in other languages."""

    label: Text
    url: str
    icon: str
    names: str


MENU: Final[tuple[MenuItem, ...]] = (
    MenuItem(_("Overview"), "overview", "layout-dashboard", "o", _("Go to the overview")),
    MenuItem(_("Workflows"), "workflows:list", "topology-star-3", "w", _("Go to workflows")),
    MenuItem(_("Conversations"), "conversations:list", "messages", "c", _("Go to conversations")),
    MenuItem(_("Executions"), "checkpoints:list", "activity", "e", _("Go to executions")),
    MenuItem(_("Reviews"), "reviews", "user-question", "r", _("Go to reviews")),
    MenuItem(
        _("Audit"),
        "audit:list",
        "shield-check",
        "a",
        _("Go to the audit"),
        Action.AUDIT_READ,
    ),
    MenuItem(
        _("Settings"), "settings", "settings", "s", _("Go to the settings"), Action.WEBHOOK_MANAGE
    ),
)
SEARCH: Final = "search"


class Shell:
    """The variable ``shell`` of every template; ``templates/README.md`` names its fields."""

    def __init__(self, request: HttpRequest) -> None:
        self.request = request

    @cached_property
    def actor(self) -> Actor | None:
        """Returns the reader.

        A view that has looked it up already leaves it at ``request.actor``.
        """
        found = getattr(self.request, "actor", None)
        return found if isinstance(found, Actor) else person_actor(self.request)

    @cached_property
    def nav(self) -> Sequence[NavItem]:
        return nav_items(self.actor, self.request.path)

    @property
    def search_url(self) -> str:
        """Returns the target of the search form, or nothing without a search."""
        return url_or_nothing(SEARCH)

    @cached_property
    def places(self) -> Sequence[PlaceLink]:
        return places_of(self.actor)

    @property
    def theme(self) -> Theme:
        return chosen_theme(self.request)

    @property
    def storage_note(self) -> Text:
        return storage_note(
            embedded=bool(settings.EMBEDDED),
            live_copy=settings.LIVE_REDIS is not None,
            away=links.is_down(),
        )


def nav_items(actor: Actor | None, path: str) -> list[NavItem]:
    """Returns the menu for ``actor`` on the page ``path``; empty if nobody is signed in."""
    if actor is None:
        return []
    urls = {place: url_or_nothing(place.url_name) for place in MENU if actor.may(place.needs)}
    here = max((url for url in urls.values() if url and path.startswith(url)), key=len, default="")
    if here == "/" and path != "/":  # the overview is a prefix of everything
        here = ""
    return [
        NavItem(place.label, url, place.icon, place.key, place.way, url == here)
        for place, url in urls.items()
        if url
    ]


def places_of(actor: Actor | None) -> list[PlaceLink]:
    """Returns what the palette offers to ``actor``: the menu, then other pages and actions."""
    if actor is None:
        return []
    places: tuple[MenuItem | Place, ...] = (*MENU, *PLACES)
    found = [
        PlaceLink(
            place.label, url_or_nothing(place.url_name), place.icon, _other_names(place.label)
        )
        for place in places
        if actor.may(place.needs)
    ]
    return [each for each in found if each.url]


def _other_names(label: Text) -> str:
    """Returns a label in the languages other than that of the page, by which it is found, too."""
    names = []
    for code, _language in settings.LANGUAGES:
        with override(code):
            names.append(str(label))
    return " ".join(dict.fromkeys(each for each in names if each != str(label)))


def url_or_nothing(name: str) -> str:
    """Returns the path of a url name, or "" if no part has added it."""
    try:
        return reverse(name)
    except NoReverseMatch:
        return ""


def storage_note(*, embedded: bool, live_copy: bool, away: bool = False) -> Text:
    """Returns how data is stored, for the footer."""
    if away:
        return _("Redis is unavailable: everything is read from SQL, nothing is lost.")
    if embedded:
        return _("Embedded mode: SQLite in one process, stored on this disk, no failover")
    if live_copy:
        return _("Stored in MySQL, with a live copy in Redis")
    return _("Stored in MySQL, no live copy")


def shell(request: HttpRequest) -> dict[str, object]:
    """The context processor of ``shell``, computed only when a template uses it."""
    return {"shell": SimpleLazyObject(lambda: Shell(request))}
