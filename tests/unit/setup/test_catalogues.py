"""Every text of pages and islands is translated, and nothing of it breaks on the way."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Message
from django.conf import settings
from django.utils.translation import to_locale

from scripts import catalogues

ROOT = Path(__file__).resolve().parents[3]
LANGUAGES = catalogues.languages()
PLACEHOLDERS = re.compile(r"%\(\w+\)[sd]|\{\w+\}")
TAGS = re.compile(r"</?[a-z][^>]*>")

both = pytest.mark.parametrize("domain", catalogues.DOMAINS)
each = pytest.mark.parametrize("language", LANGUAGES)


def forms(message: Message) -> tuple[str, ...]:
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def said(message: Message) -> tuple[str, ...]:
    string = message.string
    return (string,) if isinstance(string, str) else tuple(string or ())


def messages(language: str, domain: str) -> Iterator[Message]:
    return (each for each in catalogues.read(language, domain) if each.id)


def keys(language: str, domain: str) -> set[tuple[str | None, tuple[str, ...]]]:
    return {(each.context, forms(each)) for each in messages(language, domain)}


@both
def test_a_text_is_asked_for_with_a_plural_everywhere_or_nowhere(domain: str) -> None:
    # Else the catalogue gives the form of the plural to who asks for one text.
    found = {(each.context, each.one, each.plural) for each in catalogues.texts(domain)}
    often = Counter((context, one) for context, one, _plural in found)
    assert [key for key, count in often.items() if count > 1] == []


@both
@each
def test_the_catalogue_has_the_texts_of_the_code_and_no_others(language: str, domain: str) -> None:
    now = {
        (each.context, (each.one, each.plural) if each.plural else (each.one,))
        for each in catalogues.texts(domain)
    }
    listed = keys(language, domain)
    assert now - listed == set(), "run python -m scripts.catalogues and translate them"
    assert listed - now == set(), "run python -m scripts.catalogues"


@both
@each
def test_every_text_is_translated(language: str, domain: str) -> None:
    left = [
        each.id
        for each in messages(language, domain)
        if each.fuzzy or not said(each) or not all(said(each))
    ]
    assert left == []


@both
@each
def test_a_translation_keeps_placeholders_and_tags(language: str, domain: str) -> None:
    wrong = []
    for message in messages(language, domain):
        for pattern in (PLACEHOLDERS, TAGS):
            wanted = {found for form in forms(message) for found in pattern.findall(form)}
            if any(set(pattern.findall(text)) != wanted for text in said(message)):
                wrong.append(message.id)
    assert wrong == []


@both
@each
def test_a_translation_begins_and_ends_in_space_as_the_text_does(
    language: str, domain: str
) -> None:
    def edges(text: str) -> tuple[bool, bool]:
        return text[:1] == "\n", text[-1:] == "\n"

    assert [
        each.id
        for each in messages(language, domain)
        if {edges(text) for text in said(each)} != {edges(form) for form in forms(each)}
        or any(text != text.strip() for text in said(each))
    ] == []


@both
@each
def test_the_compiled_catalogue_is_that_of_the_texts(language: str, domain: str) -> None:
    compiled = catalogues.place(language, domain, "mo").read_bytes()
    assert compiled == catalogues.as_mo(catalogues.renewed(language, domain))


def test_a_catalogue_is_there_for_every_language_that_is_offered() -> None:
    offered = {to_locale(code) for code, _name in settings.LANGUAGES if code != "en"}
    assert offered == set(LANGUAGES)


def test_islands_give_their_texts_literally() -> None:
    """What is put together when it runs can be in no catalogue."""
    loose = []
    for path in (ROOT / "frontend" / "src").rglob("*.ts*"):
        if path.parent.name != "test" and path.name != "texts.ts":
            loose += re.findall(r"(?<![\w.])tn?\((?!\")[^)\n]*", path.read_text(encoding="utf-8"))
    assert loose == []
