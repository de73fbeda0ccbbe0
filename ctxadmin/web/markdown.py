"""Markdown of messages as HTML that loads, links and runs nothing by itself."""

from typing import Final

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

# CommonMark with tables; raw HTML is shown as text. Images are left out of the parser, so an
# image becomes "!" and a link, and nothing is fetched when a message is looked at.
_PARSER: Final = (
    MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table").disable("image")
)
# Nesting that the recursive renderer and the browser would suffer from is shown as plain text.
_PARSER.options["maxNesting"] = 20

_TAGS: Final = {
    *("p", "br", "hr", "blockquote", "pre", "code", "em", "strong", "ul", "ol", "li", "a"),
    *("h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
_ATTRIBUTES: Final = {"a": {"href", "title"}, "ol": {"start"}, "code": {"class"}}
_SCHEMES: Final = {"http", "https", "mailto"}
# A message's heading must not outrank the page's.
_HEADINGS: Final = {"h1": "h3", "h2": "h4", "h3": "h5", "h4": "h6", "h5": "h6", "h6": "h6"}
_LONGEST: Final = 200_000


def render(text: str) -> SafeString:
    """Safe HTML of CommonMark; text over 200,000 characters stays unformatted."""
    if len(text) > _LONGEST:
        return mark_safe(f'<pre class="text">{nh3.clean_text(text)}</pre>')  # noqa: S308
    tokens = _PARSER.parse(text)
    for token in tokens:
        token.tag = _HEADINGS.get(token.tag, token.tag)
    html = _PARSER.renderer.render(tokens, _PARSER.options, {})
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow",
    )
    return mark_safe(f'<div class="markdown">{clean}</div>')  # noqa: S308  # nh3 has cleaned it
