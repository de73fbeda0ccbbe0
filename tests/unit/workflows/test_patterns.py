"""Rule 2: patterns on names."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflows.domain.selection.patterns import (
    MAX_PATTERN,
    PatternSet,
    capture,
    matcher,
    pattern_fault,
    pattern_problems,
)

few_letters = st.text(alphabet="ab.", max_size=8)
few_patterns = st.text(alphabet="ab.*", min_size=1, max_size=7)


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("llm.*", "llm.model", True),
        ("llm.*", "llm.model.name", True),
        ("llm.*", "llm.", True),
        ("llm.*", "llm", False),
        ("llm.*", "xllm.model", False),
        ("*.name", "llm.model.name", True),
        ("*.name", "llm.model.names", False),
        ("*", "", True),
        ("*", "anything", True),
        ("**", "anything", True),
        ("llm", "llm", True),
        ("llm", "llm.model", False),
        ("LLM.*", "llm.model", False),
        ("a*a", "a", False),
        ("a*a", "aa", True),
        ("a*b*c", "a-b-c", True),
        ("a*b*c", "a-c-b", False),
        ("*ab*ab*", "ab", False),
        ("用户.*", "用户.名字", True),
        ("a.c", "abc", False),
        ("a?c", "abc", False),
        ("[ab]", "a", False),
        ("a\\*", "a\\b", True),
    ],
)
def test_a_pattern_matches_whole_names(pattern: str, name: str, fits: bool) -> None:
    assert matcher(pattern)(name) is fits


@given(few_patterns, few_letters)
def test_a_pattern_means_what_the_regular_expression_means(pattern: str, name: str) -> None:
    pieces = [re.escape(piece) for piece in pattern.split("*")]
    expected = re.fullmatch(".*".join(pieces), name, re.DOTALL) is not None
    assert matcher(pattern)(name) is expected


@given(st.lists(few_patterns, max_size=6), few_letters)
def test_several_patterns_match_if_one_does(patterns: list[str], name: str) -> None:
    fitting = [index for index, pattern in enumerate(patterns) if matcher(pattern)(name)]
    several = PatternSet(patterns)
    assert several.matches(name) is bool(fitting)
    assert several.first(name) == (fitting[0] if fitting else None)
    assert several.all(name) == fitting


@pytest.mark.parametrize(
    "patterns",
    [
        [f"name{number:03}" for number in range(100)],
        [f"name{number:03}*" for number in range(100)],
        [f"*{number:03}.name" for number in range(100)],
        [f"name{number:03}*a*b" for number in range(100)],
    ],
)
def test_a_hundred_patterns_of_one_form_take_few_looks_at_a_name(patterns: list[str]) -> None:
    assert PatternSet(patterns).looks <= 3


def test_patterns_that_start_alike_are_looked_at_one_by_one() -> None:
    assert PatternSet([f"a*{number}*" for number in range(100)]).looks > 100


def test_a_literal_and_a_name_that_is_a_pattern_are_the_same_text() -> None:
    assert matcher("a*")("a*")


def test_what_the_star_matched_is_known() -> None:
    assert capture("llm.*", "llm.model.name") == "model.name"
    assert capture("*.name", "llm.name") == "llm"
    assert capture("a*z", "az") == ""
    assert capture("llm.*", "tool.x") is None
    assert capture("llm", "llm") is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not be empty"),
        ("a" * (MAX_PATTERN + 1), "at most 256"),
        (" llm.*", "white space"),
        ("llm.*\n", "white space"),
        ("a\tb", "control characters"),
        ("a\x00b", "control characters"),
        ("a\ud800b", "control characters"),
    ],
)
def test_a_pattern_that_no_one_can_mean_is_refused(text: str, words: str) -> None:
    fault = pattern_fault(text)
    assert fault is not None
    assert words in fault
    fault.encode()


@pytest.mark.parametrize(
    "text", ["*", "llm.*", "a b", "用户.*", "a-b/c:d[0]", "a" * MAX_PATTERN, "🙂"]
)
def test_names_are_free_and_so_are_patterns(text: str) -> None:
    assert pattern_fault(text) is None


def test_a_problem_points_at_the_pattern_in_the_list() -> None:
    [problem] = pattern_problems(["a", "", "b"], "/include_patterns")
    assert problem.pointer == "/include_patterns/1"
    assert problem.code == "validation"


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("*".join("a" * 120) + "*b", "a" * 50_000 + "c", False),
        ("*" + "a*" * 120 + "b*", "a" * 50_000, False),
        ("*" + "ab*" * 80 + "*c", "ab" * 50_000, False),
        ("*" + "a" * 100 + "b" + "a" * 100 + "*", "a" * 50_000, False),
        ("*" * 256, "a" * 50_000, True),
    ],
)
def test_a_hostile_pattern_is_answered(pattern: str, name: str, fits: bool) -> None:
    # As regular expressions these take years.
    assert matcher(pattern)(name) is fits
