"""A JSON value as HTML that folds and runs nothing."""

import json
from typing import Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from pydantic import JsonValue

from ctxadmin.ui.visible_text import visible

_DEEPEST: Final = 64
_LONG_STRING: Final = 280
_HEAD: Final = 120
_MOST_TEXT: Final = 200_000  # characters of long texts in one tree; the rest is only counted
# Numbers stand behind each other: a row of up to so many as it is, a longer one folds.
_SHORT_ROW: Final = 16
_OPEN_ROW: Final = 64
_A_LINE: Final = 10
_FIRST_FIELDS: Final = 3  # of a folded object are shown beside it, each
_FIRST_LETTERS: Final = 24  # with so many characters


class JsonView:
    """Draws one value in at most ``most`` lines; the rest is only counted.

    ``open_depth`` levels are unfolded at first; long texts are cut at ``most_text`` characters.
    """

    def __init__(
        self, *, open_depth: int = 2, most: int = 2000, most_text: int = _MOST_TEXT
    ) -> None:
        self.open_depth = open_depth
        self.left = most
        self.text_left = most_text

    def draw(self, value: JsonValue) -> SafeString:
        return format_html(
            '<div class="json" translate="no">{}</div>', self._line(mark_safe(""), value, 0)
        )

    def _line(self, key: SafeString, value: JsonValue, depth: int) -> SafeString:
        self.left -= 1
        if isinstance(value, dict) and value:
            first = _first_fields(value) if depth >= self.open_depth else mark_safe("")
            inside = [(_key(name), item) for name, item in value.items()]
            return self._fold(key, "{}", depth, inside, first)
        if isinstance(value, list) and value and not any(map(_is_long, value)):
            return self._row(key, value, depth)
        if isinstance(value, list) and value:
            empty = mark_safe("")
            return self._fold(key, "[]", depth, [(empty, item) for item in value])
        return format_html('<div class="json-line">{}{}</div>', key, self._scalar(value))

    def _fold(
        self,
        key: SafeString,
        braces: str,
        depth: int,
        items: list[tuple[SafeString, JsonValue]],
        first: SafeString = mark_safe(""),
    ) -> SafeString:
        count = _items_counted(len(items))
        if braces == "{}":
            count = ngettext("%(n)d key", "%(n)d keys", len(items)) % {"n": len(items)}
        if depth >= _DEEPEST:
            return format_html('<div class="json-line">{}{}…{}</div>', key, braces[0], braces[1])
        inside = self._items(items, depth)
        is_open = depth < self.open_depth
        return _folding(key, braces, count, inside, first, is_open=is_open)

    def _row(self, key: SafeString, items: list[JsonValue], depth: int) -> SafeString:
        """Draws a list of numbers and the like, in as many lines as it needs."""
        shown = items[: max(self.left, 1) * _A_LINE]
        self.left -= len(shown) // _A_LINE
        row = format_html_join(", ", "{}", ((self._scalar(item),) for item in shown))
        if len(items) <= _SHORT_ROW:
            brace = '<span class="json-brace">{}</span>'
            line = f'<div class="json-line">{{}}{brace}{{}}{brace}</div>'
            return format_html(line, key, "[", row, "]")
        if len(shown) < len(items):
            row = format_html("{}{}", row, _more(len(items) - len(shown)))
        is_open = depth < self.open_depth and len(items) <= _OPEN_ROW
        inside = format_html('<div class="json-line">{}</div>', row)
        return _folding(key, "[]", _items_counted(len(items)), inside, is_open=is_open)

    def _items(self, items: list[tuple[SafeString, JsonValue]], depth: int) -> SafeString:
        drawn: list[SafeString] = []
        for position, (key, value) in enumerate(items):
            if self.left <= 0:
                drawn.append(_more(len(items) - position))
                break
            drawn.append(self._line(key, value, depth + 1))
        return format_html_join("", "{}", ((line,) for line in drawn))

    def _scalar(self, value: JsonValue) -> SafeString:
        if isinstance(value, str):
            return self._string(value)
        kind = "null" if value is None else "bool" if isinstance(value, bool) else "number"
        if isinstance(value, dict | list):
            kind = "brace"
        return format_html('<span class="json-{}">{}</span>', kind, json.dumps(value))

    def _string(self, text: str) -> SafeString:
        if len(text) <= _LONG_STRING:
            return format_html('<span class="json-string">{}</span>', _quoted(text))
        head = _quoted(text[:_HEAD] + "…")
        count = _("all %(n)s characters") % {"n": f"{len(text):,}"}
        if len(text) > self.text_left:
            words = _("%(n)s characters") % {"n": f"{len(text):,}"}
            line = '<span class="json-string">{}</span><span class="json-count"> {}</span>'
            return format_html(line, head, words)
        self.text_left -= len(text)
        return format_html(
            '<details class="json-long"><summary><span class="json-string">{}</span>'
            '<span class="json-count"> {}</span></summary>'
            '<span class="json-string">{}</span></details>',
            head,
            count,
            _quoted(text),
        )


def _folding(
    key: SafeString,
    braces: str,
    count: str,
    inside: SafeString,
    first: SafeString = mark_safe(""),
    *,
    is_open: bool,
) -> SafeString:
    return format_html(
        '<details class="json-fold"{}><summary>{}<span class="json-brace">{}</span>'
        ' <span class="json-count">{}</span>{}</summary>'
        '<div class="json-items">{}</div><div class="json-brace">{}</div></details>',
        mark_safe(" open") if is_open else "",
        key,
        braces[0],
        count,
        first,
        inside,
        braces[1],
    )


def _first_fields(value: dict[str, JsonValue]) -> SafeString:
    """Returns what tells a folded object from others: its first fields that are no object or list."""
    plain = [(name, item) for name, item in value.items() if not isinstance(item, dict | list)]
    pairs = (
        (_begun(name), _begun(item) if isinstance(item, str) else json.dumps(item))
        for name, item in plain[:_FIRST_FIELDS]
    )
    fields = format_html_join(", ", "{}: {}", pairs)
    return format_html(' <span class="json-first">{}</span>', fields) if fields else fields


def _begun(text: str) -> SafeString:
    """Returns the beginning of a text, without quotes and on one line."""
    head = text if len(text) <= _FIRST_LETTERS else text[: _FIRST_LETTERS - 1] + "…"
    return visible(" ".join(head.split()), in_json=True)


def _items_counted(count: int) -> str:
    return ngettext("%(n)d item", "%(n)d items", count) % {"n": count}


def _more(count: int) -> SafeString:
    text = ngettext("%(n)d more", "%(n)d more", count) % {"n": count}
    return format_html('<div class="json-line json-count">… {}</div>', text)


def _is_long(value: JsonValue) -> bool:
    """Returns True for a value that needs a line of its own."""
    return isinstance(value, str | list | dict)


def draw_json(
    value: JsonValue, *, open_depth: int = 2, most: int = 2000, most_text: int = _MOST_TEXT
) -> SafeString:
    """Returns ``value`` as folding HTML of at most ``most`` lines; every text is escaped."""
    return JsonView(open_depth=open_depth, most=most, most_text=most_text).draw(value)


def _key(name: str) -> SafeString:
    shown = name if len(name) <= _LONG_STRING else name[:_HEAD] + "…"
    return format_html('<span class="json-key">{}</span>: ', _quoted(shown))


def _quoted(text: str) -> SafeString:
    """Returns the text with JSON's escapes for quotes, line ends and all invisible characters."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    quoted = '"' + escaped.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r") + '"'
    return visible(quoted, in_json=True)
