"""Letters without the differences of case, accents and widths: ``É`` and ``ｅ`` are ``e``."""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final

ACCENTS: Final = "\u0300-\u036f"  # as a range of a pattern
_ACCENT: Final = re.compile(f"[{ACCENTS}]")


@lru_cache(maxsize=32_768)
def folded(character: str) -> str:
    """Folds one character; it can become several (``ß``) or none (an accent that stands alone)."""
    if character.isascii():
        return character.lower()
    parts = unicodedata.normalize("NFKD", character.casefold())
    # Back together: the parts of a Hangul syllable are letters of their own.
    return unicodedata.normalize("NFC", _ACCENT.sub("", parts)).lower()


@cache
def unfolded() -> Mapping[str, str]:
    """Returns what characters become, each with all those up to U+FFFF that become it.

    What becomes a space, such as an accent that stands for itself, is left out.
    """
    alike: dict[str, list[str]] = {}
    for character in map(chr, range(0x10000)):
        into = folded(character)
        if into and " " not in into:
            alike.setdefault(into, []).append(character)
    return {into: "".join(those) for into, those in alike.items() if those != [into]}
