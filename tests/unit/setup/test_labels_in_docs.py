"""What tutorials and how-tos name in italics is a text of the pages, or a name of the demo."""

import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from demo import counter
from tests.servers import ROOT
from workflows.starters import STARTERS

PAGES = sorted(
    path for folder in ("tutorial", "how-to") for path in Path(ROOT, "docs", folder).glob("*.md")
)
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
ITALICS = re.compile(r"(?<![*\w])\*([^*\n]+)\*(?![*\w])")
# Stressed words, which are no labels.
STRESSED = {"during", "semi-synchronous", "more", "now", "operator", "thinned", "view"}


def texts_of_pages() -> set[str]:
    """Every text of the catalogs, in English."""
    found: set[str] = set()
    for path in Path(ROOT, "locale", "zh_Hans", "LC_MESSAGES").glob("*.po"):
        with path.open("rb") as file:
            for message in read_po(file):
                found |= {message.id} if isinstance(message.id, str) else {*message.id}
    return found


def names_of_the_demo() -> set[str]:
    nodes = {
        str(node["name"])
        for document in STARTERS.values()
        for node in document["nodes"]  # type: ignore[union-attr]
        if isinstance(node, dict) and "name" in node
    }
    titles = {"Hub gear that slips", "Chat at the counter"}
    return nodes | titles | {counter.title(number) for number in range(counter.TALKS)}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_what_a_page_of_the_docs_names_is_there(page: Path) -> None:
    named = ITALICS.findall(CODE.sub("", page.read_text()))
    known = texts_of_pages() | names_of_the_demo() | STRESSED
    assert [name for name in named if name not in known] == []
