"""The words of a name as ids can have them."""

import re
import unicodedata
from typing import Final

_TAG: Final = re.compile(r"</?[a-zA-Z][^<>]*>")
_WORD: Final = re.compile(r"[a-z0-9_]+")
# Letters that Unicode does not take apart.
_LETTERS: Final = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "ı": "i"}
)


def id_words(name: str, most: int) -> str:
    """Returns a name as an id of up to ``most`` letters; "" where it has none that ids can have.

    Accented letters become their base letters, and markup is left out: ``unicode-test`` of
    ``Ünïcode <b>Test</b>``.
    """
    bare = unicodedata.normalize("NFKD", _TAG.sub(" ", name).lower().translate(_LETTERS))
    letters = "".join(each for each in bare if not unicodedata.combining(each))
    return "-".join(_WORD.findall(letters))[:most].strip("-")
