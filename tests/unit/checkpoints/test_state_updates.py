"""Updates of a state: reducers, directives, sizes, digests (semantics 3.2, 3.5, 3.7, 3.11)."""

import pytest
from pydantic import JsonValue

from checkpoints.domain.directives import split_update
from checkpoints.domain.reducers import Reducer, ReducerTable
from checkpoints.domain.state import (
    EMPTY,
    MAX_STATE_KEYS,
    ChangeKind,
    StateChange,
    StateTotals,
    apply_update,
    head_of,
    join_list,
    restore_heads,
    totals_of,
)
from ctxadmin.lib.errors import ContextError, OutOfRange, TooLarge, TypeMismatch, ValidationFailed
from ctxadmin.lib.json_bytes import canonical, dumps

REDUCERS = ReducerTable.of(
    {"log": "append", "n": "increment", "top": "max", "facts": "merge", "docs": "add_by_id"}
)


class State:
    """A state in memory that counts which values are read."""

    def __init__(self, **values: JsonValue) -> None:
        self.values = {key: dumps(value) for key, value in values.items()}
        self.heads = {
            key: head_of(value, REDUCERS.for_key(key)) for key, value in self.values.items()
        }
        self.reads: list[str] = []

    def update(self, limit: int = 10**6, literal: str = "", **update: JsonValue) -> StateChange:
        return apply_update(
            {key: dumps(value) for key, value in update.items()},
            totals=totals_of(self.heads),
            heads=self.heads,
            current=self.read,
            reducers=REDUCERS,
            limit=limit,
            literal={literal},
        )

    def read(self, key: str) -> bytes:
        self.reads.append(key)
        return self.values[key]


def apply(update: dict[str, bytes]) -> StateChange:
    """An update of an empty state, with the limit of the contract."""
    return apply_update(update, totals=EMPTY, heads={}, current=State().read, reducers=REDUCERS)


def kinds(change: StateChange) -> dict[str, tuple[ChangeKind, bytes]]:
    return {each.key: (each.kind, each.value) for each in change.changes}


def test_an_update_goes_through_the_reducers_of_its_keys() -> None:
    state = State(log=[1], n=2, facts={"a": 1}, docs=[{"id": 1}], top=5)
    change = state.update(log=[2], n=3, facts={"b": 2}, docs={"id": 2}, top=7, new="x")
    assert kinds(change) == {
        "log": (ChangeKind.APPEND, b"[2]"),
        "n": (ChangeKind.SET, b"5"),
        "facts": (ChangeKind.SET, b'{"a":1,"b":2}'),
        "docs": (ChangeKind.SET, b'[{"id":1},{"id":2}]'),
        "top": (ChangeKind.SET, b"7"),
        "new": (ChangeKind.SET, b'"x"'),
    }
    assert change.changed_keys == ("log", "n", "facts", "docs", "top", "new")


def test_append_and_overwrite_read_no_value() -> None:
    state = State(log=[1, 2], plain="old")
    state.update(log=[3], plain="new")
    assert state.reads == []


def test_an_append_stores_only_the_new_elements() -> None:
    change = State(log=list(range(1000))).update(log=["one"])
    assert kinds(change) == {"log": (ChangeKind.APPEND, b'["one"]')}


def test_the_first_append_sets_the_list() -> None:
    assert kinds(State().update(log=[1])) == {"log": (ChangeKind.SET, b"[1]")}


def test_an_append_to_a_stored_null_sets_the_list() -> None:
    assert kinds(State(log=None).update(log=[1])) == {"log": (ChangeKind.SET, b"[1]")}


def test_the_same_value_again_is_no_change() -> None:
    change = State(plain={"a": 1}, log=[1], top=5).update(plain={"a": 1}, log=[], top=3)
    assert set(kinds(change).values()) == {(ChangeKind.UNCHANGED, b"")}
    assert change.changed_keys == ()


def test_null_is_ignored_by_all_but_overwrite_which_stores_it() -> None:
    change = State(plain=1, log=[1], n=1).update(plain=None, log=None, n=None, top=None)
    assert change.changed_keys == ("plain",)
    assert kinds(change)["plain"] == (ChangeKind.SET, b"null")
    assert change.totals.keys == 3


class TestDirectives:
    def test_replace_stores_the_value_past_the_reducer(self) -> None:
        change = State(log=[1, 2], n=5).update(log={"$replace": [9]}, n={"$replace": "text"})
        assert kinds(change) == {
            "log": (ChangeKind.SET, b"[9]"),
            "n": (ChangeKind.SET, b'"text"'),
        }

    def test_replace_stores_null_and_what_looks_like_a_directive(self) -> None:
        change = State(log=[1]).update(
            log={"$replace": None}, plain={"$replace": {"$delete": True}}
        )
        assert kinds(change) == {
            "log": (ChangeKind.SET, b"null"),
            "plain": (ChangeKind.SET, b'{"$delete":true}'),
        }

    def test_delete_removes_the_key(self) -> None:
        change = State(log=[1], n=1).update(log={"$delete": True})
        assert kinds(change) == {"log": (ChangeKind.GONE, b"")}
        assert change.totals == totals_of({"n": head_of(b"1")})

    def test_delete_of_what_is_not_there_changes_nothing(self) -> None:
        change = State(n=1).update(nothing={"$delete": True})
        assert kinds(change) == {"nothing": (ChangeKind.UNCHANGED, b"")}
        assert change.totals.keys == 1

    @pytest.mark.parametrize("value", [False, None, 1, "true", {}])
    def test_only_true_deletes(self, value: JsonValue) -> None:
        with pytest.raises(ValidationFailed) as refusal:
            State(n=1).update(n={"$delete": value})
        assert refusal.value.problems[0].pointer == "/state_data/n/$delete"

    @pytest.mark.parametrize(
        "value",
        [
            {"$replace": 1, "x": 2},
            {"$delete": True, "$replace": 1},
            {"$set": 1},
            {"x": {"$delete": 1}},
        ],
    )
    def test_an_object_with_another_key_beside_it_is_data(self, value: JsonValue) -> None:
        assert kinds(State().update(plain=value)) == {"plain": (ChangeKind.SET, dumps(value))}

    def test_a_literal_key_holds_no_directive(self) -> None:
        change = State(a_output=1).update(literal="a_output", a_output={"$delete": True})
        assert kinds(change) == {"a_output": (ChangeKind.SET, b'{"$delete":true}')}


class TestRefusals:
    def test_types_that_do_not_fit_are_a_type_mismatch_naming_the_key(self) -> None:
        with pytest.raises(TypeMismatch) as refusal:
            State(n="text").update(n=1)
        assert refusal.value.key == "n"
        assert refusal.value.problems[0].pointer == "/state_data/n"

    def test_one_wrong_key_refuses_the_whole_update(self) -> None:
        with pytest.raises(TypeMismatch):
            State(n=1).update(plain="fine", n="wrong", log=[1])

    @pytest.mark.parametrize("old", ["text", {"a": 1}, 5, False])
    def test_an_append_to_what_is_no_list_is_a_type_mismatch(self, old: JsonValue) -> None:
        with pytest.raises(TypeMismatch):
            State(log=old).update(log=[1])

    @pytest.mark.parametrize("new", ["text", {"a": 1}, 5, False])
    def test_an_append_of_what_is_no_list_is_a_type_mismatch(self, new: JsonValue) -> None:
        for state in (State(log=[1]), State()):
            with pytest.raises(TypeMismatch):
                state.update(log=new)

    def test_a_sum_that_does_not_fit_says_where(self) -> None:
        with pytest.raises(OutOfRange) as refusal:
            State(n=2**64 - 1).update(n=1)
        assert refusal.value.problems[0].pointer == "/state_data/n"

    def test_a_pointer_escapes_the_name_of_the_key(self) -> None:
        with pytest.raises(ContextError) as refusal:
            apply({"a/b~c": b'{"$delete":0}'})
        assert refusal.value.problems[0].pointer == "/state_data/a~1b~0c/$delete"


class TestSizes:
    @pytest.mark.parametrize(
        "values",
        [{}, {"a": 1}, {"a": [], "中": '文\n"quoted"'}, {"x": {"y": [1.5, None]}, "log": [1, 2]}],
    )
    def test_the_size_is_that_of_the_canonical_json(self, values: dict[str, JsonValue]) -> None:
        assert totals_of(State(**values).heads).size == len(canonical(values))

    def test_a_state_of_exactly_the_limit_is_fine_and_one_byte_more_is_too_large(self) -> None:
        state = State(a="x")
        size = len(dumps({"a": "x", "b": "1234"}))
        assert state.update(limit=size, b="1234").totals.size == size
        with pytest.raises(TooLarge) as refusal:
            state.update(limit=size, b="12345")
        assert refusal.value.limit == size
        assert str(size + 1) in refusal.value.detail

    def test_the_limit_is_10_mib(self) -> None:
        room = 10 * 1024 * 1024 - len(dumps({"text": ""}))
        update = {"text": dumps("\u2028<script>" + "x" * (room - len("\u2028<script>".encode())))}
        assert apply(update).totals.size == 10 * 1024 * 1024
        update["text"] = update["text"][:-1] + b'y"'
        with pytest.raises(TooLarge):
            apply(update)

    @pytest.mark.parametrize("before", [[], [1], ["a", "b"]])
    @pytest.mark.parametrize("added", [[], [2], [{"c": 3}, None]])
    def test_appends_are_counted_to_the_byte(
        self, before: list[JsonValue], added: list[JsonValue]
    ) -> None:
        change = State(log=before, other=1).update(log=added)
        assert change.totals.size == len(dumps({"log": [*before, *added], "other": 1}))

    def test_a_state_has_five_thousand_keys_and_not_one_more(self) -> None:
        names = [f"k{number}" for number in range(MAX_STATE_KEYS + 1)]
        assert apply(dict.fromkeys(names[1:], b"1")).totals.keys == 5_000
        with pytest.raises(TooLarge, match="5001 keys; at most 5000") as refusal:
            apply(dict.fromkeys(names, b"1"))
        assert refusal.value.limit == 5_000
        assert [problem.pointer for problem in refusal.value.problems] == ["/state_data"]

    def test_a_state_with_more_keys_than_are_allowed_may_change_and_lose_some(self) -> None:
        state = State(**{f"k{number}": 1 for number in range(MAX_STATE_KEYS + 2)})
        assert state.update(k0=2).changed_keys == ("k0",)
        assert state.update(k0={"$delete": True}).totals.keys == MAX_STATE_KEYS + 1
        with pytest.raises(TooLarge):
            state.update(other=1)

    def test_a_state_above_a_lowered_limit_may_still_shrink(self) -> None:
        state = State(a="x" * 100, b="y" * 100)
        assert state.update(limit=50, a="x" * 50).totals.size < totals_of(state.heads).size
        with pytest.raises(TooLarge):
            state.update(limit=50, a="x" * 101)


class TestDigests:
    def test_the_empty_state_has_the_digest_zero(self) -> None:
        assert totals_of({}) == EMPTY == StateTotals(bytes(32), 2, 0)

    def test_the_digest_does_not_depend_on_the_order_of_keys(self) -> None:
        assert totals_of(State(a=1, b=2).heads) == totals_of(State(b=2, a=1).heads)

    def test_the_digest_tells_which_key_has_which_value(self) -> None:
        assert totals_of(State(a=1, b=2).heads).digest != totals_of(State(a=2, b=1).heads).digest

    def test_an_appended_list_has_the_digest_of_the_same_list_from_scratch(self) -> None:
        change = State(log=[1, "x"]).update(log=[{"a": None}, []])
        assert change.changes[0].head == head_of(b'[1,"x",{"a":null},[]]', Reducer.APPEND)

    def test_the_bounds_of_elements_count(self) -> None:
        heads = {head_of(dumps(each), Reducer.APPEND).digest for each in ([1, 2], [12], ["1,2"])}
        assert len(heads) == 3

    def test_a_list_under_another_reducer_is_hashed_as_a_whole(self) -> None:
        assert head_of(b"[1,2]").count is None
        assert head_of(b"[1,2]", Reducer.APPEND).count == 2


class TestRestored:
    def test_a_restore_names_what_is_other_and_what_is_gone(self) -> None:
        now, then = State(a=1, b=2, c=3).heads, State(a=1, b=9, d=4).heads
        change = restore_heads(now, then)
        assert [(each.key, each.kind) for each in change.changes] == [
            ("b", ChangeKind.SAME),
            ("d", ChangeKind.SAME),
            ("c", ChangeKind.GONE),
        ]
        assert change.totals == totals_of(then)

    def test_a_restore_of_the_same_state_changes_nothing(self) -> None:
        heads = State(a=1).heads
        assert restore_heads(heads, dict(heads)).changes == ()


class TestTakeApart:
    def test_messages_and_history_are_no_state_keys(self) -> None:
        update = split_update(
            {"a": b"1", "messages": b'[{"role":"user"},{}]', "execution_history": b'[{"n":1}]'},
            is_initial=True,
        )
        assert update.state == {"a": b"1"}
        assert update.messages == (b'{"role":"user"}', b"{}")
        assert update.history == (b'{"n":1}',)

    def test_null_for_them_is_ignored(self) -> None:
        update = split_update({"messages": b"null", "execution_history": b"null"})
        assert (update.messages, update.history) == ((), ())

    @pytest.mark.parametrize("value", [b"[]", b'[{"n":1}]', b"7", b'{"$delete":true}'])
    def test_history_comes_with_the_initial_state_only(self, value: bytes) -> None:
        with pytest.raises(ValidationFailed) as refusal:
            split_update({"execution_history": value})
        assert refusal.value.problems[0].pointer == "/state_data/execution_history"

    @pytest.mark.parametrize("key", ["messages", "execution_history"])
    @pytest.mark.parametrize("value", [b'{"$replace":[]}', b'{"$delete":true}'])
    def test_they_cannot_be_replaced_or_deleted(self, key: str, value: bytes) -> None:
        with pytest.raises(ValidationFailed) as refusal:
            split_update({key: value}, is_initial=True)
        assert refusal.value.problems[0].pointer == f"/state_data/{key}"

    @pytest.mark.parametrize(
        ("value", "pointer"),
        [
            (b'"text"', "/state_data/messages"),
            (b'{"role":"user"}', "/state_data/messages"),
            (b'[{},"text"]', "/state_data/messages/1"),
        ],
    )
    def test_they_are_lists_of_objects(self, value: bytes, pointer: str) -> None:
        with pytest.raises(TypeMismatch) as refusal:
            split_update({"messages": value})
        assert refusal.value.key == "messages"
        assert refusal.value.problems[0].pointer == pointer

    @pytest.mark.parametrize("key", ["", "k" * 201])
    def test_a_key_has_1_to_200_characters(self, key: str) -> None:
        with pytest.raises(ValidationFailed):
            split_update({key: b"1"})
        assert split_update({"k" * 200: b"1"}).state


def test_chunks_are_joined_without_parsing() -> None:
    assert join_list([b"[]", b"[1,2]", b"[]", b"[{}]"]) == b"[1,2,{}]"
    assert join_list([]) == b"[]"
