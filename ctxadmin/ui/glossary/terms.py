"""What the glossary is made of."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise

Text = str | Promise


@dataclass(frozen=True, slots=True)
class Term:
    """One word and what it means.

    ``slug`` is its anchor on the page, the same in every language. ``code`` is the dotted path of
    what has this meaning in the code, "" if nothing there has it alone.
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
