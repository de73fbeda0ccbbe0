"""The letters of scripts that put spaces between words, which tell where a word begins and ends."""

from typing import Final

# Han and its extensions, kana, Hangul, bopomofo, Thai, Lao, Khmer, Myanmar: as ranges of a pattern.
UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3100-\u318f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U000323af"
)
# A letter or digit of a word, also one in ASCII.
WORD_LETTER: Final = rf"[^\W_{UNSPACED}]"
