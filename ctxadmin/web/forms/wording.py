"""Messages of the contract in the words of a form."""

import re
from collections.abc import Mapping
from typing import Final

_NAMES: Final = re.compile(r"[a-z]+(?:_[a-z]+)*(?:, [a-z]+(?:_[a-z]+)*)*")


def in_words(message: str, labels: Mapping[str, str]) -> str:
    """The message as a sentence in which members are called by their labels.

    Only what cannot be a word of the sentence is taken for a name: ``keep_first``, and every
    name of a list in which such a one stands.
    """
    said = _NAMES.sub(lambda found: _called(found[0], labels), message)
    end = "" if said.endswith((".", "!", "?", "…")) else "."
    return said[:1].upper() + said[1:] + end


def _called(words: str, labels: Mapping[str, str]) -> str:
    names = words.split(", ")
    if not any("_" in name and name in labels for name in names):
        return words
    return ", ".join(f"“{labels[name]}”" if name in labels else name for name in names)
