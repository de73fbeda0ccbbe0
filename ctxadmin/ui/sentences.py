"""Sentences of rules in the language of the reader."""

import re
from typing import Final

from django.utils.translation import gettext

from ctxadmin.lib.sentence import Sentence
from ctxadmin.ui.components import author_label

# A word that is written with a capital; what begins with a name of the data stays as it is.
_WORD: Final = re.compile(r"[a-z]+[\s',.;:!?-]")

_GAP: Final = re.compile(r"\{(\w+)")


def translated(text: str) -> str:
    """Returns a sentence in the reader's language; any other text, such as data, unchanged.

    Its value ``who`` is a recorded author.
    """
    if not isinstance(text, Sentence):
        return text
    values = {name: _value(name, value) for name, value in text.values.items()}
    return gettext(text.template).format(**values)


def _value(name: str, value: object) -> object:
    if not isinstance(value, str):
        return value
    return author_label(value) if name == "who" else translated(value)


def as_sentence(text: str) -> str:
    """Returns a sentence of rules that stands alone, with a capital."""
    found = translated(text)
    if not _is_said(text) or not _WORD.match(found):
        return found
    return found[:1].upper() + found[1:]


def _is_said(text: object) -> bool:
    """Whether a text begins with words of a rule, rather than with data in its first gap."""
    if not isinstance(text, Sentence):
        return False
    first = _GAP.match(text.template)
    return first is None or _is_said(text.values[first[1]])
