"""The glossary: its file is up to date, and each term leads to what it names in the code."""

from pydoc import locate

from ctxadmin.ui.glossary import GLOSSARY
from ctxadmin.ui.glossary.terms import Term
from scripts import glossary as script


def terms() -> list[Term]:
    return [term for group in GLOSSARY for term in group.terms]


def test_the_document_says_what_the_page_says() -> None:
    assert script.FILE.read_text(encoding="utf-8") == script.render()


def test_a_term_is_linked_to_by_one_name() -> None:
    slugs = [term.slug for term in terms()]
    assert len(slugs) == len(set(slugs))


def test_the_code_has_what_the_terms_name() -> None:
    assert [term.code for term in terms() if term.code and locate(term.code) is None] == []
