"""What holds for every style sheet, so that no page has to be looked at for it."""

import re
from pathlib import Path

import pytest

from tests.servers import ROOT

SHEETS = sorted((ROOT / "static").rglob("*.css"))


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: str(sheet.relative_to(ROOT)))
def test_no_style_sheet_asks_how_a_screen_is_held(sheet: Path) -> None:
    """WCAG 1.3.4: without such a question nothing can be locked to one way of holding it."""
    assert not re.search(r"\borientation\b", sheet.read_text(encoding="utf-8"))


def test_there_are_style_sheets() -> None:
    assert {"app.css", "components.css", "tabler.min.css"} <= {sheet.name for sheet in SHEETS}


def test_colours_are_mixed_without_their_hues() -> None:
    """In oklch the way from green to a grey of hue 0 leads over red: "kept" looked refused."""
    sheets = [*ROOT.glob("static/css/*.css"), *ROOT.glob("static/build/*.css")]
    assert len(sheets) > 5
    assert [each.name for each in sheets if "color-mix(in oklch" in each.read_text()] == []


def test_a_name_that_is_cut_ends_in_an_ellipsis() -> None:
    sheets = [*ROOT.glob("static/css/*.css"), *ROOT.glob("static/build/*.css")]
    clipped = re.compile(r"text-overflow:\s*clip")
    assert [each.name for each in sheets if clipped.search(each.read_text())] == []


def test_a_long_name_takes_two_lines_of_its_list() -> None:
    sheet = (ROOT / "static" / "css" / "lists.css").read_text()
    rule = sheet.partition(".name-rows tbody th > a,")[2].partition("}")[0]
    assert "-webkit-line-clamp: 2" in rule
    for name in ("conversations/list.html", "checkpoints/list.html"):
        assert " name-rows" in (ROOT / "templates" / name).read_text()


def test_a_hidden_message_has_a_border_only_where_others_have_one() -> None:
    """A style for all sides draws those without a width in 3 px of the colour of the text."""
    sheet = (ROOT / "static" / "css" / "conversations.css").read_text()
    rule = sheet.partition("\n.message-hidden {")[2].partition("}")[0]
    assert "border-left-style: dashed" in rule
    assert "border-style" not in rule


def test_a_page_of_messages_is_not_searched_from_its_root() -> None:
    """A ``:root:has(...)`` is matched again for each section that loads, over all messages."""
    page = "".join((ROOT / "templates" / each).read_text() for each in _OF_A_CONVERSATION)
    names = re.findall(r"{% static '(css/[a-z]+\.css)' %}", page)
    assert "css/conversations.css" in names
    rules = "".join(_with_scripts((ROOT / "static" / name).read_text()) for name in names)
    assert _ROOT_BY_CONTENT.findall(rules) == []
    assert ".conversation { container" not in rules  # a query makes each layout three times as long


_OF_A_CONVERSATION = ("document.html", "conversations/detail.html")
_ROOT_BY_CONTENT = re.compile(
    r"(?<=[{},;])\s*(?:html|:root|body):has\((?:[^(){}]|\([^(){}]*\))*\)(?=\s*[,{])"
)


def _with_scripts(sheet: str) -> str:
    """Returns the rules without comments and without those for browsers that run no scripts."""
    rules = re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)
    without = r"@media \(scripting: none\) \{(?:[^{}]*\{[^{}]*\})*\s*\}"
    return re.sub(without, "", rules) + "}"
