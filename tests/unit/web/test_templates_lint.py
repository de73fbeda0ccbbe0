"""Templates keep to what the content security policy allows, and to gettext."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.template import engines
from django.template.backends.django import DjangoTemplates
from django.template.base import Lexer, Token, TokenType

ROOT = Path(__file__).resolve().parents[3]
TEMPLATES = sorted([*ROOT.glob("templates/**/*.html"), *ROOT.glob("*/templates/**/*.html")])
SCRIPTS = sorted(ROOT.glob("static/js/*.js"))
IDS = [str(path.relative_to(ROOT)) for path in TEMPLATES]

SPOKEN_ATTRIBUTES = {"title", "alt", "placeholder", "aria-label", "aria-description", "label"}
NOT_PROSE = {"code", "kbd", "pre", "script", "style"}
VOID = {"meta", "link", "input", "img", "br", "hr", "source", "use", "rect"}
WORDS = re.compile(r"[^\W\d_]{2,}")
# The words of JSON are no language, and what a script fills in is no word.
NAMES = {"ctxadmin", "true", "false", "null"}
PLACES = re.compile(r"\{\w+\}")
# Stand-ins for what {{ }} and {% %} write, the second for markup; no template holds them.
FILLED = "\x1a"
MARKUP = "\x1b"
WRITES_MARKUP = re.compile(r"\|(visible|visible_json|author)\b(?!\|striptags)")


class Page(HTMLParser):
    """Tags with their attributes, and the texts that a reader sees or hears."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        self.tags.append((tag, named))
        if tag not in VOID:
            self.open.append(tag if named.get("translate") != "no" else "code")
        self.texts += [value for name, value in named.items() if name in SPOKEN_ATTRIBUTES]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if self.open and tag not in VOID:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if not NOT_PROSE & set(self.open):
            self.texts.append(data)


def page(path: Path) -> Page:
    return Page("".join(written(Lexer(path.read_text()).tokenize())))


def written(tokens: list[Token]) -> list[str]:
    """The text of a template with its tags filled in; translated and commented parts are gone."""
    result: list[str] = []
    until = ""
    for token in tokens:
        word = token.contents.split()[0] if token.contents.split() else ""
        if until:
            until = "" if token.token_type is TokenType.BLOCK and word == until else until
        elif token.token_type is TokenType.TEXT:
            result.append(token.contents)
        elif token.token_type is TokenType.BLOCK and word in ("blocktranslate", "blocktrans"):
            until = f"end{word}"
            result.append(filled(token))
        elif token.token_type is TokenType.BLOCK and word == "comment":
            until = "endcomment"
        elif token.token_type is TokenType.BLOCK and token.contents.endswith("_attributes"):
            until = "endblock"
        elif token.token_type is not TokenType.COMMENT:
            result.append(filled(token))
    return result


def filled(token: Token) -> str:
    return MARKUP if WRITES_MARKUP.search(token.contents) else FILLED


@pytest.mark.parametrize("path", TEMPLATES, ids=IDS)
def test_a_template_compiles(path: Path) -> None:
    engine = engines["django"]
    assert isinstance(engine, DjangoTemplates)
    engine.from_string(path.read_text())


@pytest.mark.parametrize("path", TEMPLATES, ids=IDS)
def test_a_template_has_no_style_in_it(path: Path) -> None:
    tags = page(path).tags
    assert [tag for tag, named in tags if tag == "style" or "style" in named] == []


@pytest.mark.parametrize("path", TEMPLATES, ids=IDS)
def test_a_template_has_no_script_in_it(path: Path) -> None:
    tags = page(path).tags
    assert [named for tag, named in tags if tag == "script" and "src" not in named] == []
    assert [
        (tag, name) for tag, named in tags for name in named if re.match(r"on|(data-)?hx-on", name)
    ] == []


@pytest.mark.parametrize("path", TEMPLATES, ids=IDS)
def test_a_template_asks_htmx_for_nothing_that_needs_eval(path: Path) -> None:
    for _tag, named in page(path).tags:
        for name, value in named.items():
            if "hx-trigger" in name:
                assert "[" not in value, f"a filter in {name}={value!r} is run as code"
            if "hx-" in name:
                assert not re.match(r"\s*(js|javascript):", value), f"{name}={value!r}"


@pytest.mark.parametrize("path", TEMPLATES, ids=IDS)
def test_an_attribute_of_a_template_has_no_markup_in_it(path: Path) -> None:
    """``visible`` marks hidden signs, which would end it; ``plainly`` writes them out."""
    tags = page(path).tags
    assert [(tag, name) for tag, named in tags for name in named if MARKUP in named[name]] == []


@pytest.mark.parametrize("path", TEMPLATES, ids=IDS)
def test_a_template_links_to_no_other_host(path: Path) -> None:
    for _tag, named in page(path).tags:
        for name in ("src", "href", "action"):
            assert not re.match(r"(https?:)?//", named.get(name, ""))


@pytest.mark.parametrize("path", TEMPLATES, ids=IDS)
def test_every_text_of_a_template_can_be_translated(path: Path) -> None:
    bare = [
        text.strip()
        for text in page(path).texts
        for word in WORDS.findall(PLACES.sub("", text))
        if word not in NAMES
    ]
    assert bare == []


@pytest.mark.parametrize("path", TEMPLATES, ids=IDS)
def test_every_form_that_posts_carries_the_csrf_token(path: Path) -> None:
    text = path.read_text()
    posts = re.findall(r"<form[^>]*method=\"post\"", text, re.IGNORECASE)
    assert len(posts) <= text.count("{% csrf_token %}")


@pytest.mark.parametrize("path", TEMPLATES, ids=IDS)
def test_a_target_that_opens_a_new_window_gives_nothing_away(path: Path) -> None:
    for _tag, named in page(path).tags:
        if named.get("target") == "_blank":
            assert "noopener" in named.get("rel", "")


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_writes_no_markup_and_runs_no_text(path: Path) -> None:
    text = path.read_text()
    for word in (".innerHTML", ".outerHTML", "insertAdjacentHTML", "eval(", "new Function"):
        assert word not in text
    assert not re.search(r"^\s*import\s", text, re.MULTILINE), "names of files carry a hash"


def test_every_component_is_in_the_catalogue() -> None:
    catalogue = (ROOT / "templates" / "README.md").read_text()
    tags = re.findall(
        r"@register\.(?:simple_tag|inclusion_tag|simple_block_tag|filter)[^\n]*\n(?:def|@).*?(\w+)\(",
        "".join(path.read_text() for path in ROOT.glob("ctxadmin/ui/templatetags/*.py")),
    )
    names = {name.removesuffix("_filter") for name in tags} - {"shown_attributes", "shape_of_row"}
    assert {name for name in names if f"{name}" not in catalogue} == set()
