"""What a whole form or a whole state says of a draft: pure functions.

A page is given what is kept and knows it by marks: one for each change, of what the change is. So
it speaks only of what became another in it, and what another page typed since is seen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from checkpoints.editing.draft import (
    Aside,
    Draft,
    Drop,
    Entry,
    Marks,
    Operation,
    Revert,
    Set,
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
    """What a page says: an entry, or None for "as in the state", where it changed something.

    ``text`` is its whole state that cannot be read, ``text_given`` the mark of what that was.
    """

    entries: Mapping[str, Entry | None] = field(default_factory=dict)
    given: Marks = field(default_factory=dict)
    text: WholeText | None = None
    text_given: str = ""


def patch_of_form(entries: Sequence[Entry], given: Marks) -> DraftPatch:
    """What a form says; a new key that it was given and has no more was taken out."""
    there = places_of(entries)
    said: dict[str, Entry | None] = {
        place: each if each.mark else None
        for place, each in there.items()
        if each.mark != given.get(place, "")
    }
    said |= {place: None for place in given if place[:1] != "0" and place not in there}
    return DraftPatch(said, given)


def patch_of_whole(entries: Sequence[Entry], given: Marks, text_given: str) -> DraftPatch:
    """What a whole state says, whose changes are ``entries``."""
    there = places_of(entries)
    said: dict[str, Entry | None] = {
        place: each for place, each in there.items() if each.mark != given.get(place)
    }
    said |= {place: None for place in given if place not in there}
    return DraftPatch(said, given, text_given=text_given)


def operations_of(said: DraftPatch, draft: Draft) -> tuple[list[Operation], list[str]]:
    """What a page says as operations, and the names of keys that another page changed, too.

    For these the page stands, and what the other typed stays beside it.
    """
    made: list[Operation] = []
    over: list[str] = []
    if said.text_given:
        made.append(Drop(said.text_given))
    for place, mine in said.entries.items():
        theirs = draft.entries.get(place)
        own = {said.given.get(place, ""), mine.mark if mine else ""}
        if theirs is not None and theirs.mark not in own:
            made.append(Aside(place))
            over.append(theirs.name)
        made += [
            Drop(each.mark)
            for at, each in with_places(draft.others)
            if at == place and each.mark == said.given.get(place)
        ]
        made.append(Set(place, mine) if mine else Revert(place))
    if said.text is not None:
        made.append(Type(said.text))
    return made, over


def read_given(text: str) -> Marks:
    """The marks that a page sends back; none if it says nothing that can be read."""
    try:
        found = loads_strict(text[:_MOST_GIVEN].encode(errors="surrogatepass")) if text else {}
    except ValidationFailed:
        return {}
    marks = found if isinstance(found, dict) else {}
    return {place: mark for place, mark in marks.items() if isinstance(mark, str)}
