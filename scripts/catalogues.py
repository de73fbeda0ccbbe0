"""Maintains the catalogs of translated texts: extracts the texts, and compiles the files.

Without arguments every catalog in ``locale`` gets the new texts, loses those that are gone, and is
compiled. A named language is started: ``python -m scripts.catalogues fr``.
"""

import io
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from babel.core import Locale
from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.plurals import get_plural
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

ROOT: Final = Path(__file__).resolve().parent.parent
LOCALES: Final = ROOT / "locale"
APPS: Final = (
    "ctxadmin",
    "conversations",
    "workflows",
    "checkpoints",
    "notifications",
    "search",
    "bulk",
    "demo",
)
# One in each module of texts.
_IMPORTED: Final = (b"gettext", b"import say", b"Sentence, say", b"described(")
# Where the context, the text and the plural stand among the arguments.
_CALLS: Final[Mapping[str, Any]] = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
    "say": None,  # ctxadmin.lib.sentence: what rules say
    "_described": None,
    "described": None,  # ctxadmin.http.described: the names of REST operations
}
# t("…") and tn("…", "…", as the linter has them; Babel reads JavaScript but loses its way in types.
_LITERAL: Final = r'("(?:[^"\\]|\\.)*")'
_CALL_OF_ISLANDS: Final = re.compile(
    rf"(?<![\w.])(?:t\(\s*{_LITERAL}|tn\(\s*{_LITERAL},\s*{_LITERAL})"
)
DOMAINS: Final = ("django", "djangojs")


@dataclass(frozen=True)
class Text:
    """A text of the code; ``plural`` is empty for one without."""

    context: str | None
    one: str
    plural: str
    file: str


class Words(Catalog):
    """A catalog without a date in its header: the same texts give the same bytes."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        plural = get_plural(self.locale).plural_forms
        return [
            ("Language", str(self.locale)),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
            ("Plural-Forms", plural),
        ]

    @mime_headers.setter
    def mime_headers(self, given: object) -> None:
        """Ignores the header of a file."""


@cache
def texts(domain: str) -> Sequence[Text]:
    """Returns every text of a domain once for each file, in the order of files; cached."""
    found = _texts_of_islands() if domain == "djangojs" else _texts_of_pages()
    return tuple(dict.fromkeys(found))


def _texts_of_pages() -> Iterator[Text]:
    for path in sorted(file for app in APPS for file in (ROOT / app).rglob("*.py")):
        code = path.read_bytes()
        if any(each in code for each in _IMPORTED) and "migrations" not in path.parts:
            yield from _found(path, code)
    for path in sorted((ROOT / "templates").rglob("*.html")):
        calls = templatize(path.read_text(encoding="utf-8"), origin=str(path))
        # In brackets, because the lines of a template are indented as no Python is.
        yield from _found(path, f"(\n{calls}\n)".encode())


def _texts_of_islands() -> Iterator[Text]:
    for path in sorted((ROOT / "frontend" / "src").rglob("*.ts*")):
        if path.parent.name != "test":
            for alone, one, plural in _CALL_OF_ISLANDS.findall(path.read_text(encoding="utf-8")):
                yield Text(None, json.loads(alone or one), json.loads(plural or '""'), _named(path))


def _found(path: Path, code: bytes) -> Iterator[Text]:
    for _, found, _, context in extract("python", io.BytesIO(code), _CALLS):
        one, plural = (found, "") if isinstance(found, str) else (found[0], found[1])
        yield Text(context, one, plural, _named(path))


def _named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def languages() -> list[str]:
    """Returns the names of the folders of ``locale``: ``zh_Hans``."""
    return sorted(path.name for path in LOCALES.iterdir() if path.is_dir())


def place(language: str, domain: str, ending: str = "po") -> Path:
    return LOCALES / language / "LC_MESSAGES" / f"{domain}.{ending}"


def read(language: str, domain: str) -> Catalog:
    """Returns a catalog as it is in its file; an empty one if there is none yet."""
    path = place(language, domain)
    if not path.exists():
        return Catalog(locale=language)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def renewed(language: str, domain: str) -> Words:
    """Returns the texts of the code with the translations of the file; new ones have none."""
    old = read(language, domain)
    new = Words(locale=Locale.parse(language), header_comment="# Texts of ctxadmin.", fuzzy=False)
    for text in texts(domain):
        ids = (text.one, text.plural) if text.plural else text.one
        before = old.get(text.one, text.context)
        same = before is not None and (before.id == ids)
        string = before.string if before is not None and same else None
        new.add(ids, string, locations=[(text.file, 0)], context=text.context)
    return new


def as_po(words: Catalog) -> bytes:
    out = io.BytesIO()
    write_po(out, words, width=100, sort_by_file=True, include_lineno=False)
    return out.getvalue()


def as_mo(words: Catalog) -> bytes:
    out = io.BytesIO()
    write_mo(out, words)
    return out.getvalue()


def main(arguments: Sequence[str]) -> None:
    for language in sorted({*languages(), *arguments}):
        for domain in DOMAINS:
            words = renewed(language, domain)
            place(language, domain).parent.mkdir(parents=True, exist_ok=True)
            place(language, domain).write_bytes(as_po(words))
            place(language, domain, "mo").write_bytes(as_mo(words))
            missing = [each.id for each in words if each.id and not any(each.string or ())]
            print(f"{language} {domain}: {len(words)} texts, {len(missing)} without translation")
            for text in missing:
                print(f"    {text!r}")


if __name__ == "__main__":
    main(sys.argv[1:])
