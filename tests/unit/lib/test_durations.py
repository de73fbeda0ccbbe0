"""Lengths of time between seconds and the units that people type."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxadmin.lib.durations import duration_text, parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("5 min", 300),
        ("5min", 300),
        ("24 h", 86_400),
        (" 1 h 30 min ", 5_400),
        ("1.5 h", 5_400),
        ("2 days", 172_800),
        ("90 S", 90),
        ("1d2h3m4s", 93_784),
        ("5 分钟", 300),
        ("0 s", 0),
    ],
)
def test_a_duration_is_read_in_units(text: str, seconds: int) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text",
    ["", " ", "300", "min", "5 minuten", "-5 min", "5 min 1 h", "5 min 5 min", "0.5 s", "5 min x"],
)
def test_what_is_no_duration_is_not_guessed(text: str) -> None:
    assert parse_duration(text) is None


def test_a_long_text_is_refused_before_it_is_read() -> None:
    assert parse_duration("9" * 1_000_000) is None


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (60, "1 min"), (90, "1 min 30 s"), (86_400, "1 d"), (90_000, "1 d 1 h")],
)
def test_seconds_are_shown_in_the_fewest_exact_units(seconds: int, text: str) -> None:
    assert duration_text(seconds) == text


@given(st.integers(0, 10**9))
def test_what_is_shown_is_read_back_as_the_same_seconds(seconds: int) -> None:
    assert parse_duration(duration_text(seconds)) == seconds
