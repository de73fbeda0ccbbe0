"""What only one provider knows of a message, a call or a part, kept under its format's name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from pydantic import JsonValue

Fields: TypeAlias = Mapping[str, JsonValue]

OWN: Final = "provider"
"""The field ``{format, fields, ...}`` of a message, a call or a part, and the type of a part."""

_ADDRESS: Final = "address"
_IS_BASE64: Final = "is_base64"
_PLACE: Final = "place"
_BASE64: Final = ";base64,"


@dataclass(frozen=True, slots=True)
class OwnFields:
    """What a format knows beyond the others; ``place`` is where a call stood in its content."""

    format_name: str = ""
    fields: Fields = field(default_factory=dict)
    place: int | None = None

    def of(self, format_name: str) -> Fields:
        """The fields if they are of this format."""
        return self.fields if self.format_name == format_name else {}

    def place_in(self, format_name: str) -> int | None:
        return self.place if self.format_name == format_name else None


NOTHING: Final = OwnFields()


def own_fields_of(data: Fields) -> OwnFields:
    """Those of a message, a call or a part; NOTHING if the field is something else."""
    kept = data.get(OWN)
    if not isinstance(kept, dict) or not isinstance(kept.get("format"), str):
        return NOTHING
    fields, place = kept.get("fields"), kept.get(_PLACE)
    is_place = isinstance(place, int) and not isinstance(place, bool) and place >= 0
    return OwnFields(
        str(kept["format"]),
        fields if isinstance(fields, dict) else {},
        place if is_place and isinstance(place, int) else None,
    )


def with_own_fields(
    format_name: str, fields: Fields, *, place: int | None = None
) -> dict[str, JsonValue]:
    """The field that keeps them, as an object to be merged; empty if there is nothing to keep."""
    if not fields and place is None:
        return {}
    kept: dict[str, JsonValue] = {"format": format_name, "fields": dict(fields)}
    return {OWN: kept if place is None else {**kept, _PLACE: place}}


def with_own_part(
    format_name: str, written: dict[str, JsonValue], source: Fields, address: str
) -> dict[str, JsonValue]:
    """A file or an image with what its ``source`` says otherwise.

    ``address`` is the field of the source that has the URL or the bytes, which are in ``written``.
    """
    given = source.get(address)
    fields: dict[str, JsonValue] = {k: v for k, v in source.items() if k != address}
    kept: dict[str, JsonValue] = {"format": format_name, "fields": fields, _ADDRESS: address}
    if _address_of(written) != given:
        kept[_IS_BASE64] = True
    return {**written, OWN: kept}


def own_part_of(data: Fields, format_name: str) -> dict[str, JsonValue] | None:
    """The source of ``with_own_part``, as it was; None for any other part."""
    kept = data.get(OWN)
    if not isinstance(kept, dict) or kept.get("format") != format_name:
        return None
    name, fields, found = kept.get(_ADDRESS), kept.get("fields"), _address_of(data)
    if not isinstance(name, str) or not isinstance(fields, dict) or found is None:
        return None
    if kept.get(_IS_BASE64) is True:
        found = found.partition(_BASE64)[2] or found
    return {**fields, name: found}


def _address_of(part: Fields) -> str | None:
    for kind, names in (
        ("image_url", ("url",)),
        ("file", ("file_data", "file_url")),
        ("input_audio", ("data",)),
    ):
        inner = part.get(kind)
        for name in names if isinstance(inner, dict) else ():
            if isinstance(inner, dict) and isinstance(found := inner.get(name), str):
                return found
    return None
