"""The server says of a text that is no JSON what the editor beside it says."""

import json
from pathlib import Path

import pytest

from checkpoints.editing.state_form import read_json
from checkpoints.editing.wrong_json import reason_of
from ctxadmin.lib.errors import ValidationFailed

ROOT = Path(__file__).resolve().parents[3]
CASES = json.loads((ROOT / "frontend/src/state/test/wrong_json.json").read_text("utf-8"))
READ_BY_PYTHON = [["[NaN]", "value", 1]]


@pytest.mark.parametrize(
    ("text", "reason", "at"), [each for each in CASES if each not in READ_BY_PYTHON]
)
def test_the_reason_and_the_place_are_those_of_the_editor(text: str, reason: str, at: int) -> None:
    assert reason_of(text) == (reason, at)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"plan": }', "Line 1, column 10: a value is missing"),
        ('{"a": "🚲",\n "🚲" 1}', "Line 2, column 7: a colon is missing"),
        ("[NaN]", "Line 1, column 2: a value is missing"),
        ('["\\ud800"]', "Line 1, column 3: this character must be escaped"),
        ("", "Line 1, column 1: the text ends too early"),
    ],
)
def test_a_refusal_names_line_and_column_and_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(ValidationFailed) as refused:
        read_json(text)
    assert refused.value.detail == said


def test_every_case_of_the_editor_is_refused() -> None:
    for text, _reason, _at in CASES:
        with pytest.raises(ValidationFailed, match=r"^Line \d+, column \d+: "):
            read_json(text)
