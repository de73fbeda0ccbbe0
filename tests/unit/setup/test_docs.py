"""What the documentation refers to is there, and so is what the code refers to in it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ctxadmin.http.error_catalogue import CATALOGUE

ROOT = Path(__file__).resolve().parents[3]
RULES = ROOT / "docs" / "reference" / "semantics.md"
CITED = re.compile(r"[Ss]emantics ((?:\d\.\d+)(?:(?:-|, | and )\d\.\d+)*)")

ELSEWHERE = {".venv", ".git", ".cache", "node_modules"}


def files(suffix: str, folder: Path = ROOT) -> Iterator[Path]:
    """The project's own files with this suffix, in a fixed order."""
    for path in sorted(folder.iterdir()):
        if path.is_dir() and path.name not in ELSEWHERE:
            yield from files(suffix, path)
        elif path.suffix == suffix:
            yield path


def test_rules_are_numbered_without_gaps() -> None:
    numbers = re.findall(r"^\*\*(\d)\.(\d+) ", RULES.read_text(), re.MULTILINE)
    expected = {"1": 20, "2": 16, "3": 24, "4": 7, "5": 2}
    assert numbers == [
        (part, str(number)) for part, count in expected.items() for number in range(1, count + 1)
    ]


def test_every_rule_that_is_cited_is_there() -> None:
    rules = set(re.findall(r"^\*\*(\d\.\d+) ", RULES.read_text(), re.MULTILINE))
    cited = {
        number: path.relative_to(ROOT)
        for path in [*files(".py"), *files(".md")]
        for numbers in CITED.findall(path.read_text())
        for number in re.findall(r"\d\.\d+", numbers)
    }
    assert len(cited) > 20
    assert {number: str(path) for number, path in cited.items() if number not in rules} == {}


def test_every_error_code_is_in_the_table_of_what_to_do_with_its_status() -> None:
    text = (ROOT / "docs" / "how-to" / "handle-errors.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| ([\d, ]+) \| (.+) \| (.+) \| (.+) \|$", text, re.MULTILINE)
    assert sorted(code for code, *_ in rows) == sorted(CATALOGUE)
    for code, statuses, *cells in rows:
        assert str(CATALOGUE[code].status) in statuses.split(", "), code
        assert all(cell.strip() for cell in cells), code


def test_an_engine_repeats_only_what_the_table_says() -> None:
    text = (ROOT / "docs" / "how-to" / "handle-errors.md").read_text()
    repeated = set(re.findall(r"^\| `(\w+)` \| [^|]+ \| [^|]+ \| yes \|", text, re.MULTILINE))
    (listed,) = re.findall(r"^RETRY = {(.+)}$", text, re.MULTILINE)
    assert repeated == set(re.findall(r'"(\w+)"', listed))


def test_the_readme_leads_to_every_page_of_the_documentation() -> None:
    folders = (ROOT / "docs" / name for name in ("how-to", "reference", "explanation", "tutorial"))
    pages = {str(page.relative_to(ROOT)) for folder in folders for page in folder.glob("*.md")}
    indexes = ("README.md", "CONTRIBUTING.md")
    linked = {
        link
        for index in indexes
        for link in re.findall(r"\]\(([^)#]+)", (ROOT / index).read_text())
    }
    assert pages <= linked


@pytest.mark.parametrize("page", list(files(".md")), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)
    broken = [link for link in links if ":" not in link and not (page.parent / link).exists()]
    assert not broken


def test_every_file_that_where_is_what_names_is_there() -> None:
    text = (ROOT / "docs" / "explanation" / "where-is-what.md").read_text()
    named = {path for path in re.findall(r"`([a-z_A-Z0-9./-]+)`", text) if "/" in path}
    assert len(named) > 30
    assert sorted(path for path in named if not (ROOT / path).exists()) == []


def test_where_is_what_has_each_folder_of_an_app_and_no_other() -> None:
    text = (ROOT / "docs" / "explanation" / "where-is-what.md").read_text()
    tables = re.findall(r"^\| in `([a-z/]+)` \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert len(tables) >= 4
    for app, rows in tables:
        first_cells = [row.split("|")[1] for row in rows.splitlines()]
        named = {name for cell in first_cells for name in re.findall(r"`([\w.]+)`", cell)}
        folders = {each.parent.name for each in (ROOT / app).glob("*/__init__.py")}
        assert {name for name in named if "." not in name} == folders - {"migrations"}, app


@pytest.mark.parametrize("change", ["reducer", "type of edge filter", "page on executions"])
def test_where_is_what_names_tests_for_each_change(change: str) -> None:
    text = (ROOT / "docs" / "explanation" / "where-is-what.md").read_text()
    (section,) = [part for part in text.split("\n## ") if part.startswith(f"A new {change}\n")]
    assert re.search(r"`tests/[a-z_/]+\.py`", section)


def test_the_names_in_code_that_where_is_what_gives_are_there() -> None:
    text = (ROOT / "docs" / "explanation" / "where-is-what.md").read_text()
    found = 0
    for line in text.splitlines():
        for names, path in re.findall(r"((?:`\w+`(?:, | and )?)+) in `([a-z_/]+\.py)`", line):
            code = (ROOT / path).read_text()
            missing = [name for name in re.findall(r"`(\w+)`", names) if name not in code]
            assert not missing, path
            found += 1
    assert found > 4
