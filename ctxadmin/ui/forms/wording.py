"""Messages of the contract in the words of a form."""

import re
from collections.abc import Mapping
from typing import Final

from django.utils.translation import pgettext

from ctxadmin.ui.sentences import translated

_NAMES: Final = re.compile(r"[a-z]+(?:_[a-z]+)*(?:, [a-z]+(?:_[a-z]+)*)*")


def translate_error(message: str, labels: Mapping[str, str]) -> str:
    """Returns the message as a sentence that names members by their labels.

    Only what cannot be a word of the sentence is taken for a name: ``keep_first``, and every name
    of a list that contains such a one.
    """
    text = translated(message)
    sentence = _NAMES.sub(lambda found: _called(found[0], labels), text)
    sentence = sentence[:1].upper() + sentence[1:]
    if sentence.endswith((".", "!", "?", "…", "。", "！", "？")):
        return sentence
    return pgettext("a sentence ends", "%(sentence)s.") % {"sentence": sentence}


def _called(words: str, labels: Mapping[str, str]) -> str:
    names = words.split(", ")
    if not any("_" in name and name in labels for name in names):
        return words
    return ", ".join(f"“{labels[name]}”" if name in labels else name for name in names)
