"""Rule 7: what conditions mean when they are evaluated."""

from collections import ChainMap
from collections.abc import Iterator, Mapping

import pytest
from pydantic import JsonValue

from workflows.domain.conditions.condition import compile_condition

NAMES: dict[str, JsonValue] = {
    "relevant": True,
    "priority": "high",
    "count": 3,
    "price": 2.5,
    "zero": 0,
    "empty": "",
    "nothing": None,
    "tags": ["a", "b", 1, None, True, {"k": 1}],
    "none": [],
    "llm": {"model": {"name": "inner"}, "length": 7},
    "llm.model": {"name": "outer", "tags": ["x", "y"]},
    "用户": "Ada",
    "text": "用户🙂x",
}
DATA: dict[str, JsonValue] = {"priority": "low", "source": "mail", "a.b": {"c": 1}, "only": 1}


def value(text: str) -> JsonValue:
    return compile_condition(text).value(NAMES, DATA)


def holds(text: str) -> bool:
    return compile_condition(text).evaluate(NAMES, DATA)


@pytest.mark.parametrize(
    "text",
    [
        "context.relevant === true",
        "context.priority === 'high'",
        'context.priority === "high"',
        "context.priority == 'high'",
        "context.priority !== 'low' && context.priority != 'low'",
        "context.relevant && context.count > 2",
        "context.missing || context.relevant",
        "!context.missing",
        "!!context.relevant",
        "(context.count === 1 || context.count === 3) && true",
        "context.count >= 3 && context.count <= 3 && !(context.count < 3)",
        "context.price > -1 && context.price < 2.75",
        "  context.relevant\n\t=== true ",
    ],
)
def test_the_spelling_of_the_seeds_is_understood(text: str) -> None:
    assert holds(text)
    assert not holds(f"!({text})")


def test_and_binds_before_or_and_equality_before_both() -> None:
    assert holds("true || false && false")
    assert not holds("(true || false) && false")
    assert holds("context.count === 3 && context.priority === 'high' || false")
    assert holds("!context.missing === true")
    assert holds("context.count < 4 === true")


def test_a_context_name_is_a_variable_before_it_is_metadata() -> None:
    assert value("context.priority") == "high"
    assert value("context.source") == "mail"
    assert value("metadata.priority") == "low"
    assert value("variables.source") is None


def test_a_variable_that_is_null_still_hides_the_metadata() -> None:
    condition = compile_condition("context.x")
    assert condition.value({"x": None}, {"x": 1}) is None


def test_a_name_in_brackets_is_exact() -> None:
    assert value("metadata['a.b'].c") == 1
    assert value("variables['llm.model'].name") == "outer"
    assert value("variables['llm'].model.name") == "inner"
    assert value("context['llm'].model.name") == "inner"
    assert value("context['a'].b") is None


def test_the_longest_existing_name_wins_and_the_rest_is_a_path() -> None:
    assert value("context.llm.model.name") == "outer"
    assert value("context.llm.model.tags[1]") == "y"
    assert value("context.llm['model'].name") == "inner"
    assert value("metadata.a.b.c") == 1
    assert value("context.a.b.c") == 1


def test_the_longest_name_wins_even_if_the_path_into_it_ends_nowhere() -> None:
    names: dict[str, JsonValue] = {"a.b": {}, "a": {"b": {"c": 1}}}
    assert compile_condition("context.a.b.c").value(names, {}) is None


def test_any_variable_on_the_way_wins_over_all_metadata() -> None:
    condition = compile_condition("context.a.b")
    assert condition.value({"a": {}}, {"a.b": 1}) is None
    assert condition.value({}, {"a.b": 1}) == 1


@pytest.mark.parametrize(
    "text",
    [
        "context.missing",
        "context.missing.deep.deeper[0]",
        "context.count.deep",
        "context.relevant.x",
        "context.tags[99]",
        "context.tags['0']",
        "context.tags.name",
        "context.nothing.x",
        "context.none[0].x",
        "context.count.length",
        "metadata.priority.x",
    ],
)
def test_what_is_missing_is_null(text: str) -> None:
    assert value(text) is None
    assert holds(f"{text} === null && {text} === undefined && !({text} !== null)")
    assert not holds(f"{text} === false || {text} === 0 || {text} === ''")


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("context.zero", False),
        ("context.empty", False),
        ("context.nothing", False),
        ("false", False),
        ("null", False),
        ("-0", False),
        ("0.0", False),
        ("context.none", True),
        ("context.llm", True),
        ("'0'", True),
        ("' '", True),
        ("-1", True),
    ],
)
def test_truth_is_that_of_javascript(text: str, truth: bool) -> None:
    assert holds(text) is truth


def test_an_empty_object_is_true() -> None:
    assert compile_condition("context.x").evaluate({"x": {}}, {})


@pytest.mark.parametrize(
    "text",
    ["1 === true", "0 === false", "1 === '1'", "null === 0", "null === false", "'' === null"],
)
def test_values_of_unlike_types_are_never_equal(text: str) -> None:
    assert not holds(text)
    assert holds(text.replace("===", "!=="))


def test_equality_reads_types_the_same_in_both_directions() -> None:
    assert not holds("true === context.count || 1 === context.relevant")
    assert not compile_condition("context.one === true").evaluate({"one": 1}, {})
    assert not compile_condition("context.one === 1").evaluate({"one": True}, {})
    assert compile_condition("1.0 === context.one").evaluate({"one": 1}, {})
    pairs: list[dict[str, JsonValue]] = [
        {"a": 1, "b": True},
        {"a": True, "b": 1},
        {"a": 0, "b": False},
        {"a": "", "b": 0},
    ]
    for pair in pairs:
        assert not compile_condition("context.a === context.b").evaluate(pair, {})


def test_objects_and_arrays_are_never_equal() -> None:
    assert not holds("context.tags === context.tags")
    assert not holds("context.llm === context.llm")
    assert holds("context.none !== context.none")


@pytest.mark.parametrize(
    "text",
    [
        "1 < '2'",
        "'1' < 2",
        "null < 1",
        "null <= null",
        "false < true",
        "context.missing < 1",
        "context.missing >= 0",
        "context.tags < 'z'",
        "context.llm >= context.llm",
    ],
)
def test_values_of_unlike_types_have_no_order(text: str) -> None:
    assert not holds(text)


def test_texts_are_ordered_by_their_characters() -> None:
    assert holds("'a' < 'b' && 'B' < 'a' && 'a' < 'aa' && 'a' <= 'a'")
    assert holds("'10' < '9'")


def test_includes_looks_into_texts_and_arrays() -> None:
    assert holds("context.priority.includes('ig')")
    assert holds("context.priority.includes('')")
    assert not holds("context.priority.includes('IG')")
    assert holds("context.tags.includes('a') && context.tags.includes(1)")
    assert holds("context.tags.includes(null) && context.tags.includes(true)")
    assert not holds("context.tags.includes('k') || context.tags.includes(2)")
    assert not holds("context.tags.includes(context.llm)")


def test_includes_tells_one_from_true() -> None:
    condition = compile_condition("context.x.includes(1)")
    assert not condition.evaluate({"x": [True]}, {})
    assert not compile_condition("context.x.includes(true)").evaluate({"x": [1]}, {})


def test_a_text_starts_and_ends_with_a_text() -> None:
    assert holds("context.priority.startsWith('hi') && context.priority.endsWith('gh')")
    assert not holds("context.priority.startsWith('gh') || context.priority.endsWith('hi')")
    assert not holds("context.priority.startsWith(1)")


@pytest.mark.parametrize("source", ["missing", "count", "llm", "relevant"])
@pytest.mark.parametrize("method", ["includes", "startsWith", "endsWith"])
def test_a_method_of_a_value_that_has_none_is_null(source: str, method: str) -> None:
    assert value(f"context.{source}.{method}('a')") is None


def test_methods_and_paths_follow_any_value() -> None:
    assert holds("'high or urgent'.includes(context.priority)")
    assert holds("(context.missing || 'default').startsWith('def')")
    assert value("(context.missing || context.llm).length") == 7
    assert value("'abc'[1]") == "b"
    assert holds("context.priority.includes(context.priority) === true")


def test_length_counts_characters_elements_or_is_a_key() -> None:
    assert value("context.priority.length") == 4
    assert value("context.tags.length") == 6
    assert value("context.text.length") == 4
    assert value("context['llm'].length") == 7
    assert value("context['llm.model'].length") is None


def test_a_name_that_is_called_length_is_a_name() -> None:
    condition = compile_condition("context.a.length")
    assert condition.value({"a.length": 9, "a": "xx"}, {}) == 9


def test_a_name_that_is_called_like_a_method_is_a_name_unless_it_is_called() -> None:
    names: dict[str, JsonValue] = {"a.includes": 1, "a": "xyz"}
    assert compile_condition("context.a.includes").value(names, {}) == 1
    assert compile_condition("context.a.includes('y')").value(names, {}) is True


def test_brackets_take_texts_and_whole_numbers() -> None:
    assert value("context.tags[0]") == "a"
    assert value("context['tags'][5]['k']") == 1
    assert value("context.text[2]") == "🙂"
    assert compile_condition("context.x[7]").value({"x": {"7": "seven"}}, {}) == "seven"
    assert compile_condition("context.x[-1]").value({"x": [1]}, {}) is None


def test_names_of_any_script_are_names() -> None:
    assert holds("context.用户 === 'Ada'")
    assert holds("variables['用户'] === 'Ada'")


def test_and_and_or_give_the_value_that_decided() -> None:
    assert value("context.missing || context.priority || 'x'") == "high"
    assert value("context.relevant && context.count") == 3
    assert value("context.zero && context.count") == 0
    assert value("context.missing || ''") == ""
    assert value("!context.count") is False
    assert value("context.count > 1") is True


def test_escapes_in_a_text_are_those_of_javascript() -> None:
    assert value(r"'a\n\t\\\'\"\u0041\ud83d\ude42\/'") == "a\n\t\\'\"A🙂/"
    assert value("'it\"s'") == 'it"s'


def test_it_tells_which_names_it_reads() -> None:
    condition = compile_condition(
        "context.a.b === 1 && !(metadata['k.l'].m || variables.c.includes(context.d[0]))"
    )
    assert condition.names() == {"a.b", "k.l", "c", "d"}
    assert compile_condition("true || 'x'.length").names() == frozenset()


def test_it_counts_its_method_calls() -> None:
    condition = compile_condition("!context.a.includes('x'.includes('y')) || context.b.length > 1")
    assert condition.calls == 2


def test_a_text_is_compiled_once() -> None:
    assert compile_condition("context.once") is compile_condition("context.once")


class Watched(Mapping[str, JsonValue]):
    """Names that note which of them were asked for, and refuse to be listed."""

    def __init__(self, names: dict[str, JsonValue]) -> None:
        self.names = names
        self.asked: list[str] = []

    def __getitem__(self, name: str) -> JsonValue:
        self.asked.append(name)
        return self.names[name]

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("the names were listed")

    def __len__(self) -> int:
        raise AssertionError("the names were counted")


def test_only_the_names_that_it_needs_are_read() -> None:
    watched = Watched({"a": True, "b": 1, "c": 2})
    assert compile_condition("context.a || context.b").evaluate(watched, Watched({}))
    assert watched.asked == ["a"]


def test_any_mapping_can_be_read() -> None:
    names = ChainMap({"a": 1}, {"b": 2})
    assert compile_condition("context.a === 1 && context.b === 2").evaluate(names, {})


@pytest.mark.parametrize(
    "name",
    ["__class__", "__init__.__globals__", "constructor", "__proto__", "get", "items", "format"],
)
def test_nothing_but_data_can_be_reached(name: str) -> None:
    for source in ("context.priority", "context.tags", "context.llm", "context.count", "'x'"):
        assert value(f"{source}.{name}") is None
    assert value(f"context.{name}") is None


def test_odd_values_do_no_harm() -> None:
    odd: dict[str, JsonValue] = {"n": 10**400, "s": "\ud800", "f": 1e308, "i": float("inf")}
    for text in (
        "context.n > 1.5",
        "context.n === 1.5",
        "context.s < 'z'",
        "context.f < context.i",
        "context.s.includes('x')",
        "context.n === context.f",
        "context.s.length === 1",
    ):
        assert compile_condition(text).evaluate(odd, {}) in (True, False)  # fmt: skip
