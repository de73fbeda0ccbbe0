"""Markdown of hostile messages: nothing runs, loads or links by itself."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxadmin.ui.markdown import render, render_chat, render_chat_whole
from ctxadmin.ui.visible_text import plain, visible
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
ALLOWED_ATTRIBUTES = {"href", "title", "rel", "value", "class", "target"}
ALLOWED_CLASSES = {
    *("prose", "text", "mark-char", "link-address", "image-label", "fence-language"),
    "wide-number",
}


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
        and all(value in ALLOWED_CLASSES for name, value in seen.attributes if name == "class")
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


WORDS = st.sampled_from(["pay", "Mia", "42", "退款", "naïve", "\u200b", "\u202e", "&amp;", "🙂"])
SIGNS = st.sampled_from(
    [
        *(
            " ",
            " ",
            "\n",
            "\n\n",
            "\r\n",
            "    ",
            "\t",
            "\\",
            "*",
            "**",
            "_",
            "~~",
            "`",
            "```",
            "~~~",
        ),
        *("> ", "- ", "+ ", "1. ", "7) ", "007. ", "# ", "===", "---", "|", "|-|-|", "\n|-|\n|"),
        *("[", "]", "(", ")", "](", "]: ", "[^1]: ", "![", "<", ">", '"', "'", ":", "//"),
        *("<!--", "-->", "<b title=", "http://a.b/", "mailto:", "javascript:", "data:", "&#72;"),
    ]
)
WRITTEN = st.lists(st.one_of(WORDS, SIGNS), max_size=40).map("".join)


def letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text)


def seen_letters(html: str) -> str:
    """Returns the letters and digits that a reader of the page sees, with the numbers of lists."""
    numbered = re.sub(r'<li value="(\d+)"[^>]*>', r"<li>\1", html)
    return letters(Seen(numbered).text)


def is_in_sight(source: str, html: str) -> bool:
    """Returns True if all letters of a source are seen, in their order."""
    shown = iter(seen_letters(html))
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    once = re.sub(r"\[([^\[\]\s]+)\]\(\1\)", r"\1", source)
    return all(letter in shown for letter in letters(plain(once)))


LEFT_OUT = [
    "> " * 25 + "HIDDEN",
    "- " * 30 + "HIDDEN",
    "> - " * 15 + "HIDDEN",
    "Fine.\n\n" + "> " * 25 + "HIDDEN\n\nFine, too.",
    "[//]: # (HIDDEN)",
    'See [it][ref].\n\n[ref]: http://x "HIDDEN title"',
    "[^1]: HIDDEN",
    "|a|b|\n|-|-|\n|1|2|HIDDEN|",
    "<!-- HIDDEN -->",
    "<details><summary>a</summary>HIDDEN</details>",
    '<b title="HIDDEN">a</b>',
    "<script>HIDDEN</script>",
    '[a](http://a.example/ "HIDDEN")',
    "[a](http://a.example/?HIDDEN)",
    "[http://b.example](http://HIDDEN.example)",
    "[a](/HIDDEN)",
    "[](/HIDDEN)",
    '![a](http://a.example/HIDDEN.png "HIDDEN")',
    "![HIDDEN](http://a.example/a.png)",
    '[![a](http://a.example/a.png "HIDDEN")](http://b.example/HIDDEN)',
    "``` python HIDDEN\ncode\n```",
    "~~~HIDDEN\ncode\n~~~",
    "---\ntitle: HIDDEN\n---\na",
    "1. a\n98765432. b",
    "&#72;&amp;HIDDEN",
    "a\u200bb\u202ec\U000e0048d",
    "[a](http://a.example/\u202e)",
    "[a](http://a.example/\ud800)",
]


@pytest.mark.parametrize("text", LEFT_OUT, ids=range(len(LEFT_OUT)))
def test_what_other_renderers_leave_out_is_in_sight(text: str) -> None:
    for draw in (render, render_chat, render_chat_whole):
        assert is_in_sight(text, draw(text))


@given(WRITTEN)
def test_each_word_of_any_text_is_in_sight(text: str) -> None:
    for draw in (render, render_chat, render_chat_whole):
        html = draw(text)
        assert is_in_sight(text, html)
        assert is_harmless(html)


def test_only_the_block_that_would_lose_words_stands_as_it_was_written() -> None:
    html = render_chat("**Fine.**\n\n|a|\n|-|\n|1|HIDDEN|\n\n- one")
    assert "<strong>Fine.</strong>" in html
    assert '<pre class="text">|a|\n|-|\n|1|HIDDEN|</pre>' in html
    assert "<li>one</li>" in html


def test_ordinary_markdown_stays_formatted() -> None:
    html = render_chat(
        "# Hello\r\n\r\n1. **a**\r\n2. `b` [c](http://d.example/e?f=g&h=i) <http://d.example>\r\n"
        "\r\n| a | b |\r\n|---|:-:|\r\n| `1\\|2` | *3* |\r\n\r\n> un*frigging*believable 退款"
    )
    assert "<pre" not in html


def test_a_link_shows_its_address_unless_its_text_says_it() -> None:
    assert '</a> <span class="link-address">(https://a.example/x "t")</span>' in render(
        '[docs](https://a.example/x "t")'
    )
    for text in ("[https://a.example](https://a.example)", "<https://a.example>"):
        assert Seen(render(text)).text.strip() == "https://a.example"


def test_items_of_a_list_have_the_numbers_that_were_written() -> None:
    assert re.findall(r'value="(\d+)"', render("3. a\n3. b\n7. c")) == ["3", "3", "7"]


def test_an_image_is_not_loaded_but_linked_with_its_address() -> None:
    html = render("![cat](https://evil.example/cat.png)")
    assert "<img" not in html
    assert 'href="https://evil.example/cat.png"' in html
    assert "Image: cat (https://evil.example/cat.png)" in Seen(html).text


def test_an_image_within_a_link_is_part_of_it() -> None:
    html = render("[![badge](https://a.example/b.png)](https://b.example)")
    assert html.count("<a ") == 1
    assert "Image: badge (https://a.example/b.png) (https://b.example)" in Seen(html).text


def test_an_image_without_a_host_leads_nowhere() -> None:
    html = render("![local](/a.png)")
    assert "href" not in html
    assert "Image: local (/a.png)" in Seen(html).text


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


def test_a_number_that_is_wider_than_its_margin_stands_before_its_text() -> None:
    html = render("99. last\n\ntext\n\n2024. a year")
    assert '<li value="99">last' in html
    assert '<li value="2024" class="wide-number">a year' in html
