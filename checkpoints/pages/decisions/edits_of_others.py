"""What others edit and have not applied, for whoever is about to decide."""

from dataclasses import dataclass
from typing import Final

from django.http import QueryDict

from checkpoints.domain.status import Status
from checkpoints.editing import draft_store
from checkpoints.models import Execution
from ctxadmin.accounts.models import User
from ctxadmin.identity.actor import Actor
from ctxadmin.ui.components import join_list

_FIELD: Final = "over-edits"
_MOST_PEOPLE: Final = 5
_MOST_KEYS: Final = 5


@dataclass(frozen=True, slots=True)
class EditsOfOthers:
    """Who has edits that are not applied, with their keys; ``mark`` names these people to a form.

    Both are "" if nobody has.
    """

    who: str = ""
    mark: str = ""


NO_EDITS: Final = EditsOfOthers()


def edits_of_others(actor: Actor, row: Execution | None) -> EditsOfOthers:
    """Returns the edits that others made since the execution waits, as far as it is reviewed."""
    if row is None or row.status != Status.PAUSED or row.waiting_since is None:
        return NO_EDITS
    found = draft_store.names_edited_by_others(actor, row, row.waiting_since)
    if not found:
        return NO_EDITS
    people = User.objects.filter(pk__in=found, is_active=True).order_by("username")
    names = dict(people.values_list("pk", "username"))
    who = [_words(name, found[person]) for person, name in names.items()]
    return EditsOfOthers(
        join_list([*who[:_MOST_PEOPLE], *(["…"] if len(who) > _MOST_PEOPLE else [])]),
        " ".join(map(str, names)),
    )


def unconfirmed_edits(actor: Actor, row: Execution | None, sent: QueryDict) -> EditsOfOthers:
    """Returns the edits of others unless a sent decision says that these people are known."""
    found = edits_of_others(actor, row)
    known = set(sent.get(_FIELD, "").split())
    return NO_EDITS if known.issuperset(found.mark.split()) else found


def _words(name: str, keys: list[str]) -> str:
    if not keys:
        return name
    named = [*keys[:_MOST_KEYS], *(["…"] if len(keys) > _MOST_KEYS else [])]
    return f"{name} ({join_list(named)})"
