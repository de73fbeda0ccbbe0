"""Markdown of messages as HTML that loads, links and runs nothing by itself, and hides no word.

What a model reads, a person has to see. An address and a title stand behind their link, what would
be left out is no Markdown here (definitions, character references), and a block whose words are not
all in sight stands there as it was written.
"""

import re
from collections.abc import Iterator, Sequence
from html import unescape
from typing import Final

import nh3
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from ctxadmin.ui.visible_text import has_invisible, plain, visible

_TAGS: Final = {
    *("p", "br", "hr", "blockquote", "pre", "code", "em", "strong", "s", "ul", "ol", "li", "a"),
    *("h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "span"),
}
_ATTRIBUTES: Final = {"a": {"href", "target"}, "li": {"value"}, "span": {"title"}}
_CLASSES: Final = {
    "span": {"mark-char", "link-address", "image-label", "fence-language"},
    "li": {"wide-number"},
    "pre": {"text"},
}
_SCHEMES: Final = {"http", "https", "mailto"}
# A message's heading must not outrank the page's.
_HEADINGS: Final = {"h1": "h3", "h2": "h4", "h3": "h5", "h4": "h6", "h5": "h6", "h6": "h6"}
_LONGEST: Final = 200_000
_WIDEST_NUMBER: Final = 99  # of an item, beside which its text begins as beside all others
_LINKED: Final = "linked"
_ADDRESS: Final = "address"

_LINE_END: Final = re.compile("\r\n?")
# What words are not made of; all else has to be in sight. Signs of Markdown are among it.
_NO_WORD: Final = re.compile(r"[\s!-/:-@\[-`{-~]+")
_NUMBER: Final = re.compile(r'<li value="([0-9]+)"[^>]*>')
_LABEL: Final = re.compile(r'<span class="image-label">[^<]*</span>')
_TAG: Final = re.compile(r'<[^">]*(?:"[^"]*"[^">]*)*>')
# A link whose text is its address, which is shown once.
_TWINS: Final = re.compile(r"\[([^\[\]\s]+)\]\(\1\)")


class _Renderer(RendererHTML):
    """Text and code with hidden signs named, links and images with their addresses."""

    def text(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return visible(tokens[idx].content)

    def code_inline(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        return format_html("<code>{}</code>", visible(tokens[idx].content))

    def code_block(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        return format_html("<pre><code>{}</code></pre>\n", visible(tokens[idx].content))

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        token = tokens[idx]
        language, code = token.info.strip(), visible(token.content)
        if not language:
            return format_html("<pre><code>{}</code></pre>\n", code)
        html = '<pre><span class="fence-language">{}</span>\n<code>{}</code></pre>\n'
        return format_html(html, visible(language), code)

    def link_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        return "</a>" + _address(tokens[idx].meta.get(_ADDRESS, ""))

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """A link that says which image it is; inside of a link only the words."""
        token = tokens[idx]
        alt = " ".join(token.content.split())
        label = format_html('<span class="image-label">{}</span>', _("Image:"))
        words = format_html("{} {}", label, visible(alt)) if alt else label
        if token.attrs.get("src") and not token.meta.get(_LINKED):
            words = format_html('<a href="{}">{}</a>', _href_of(token, "src"), words)
        return words + _address(_address_of(token, "src"))


class _Parser(MarkdownIt):
    """Keeps addresses as they are written; ``nh3`` decides which of them are linked to."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - a name of the library
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802 - a name of the library
        return link


def _address(text: str) -> str:
    return format_html(' <span class="link-address">({})</span>', visible(text)) if text else ""


def _address_of(token: Token, name: str) -> str:
    """The address of a link or an image, with its title."""
    address, title = str(token.attrs.get(name, "")), str(token.attrs.get("title", ""))
    return f'{address} "{title}"' if title else address


def _href_of(token: Token, name: str) -> str:
    """The address that may be linked to; one with hidden signs is only shown."""
    address = str(token.attrs.get(name, ""))
    return "" if has_invisible(address) else address


def _show_addresses(tokens: Sequence[Token]) -> None:
    """Notes at the end of each link what stands behind it, unless its text says the same."""
    opening, words = None, ""
    for token in tokens:
        if token.type == "link_open":
            opening, words = token, ""
        elif token.type == "link_close" and opening is not None:
            address = _address_of(opening, "href")
            if opening.markup != "autolink" and words != address:
                token.meta[_ADDRESS] = address
            opening.attrs = {"href": _href_of(opening, "href")}
            opening = None
        else:
            words += token.content


def _mark_linked_images(tokens: Sequence[Token]) -> None:
    """Marks the images inside of links, which must not become links themselves."""
    depth = 0
    for token in tokens:
        if token.tag == "a":
            depth += token.nesting
        elif token.type == "image" and depth:
            token.meta[_LINKED] = True


def _parser(*, breaks: bool = False) -> MarkdownIt:
    """CommonMark with tables; raw HTML, character references and definitions are shown as text.

    An image becomes a link, and nothing is fetched when a message is looked at. Deeper nesting
    than 20 is shown as plain text. With ``breaks`` the end of a line is one.
    """
    options = {"html": False, "linkify": False, "maxNesting": 20, "breaks": breaks}
    return (
        _Parser("commonmark", options, renderer_cls=_Renderer)
        .enable(["table", "strikethrough"])
        .disable(["entity", "reference"])
    )


_PARSER: Final = _parser()
# What is written in a chat ends its lines where it means to. Fences are taken out before, each
# with a button to copy it; one that is never closed does not swallow the rest.
_CHAT_PARSER: Final = _parser(breaks=True).disable("fence")
_WHOLE_CHAT_PARSER: Final = _parser(breaks=True)


def render(text: str) -> SafeString:
    """Safe HTML of CommonMark; text over 200,000 characters stays unformatted."""
    return _rendered(_PARSER, text)


def render_chat(text: str) -> SafeString:
    """``render`` for a piece of a message: line ends stay, and its fences are text."""
    return _rendered(_CHAT_PARSER, text)


def render_chat_whole(text: str) -> SafeString:
    """Safe HTML of a message with its fences, without the element around it."""
    return _clean(_WHOLE_CHAT_PARSER, text)


def _rendered(parser: MarkdownIt, text: str) -> SafeString:
    if len(text) > _LONGEST:
        return format_html('<pre class="text">{}</pre>', visible(text))
    return format_html('<div class="prose">{}</div>', _clean(parser, text))


def _clean(parser: MarkdownIt, text: str) -> SafeString:
    source = _LINE_END.sub("\n", text)
    tokens = parser.parse(source)
    for token in tokens:
        token.tag = _HEADINGS.get(token.tag, token.tag)
        if token.type == "ordered_list_open":
            token.attrs = {}
        elif token.type == "list_item_open" and token.info:
            token.attrSet("value", str(int(token.info)))
            if int(token.info) > _WIDEST_NUMBER:
                token.attrSet("class", "wide-number")
        _mark_linked_images(token.children or ())
        _show_addresses(token.children or ())
    clean = nh3.clean(
        "".join(_blocks(parser, tokens, source)),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        allowed_classes=_CLASSES,
        url_schemes=_SCHEMES,
        url_relative="deny",
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    if _shown_words(clean) != _words(source):
        return _as_written(source)
    return mark_safe(clean)  # noqa: S308


def _blocks(parser: MarkdownIt, tokens: Sequence[Token], source: str) -> Iterator[str]:
    """Yields the HTML of each block of the text, or its source if that has more words."""
    lines = source.split("\n")
    starts = [at for at, token in enumerate(tokens) if token.level == 0 and token.nesting >= 0]
    first_lines = [0, *((tokens[at].map or [0])[0] for at in starts[1:]), len(lines)]
    for number, at in enumerate(starts):
        block = tokens[at : starts[number + 1] if number + 1 < len(starts) else len(tokens)]
        html = parser.renderer.render(block, parser.options, {})
        written = "\n".join(lines[first_lines[number] : first_lines[number + 1]])
        yield html if _shown_words(html) == _words(written) else _as_written(written)


def _as_written(text: str) -> SafeString:
    return format_html('<pre class="text">{}</pre>\n', visible(text.strip("\n")))


def _words(text: str) -> str:
    """The letters, numbers and other signs of a text that are no mark of Markdown."""
    return _NO_WORD.sub("", plain(_TWINS.sub(r"\1", text)))


def _shown_words(html: str) -> str:
    """The same of what a reader of HTML sees, without what was not in its text."""
    numbered = _NUMBER.sub(r"\1", _LABEL.sub("", html))
    return _NO_WORD.sub("", unescape(_TAG.sub("", numbered)))
