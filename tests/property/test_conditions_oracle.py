"""Conditions compared with a JavaScript engine: what both can say means the same."""

import json
from dataclasses import dataclass

import quickjs
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from ctxadmin.lib.errors import ValidationFailed
from tests.examples import examples
from workflows.domain.conditions.condition import compile_condition

# What is meant to differ: unlike types have no order, objects are never equal, methods convert
# nothing, and everything that is missing is null. The engine is told so by these.
RULES = """
const isObject = v => typeof v === 'object' && v !== null;
const same = (a, b) => !isObject(a) && a === b;
const ordered = (a, b) => typeof a === typeof b && ['number', 'string'].includes(typeof a);
const order = {
  '<': (a, b) => ordered(a, b) && a < b, '<=': (a, b) => ordered(a, b) && a <= b,
  '>': (a, b) => ordered(a, b) && a > b, '>=': (a, b) => ordered(a, b) && a >= b,
  '===': same, '!==': (a, b) => !same(a, b),
};
const call = (v, method, part) => {
  if (typeof v === 'string' && typeof part !== 'string') return false;
  if (typeof v !== 'string' && !(Array.isArray(v) && method === 'includes')) return null;
  return isObject(part) ? false : v[method](part);
};
"""

# Characters of the basic plane, because the engine counts UTF-16 units and we count characters.
texts = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=4)
few_texts = st.sampled_from(["", "a", "b", "ab", "B", "0", "1", "用户", "é"])
numbers = st.sampled_from([0, 1, -1, 2, 10, 0.5, -2.5, 123456789012345, 1.0])
scalars = st.none() | st.booleans() | numbers | few_texts | texts
values: st.SearchStrategy[JsonValue] = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "length", "0"]), inner, max_size=3)
    ),
    max_leaves=6,
)
names = st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), values, max_size=4)


@dataclass(frozen=True)
class Both:
    """One expression in our language and as the engine reads it."""

    ours: str
    engine: str


def _literal(value: JsonValue) -> Both:
    text = json.dumps(value, ensure_ascii=True)
    return Both(text, text)


def _path(root: str, name: str, steps: list[str | int]) -> Both:
    ours = f"{root}[{json.dumps(name)}]" if len(steps) % 2 else f"{root}.{name}"
    engine = f"{root}.{name}"
    for step in steps:
        if isinstance(step, str) and len(steps) != 2:
            ours += f".{step}"
        else:
            ours += f"[{json.dumps(step)}]"
        engine += f"?.[{json.dumps(step)}]"
    return Both(ours, f"({engine} ?? null)")


literals = st.builds(_literal, st.none() | st.booleans() | numbers | few_texts)
steps = st.lists(st.sampled_from(["a", "b", "length", 0, 1]), max_size=3)
paths = st.builds(
    _path,
    st.sampled_from(["context", "variables", "metadata"]),
    st.sampled_from(["a", "b", "c", "d", "zz"]),
    steps,
)


def _not(part: Both) -> Both:
    return Both(f"!({part.ours})", f"!({part.engine})")


def _joined(left: Both, operator: str, right: Both) -> Both:
    return Both(
        f"({left.ours}) {operator} ({right.ours})", f"(({left.engine}) {operator} ({right.engine}))"
    )


def _compared(left: Both, operator: str, right: Both) -> Both:
    engine = f"order['{operator}']({left.engine}, {right.engine})"
    return Both(f"({left.ours}) {operator} ({right.ours})", engine)


def _called(source: Both, method: str, argument: Both) -> Both:
    engine = f"call({source.engine}, '{method}', {argument.engine})"
    return Both(f"({source.ours}).{method}({argument.ours})", engine)


def _larger(inner: st.SearchStrategy[Both]) -> st.SearchStrategy[Both]:
    comparisons = st.sampled_from(["===", "!==", "<", "<=", ">", ">="])
    methods = st.sampled_from(["includes", "startsWith", "endsWith"])
    return (
        st.builds(_not, inner)
        | st.builds(_joined, inner, st.sampled_from(["&&", "||"]), inner)
        | st.builds(_compared, inner, comparisons, inner)
        | st.builds(_called, inner, methods, inner)
    )


expressions = st.recursive(paths | literals, _larger, max_leaves=7)
engine = quickjs.Context()
engine.eval(RULES)


def _by_engine(text: str, variables: object, metadata: object) -> JsonValue:
    known = f"const variables = {json.dumps(variables)}, metadata = {json.dumps(metadata)};"
    merged = "const context = {...metadata, ...variables};"
    result = engine.eval(f"(() => {{ {known} {merged} return JSON.stringify({text}); }})()")
    answer: JsonValue = json.loads(result)
    return answer


def _typed(value: JsonValue) -> object:
    """The value with what Python counts as equal told apart, numbers as JavaScript has them."""
    if isinstance(value, bool) or value is None:
        return (type(value), value)
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, list):
        return [_typed(each) for each in value]
    if isinstance(value, dict):
        return {key: _typed(each) for key, each in value.items()}
    return value


@settings(max_examples=examples(400))
@given(expressions, names, names)
def test_the_value_is_that_of_the_engine(
    expression: Both, variables: dict[str, JsonValue], metadata: dict[str, JsonValue]
) -> None:
    condition = compile_condition(expression.ours)
    expected = _by_engine(expression.engine, variables, metadata)
    assert _typed(condition.value(variables, metadata)) == _typed(expected)
    truth = _by_engine(f"!!({expression.engine})", variables, metadata)
    assert condition.evaluate(variables, metadata) is truth


booleans = st.sampled_from(["context.t", "context.f", "true", "false"])
counts = st.sampled_from(["context.n", "context.m", "3", "-1", "0.5"])
words = st.sampled_from(["context.s", "context.w", "'x'", '"y"', "''"])
PLAIN: dict[str, JsonValue] = {"t": True, "f": False, "n": 3, "m": -1, "s": "x", "w": "xy"}


def _flat(parts: list[str], operators: list[str]) -> str:
    """The parts with operators between them and no parentheses: precedence decides."""
    text = parts[0]
    for part, operator in zip(parts[1:], operators, strict=False):
        text += f" {operator} {part}"
    return text


def _relation(left: str, operator: str, right: str) -> str:
    return f"{left} {operator} {right}"


relations = (
    st.builds(_relation, counts, st.sampled_from(["<", "<=", ">", ">=", "===", "!=="]), counts)
    | st.builds(_relation, words, st.sampled_from(["<", "<=", ">", ">=", "===", "!=="]), words)
    | st.builds(_relation, booleans, st.sampled_from(["===", "!=="]), booleans)
    | st.builds(lambda a, b, c: f"{a} < {b} === {c}", counts, counts, booleans)
    | st.builds(lambda a, b: f"!{a} !== {b}", booleans, booleans)
    | st.builds(lambda a, b: f"{a}.includes({b})", words, words)
    | st.builds(lambda a: f"{a}.length > 1", words)
)
sentences = st.recursive(
    booleans | counts | words | relations,
    lambda inner: (
        st.builds(
            _flat,
            st.lists(inner, min_size=2, max_size=4),
            st.lists(st.sampled_from(["&&", "||"]), min_size=3, max_size=3),
        )
        | st.builds(lambda text: f"!({text})", inner)
        | st.builds(lambda text: f"({text})", inner)
    ),
    max_leaves=6,
).filter(lambda text: text.count(".includes(") <= 8)


@settings(max_examples=examples(400))
@given(sentences)
def test_the_very_same_text_means_the_same_to_the_engine(text: str) -> None:
    expected = _by_engine(text, PLAIN, {})
    assert _typed(compile_condition(text).value(PLAIN, {})) == _typed(expected)


PIECES = """context variables metadata .a .b ['a'] [0] === !== == < >= && || ! ( ) 'x' " ' \\
    true null undefined 1 -1 0.5 .includes( .length .startsWith( = & ? . [ ] 用户 constructor
    __proto__ 1e9 typeof"""
pieces = st.sampled_from([*PIECES.split(), " ", "\n", "\x00"])


@settings(max_examples=examples(300))
@given(st.lists(pieces, max_size=25).map("".join) | st.text(max_size=60), names, names)
def test_any_text_is_a_condition_that_never_fails_or_is_refused_with_its_place(
    text: str, variables: dict[str, JsonValue], metadata: dict[str, JsonValue]
) -> None:
    try:
        condition = compile_condition(text)
    except ValidationFailed as refusal:
        extra = dict(refusal.problems[0].extra)
        start, end = extra["start"], extra["end"]
        assert isinstance(start, int)
        assert isinstance(end, int)
        assert 0 <= start <= end <= len(text)
        assert text[:start].count("\n") + 1 == extra["line"]
        return
    assert condition.evaluate(variables, metadata) in (True, False)
    json.dumps(condition.value(variables, metadata))
