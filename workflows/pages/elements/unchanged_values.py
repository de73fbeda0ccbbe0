"""The values of a form that nobody changed, in the spelling of the document that it showed."""

from collections.abc import Mapping, Sequence
from itertools import takewhile

from pydantic import JsonValue
from pydantic.alias_generators import to_snake


def with_unchanged(
    written: Mapping[str, JsonValue],
    shown: Mapping[str, JsonValue],
    sent: Mapping[str, JsonValue],
) -> dict[str, JsonValue]:
    """Returns the element ``sent`` with its unchanged values as they are ``written``.

    ``shown`` is what the form of ``written`` says if it is sent as it was drawn: it spells out
    defaults, for example. Without this, two changes of different fields of one element would both
    change each field that a form spells out.
    """
    empty = {
        name: value for name, value in written.items() if to_snake(name) not in {*shown, *sent}
    }
    return {**empty, **_members(written, shown, sent)}


def _members(
    written: Mapping[str, JsonValue],
    shown: Mapping[str, JsonValue],
    sent: Mapping[str, JsonValue],
) -> dict[str, JsonValue]:
    known = {*written} & {*shown}
    return {
        name: _value(written[name], shown[name], value) if name in known else value
        for name, value in sent.items()
    }


def _value(written: JsonValue, shown: JsonValue, sent: JsonValue) -> JsonValue:
    if sent == shown:
        return written
    match written, shown, sent:
        case dict(), dict(), dict():
            return _members(written, shown, sent)
        case list(), list(), list() if len(written) == len(shown):
            return _items(written, shown, sent)
        case dict(), dict(), [*items]:  # one filter needs no list
            return _items([written], [shown], items)
    return sent


def _items(
    written: Sequence[JsonValue], shown: Sequence[JsonValue], sent: Sequence[JsonValue]
) -> list[JsonValue]:
    """Returns the items ``sent`` of a list, of which some can be new and others gone."""
    if len(shown) == len(sent):
        return list(map(_value, written, shown, sent))
    first = _count_same(shown, sent)
    last = _count_same(list(reversed(shown[first:])), list(reversed(sent[first:])))
    return [*written[:first], *sent[first : len(sent) - last], *written[len(written) - last :]]


def _count_same(shown: Sequence[JsonValue], sent: Sequence[JsonValue]) -> int:
    """Returns how many items are the same from the first on."""
    pairs = zip(shown, sent, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
