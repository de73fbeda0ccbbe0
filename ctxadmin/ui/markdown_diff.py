"""Two versions of a Markdown text as one formatted text with its changed words marked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser
from typing import Final, Literal

from django.utils.safestring import SafeString, mark_safe

from ctxadmin.lib.text_diff import DiffSide, TextPiece, text_diff
from ctxadmin.ui.markdown import render_chat_whole
from ctxadmin.ui.visible_text import visible

_VOID: Final = frozenset({"br", "hr"})
_BLOCKS: Final = frozenset({"p", "li", "pre", "td", "th", "h3", "h4", "h5", "h6"})
# Between their blocks stand only line ends.
_CONTAINERS: Final = frozenset(
    {"", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr"}
)
_LEAST_FOLDED: Final = 200  # characters; a fold that hides less costs more than it saves
_Kind = Literal["tag", "text", "end"]


@dataclass(frozen=True, slots=True)
class _Token:
    """A tag or a text of rendered Markdown; ``end`` is the end of a block, which has no text."""

    kind: _Kind
    text: str
    depth: int = 0


@dataclass(frozen=True, slots=True)
class MarkedBlock:
    """Top-level blocks of the new text; unchanged ones far from a change are ``folded``."""

    html: SafeString
    folded: bool = False
    characters: int = 0


@dataclass(slots=True)
class _Open:
    """A top-level block while it is written."""

    html: list[str] = field(default_factory=list)
    changed: bool = False
    characters: int = 0


class _Tokens(HTMLParser):
    """Reads rendered Markdown."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[_Token] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(_Token("tag", self.get_starttag_text() or "", len(self._open)))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._open:
            self._open.pop()
        if tag in _BLOCKS:
            self.found.append(_Token("end", "\n"))
        self.found.append(_Token("tag", f"</{tag}>", len(self._open)))

    def handle_data(self, data: str) -> None:
        inside = self._open[-1] if self._open else ""
        kind: _Kind = "text" if data.strip() or inside not in _CONTAINERS else "tag"
        self.found.append(_Token(kind, data, len(self._open)))


def markdown_diff(before: str, after: str) -> Sequence[MarkedBlock] | None:
    """Returns the new text with marks, in parts; None if the marks would not show the change.

    That is so if only signs of Markdown differ.
    """
    old, new = render_chat_whole(before), render_chat_whole(after)
    left, right = _tokens(old), _tokens(new)
    pieces = text_diff(_plain(left), _plain(right))
    if all(piece.kind is DiffSide.SAME or not piece.text.strip() for piece in pieces):
        return None
    return list(_folded(list(_Marker(pieces).blocks(right))))


def _tokens(html: str) -> list[_Token]:
    reader = _Tokens()
    reader.feed(html)
    reader.close()
    return reader.found


def _plain(tokens: Sequence[_Token]) -> str:
    return "".join(each.text for each in tokens if each.kind != "tag")


class _Marker:
    """Writes the new text, and the pieces of the difference where they belong in it."""

    def __init__(self, pieces: Sequence[TextPiece]) -> None:
        self._pieces = [piece for piece in pieces if piece.text]
        self._place = 0
        self._taken = 0
        self._removed = ""

    def blocks(self, tokens: Sequence[_Token]) -> Iterator[_Open]:
        block = _Open()
        for token in tokens:
            if token.kind == "tag":
                block.html.append(token.text)
                if token.depth == 0 and token.text.startswith(("</", "<hr")):
                    yield block
                    block = _Open()
                continue
            self._write(token, block)
        for _ in self._take(0):
            pass
        if self._removed.strip():
            block.html.append(f"<p>{self._flush(block)}</p>")
        if "".join(block.html).strip():
            yield block

    def _write(self, token: _Token, block: _Open) -> None:
        """Writes a text; of the end of a block only what was removed before it."""
        is_text = token.kind == "text"
        for kind, text in self._take(len(token.text)):
            if is_text:
                block.html.append(self._flush(block))
                is_added = kind is DiffSide.ADDED
                block.changed |= is_added
                block.characters += len(text)
                shown = escape(text, quote=False)
                block.html.append(f"<ins>{shown}</ins>" if is_added and text.strip() else shown)
            elif self._removed and not self._removed.endswith("\n"):
                block.html.append(self._flush(block))

    def _flush(self, block: _Open) -> str:
        """Returns what was removed at this place."""
        removed, self._removed = self._removed, ""
        if not removed.strip():
            return ""
        block.changed = True
        return f"<del>{visible(removed)}</del>"

    def _take(self, length: int) -> Iterator[tuple[DiffSide, str]]:
        """Yields the next so many characters of the new text, and notes those removed there."""
        while self._place < len(self._pieces):
            piece = self._pieces[self._place]
            if piece.kind is DiffSide.REMOVED:
                self._removed += piece.text
                self._place += 1
                continue
            if not length:
                return
            text = piece.text[self._taken : self._taken + length]
            self._taken += len(text)
            length -= len(text)
            if self._taken == len(piece.text):
                self._place, self._taken = self._place + 1, 0
            yield piece.kind, text


def _folded(blocks: Sequence[_Open]) -> Iterator[MarkedBlock]:
    """Yields the blocks in order; unchanged ones that are not beside a change are folded."""
    near = {
        place + step for place, block in enumerate(blocks) if block.changed for step in (-1, 0, 1)
    }
    run: list[_Open] = []
    for place, block in enumerate((*blocks, None)):
        is_far = block is not None and place not in near
        if run and not is_far:
            characters = sum(each.characters for each in run)
            yield MarkedBlock(_joined(run), characters >= _LEAST_FOLDED, characters)
            run = []
        if block is not None and is_far:
            run.append(block)
        elif block is not None:
            yield MarkedBlock(_joined([block]))


def _joined(blocks: Sequence[_Open]) -> SafeString:
    html = "".join(part for block in blocks for part in block.html)
    return mark_safe(html)  # noqa: S308 - tags of rendered Markdown, and escaped texts
