"""The state of an execution key by key, limited to what a page can show."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import orjson
from pydantic import JsonValue

from checkpoints.domain.opaque import Opaque, opaque_summary, value_of
from checkpoints.reading.state_values import heads_by_name, reducers_for
from checkpoints.store.snapshots import StoredSnapshot
from checkpoints.store.state import EXECUTED, HISTORY, StoredKey
from conversations.pages.reading.cards import CommentView

# A page with more takes seconds to draw; what is left out is named with its size.
MOST_VALUE_BYTES: Final = 64 * 1024
MOST_PAGE_BYTES: Final = 512 * 1024
MOST_KEYS: Final = 200
_MOST_LIST_BYTES: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class KeyView:
    """A key of the state; ``read`` is False if its value is too large for the page.

    ``version`` is that of its last change, ``changed`` is True if that is the shown version.
    ``comments`` are those on this key up to the shown version.
    """

    name: str
    size: int
    version: int
    changed: bool
    reducer: str
    value: JsonValue = None
    read: bool = True
    opaque: Opaque | None = None
    comments: Sequence[CommentView] = ()

    @property
    def is_text(self) -> bool:
        return isinstance(self.value, str)


@dataclass(frozen=True, slots=True)
class StateView:
    """The keys that a page shows, sorted, and the names of all that match, shown or not."""

    keys: Sequence[KeyView]
    names: Sequence[str]

    @property
    def total(self) -> int:
        return len(self.names)


def is_found(name: str, text: str) -> bool:
    """Returns True if a key's name contains ``text``, in whichever case it is typed."""
    return text.strip().casefold() in name.casefold()


def state_view(
    moment: StoredSnapshot,
    *,
    text: str = "",
    most: int = MOST_KEYS,
    newest_first: bool = False,
    first: Collection[str] = (),
) -> StateView:
    """Returns the keys whose name contains ``text``, with the values that fit on a page.

    If there are too many, it prefers those named in ``first``, or, with ``newest_first``, those
    that the shown version changed.
    """
    if moment.rows is None:
        return StateView((), ())
    held = heads_by_name(moment)
    found = (each for each in held.values() if is_found(each.name, text))
    named = sorted(found, key=lambda each: each.name)
    names = [each.name for each in named]
    if len(named) > most:
        named.sort(
            key=lambda each: (
                newest_first and each.version != moment.version,
                each.name not in first,
            )
        )
    shown = sorted(named[:most], key=lambda each: each.name)
    small = _that_fit(shown)
    values = moment.rows.values(small, moment.version)
    reducers = reducers_for(moment.row)
    read = {each.key for each in small}
    return StateView(
        [
            KeyView(
                name=each.name,
                size=each.head.size if each.head else 0,
                version=each.version,
                changed=each.version == moment.version,
                reducer=reducers.for_key(each.name).value,
                value=value_of(values[each.key]) if each.key in read else None,
                opaque=opaque_summary(values[each.key]) if each.key in read else None,
                read=each.key in read,
            )
            for each in shown
        ],
        names,
    )


def small_values(
    moment: StoredSnapshot, names: Collection[str], most: int = MOST_VALUE_BYTES
) -> dict[str, JsonValue]:
    """Returns the values of the named keys that exist and fit on a page, with ``most`` bytes."""
    if moment.rows is None or not names:
        return {}
    held = heads_by_name(moment)
    wanted = _that_fit([each for name, each in held.items() if name in names], most)
    values = moment.rows.values(wanted, moment.version)
    return {each.name: value_of(values[each.key]) for each in wanted}


def executed_nodes(moment: StoredSnapshot) -> list[str] | None:
    """Returns the executed nodes, None if there are too many for a page."""
    found = _list(moment, EXECUTED)
    return None if found is None else [str(each) for each in found]


def history_entries(moment: StoredSnapshot) -> list[JsonValue] | None:
    """Returns the execution history, None if it is too long for a page."""
    return _list(moment, HISTORY)


def _list(moment: StoredSnapshot, name: str) -> list[JsonValue] | None:
    if moment.rows is None:
        return []
    held: Mapping[str, StoredKey] = moment.rows.current_heads([name])
    if not held:
        return []
    if held[name].version > moment.version:  # it grew since: ask what it was then
        held = {k: h for k, h in moment.heads().items() if k == name}
    if name not in held or held[name].head is None:
        return []
    row = moment.row
    counted = row.history_count if row is not None and name == HISTORY else 0
    if counted > 2000 or (row is not None and row.executed_count > 20_000):
        return None
    data = moment.rows.values(held.values(), moment.version).get(name, b"[]")
    if len(data) > _MOST_LIST_BYTES:
        return None
    read: list[JsonValue] = orjson.loads(data)
    return read


def _that_fit(shown: Sequence[StoredKey], most: int = MOST_VALUE_BYTES) -> list[StoredKey]:
    """Returns the keys whose values fit on the page, smallest first."""
    left = MOST_PAGE_BYTES
    fit: list[StoredKey] = []
    for each in sorted(shown, key=lambda held: held.head.size if held.head else 0):
        size = each.head.size if each.head else 0
        if size > most or size > left:
            break
        left -= size
        fit.append(each)
    return fit
