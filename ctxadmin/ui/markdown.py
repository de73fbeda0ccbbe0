"""Markdown of messages as HTML that loads, links and runs nothing by itself."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

import nh3
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from ctxadmin.ui.visible_text import visible

_TAGS: Final = {
    *("p", "br", "hr", "blockquote", "pre", "code", "em", "strong", "s", "ul", "ol", "li", "a"),
    *("h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "span"),
}
_ATTRIBUTES: Final = {"a": {"href", "title", "target"}, "ol": {"start"}, "span": {"title"}}
_CLASSES: Final = {"span": {"mark-char"}}
_SCHEMES: Final = {"http", "https", "mailto"}
# A message's heading must not outrank the page's.
_HEADINGS: Final = {"h1": "h3", "h2": "h4", "h3": "h5", "h4": "h6", "h5": "h6", "h6": "h6"}
_LONGEST: Final = 200_000
_LINKED: Final = "linked"


class _Renderer(RendererHTML):
    """Text and code with hidden signs named; everything else as the library has it."""

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

    fence = code_block

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """A link that says whose image it is; inside of a link only the words."""
        token = tokens[idx]
        address = str(token.attrs.get("src", ""))
        alt, host = " ".join(token.content.split()), _host_of(address)
        words = visible(" ".join(filter(None, [alt, f"({host})" if host else ""])))
        label = format_html("{} {}", _("Image:"), words) if words else _("Image")
        if not host or token.meta.get(_LINKED):
            return format_html("<span>{}</span>", label)
        return format_html('<a href="{}">{}</a>', address, label)


def _host_of(address: str) -> str:
    """The host of an address that may be linked to, else ""."""
    try:
        parts = urlsplit(address)
        return (parts.hostname or "") if parts.scheme in _SCHEMES else ""
    except ValueError:
        return ""


def _mark_linked_images(tokens: Sequence[Token]) -> None:
    """Marks the images inside of links, which must not become links themselves."""
    depth = 0
    for token in tokens:
        if token.tag == "a":
            depth += token.nesting
        elif token.type == "image" and depth:
            token.meta[_LINKED] = True


def _parser(*, breaks: bool = False) -> MarkdownIt:
    """CommonMark with tables; raw HTML is shown as text.

    An image becomes a link, and nothing is fetched when a message is looked at. Deeper nesting
    than 20 is shown as plain text. With ``breaks`` the end of a line is one.
    """
    options = {"html": False, "linkify": False, "maxNesting": 20, "breaks": breaks}
    return MarkdownIt("commonmark", options, renderer_cls=_Renderer).enable(
        ["table", "strikethrough"]
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
    tokens = parser.parse(text)
    for token in tokens:
        token.tag = _HEADINGS.get(token.tag, token.tag)
        _mark_linked_images(token.children or ())
    clean = nh3.clean(
        parser.renderer.render(tokens, parser.options, {}),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        allowed_classes=_CLASSES,
        url_schemes=_SCHEMES,
        url_relative="deny",
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return mark_safe(clean)  # noqa: S308
