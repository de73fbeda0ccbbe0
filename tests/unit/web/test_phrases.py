"""What rules say is told in the reader's language, as long as they say it so."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation

from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.ui.forms.wording import in_words
from ctxadmin.ui.phrases import PHRASES, in_the_readers_language
from workflows.domain import graph, problems

ROOT = Path(__file__).resolve().parents[3]
APPS = ("ctxadmin", "conversations", "workflows", "checkpoints")
GAP = re.compile(r"\{\w+\}")


def sayings() -> Iterator[tuple[re.Pattern[str], int]]:
    """Every text of the code as a pattern, with how many words are fixed in it."""
    for path in sorted(file for app in APPS for file in (ROOT / app).rglob("*.py")):
        if path.name == "phrases.py" or "migrations" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.JoinedStr(values):
                    parts = [str(getattr(each, "value", "")) for each in values]
                    gaps = [isinstance(each, ast.FormattedValue) for each in values]
                case ast.Constant(str(text)):
                    parts, gaps = [text], [False]
                case _:
                    continue
            fixed = [part for part, gap in zip(parts, gaps, strict=True) if not gap]
            pairs = zip(parts, gaps, strict=True)
            pattern = "".join(".*" if gap else _literally(part) for part, gap in pairs)
            yield re.compile(pattern), len(re.findall(r"[A-Za-z]+", " ".join(fixed)))


def _literally(text: str) -> str:
    return ".*".join(map(re.escape, GAP.split(text)))


def test_every_phrase_is_said_somewhere() -> None:
    said = [(pattern, words) for pattern, words in sayings() if words]
    unsaid = []
    for phrase in PHRASES:
        text = GAP.sub("x", phrase)
        if not any(
            pattern.fullmatch(text) or (words > 2 and pattern.search(text))
            for pattern, words in said
        ):
            unsaid.append(phrase)
    assert unsaid == []


def test_a_phrase_is_told_with_what_stands_in_its_gaps() -> None:
    with translation.override("zh-hans"):
        assert in_the_readers_language("draft cannot be reached from a start node") == (
            "从起始节点无法到达 draft"
        )
        told = in_the_readers_language("no rule mentions it, the default is block")
        assert told == "没有规则提到它，默认为阻止"


def test_what_is_no_phrase_stays_and_so_does_everything_in_english() -> None:
    with translation.override("zh-hans"):
        assert in_the_readers_language("nobody says this") == "nobody says this"
    assert in_the_readers_language("unknown field") == "unknown field"


def test_a_text_as_long_as_data_is_not_searched_for_gaps() -> None:
    text = "there is no node " + " shows the " * 1_000
    with translation.override("zh-hans"):
        assert in_the_readers_language(text) == text


def test_braces_in_what_people_named_stay_as_they_are() -> None:
    with translation.override("zh-hans"):
        assert "{name}" in in_the_readers_language("there is no node {name}{0}")


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_translation_names_every_gap(phrase: str) -> None:
    with translation.override("zh-hans"):
        told = translation.gettext(phrase)
    assert sorted(GAP.findall(told)) == sorted(GAP.findall(phrase))


def test_the_problems_of_a_draft_are_told() -> None:
    loop = {
        "name": "w",
        "nodes": [{"id": "a", "type": "llm"}, {"id": "b", "type": "llm"}],
        "edges": [
            {"id": "e", "type": "sequence", "from": "a", "to": "b"},
            {"id": "f", "type": "sequence", "from": "b", "to": "nowhere"},
            {"id": "g", "type": "sequence", "from": "b", "to": "a"},
        ],
    }
    found = problems.check(graph.read(loop))
    assert len(found) > 1
    with translation.override("zh-hans"):
        for problem in found:
            assert in_the_readers_language(problem.message) != problem.message


def test_a_form_calls_members_by_their_labels_in_every_language() -> None:
    with translation.override("zh-hans"):
        told = in_words("one of keep_first, keep_last is required", {"keep_first": "保留前几条"})
        assert told.endswith("。")
        assert "“保留前几条”" in told


def test_the_contract_says_the_same_whoever_reads() -> None:
    with translation.override("zh-hans"), pytest.raises(ValidationFailed) as caught:
        graph.read({"name": "", "nodes": 1, "edges": []})
    assert caught.value.problems[0].message == "this must be a list"
