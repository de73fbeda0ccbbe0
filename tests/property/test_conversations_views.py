"""Laws of views: they behave as plain lists of indices do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.domain import runs
from conversations.domain.varint import read_varints, write_varints
from conversations.domain.view import View
from conversations.domain.view_patch import apply_patch, encode_patch


@st.composite
def distinct_indices(draw: st.DrawFn, start: int = 0) -> list[int]:
    """A list without repeats that has runs in it, in and out of order."""
    pieces = draw(st.lists(st.integers(1, 6), max_size=8))
    blocks: list[list[int]] = []
    here = start
    for length in pieces:
        here += draw(st.integers(0, 3))
        blocks.append(list(range(here, here + length)))
        here += length
    order = draw(st.permutations(blocks)) if draw(st.booleans()) else blocks
    return [index for block in order for index in block]


ASCENDING = st.lists(st.integers(0, 60), unique=True).map(lambda found: sorted(found))


@given(distinct_indices())
def test_a_view_is_the_list_it_was_made_of(indices: list[int]) -> None:
    view = View.of_indices(indices)
    assert list(view) == indices
    assert len(view) == len(indices)
    assert [view.index_at(place) for place in range(len(view))] == indices
    assert all(view.position_of(index) == place for place, index in enumerate(indices))
    assert [index in view for index in range(70)] == [index in indices for index in range(70)]


@given(distinct_indices(), st.integers(-5, 70), st.integers(-5, 70))
def test_slicing_is_slicing_with_both_ends_clamped(indices: list[int], a: int, b: int) -> None:
    assert list(View.of_indices(indices).slice(a, b)) == indices[max(a, 0) : max(b, 0)]


@given(distinct_indices(), distinct_indices(start=1000), st.data())
def test_inserting_and_replacing_are_those_of_a_list(
    indices: list[int], others: list[int], data: st.DataObject
) -> None:
    view, other = View.of_indices(indices), View.of_indices(others)
    position = data.draw(st.integers(0, len(indices)))
    assert list(view.insert(position, other)) == indices[:position] + others + indices[position:]
    assert list(view.concat(other)) == indices + others
    assert list(view.appended(500, 503)) == [*indices, 500, 501, 502]
    if position < len(indices):
        changed = indices.copy()
        changed[position] = 777
        assert list(view.replace(position, 777)) == changed


@given(distinct_indices(), ASCENDING)
def test_within_and_without_split_a_view_and_keep_its_order(
    indices: list[int], some: list[int]
) -> None:
    view, chosen = View.of_indices(indices), runs.of_indices(some)
    assert list(view.within(chosen)) == [index for index in indices if index in some]
    assert list(view.without(chosen)) == [index for index in indices if index not in some]
    assert list(runs.indices(view.indices_as_runs())) == sorted(indices)


@given(distinct_indices(), distinct_indices())
def test_the_common_prefix_is_that_of_the_lists(left: list[int], right: list[int]) -> None:
    length = View.of_indices(left).common_prefix_length(View.of_indices(right))
    assert left[:length] == right[:length]
    assert length in (len(left), len(right)) or left[length] != right[length]


@given(distinct_indices())
def test_decoding_gives_back_what_was_encoded(indices: list[int]) -> None:
    view = View.of_indices(indices)
    again = View.decode(view.encode())
    assert again == view
    assert hash(again) == hash(view)


@given(st.binary(max_size=40))
def test_decoding_other_bytes_gives_a_view_or_a_value_error(data: bytes) -> None:
    try:
        view = View.decode(data)
    except ValueError:
        return
    assert len(view) == sum(stop - start for start, stop in view.runs)


@given(distinct_indices())
def test_equal_lists_are_equal_views_whatever_they_were_made_of(indices: list[int]) -> None:
    piecewise = View()
    for index in indices:
        piecewise = piecewise.appended(index, index + 1)
    assert piecewise == View.of_indices(indices)
    assert View((index, index + 1) for index in indices) == piecewise


@given(ASCENDING, ASCENDING)
def test_run_sets_are_sets(left: list[int], right: list[int]) -> None:
    a, b = runs.of_indices(left), runs.of_indices(right)
    assert set(runs.indices(runs.intersection(a, b))) == set(left) & set(right)
    assert set(runs.indices(runs.difference(a, b))) == set(left) - set(right)
    assert set(runs.indices(runs.union(a + b))) == set(left) | set(right)
    assert runs.count(a) == len(left)
    for result in (runs.intersection(a, b), runs.difference(a, b), runs.union(a + b)):
        assert result == runs.of_indices(sorted(runs.indices(result)))


@given(st.lists(st.integers(0, 2**40)))
def test_numbers_in_few_bytes_come_back(numbers: list[int]) -> None:
    data = write_varints(numbers)
    assert read_varints(data) == numbers
    if numbers and numbers[-1] >= 0x80:
        with pytest.raises(ValueError, match="cut"):
            read_varints(data[:-1])


@given(distinct_indices(), ASCENDING)
def test_the_places_of_a_run_are_those_of_its_indices(indices: list[int], some: list[int]) -> None:
    view = View.of_indices(indices)
    for start, stop in runs.of_indices(some):
        found = [
            (index, None if position is None else position + index - first)
            for first, last, position in view.places_of(start, stop)
            for index in range(first, last)
        ]
        assert found == [(index, view.position_of(index)) for index in range(start, stop)]


@given(distinct_indices(), distinct_indices())
def test_a_patch_makes_the_view_of_its_base(before: list[int], after: list[int]) -> None:
    base, view = View.of_indices(before), View.of_indices(after)
    patch = encode_patch(base, view)
    assert apply_patch(base, patch) == view
    assert len(encode_patch(view, view)) <= 3 * 2
