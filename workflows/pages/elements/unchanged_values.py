"""The values of a form that nobody changed, in the spelling of the document that it showed."""

from collections.abc import Mapping

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
        case list(), list(), list() if len(written) == len(shown) == len(sent):
            return list(map(_value, written, shown, sent))
    return sent
