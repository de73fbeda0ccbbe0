"""Finds words in texts for people that have a plainer word: ``python -m scripts.vocabulary``.

It reads the texts of pages, the other strings of the code that have three words or more, and the
documents without their code. Words that are also right somewhere are not listed: chosen, holds,
kept, may, presses, stands, tells, what is kept.
"""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from scripts import catalogues

ROOT: Final = Path(__file__).resolve().parent.parent
CODE: Final = (*catalogues.APPS, "scripts", "manage.py")
_LEAST_WORDS: Final = 3
# The word, as a regular expression between two ends of words, and what to write instead.
PLAINER: Final[Mapping[str, str]] = {
    "anew": "again, or new",
    "any more": "no longer",
    "anybody": "anyone",
    "changed last": "recent activity",
    "comes? in": "arrives, or incoming",
    "everybody": "everyone",
    "goes out": "is sent, or outgoing",
    "hears? of": "is notified of",
    "(holds?|held) until": "expires",
    "(is|was|are|were|went|goes) away": "down, or unavailable",
    "lets? [a-z ]{0,12}through": "passes, or allows",
    "lets? [a-z ]{0,12}in again": "reactivate",
    "locks? out|locked out": "deactivate",
    "look(s|ed|ing)? after": "claim, or create",
    "looked for": "searched, or polled",
    "mend(s|ed|ing)?": "fix",
    "never was": "does not exist",
    "newest": "latest",
    "not what was written": "damaged",
    "of (now|then)": "current, or at that time",
    "once more": "again",
    "puts? together": "merge",
    "somebody": "someone",
    "speaks? against": "excludes",
    "tak(e|es|en|ing) (it |them )?back": "remove, discard or undo",
    "tick(ed|s|ing)?": "select",
    "wait(s|ing)? on": "keep waiting",
    "waits? for a person(?! *,)": "needs review",
    "where it stands": "status",
}
_WORDS: Final = re.compile(
    "|".join(rf"(?P<w{place}>\b(?:{each})\b)" for place, each in enumerate(PLAINER)),
    re.IGNORECASE,
)
_FENCE: Final = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def found(text: str) -> Iterator[tuple[int, str, str]]:
    """Yields the words of a text that have a plainer one: the line from 1, the word, the plainer
    one.
    """
    plainer = list(PLAINER.values())
    for each in _WORDS.finditer(text):
        place = int((each.lastgroup or "w0")[1:])
        yield text.count("\n", 0, each.start()) + 1, each[0], plainer[place]


def in_code(source: str) -> Iterator[tuple[int, str, str]]:
    """Yields the words in the strings of a Python file that are not docstrings."""
    tree = ast.parse(source)
    alone = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
    for each in ast.walk(tree):
        if not isinstance(each, ast.Constant) or id(each) in alone:
            continue
        if isinstance(each.value, str) and len(each.value.split()) >= _LEAST_WORDS:
            yield from ((each.lineno, word, plainer) for _, word, plainer in found(each.value))


def in_document(text: str) -> Iterator[tuple[int, str, str]]:
    """Yields the words of a document outside its code."""
    yield from found(_FENCE.sub(lambda code: "\n" * code[0].count("\n"), text))


def everywhere() -> Iterator[str]:
    """Yields a line for each place with such a word."""
    for domain in catalogues.DOMAINS:
        for text in catalogues.texts(domain):
            for _, word, plainer in (*found(text.one), *found(text.plural)):
                yield f"{text.file}: {word!r} in {text.one!r}: write {plainer}"
    for path in _python_files():
        for line, word, plainer in in_code(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(ROOT)}:{line}: {word!r}: write {plainer}"
    documents = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "templates/README.md")
    for path in (*(ROOT / name for name in documents), *sorted((ROOT / "docs").rglob("*.md"))):
        for line, word, plainer in in_document(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(ROOT)}:{line}: {word!r}: write {plainer}"


def _python_files() -> Iterator[Path]:
    for name in CODE:
        path = ROOT / name
        for each in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            if "migrations" not in each.parts and each != Path(__file__).resolve():
                yield each


def main() -> int:
    lines = sorted(set(everywhere()))
    print("\n".join(lines) or "No word that has a plainer one.")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
