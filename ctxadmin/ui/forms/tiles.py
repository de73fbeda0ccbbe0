"""A choice among tiles with icons, beside which any other text can be typed."""

from collections.abc import Mapping
from typing import Any, Final

from django import forms

from ctxadmin.ui.forms.hints import FieldHint

_OTHER: Final = "-other"


class TileSelect(forms.RadioSelect):
    """Radio buttons of the tiles, and one without a value, which stands for the text beside it."""

    def __init__(self, hint: FieldHint, attrs: dict[str, Any]) -> None:
        self.tiles = {tile.value: tile for tile in hint.tiles}
        self.change_label = hint.change_label
        self.text_attrs = attrs
        named = [(tile.value, tile.label) for tile in hint.tiles]
        super().__init__(choices=[*named, ("", hint.other_label)])

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> Any:
        """Returns the value of the tile, else what is typed beside them."""
        return data.get(name) or data.get(other_name(name), "")

    def optgroups(self, name: str, value: list[str], attrs: Any = None) -> list[Any]:
        """Returns the options; a value without a tile is that of the text, none is of no tile."""
        given = value[0] if value else ""
        if given in self.tiles or not given:
            return super().optgroups(name, [given] if given else [], attrs)
        return super().optgroups(name, [""], attrs)

    def other(self, value: object) -> str:
        """Returns the text beside the tiles."""
        text = "" if value is None else str(value)
        return "" if text in self.tiles else text


def other_name(name: str) -> str:
    """Returns the name of the text beside the tiles of field ``name``."""
    return f"{name}{_OTHER}"
