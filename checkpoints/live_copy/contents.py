"""The content of a moment, from the live copy if that is valid, else from SQL."""

from collections.abc import Collection, Mapping
from typing import Final

from checkpoints.domain.reducers import MESSAGES
from checkpoints.domain.status import Status
from checkpoints.live_copy import current
from checkpoints.live_copy.deltas import OF_LISTS
from checkpoints.live_copy.marks import Marked, current_mark, mark_of
from checkpoints.live_copy.port import WHOLE, FoundParts, Part, Pieces, Value
from checkpoints.store.snapshots import StoredSnapshot
from checkpoints.store.state import EMPTY_LIST, LISTS, StoredKey
from conversations.reading.queries import visible_json
from ctxadmin.storage.redis.counts import count

Values = Mapping[str, Value]
Contents = Mapping[Part, Values]
_NO_VALUES: Final[Values] = {}
_NO_ELEMENTS: Final[Pieces] = (EMPTY_LIST,)


def contents_of(moment: StoredSnapshot, wanted: Collection[Part]) -> Contents:
    """Returns the parts of a moment: values by name, or the one list of a part as ``WHOLE``."""
    copy = current.copy()
    marked = mark_of(moment) if copy.is_enabled else None
    if marked is None:
        return parts_in_sql(moment, wanted)
    parts = [part for part in wanted if part in marked.parts]
    found = copy.read(moment.head.key, marked.mark, parts)
    missing = [part for part in wanted if part not in found.parts]
    count("doubts" if found.parts.keys() < set(parts) else "hits")
    if not missing:
        return found.parts
    read = parts_in_sql(moment, missing)
    _write_back(moment, marked, found, read)
    return {**found.parts, **read}


def contents_of_keys(moment: StoredSnapshot, names: Collection[str]) -> Contents:
    """Returns all parts of a moment with some keys of the state, read from the cheaper place."""
    wanted = [part for part in Part if part is not Part.MESSAGES or MESSAGES in names]
    return parts_in_sql(moment, wanted, names)


def whole_list(contents: Contents, part: Part) -> Pieces:
    """Returns the list of a part that is a single list."""
    value = contents[part].get(WHOLE)
    return _NO_ELEMENTS if value is None else value.pieces


def _write_back(moment: StoredSnapshot, marked: Marked, found: FoundParts, read: Contents) -> None:
    """Writes what was read from SQL to the copy, unless the conversation was erased meanwhile.

    An erasure drops the copy after its commit. If that happened before the second check here,
    nothing else would remove what was just written.
    """
    key, copy = moment.head.key, current.copy()
    own = {part: values for part, values in read.items() if part in marked.parts}
    if own:
        status = Status.IDLE if moment.row is None else Status(moment.row.status)
        copy.put(key, marked.mark, own, found, current.seconds_of(status))
        if current_mark(key) is None:
            copy.drop(key)


def parts_in_sql(
    moment: StoredSnapshot, wanted: Collection[Part], names: Collection[str] | None = None
) -> Contents:
    """Returns the parts from SQL; of the state the named keys, or all."""
    found: dict[Part, Values] = dict.fromkeys(wanted, _NO_VALUES)
    if Part.MESSAGES in found:
        found[Part.MESSAGES] = {WHOLE: Value((_visible(moment),), grows=True)}
    keys = {OF_LISTS[part] for part in found if part in OF_LISTS}
    if moment.rows is None or not (keys or Part.STATE in found):
        return found
    held = [
        each
        for key, each in moment.heads().items()
        if (key in keys if key in LISTS else Part.STATE in found and _is_in(names, each.name))
    ]
    values = moment.rows.values(held, moment.version)
    if Part.STATE in found:
        found[Part.STATE] = {
            each.name: Value((values[each.key],), grows=_grows(each))
            for each in held
            if each.key not in LISTS
        }
    for part, key in OF_LISTS.items():
        if part in found and key in values:
            found[part] = {WHOLE: Value((values[key],), grows=True)}
    return found


def _is_in(names: Collection[str] | None, name: str) -> bool:
    return names is None or name in names


def _grows(held: StoredKey) -> bool:
    """Returns True for a list under the reducer append, whose changes are more elements."""
    return held.head is not None and held.head.count is not None


def _visible(moment: StoredSnapshot) -> bytes:
    """Returns the visible messages as the list of messages shows them."""
    return b"[" + b",".join(visible_json(moment.head.key, moment.view())) + b"]"
