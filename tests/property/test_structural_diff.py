"""Laws of the structural diff: applied to the one side it gives the other."""

from collections.abc import Iterable
from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from ctxadmin.lib.alignment import align, longest_increasing
from ctxadmin.lib.structural_diff import ABSENT, Difference, DifferenceKind, diff, equal
from ctxadmin.lib.text_diff import DiffSide, text_diff

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.0, -0.0, 1.0, 2.5])
    | st.sampled_from(["", "a", "b/~", "1"])
)


def containers(inner: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonValue]:
    keys = st.sampled_from(["a", "b", "c/~d", "0", "id"])
    items = st.dictionaries(st.sampled_from(["v", "w"]), inner, max_size=2)
    identified = st.dictionaries(st.integers(0, 6), items, max_size=5).map(
        lambda found: [{"id": identity, **item} for identity, item in found.items()]
    )
    shuffled: st.SearchStrategy[JsonValue] = identified.flatmap(st.permutations).map(list)
    plain: st.SearchStrategy[JsonValue] = st.lists(inner, max_size=5)
    objects: st.SearchStrategy[JsonValue] = st.dictionaries(keys, inner, max_size=4)
    return plain | objects | shuffled


JSON: st.SearchStrategy[JsonValue] = st.recursive(LEAVES, containers, max_leaves=20)


Placed = list[tuple[list[str], Difference]]


def patched(before: JsonValue, differences: Iterable[Difference]) -> JsonValue:
    """``before`` with the differences applied, as the documentation of Difference says."""
    placed = [
        ([step.replace("~1", "/").replace("~0", "~") for step in each.path.split("/")[1:]], each)
        for each in differences
    ]
    return _applied(before, placed)


def _applied(before: JsonValue, placed: Placed) -> JsonValue:
    if not placed:
        return before
    if not placed[0][0]:
        [(_, whole)] = placed
        assert whole.kind in (DifferenceKind.CHANGED, DifferenceKind.TYPE_CHANGED)
        assert (_json_type(whole.before) == _json_type(whole.after)) == (
            whole.kind is DifferenceKind.CHANGED
        )
        assert whole.before == before
        assert whole.after is not ABSENT
        return whole.after
    if isinstance(before, list):
        return _applied_to_list(before, placed)
    assert isinstance(before, dict)
    result = dict(before)
    for step in {steps[0] for steps, _ in placed}:
        here = [(steps[1:], each) for steps, each in placed if steps[0] == step]
        each = here[0][1]
        if here[0][0] or each.kind not in (DifferenceKind.ADDED, DifferenceKind.REMOVED):
            result[step] = _applied(before[step], here)
        elif each.after is ABSENT:
            assert result.pop(step) == each.before
        else:
            assert step not in before
            result[step] = each.after
    return result


def _applied_to_list(before: list[JsonValue], placed: Placed) -> list[JsonValue]:
    ends: dict[DifferenceKind, dict[int, Difference]] = {kind: {} for kind in DifferenceKind}
    inside: dict[int, Placed] = {}
    for steps, each in placed:
        if len(steps) == 1 and each.kind in (
            DifferenceKind.ADDED,
            DifferenceKind.REMOVED,
            DifferenceKind.MOVED,
        ):
            ends[each.kind][int(steps[0])] = each
        else:
            inside.setdefault(int(steps[0]), []).append((steps[1:], each))
    gone = {
        *ends[DifferenceKind.REMOVED],
        *(each.before for each in ends[DifferenceKind.MOVED].values()),
    }
    kept = iter(index for index in range(len(before)) if index not in gone)
    result: list[JsonValue] = []
    for index in range(
        len(before) - len(ends[DifferenceKind.REMOVED]) + len(ends[DifferenceKind.ADDED])
    ):
        if index in ends[DifferenceKind.ADDED]:
            item = ends[DifferenceKind.ADDED][index].after
            assert item is not ABSENT
        elif index in ends[DifferenceKind.MOVED]:
            source = ends[DifferenceKind.MOVED][index].before
            assert isinstance(source, int)
            item = before[source]
        else:
            item = before[next(kept)]
        result.append(_applied(item, inside.get(index, [])))
    return result


def _json_type(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return repr(type(value))
    return "number" if isinstance(value, int | float) else type(value).__name__


@given(JSON, JSON)
def test_the_differences_applied_to_before_give_after(before: JsonValue, after: JsonValue) -> None:
    assert equal(patched(before, diff(before, after)), after)


@given(JSON, st.data())
def test_the_same_holds_for_values_that_are_alike(before: JsonValue, data: st.DataObject) -> None:
    after = data.draw(edited(before))
    assert equal(patched(before, diff(before, after)), after)


def edited(value: JsonValue) -> st.SearchStrategy[JsonValue]:
    """The value with something in it changed, taken away, added or put elsewhere."""
    if isinstance(value, list) and value:
        place = st.integers(0, len(value) - 1)
        return st.one_of(
            place.flatmap(
                lambda i: edited(value[i]).map(lambda v: [*value[:i], v, *value[i + 1 :]])
            ),
            place.map(lambda i: [*value[:i], *value[i + 1 :]]),
            st.permutations(value).map(list),
            st.tuples(place, LEAVES).map(lambda p: [*value[: p[0]], p[1], *value[p[0] :]]),
        )
    if isinstance(value, dict) and value:
        return st.sampled_from(sorted(value)).flatmap(
            lambda key: st.one_of(
                edited(value[key]).map(lambda v: {**value, key: v}),
                st.just({name: each for name, each in value.items() if name != key}),
            )
        )
    return JSON


@given(JSON)
def test_a_value_does_not_differ_from_itself(value: JsonValue) -> None:
    assert diff(value, value) == []


@given(JSON, JSON)
def test_two_values_are_equal_if_and_only_if_they_have_no_differences(
    left: JsonValue, right: JsonValue
) -> None:
    assert equal(left, right) == (diff(left, right) == [])


@given(JSON, JSON)
def test_no_difference_repeats_what_is_the_same(before: JsonValue, after: JsonValue) -> None:
    for each in diff(before, after):
        if each.kind in (DifferenceKind.CHANGED, DifferenceKind.TYPE_CHANGED):
            assert each.before is not ABSENT
            assert each.after is not ABSENT
            assert not equal(each.before, each.after)


SMALL = st.lists(st.sampled_from("abcd"), max_size=12)


@given(SMALL, SMALL, st.sampled_from([0, 3, 10_000]))
def test_aligned_items_are_equal_and_rise_on_both_sides(
    before: list[str], after: list[str], most_pairs: int
) -> None:
    pairs = align(before, after, most_pairs)
    assert all(before[left] == after[right] for left, right in pairs)
    for (left, right), (next_left, next_right) in pairwise(pairs):
        assert left < next_left
        assert right < next_right


@given(SMALL, SMALL)
def test_an_alignment_is_as_long_as_the_longest_common_subsequence(
    before: list[str], after: list[str]
) -> None:
    lengths = [[0] * (len(after) + 1) for _ in range(len(before) + 1)]
    for i, left in enumerate(before):
        for j, right in enumerate(after):
            longer = max(lengths[i][j + 1], lengths[i + 1][j])
            lengths[i + 1][j + 1] = lengths[i][j] + 1 if left == right else longer
    assert len(align(before, after)) == lengths[-1][-1]


@given(st.permutations(range(7)))
def test_as_many_items_as_possible_stay_in_place(positions: list[int]) -> None:
    longest = max(
        size
        for size in range(1, 8)
        for chosen in combinations(positions, size)
        if list(chosen) == sorted(chosen)
    )
    found = [positions[index] for index in sorted(longest_increasing(positions))]
    assert found == sorted(found)
    assert len(found) == longest


WORDS = st.lists(
    st.sampled_from(
        [
            "one",
            "two ",
            " ",
            "\n",
            "中",
            "文",
            ",",
            "a_b",
            "é",
            "e\u0301",
            "👩\u200d",
            "🇩",
            "\u0301",
        ]
    ),
    max_size=12,
)


@given(WORDS.map("".join), WORDS.map("".join))
def test_the_pieces_of_a_text_diff_are_both_texts(before: str, after: str) -> None:
    pieces = text_diff(before, after)
    assert "".join(each.text for each in pieces if each.kind is not DiffSide.ADDED) == before
    assert "".join(each.text for each in pieces if each.kind is not DiffSide.REMOVED) == after
    assert all(each.text for each in pieces)
    assert all(left.kind is not right.kind for left, right in pairwise(pieces))


@given(st.text(), st.text())
def test_no_character_of_any_text_is_lost(before: str, after: str) -> None:
    pieces = text_diff(before, after)
    assert "".join(each.text for each in pieces if each.kind is not DiffSide.ADDED) == before
    assert "".join(each.text for each in pieces if each.kind is not DiffSide.REMOVED) == after
