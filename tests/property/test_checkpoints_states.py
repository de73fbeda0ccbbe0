"""Laws of reducers and states: what a save keeps along equals what a look at all would give."""

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from pydantic import JsonValue

from checkpoints.domain.reducers import Reducer, ReducerTable, reduce
from checkpoints.domain.state import (
    EMPTY,
    ChangeKind,
    KeyHead,
    apply_update,
    head_of,
    join_list,
    restore_heads,
    totals_of,
)
from ctxadmin.lib.errors import ContextError
from ctxadmin.lib.json_bytes import canonical, dumps
from tests.examples import examples
from tests.state_model import WholeState

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
)
JSON: st.SearchStrategy[JsonValue] = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
NUMBERS = st.integers(-(2**40), 2**40)
ITEM: st.SearchStrategy[JsonValue] = st.fixed_dictionaries({"id": st.integers(0, 4), "v": JSON})
ITEMS = st.lists(ITEM, max_size=5)
OBJECTS = st.dictionaries(st.sampled_from("abc"), JSON, max_size=3)

REDUCERS = ReducerTable.of(
    {"log": "append", "n": "increment", "top": "max", "facts": "merge", "docs": "add_by_id"}
)
FITTING: dict[str, st.SearchStrategy[JsonValue]] = {
    "log": st.lists(JSON, max_size=3),
    "n": NUMBERS,
    "top": NUMBERS,
    "facts": OBJECTS,
    "docs": ITEMS,
    "plain": JSON,
    "other": JSON,
}


@given(st.lists(JSON), st.lists(JSON), st.lists(JSON))
def test_appending_twice_is_appending_both(
    s: list[JsonValue], a: list[JsonValue], b: list[JsonValue]
) -> None:
    twice = reduce(Reducer.APPEND, "k", reduce(Reducer.APPEND, "k", s, a), b)
    assert twice == reduce(Reducer.APPEND, "k", s, a + b)


@given(ITEMS, ITEMS, ITEMS)
def test_adding_by_id_twice_is_adding_both(
    s: list[JsonValue], a: list[JsonValue], b: list[JsonValue]
) -> None:
    twice = reduce(Reducer.ADD_BY_ID, "k", reduce(Reducer.ADD_BY_ID, "k", s, a), b)
    assert twice == reduce(Reducer.ADD_BY_ID, "k", s, a + b)


@given(NUMBERS, NUMBERS, NUMBERS)
def test_incrementing_twice_is_incrementing_by_the_sum(s: int, a: int, b: int) -> None:
    twice = reduce(Reducer.INCREMENT, "k", reduce(Reducer.INCREMENT, "k", s, a), b)
    assert twice == reduce(Reducer.INCREMENT, "k", s, a + b)


@given(NUMBERS, NUMBERS, NUMBERS)
def test_the_greatest_of_two_updates_is_that_of_their_greatest(s: int, a: int, b: int) -> None:
    twice = reduce(Reducer.MAX, "k", reduce(Reducer.MAX, "k", s, a), b)
    assert twice == reduce(Reducer.MAX, "k", s, max(a, b))


@given(OBJECTS, OBJECTS, OBJECTS)
def test_merging_twice_is_merging_the_united_updates(
    s: dict[str, JsonValue], a: dict[str, JsonValue], b: dict[str, JsonValue]
) -> None:
    twice = reduce(Reducer.MERGE, "k", reduce(Reducer.MERGE, "k", s, a), b)
    assert twice == reduce(Reducer.MERGE, "k", s, a | b)


@given(JSON, JSON, JSON)
def test_of_two_overwrites_the_last_counts(s: JsonValue, a: JsonValue, b: JsonValue) -> None:
    twice = reduce(Reducer.OVERWRITE, "k", reduce(Reducer.OVERWRITE, "k", s, a), b)
    assert twice == reduce(Reducer.OVERWRITE, "k", s, b) == b


@given(st.dictionaries(st.text(min_size=1, max_size=5), JSON, max_size=5))
def test_restoring_a_snapshot_gives_the_same_state(values: dict[str, JsonValue]) -> None:
    context = WholeState().merge({key: {"$replace": each} for key, each in values.items()})
    assert context.snapshot() == values
    assert WholeState().restore(context.snapshot()).values == context.values


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=5))
def test_the_size_is_that_of_the_canonical_json(values: dict[str, JsonValue]) -> None:
    heads = {key: head_of(dumps(value)) for key, value in values.items()}
    assert totals_of(heads).size == len(canonical(values))


class Store(RuleBasedStateMachine):
    """A store of value rows per key, written by changes alone, beside a state kept whole."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[str, list[bytes]] = {}
        self.heads: dict[str, KeyHead] = {}
        self.totals = EMPTY
        self.whole = WholeState(reducers=REDUCERS)
        self.past: list[tuple[dict[str, list[bytes]], dict[str, KeyHead], WholeState]] = []

    @rule(data=st.data(), keys=st.sets(st.sampled_from(sorted(FITTING)), min_size=1))
    def update(self, data: st.DataObject, keys: set[str]) -> None:
        self.write({key: data.draw(FITTING[key] | st.none(), key) for key in keys})

    @rule(data=st.data(), keys=st.sets(st.sampled_from(sorted(FITTING)), min_size=1))
    def replace(self, data: st.DataObject, keys: set[str]) -> None:
        self.write({key: {"$replace": data.draw(JSON, key)} for key in keys})

    @rule(key=st.sampled_from(sorted(FITTING)))
    def delete(self, key: str) -> None:
        self.write({key: {"$delete": True}})

    @rule(key=st.sampled_from(sorted(FITTING)), value=JSON)
    def try_anything(self, key: str, value: JsonValue) -> None:
        self.write({"other": "changed", key: value})

    @precondition(lambda self: self.past)
    @rule(place=st.integers(0))
    def restore(self, place: int) -> None:
        rows, heads, whole = self.past[place % len(self.past)]
        change = restore_heads(self.heads, heads)
        for each in change.changes:
            if each.kind is ChangeKind.SAME:
                self.rows[each.key] = list(rows[each.key])
                self.heads[each.key] = heads[each.key]
            else:
                assert each.kind is ChangeKind.GONE
                del self.rows[each.key], self.heads[each.key]
        self.totals, self.whole = change.totals, whole

    def write(self, update: dict[str, JsonValue]) -> None:
        rows = {key: list(each) for key, each in self.rows.items()}
        self.past.append((rows, dict(self.heads), self.whole))
        try:
            change = apply_update(
                {key: dumps(value) for key, value in update.items()},
                totals=self.totals,
                heads=self.heads,
                current=lambda key: join_list(rows[key]) if len(rows[key]) > 1 else rows[key][0],
                reducers=REDUCERS,
            )
        except ContextError:
            return
        for each in change.changes:
            if each.kind is ChangeKind.SET:
                self.rows[each.key] = [each.value]
            elif each.kind is ChangeKind.APPEND:
                self.rows[each.key].append(each.value)
            elif each.kind is ChangeKind.GONE:
                del self.rows[each.key]
            if each.head is None:
                self.heads.pop(each.key, None)
            else:
                self.heads[each.key] = each.head
        self.totals = change.totals
        self.whole = self.whole.merge(update)

    @invariant()
    def the_rows_are_the_state(self) -> None:
        values = {
            key: join_list(rows) if len(rows) > 1 else rows[0] for key, rows in self.rows.items()
        }
        assert values == self.whole.values

    @invariant()
    def heads_and_totals_are_those_from_scratch(self) -> None:
        heads = {
            key: head_of(value, REDUCERS.for_key(key)) for key, value in self.whole.values.items()
        }
        assert self.heads == heads
        assert self.totals == totals_of(heads)
        assert self.totals.size == len(canonical(self.whole.snapshot()))


TestStore = Store.TestCase
TestStore.settings = settings(max_examples=examples(60), stateful_step_count=20)
