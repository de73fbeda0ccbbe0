"""A JSON value as HTML that folds and runs nothing."""

import json
from typing import Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from pydantic import JsonValue

from ctxadmin.web.visible_text import visible

_DEEPEST: Final = 64
_LONG_STRING: Final = 280


class JsonView:
    """Draws one value; ``most`` lines are drawn, the rest is only counted.

    ``open_depth`` levels are unfolded at first.
    """

    def __init__(self, *, open_depth: int = 2, most: int = 2000) -> None:
        self.open_depth = open_depth
        self.left = most

    def draw(self, value: JsonValue) -> SafeString:
        return format_html(
            '<div class="json" translate="no">{}</div>', self._line(mark_safe(""), value, 0)
        )

    def _line(self, key: SafeString, value: JsonValue, depth: int) -> SafeString:
        self.left -= 1
        if isinstance(value, dict) and value:
            return self._fold(
                key, "{}", depth, [(_key(name), item) for name, item in value.items()]
            )
        if isinstance(value, list) and value:
            empty = mark_safe("")
            return self._fold(key, "[]", depth, [(empty, item) for item in value])
        return format_html('<div class="json-line">{}{}</div>', key, _scalar(value))

    def _fold(
        self, key: SafeString, braces: str, depth: int, items: list[tuple[SafeString, JsonValue]]
    ) -> SafeString:
        count = (
            ngettext("%(n)d key", "%(n)d keys", len(items))
            if braces == "{}"
            else ngettext("%(n)d item", "%(n)d items", len(items))
        ) % {"n": len(items)}
        if depth >= _DEEPEST:
            return format_html('<div class="json-line">{}{}…{}</div>', key, braces[0], braces[1])
        return format_html(
            '<details class="json-fold"{}><summary>{}<span class="json-brace">{}</span>'
            ' <span class="json-count">{}</span></summary>'
            '<div class="json-items">{}</div><div class="json-brace">{}</div></details>',
            mark_safe(" open") if depth < self.open_depth else "",
            key,
            braces[0],
            count,
            self._items(items, depth),
            braces[1],
        )

    def _items(self, items: list[tuple[SafeString, JsonValue]], depth: int) -> SafeString:
        drawn: list[SafeString] = []
        for position, (key, value) in enumerate(items):
            if self.left <= 0:
                rest = len(items) - position
                text = ngettext("%(n)d more", "%(n)d more", rest) % {"n": rest}
                drawn.append(format_html('<div class="json-line json-count">… {}</div>', text))
                break
            drawn.append(self._line(key, value, depth + 1))
        return format_html_join("", "{}", ((line,) for line in drawn))


def draw_json(value: JsonValue, *, open_depth: int = 2, most: int = 2000) -> SafeString:
    """``value`` as folding HTML, at most ``most`` lines of it; every text is escaped."""
    return JsonView(open_depth=open_depth, most=most).draw(value)


def _key(name: str) -> SafeString:
    return format_html('<span class="json-key">{}</span>: ', _quoted(name))


def _scalar(value: JsonValue) -> SafeString:
    if isinstance(value, str):
        return _string(value)
    kind = "null" if value is None else "bool" if isinstance(value, bool) else "number"
    if isinstance(value, dict | list):
        kind = "brace"
    return format_html('<span class="json-{}">{}</span>', kind, json.dumps(value))


def _string(text: str) -> SafeString:
    if len(text) <= _LONG_STRING:
        return format_html('<span class="json-string">{}</span>', _quoted(text))
    rest = _("all %(n)s characters") % {"n": f"{len(text):,}"}
    return format_html(
        '<details class="json-long"><summary><span class="json-string">{}</span>'
        '<span class="json-count"> {}</span></summary>'
        '<span class="json-string">{}</span></details>',
        _quoted(text[:120] + "…"),
        rest,
        _quoted(text),
    )


def _quoted(text: str) -> SafeString:
    """The text with JSON's escapes for quotes and line ends; other controls by their names."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return visible(
        '"' + escaped.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r") + '"'
    )
