"""The content of a message in pieces: text, code, JSON, images, other parts."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from django.utils.translation import gettext as _
from pydantic import JsonValue

from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.json_bytes import loads_strict

BlockKind = Literal["text", "markdown", "code", "json", "image", "part"]
_FENCE: Final = "```"
_HEAD_TEXT: Final = 350
_HEAD_LINES: Final = 12
_LONGEST_LANGUAGE: Final = 30  # characters behind a fence; more is no name of a language
_LINE: Final = 90  # characters, at the width of a desk
# Markdown of one page: a real message of 650 characters takes 0.7 ms of processor time, the most
# hostile one 0.15 s for 8,000 characters. What is beyond stands there as plain text.
MOST_MARKDOWN: Final = 40_000


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a message: text, Markdown, code, JSON that unfolds, or a part that is named.

    ``name`` is the language of code, and what is known of a part: its file name, type, size.
    """

    kind: BlockKind
    text: str = ""
    value: JsonValue = None
    name: str = ""


def blocks_of(content: JsonValue, *, role: str) -> list[Block]:
    """The content of a message in pieces.

    JSON that a tool or a model wrote unfolds, fenced code is code, other text is Markdown
    unless a tool wrote it.
    """
    found = _blocks_of(content, parse=role in ("tool", "assistant"))
    return found if role == "tool" else [_as_markdown(block) for block in found]


def _as_markdown(block: Block) -> Block:
    return replace(block, kind="markdown") if block.kind == "text" else block


def within_budget(blocks: Iterable[Block], left: int = MOST_MARKDOWN) -> tuple[list[Block], int]:
    """The blocks with as much Markdown as is left of a page's share; what is left after them."""
    found: list[Block] = []
    for each in blocks:
        block = each
        if block.kind == "markdown":
            if len(block.text) > left:
                block = replace(block, kind="text")
            else:
                left -= len(block.text)
        found.append(block)
    return found, left


def lines_of(blocks: Iterable[Block]) -> int:
    """About how many lines blocks take on a page; JSON folds by itself."""
    return sum(1 if block.kind in ("json", "part") else _lines(block.text) for block in blocks)


def _lines(text: str) -> int:
    return sum(max(1, -(-len(line) // _LINE)) for line in text.split("\n"))


def _blocks_of(content: JsonValue, *, parse: bool) -> list[Block]:
    if isinstance(content, str):
        return _text_blocks(content, parse=parse) if content else []
    blocks: list[Block] = []
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict):
            continue
        text = part.get("text")
        if isinstance(text, str):
            blocks += _text_blocks(text, parse=parse)
        elif "image" in str(part.get("type")):
            blocks.append(Block("image", text=_reference(part)))
        else:
            name = _part_name(part)
            blocks.append(Block("part", text=str(part.get("type")), value=part, name=name))
    return blocks


def _text_blocks(text: str, *, parse: bool) -> list[Block]:
    if _FENCE not in text:
        return [text_block(text, parse=parse)]
    return list(_fenced(text)) or [Block("text", text=text)]


def _fenced(text: str) -> Iterator[Block]:
    """Splits text and code; a fence that is never closed or says more than a language is text."""
    lines: list[str] = []
    code: list[str] | None = None
    opening = ""
    for line in text.split("\n"):
        bare = line.strip()
        if code is None and _opens_code(bare):
            code, opening = [], line
        elif code is not None and bare == _FENCE:
            if before := "\n".join(lines).strip("\n"):
                yield Block("text", text=before)
            yield Block("code", text="\n".join(code), name=opening.strip()[3:].strip())
            lines, code = [], None
        elif code is not None:
            code.append(line)
        else:
            lines.append(line)
    rest = lines if code is None else [*lines, opening, *code]
    if after := "\n".join(rest).strip("\n"):
        yield Block("text", text=after)


def _opens_code(line: str) -> bool:
    name = line[3:].strip()
    return line.startswith(_FENCE) and _FENCE not in name and len(name) <= _LONGEST_LANGUAGE


def _part_name(part: dict[str, JsonValue]) -> str:
    """Returns the file name of a part, or its id, with the size of embedded data."""
    inner = part.get(str(part.get("type")))
    found = part | inner if isinstance(inner, dict) else part
    names = [found.get(key) for key in ("filename", "name", "file_id", "url", "format")]
    name = next((each for each in names if isinstance(each, str) and each), "")
    data = next((found[key] for key in ("file_data", "data") if found.get(key)), None)
    if not isinstance(data, str):
        return name
    size = _("%(size)s characters") % {"size": len(data)}
    return f"{name}, {size}" if name else size


def text_block(text: str, *, parse: bool) -> Block:
    """Returns the text unchanged, unless it is JSON that the tree can show without loss.

    A duplicate key or a number beyond 64 bits would look different there.
    """
    if parse and looks_like_json(text):
        try:
            return Block("json", text=text, value=loads_strict(text.encode()))
        except ValidationFailed:
            pass
    return Block("text", text=text)


def looks_like_json(text: str) -> bool:
    """True for a text that begins like JSON."""
    return text.lstrip()[:1] in ("{", "[")


def _reference(part: dict[str, JsonValue]) -> str:
    """Returns the address of an image without loading it; embedded ones are only measured."""
    found = part.get("image_url")
    url = found.get("url") if isinstance(found, dict) else found
    text = str(url or part.get("file_id") or "")
    if text.startswith("data:"):
        kind = text[5:].partition(";")[0]
        return _("%(kind)s, %(size)s characters") % {"kind": kind, "size": len(text)}
    return text


def excerpt(block: Block, most: int) -> Block:
    """As much of a block as a list shows."""
    if block.kind == "json" or len(block.text) <= most:
        return block
    text = block.text[:most]
    if block.kind in (
        "text",
        "markdown",
    ):  # so short that it does not fold: there is no more of it to unfold
        text = "\n".join(text[:_HEAD_TEXT].split("\n")[:_HEAD_LINES])
    return replace(block, text=f"{text}…")
