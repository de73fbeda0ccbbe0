"""Writes docs/reference/glossary.md from the glossary of the pages and its Chinese catalog."""

import os
from pathlib import Path
from typing import Final

import django
from django.utils import translation

ROOT: Final = Path(__file__).resolve().parent.parent
FILE: Final = ROOT / "docs" / "reference" / "glossary.md"
HEAD: Final = """# Glossary

One word for each thing. Pages, documents, error texts and code use these words and no synonyms;
the page *Glossary* of ctxadmin shows them in the reader's language. This file is written by
`python -m scripts.glossary` from `ctxadmin/ui/glossary/`.
"""


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ctxadmin.config.settings")
    django.setup()
    FILE.write_text(render(), encoding="utf-8")


def render() -> str:
    """Returns the whole file: one table per group, with English, Chinese and the name in the
    code.
    """
    from ctxadmin.ui.glossary import GLOSSARY  # needs the settings

    lines = [HEAD]
    for group in GLOSSARY:
        lines += [f"## {_in('en', group.title)}", ""]
        lines += ["| Term | Definition | Chinese | In the code |", "|---|---|---|---|"]
        for term in group.terms:
            code = f"`{term.code}`" if term.code else ""
            cells = (_in("en", term.word), _in("en", term.definition), _in("zh-hans", term.word))
            lines.append(f"| {' | '.join(cells)} | {code} |")
        lines.append("")
    return "\n".join(lines)


def _in(language: str, text: object) -> str:
    with translation.override(language):
        return str(text)


if __name__ == "__main__":
    main()
