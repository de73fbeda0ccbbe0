"""Rule 7: what is no condition, and how that is reported."""

import pytest

from ctxadmin.lib.errors import FieldProblem, ValidationFailed
from workflows.domain.conditions.condition import compile_condition, condition_problem
from workflows.domain.conditions.parser import MAX_LENGTH


def problem_of(text: str) -> FieldProblem:
    with pytest.raises(ValidationFailed) as caught:
        compile_condition(text, "/rules/0/condition")
    [problem] = caught.value.problems
    assert problem == condition_problem(text, "/rules/0/condition")
    return problem


def place_of(text: str) -> tuple[object, object, object, object]:
    extra = dict(problem_of(text).extra)
    return extra["line"], extra["column"], extra["start"], extra["end"]


def hint_of(text: str) -> object:
    return dict(problem_of(text).extra)["hint"]


def test_an_error_has_pointer_code_line_column_range_and_hint() -> None:
    problem = problem_of("context.a = 1")
    assert problem.pointer == "/rules/0/condition"
    assert problem.as_json() == {
        "pointer": "/rules/0/condition",
        "code": "validation",
        "message": "line 1, column 11: unexpected character '='",
        "line": 1,
        "column": 11,
        "start": 10,
        "end": 11,
        "hint": "use === to compare",
    }


def test_a_good_condition_has_no_problem() -> None:
    assert condition_problem("context.a", "/condition") is None


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("context.a ===", (1, 14, 13, 13)),
        ("contxt.a", (1, 1, 0, 6)),
        ("context.a\n  && = 1", (2, 6, 15, 16)),
        ("\n\n  'open", (3, 3, 4, 9)),
        ("context.a === 'open", (1, 15, 14, 19)),
        ("(context.a", (1, 11, 10, 10)),
        ("context.a)", (1, 10, 9, 10)),
        ("context.a === 1 === 2", (1, 17, 16, 19)),
        ("context.a.lower()", (1, 11, 10, 15)),
        ("context.x (((", (1, 9, 8, 9)),
        ("用户 === 1", (1, 1, 0, 2)),
        ("context.🙂", (1, 9, 8, 9)),
        ("", (1, 1, 0, 0)),
    ],
)
def test_an_error_names_its_place(text: str, place: tuple[int, int, int, int]) -> None:
    assert place_of(text) == place


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("contxt.a", "did you mean context?"),
        ("metdata['k']", "did you mean metadata?"),
        ("priority === 'high'", "did you mean context.priority?"),
        ("context", "write context.NAME or context['the name']"),
        ("context.a = 1", "use === to compare"),
        ("context.a & context.b", "use && for and"),
        ("context.a | context.b", "use || for or"),
        ("context.a and context.b", "use && for and"),
        ("context.a or context.b", "use || for or"),
        ("not context.a", "use ! for not"),
        ("context.a === True", "did you mean true?"),
        ("context.a === None", "did you mean null?"),
        ("context.a is null", "use === to compare"),
        ("'a' in context.b", "use .includes(...)"),
        ("context.a.contains('x')", "did you mean includes?"),
        ("context.a.startswith('x')", "did you mean startsWith?"),
        ("context.a.match('x')", "regular expressions are not supported; use includes, "
         "startsWith or endsWith"),
        ("context.a === 'x", "end it with '"),
        ("context.a === `x`", "write text in ' or \""),
        ("context.a === “x”", "write text in ' or \""),
        ("context.a?.b", "a missing name is already null; ?. ?? and ? : are not supported"),
        ("context.a === 1 === 2", "join two comparisons with &&, or use parentheses"),
        ("len(context.a)", "functions are not supported"),
        ("context.my-name", "arithmetic is not supported; write a name with such characters as "
         "variables['the-name']"),
        ("context.a.includes('x', 'y')", "a method takes one value"),
        ("context.x (((", "write context.x without parentheses"),
        ("context.include('x')", "did you mean includes?"),
        ("context.includes('x')", "write context.NAME or context['the name']"),
    ],
)  # fmt: skip
def test_an_error_gives_a_hint(text: str, hint: str) -> None:
    assert hint_of(text) == hint


@pytest.mark.parametrize(
    "text",
    [
        " ", "=", "===", "&&", "!", "(", ")", "()", "[", ".", "..", "'", "'\\", '"', "\\", "1.",
        ".5", "1e5", "0x10", "007", "1_000", "- 1", "+1", "1 + 1", "context.a + 'x'", "context.",
        "context..a", "context[]", "context[1.5]", "context[-0]", "context[context.a]",
        "context['a", "variables", "metadata.", "context.a b", "context.a.includes()",
        "context.a.includes('x'", "includes('x')", "{}", "[1, 2]",
        "context.a ? 1 : 2", "context.a ?? 1", "x => x", "function(){}", "new Date", "this.a",
        "eval('1')", "import('os')", "__import__('os')", "a;b", "// comment", "/* c */ true",
        "'\\x41'", "'\\u12'", "'\\u{41}'", "'\\08'", "'\\ud800'", "'\ud800'", "'a\nb'", "\x00",
        "true\x00", "context.\ud800", "1234567890123456", "0.1234567890123456",
        "context.a == = 1", "context.a !=== 1", "context.a <> 1", "!= 1", "²", "١",
    ],
)  # fmt: skip
def test_what_is_no_condition_is_refused(text: str) -> None:
    problem = problem_of(text)
    assert problem.code == "validation"
    problem.message.encode()
    start, end = place_of(text)[2:]
    assert isinstance(start, int)
    assert isinstance(end, int)
    assert 0 <= start <= end <= len(text)


def test_the_length_is_bounded() -> None:
    fitting = "'" + "x" * (MAX_LENGTH - 2) + "'"
    assert compile_condition(fitting).evaluate({}, {})
    assert "at most 2000 characters" in problem_of(fitting + " ").message


@pytest.mark.parametrize(
    ("fitting", "too_deep"),
    [
        ("(" * 32 + "true" + ")" * 32, "(" * 33 + "true" + ")" * 33),
        ("!" * 32 + "true", "!" * 33 + "true"),
        ("!(" * 16 + "true" + ")" * 16, "!(" * 17 + "true" + ")" * 17),
    ],
)
def test_the_depth_is_bounded(fitting: str, too_deep: str) -> None:
    compile_condition(fitting).evaluate({}, {})
    assert "at most 32 deep" in problem_of(too_deep).message


def test_the_number_of_terms_is_bounded() -> None:
    compile_condition(" || ".join(["null"] * 200)).evaluate({}, {})
    assert "at most 200 names" in problem_of(" || ".join(["null"] * 201)).message


def test_the_number_of_method_calls_is_bounded() -> None:
    call = "context.a.includes('x')"
    compile_condition(" || ".join([call] * 8)).evaluate({}, {})
    assert "at most 8 methods" in problem_of(" || ".join([call] * 9)).message


def test_the_length_of_a_path_is_bounded() -> None:
    assert compile_condition("context" + ".a" * 32).value({}, {}) is None
    assert "at most 32 steps" in problem_of("context" + ".a" * 33).message
    assert "at most 32 steps" in problem_of("context.a" + "[0]" * 33).message


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000,
        "(" * 100_000 + "true" + ")" * 100_000,
        "!" * 100_000 + "true",
        "[" * 100_000,
        "context" + "[0]" * 100_000,
        "context" + ".a" * 100_000,
        "'" + "\\" * 100_000,
        "1" * 100_000,
        "true" + " && true" * 100_000,
        "context.a.includes(" * 100_000,
        "\n" * 100_000,
        "a" * 10_000_000,
        "(" * 2_000,
        "!" * 2_000,
        "context.a.includes(" * 105,
        "'" + "\\'" * 999,
    ],
    ids=range(16),
)
def test_a_hostile_text_is_refused(text: str) -> None:
    with pytest.raises(ValidationFailed) as caught:
        compile_condition(text)
    assert len(caught.value.detail) < 300
