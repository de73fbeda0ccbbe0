"""The elements of the glossary."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise

Text = str | Promise


@dataclass(frozen=True, slots=True)
class Term:
    """One word and its meaning.

    ``slug`` is its anchor on the page, the same in every language. ``code`` is the dotted path of
    its equivalent in the code, "" without a single one.
    """

    slug: str
    word: Text
    definition: Text
    code: str = ""


@dataclass(frozen=True, slots=True)
class TermGroup:
    """Terms that are read together, in the order in which they build on each other."""

    title: Text
    terms: Sequence[Term]
