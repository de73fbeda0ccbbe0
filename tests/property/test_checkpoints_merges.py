"""Laws of the three-way merge: it is fair to both, and nothing that was edited gets lost."""

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from checkpoints.domain.merge import Conflict, Merged, merge_values, resolve
from ctxadmin.lib.structural_diff import ABSENT, Value, equal
from tests.examples import examples

LEAVES = st.sampled_from([None, True, 0, 1, 1.0, "a", "b"])


def containers(inner: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonValue]:
    objects: st.SearchStrategy[JsonValue] = st.dictionaries(
        st.sampled_from(["a", "b", "c/~"]), inner, max_size=3
    )
    identified: st.SearchStrategy[JsonValue] = (
        st.dictionaries(
            st.integers(0, 5),
            st.dictionaries(st.sampled_from("vw"), inner, max_size=2),
            max_size=4,
        )
        .map(lambda found: [{"id": identity, **item} for identity, item in found.items()])
        .flatmap(st.permutations)
        .map(list)
    )
    plain: st.SearchStrategy[JsonValue] = st.lists(inner, max_size=3)
    return objects | identified | plain


JSON: st.SearchStrategy[JsonValue] = st.recursive(LEAVES, containers, max_leaves=10)
VALUES: st.SearchStrategy[Value] = JSON | st.just(ABSENT)


@st.composite
def edited(draw: st.DrawFn, value: JsonValue) -> JsonValue:
    """The value after some edits at any depth."""
    if isinstance(value, dict):
        result = {
            key: draw(edited(each)) if draw(st.booleans()) else each
            for key, each in value.items()
            if key == "id" or draw(st.integers(0, 4))
        }
        return result | (draw(OBJECTS) if draw(st.booleans()) else {}) | identity(value)
    if isinstance(value, list):
        items = [draw(edited(each)) for each in value if draw(st.integers(0, 4))]
        if items and all(isinstance(each, dict) and "id" in each for each in items):
            items += draw(st.sampled_from([[], [{"id": 90}], [{"id": 91}, {"id": 90}]]))
        return list(draw(st.permutations(items))) if not draw(st.integers(0, 3)) else items
    return draw(LEAVES) if draw(st.booleans()) else value


def identity(value: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {"id": value["id"]} if "id" in value else {}


OBJECTS = st.dictionaries(st.sampled_from("abd"), LEAVES, max_size=2)


@st.composite
def edits(draw: st.DrawFn) -> tuple[Value, Value, Value]:
    """A value and two that came of it, or three that have nothing in common."""
    if draw(st.integers(0, 3)) == 0:
        return draw(VALUES), draw(VALUES), draw(VALUES)
    base = draw(JSON)
    return base, draw(edited(base)), draw(edited(base))


def same(left: Value, right: Value) -> bool:
    return left is right or (left is not ABSENT and right is not ABSENT and equal(left, right))


@given(VALUES, VALUES)
def test_what_only_one_side_changed_counts(base: Value, changed: Value) -> None:
    assert merge_values(base, base, changed) == Merged(changed)
    assert merge_values(base, changed, base) == Merged(changed)
    assert merge_values(base, changed, changed) == Merged(changed)


@given(edits())
@settings(max_examples=examples(200))
def test_a_merge_is_the_same_for_both_sides(values: tuple[Value, Value, Value]) -> None:
    base, mine, theirs = values
    one, other = merge_values(base, mine, theirs), merge_values(base, theirs, mine)
    assert same(one.value, other.value)
    swapped = [Conflict(each.path, each.base, each.theirs, each.mine) for each in other.conflicts]
    assert sorted(one.conflicts, key=place) == sorted(swapped, key=place)


def place(conflict: Conflict) -> str:
    return conflict.path


@given(edits())
@settings(max_examples=examples(200))
def test_no_edit_is_lost_silently(values: tuple[Value, Value, Value]) -> None:
    base, mine, theirs = values
    merged = merge_values(base, mine, theirs)
    disputed = {named(merged.value, each.path) for each in merged.conflicts}
    leaves = {
        side: dict(leaves_of(value))
        for side, value in zip("bmtr", (*values, merged.value), strict=True)
    }
    for side in "mt":
        for path in leaves["b"].keys() | leaves[side].keys():
            before, after = leaves["b"].get(path, ABSENT), leaves[side].get(path, ABSENT)
            if same(before, after) or any(path[: len(each)] == each for each in disputed):
                continue
            assert same(leaves["r"].get(path, ABSENT), after)


@given(edits())
def test_a_conflict_keeps_the_base_and_can_be_decided(values: tuple[Value, Value, Value]) -> None:
    merged = merge_values(*values)
    for side in range(3):
        decided = {
            each.path: (each.base, each.mine, each.theirs)[side] for each in merged.conflicts
        }
        result = resolve(merged.value, decided)
        assert side > 0 or same(result, merged.value)


Path = tuple[str | int, ...]


def leaves_of(value: Value, path: Path = ()) -> list[tuple[Path, Value]]:
    """The plain values of a value by their path; items with ids are named by them.

    A container counts as one too, by its kind, so that an empty one is not overlooked; a list
    without ids is one plain value.
    """
    if isinstance(value, dict):
        inner = value.items()
        return [(path, "object"), *(x for k, v in inner for x in leaves_of(v, (*path, k)))]
    named_items = ids_of(value)
    if isinstance(value, list) and named_items is not None:
        pairs = zip(named_items, value, strict=True)
        return [(path, "list"), *(x for k, v in pairs for x in leaves_of(v, (*path, f"#{k}")))]
    return [] if value is ABSENT else [(path, value)]


def ids_of(value: Value) -> list[JsonValue] | None:
    if not isinstance(value, list):
        return None
    ids = [each.get("id") for each in value if isinstance(each, dict)]
    fits = len(ids) == len(value) and all(type(each) is int for each in ids)
    return ids if fits and len({*map(str, ids)}) == len(ids) else None


def named(value: Value, pointer: str) -> Path:
    """A JSON pointer as a path of keys and ids."""
    path: list[str | int] = []
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            item = value[int(step)]
            assert isinstance(item, dict)
            path.append(f"#{item['id']}")
            value = item
        else:
            assert isinstance(value, dict)
            path.append(step)
            value = value.get(step, ABSENT)
    return tuple(path)
