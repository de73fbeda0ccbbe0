"""Markdown of hostile messages: nothing runs, loads or links by itself."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxadmin.ui.markdown import render, render_chat
from ctxadmin.ui.visible_text import visible
from tests.unit.web.html_seen import Seen

ALLOWED_TAGS = {
    *(
        "div",
        "p",
        "br",
        "hr",
        "blockquote",
        "pre",
        "code",
        "em",
        "strong",
        "ul",
        "ol",
        "li",
        "a",
        "s",
    ),
    *("h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "span"),
}
ALLOWED_ATTRIBUTES = {"href", "title", "rel", "start", "class", "target"}


def is_harmless(html: str) -> bool:
    seen = Seen(html)
    return (
        seen.tags <= ALLOWED_TAGS
        and all(name in ALLOWED_ATTRIBUTES for name, _ in seen.attributes)
        and all(
            re.match(r"(https?|mailto):", value or "", re.IGNORECASE)
            for name, value in seen.attributes
            if name == "href"
        )
        and all(
            value in {"prose", "text", "mark-char"}
            for name, value in seen.attributes
            if name == "class"
        )
    )


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<a href='javascript:alert(1)'>x</a>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:msgbox)",
    "[x](file:///etc/passwd)",
    "[x](//evil.example/)",
    "[x](/operator/logout/)",
    "[x](#top)",
    "[x](ftp://evil.example/)",
    '[x](https://a.example "onmouseover=alert(1)")',
    '[x](https://a.example/" onmouseover="alert(1))',
    "![](https://evil.example/pixel.png?leak=1)",
    "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    "[![x](https://evil.example/a.png)](https://evil.example)",
    "<https://a.example>",
    "<javascript:alert(1)>",
    "[x]: javascript:alert(1)\n\n[x]",
    "``` modal show\ncode\n```",
    '```"><script>alert(1)</script>\ncode\n```',
    "<!-- --><script>alert(1)</script>",
    "<style>*{display:none}</style>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<div hx-get='/x' hx-trigger='load'></div>",
    "<details open ontoggle=alert(1)>",
    "{{ csrf_token }} {% debug %}",
    "x\u0000y<scr\u0000ipt>",
    ">" * 5000,
    "[" * 5000,
    "*a " * 5000,
    "- " * 3000,
    "`" * 5001,
    "|a|\n|-|\n" + "|b|\n" * 2000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_markdown_is_harmless(text: str) -> None:
    assert is_harmless(render(text))
    assert is_harmless(render_chat(text))


@given(st.text(alphabet="<>[]()!`*_#&;:/\"'= \n\tajhtpsoncrie\u202e\u0000-|", max_size=80))
def test_any_markdown_is_harmless(text: str) -> None:
    assert is_harmless(render(text))


def test_an_image_is_not_loaded_but_linked_with_its_host() -> None:
    html = render("![cat](https://evil.example/cat.png)")
    assert "<img" not in html
    assert 'href="https://evil.example/cat.png"' in html
    assert ">Image: cat (evil.example)</a>" in html


def test_an_image_within_a_link_is_part_of_it() -> None:
    html = render("[![badge](https://a.example/b.png)](https://b.example)")
    assert html.count("<a ") == 1
    assert "Image: badge (a.example)" in html


def test_an_image_without_a_host_is_named_and_leads_nowhere() -> None:
    assert "<p><span>Image: local</span></p>" in render("![local](/a.png)")


def test_a_link_tells_the_other_side_nothing_about_us() -> None:
    html = render("[docs](https://a.example/x)")
    assert 'href="https://a.example/x"' in html
    assert 'rel="noopener noreferrer nofollow"' in html
    assert 'target="_blank"' in html


def test_in_a_message_the_end_of_a_line_is_one_and_an_open_fence_swallows_nothing() -> None:
    assert "<br" in render_chat("a\nb")
    assert "<strong>end</strong>" in render_chat("```\n**end**")


def test_mail_links_stay() -> None:
    assert 'href="mailto:a@b.example"' in render("<a@b.example>")


def test_a_heading_of_a_message_does_not_outrank_the_headings_of_the_page() -> None:
    assert "<h3>Big</h3>" in render("# Big")


def test_raw_html_is_shown_as_text() -> None:
    assert "&lt;b&gt;bold&lt;/b&gt;" in render("<b>bold</b>")


def test_tables_and_lists_are_drawn() -> None:
    assert "<table>" in render("| a |\n|---|\n| b |")
    assert "<li>one</li>" in render("- one")


def test_text_that_turns_direction_is_named() -> None:
    assert "U+202E" in render("safe \u202egnp.exe")
    assert "U+202E" in render("`\u202e`")


def test_very_long_text_stays_plain() -> None:
    assert render("*a* " * 60_000).startswith('<pre class="text">')


@pytest.mark.parametrize(
    ("sign", "shown"),
    [("\u202e", "U+202E"), ("\x00", "U+0000"), ("\u200b", "U+200B"), ("\U000e0041", "U+E0041")],
)
def test_signs_that_cannot_be_seen_are_named(sign: str, shown: str) -> None:
    html = visible(f"a{sign}b")
    assert sign not in html
    assert shown in html


def test_emoji_and_joined_scripts_stay_as_they_are() -> None:
    family = "👨\u200d👩\u200d👧"
    persian = "می\u200cخواهم"
    assert visible(family) == family
    assert visible(persian) == persian


def test_a_joiner_at_an_edge_or_between_latin_letters_is_named() -> None:
    assert "U+200D" in visible("a\u200db")
    assert "U+200D" in visible("\u200d")


def test_line_ends_and_tabs_stay() -> None:
    assert visible("a\n\tb") == "a\n\tb"


@given(st.text())
def test_visible_text_never_holds_markup_of_its_source(text: str) -> None:
    assert Seen(visible(text)).tags <= {"span"}
