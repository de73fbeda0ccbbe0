"""The changes that a whole form or a whole state makes to a draft: pure functions.

A page receives a mark for each stored change. It sends them back, so that only what it changed
counts, and input of other pages in the meantime is noticed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from checkpoints.editing.draft import (
    Aside,
    DraftEntry,
    Drop,
    Marks,
    Operation,
    Revert,
    Set,
    StateDraft,
    Type,
    WholeText,
    places_of,
    with_places,
)
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.json_bytes import loads_strict

_MOST_GIVEN: Final = 1_000_000  # characters


@dataclass(frozen=True, slots=True)
class DraftPatch:
    """The changes of a page: an entry, or None for "as in the state".

    ``text`` is its whole state that cannot be parsed, ``text_given`` the mark of the text it was
    given.
    """

    entries: Mapping[str, DraftEntry | None] = field(default_factory=dict)
    given: Marks = field(default_factory=dict)
    text: WholeText | None = None
    text_given: str = ""


def patch_of_form(entries: Sequence[DraftEntry], given: Marks) -> DraftPatch:
    """Returns the changes of a form; a new key that it was given and lacks was removed."""
    there = places_of(entries)
    changed: dict[str, DraftEntry | None] = {
        place: each if each.mark else None
        for place, each in there.items()
        if each.mark != given.get(place, "")
    }
    changed |= {place: None for place in given if place[:1] != "0" and place not in there}
    return DraftPatch(changed, given)


def patch_of_whole(entries: Sequence[DraftEntry], given: Marks, text_given: str) -> DraftPatch:
    """Returns the changes of a whole state, whose changes are ``entries``."""
    there = places_of(entries)
    changed: dict[str, DraftEntry | None] = {
        place: each for place, each in there.items() if each.mark != given.get(place)
    }
    changed |= {place: None for place in given if place not in there}
    return DraftPatch(changed, given, text_given=text_given)


def operations_of(patch: DraftPatch, draft: StateDraft) -> tuple[list[Operation], list[str]]:
    """Returns the changes of a page as operations, and the keys that another page changed too.

    For these keys the page's input becomes the entry, and the other input an alternative.
    """
    made: list[Operation] = []
    over: list[str] = []
    if patch.text_given:
        made.append(Drop(patch.text_given))
    for place, mine in patch.entries.items():
        theirs = draft.entries.get(place)
        own = {patch.given.get(place, ""), mine.mark if mine else ""}
        if theirs is not None and theirs.mark not in own:
            made.append(Aside(place))
            over.append(theirs.name)
        made += [
            Drop(each.mark)
            for at, each in with_places(draft.others)
            if at == place and each.mark == patch.given.get(place)
        ]
        made.append(Set(place, mine) if mine else Revert(place))
    if patch.text is not None:
        made.append(Type(patch.text))
    return made, over


def read_marks(text: str) -> Marks:
    """Returns the marks that a page sends back; none if they cannot be parsed."""
    try:
        found = loads_strict(text[:_MOST_GIVEN].encode(errors="surrogatepass")) if text else {}
    except ValidationFailed:
        return {}
    marks = found if isinstance(found, dict) else {}
    return {place: mark for place, mark in marks.items() if isinstance(mark, str)}
