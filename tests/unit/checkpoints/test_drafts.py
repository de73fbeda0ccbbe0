"""Operations on a draft: what is applied, what another page overtook, what stays beside."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from checkpoints.domain.reducers import ReducerTable
from checkpoints.editing import form_changes
from checkpoints.editing.draft import (
    AppliedDraft,
    Aside,
    Beside,
    DraftEntry,
    Drop,
    Operation,
    Overtaken,
    Revert,
    Set,
    StateDraft,
    Type,
    Use,
    WholeText,
    apply,
    first_seq,
    name_at,
    places_of,
    remove_applied,
    resolve_operations,
)
from checkpoints.editing.entries import changes_of, entries_of, mark_of_changes
from checkpoints.editing.form_changes import DraftPatch
from checkpoints.editing.rebase import KeySides, rebase_draft, touched_keys
from ctxadmin.lib.structural_diff import ABSENT


def entry(name: str, text: str, *, old: bool = True) -> DraftEntry:
    return DraftEntry(name, "text", text, old, mark=f"{name}={text}")


def put(place: str, text: str, mine: int = 0) -> Set:
    return Set(place, entry(name_at(place), text, old=place[0] == "0"), mine)


def after(draft: StateDraft, *operations: Operation, seen: int | None = None) -> StateDraft:
    found = apply(draft, operations, draft.seq if seen is None else seen)
    assert isinstance(found, AppliedDraft)
    return found.draft


def overtaken(draft: StateDraft, *operations: Operation, seen: int) -> Overtaken:
    found = apply(draft, operations, seen)
    assert isinstance(found, Overtaken)
    return found


def texts(draft: StateDraft) -> dict[str, str]:
    return {place: each.text for place, each in draft.entries.items()}


def beside(draft: StateDraft) -> list[str]:
    return [each.text for each in draft.others]


NEW = StateDraft(3, 100)
ONE = after(NEW, put("0:plan", "one"))


def test_a_change_raises_the_number_and_is_at_its_place() -> None:
    assert (ONE.seq, texts(ONE), ONE.entries["0:plan"].at) == (101, {"0:plan": "one"}, 101)


def test_what_says_nothing_new_changes_nothing() -> None:
    assert after(ONE, put("0:plan", "one")) is ONE
    assert after(ONE, Revert("0:tone"), Drop("none"), Use("none"), Aside("0:tone")) is ONE


def test_pages_that_change_other_keys_do_not_meet() -> None:
    found = after(ONE, put("0:tone", "warm"), seen=100)
    assert texts(found) == {"0:plan": "one", "0:tone": "warm"}


@pytest.mark.parametrize("operation", [put("0:plan", "two"), Revert("0:plan")])
def test_a_page_that_has_not_seen_what_stands_is_reported_and_nothing_is_applied(
    operation: Operation,
) -> None:
    found = overtaken(ONE, put("0:tone", "warm"), operation, seen=100)
    assert found.draft is ONE
    assert texts(replace(ONE, entries=found.changed)) == {"0:plan": "one"}


def test_two_pages_that_say_the_same_do_not_meet() -> None:
    assert after(ONE, put("0:plan", "one"), seen=0) is ONE


def test_what_overtook_a_page_stays_beside_what_it_says() -> None:
    found = after(ONE, Aside("0:plan"), put("0:plan", "two"), seen=0)
    assert (texts(found), beside(found)) == ({"0:plan": "two"}, ["one"])


def test_a_page_that_leaves_loses_nothing_and_takes_nothing_away() -> None:
    operations = [put("0:plan", "two"), put("0:tone", "warm")]
    made = resolve_operations(operations, overtaken(ONE, *operations, seen=100), 7)
    found = after(ONE, *made)
    assert texts(found) == {"0:plan": "two", "0:tone": "warm"}
    assert beside(found) == ["one"]
    revert = overtaken(ONE, Revert("0:plan"), seen=100)
    assert after(ONE, *resolve_operations([Revert("0:plan")], revert, 7)) is ONE


def test_a_page_is_not_overtaken_by_what_it_said_itself() -> None:
    draft = after(ONE, put("0:tone", "warm"), seen=100)  # another page
    found = after(draft, put("0:plan", "one, longer", mine=101), seen=100)
    assert texts(found)["0:plan"] == "one, longer"
    assert overtaken(found, put("0:tone", "cool", mine=0), seen=100).changed
    assert after(found, Revert("0:plan", found.seq), seen=100).entries.keys() == {"0:tone"}


def test_who_types_on_in_two_pages_has_one_text_of_each() -> None:
    draft, mine = NEW, {"a": 0, "b": 0}
    for page, text in (("a", "x"), ("b", "X"), ("a", "xy"), ("b", "XY")):
        draft = after(draft, Aside("0:plan"), put("0:plan", text, mine[page]))
        mine[page] = draft.seq
    assert (texts(draft), beside(draft)) == ({"0:plan": "XY"}, ["xy"])


def test_what_is_beside_an_entry_changes_places_with_it() -> None:
    draft = after(ONE, Aside("0:plan"), put("0:plan", "two"))
    found = after(draft, Use("plan=one"))
    assert (texts(found), beside(found)) == ({"0:plan": "one"}, ["two"])
    assert beside(after(found, Drop("plan=two"))) == []


def test_a_text_is_kept_beside_once_and_replaced_by_the_page_that_put_it_there() -> None:
    first = after(ONE, Beside("0:plan", entry("plan", "away")))
    assert after(first, Beside("0:plan", entry("plan", "away"))) is first
    longer = after(first, Beside("0:plan", entry("plan", "away, longer"), first.seq))
    assert beside(longer) == ["away, longer"]
    assert after(ONE, Beside("0:plan", entry("plan", "one"))) is ONE


def test_texts_of_two_pages_are_distinguished_by_their_marks() -> None:
    first = after(NEW, Type(WholeText("{", mark="a" * 16)))
    both = after(first, Type(WholeText("[", mark="b" * 16)), seen=0)
    assert [each.text for each in both.texts] == ["{", "["]
    longer = after(both, Type(WholeText("{1", mark="a" * 16)))
    assert [each.text for each in longer.texts] == ["[", "{1"]
    met = overtaken(longer, Type(WholeText("{2", mark="a" * 16)), seen=first.seq)
    assert [each.text for each in met.texts] == ["{1"]
    kept = after(longer, *resolve_operations([Type(WholeText("{2", mark="a" * 16))], met, 9))
    assert [each.text for each in kept.texts] == ["[", "{1", "{2"]


def test_a_new_draft_counts_from_behind_every_former_one() -> None:
    now = datetime(2026, 5, 1, tzinfo=UTC)
    later = now + timedelta(minutes=10)
    typed_all_the_time = first_seq(now) + 10 * 60 * 3
    assert first_seq(later) > typed_all_the_time
    assert first_seq(datetime(2042, 12, 31, tzinfo=UTC)) < 2**31


def test_new_keys_of_one_name_have_places_of_their_own() -> None:
    rows = [entry("a", "1"), entry("a", "2", old=False), entry("a", "3", old=False)]
    assert list(places_of(rows)) == ["0:a", "1:a", "2:a"]


def test_what_is_written_leaves_the_draft() -> None:
    draft = after(ONE, Aside("0:plan"), put("0:plan", "two"), put("0:tone", "warm"))
    found = remove_applied(draft, ["plan"], ["plan=two"])
    assert (texts(found), beside(found)) == ({"0:tone": "warm"}, ["one"])


# --- What forms without a script say -----------------------------------------------------------


def said(given: dict[str, str], *entries: DraftEntry) -> DraftPatch:
    return form_changes.patch_of_form(entries, given)


def test_a_form_says_only_what_differs_from_what_it_was_given() -> None:
    form = said({"0:plan": "plan=one"}, entry("plan", "one"), entry("tone", "warm"))
    made, over = form_changes.operations_of(form, ONE)
    assert (made, over) == ([Set("0:tone", entry("tone", "warm"))], [])


def test_a_form_that_has_not_seen_what_stands_keeps_it_beside() -> None:
    made, over = form_changes.operations_of(said({}, entry("plan", "two")), ONE)
    found = after(ONE, *made)
    assert (over, texts(found), beside(found)) == (["plan"], {"0:plan": "two"}, ["one"])


def test_a_new_key_that_a_form_has_no_more_is_taken_out() -> None:
    draft = after(NEW, put("1:more", "x"))
    made, _over = form_changes.operations_of(said({"1:more": "more=x"}), draft)
    assert not after(draft, *made)


@pytest.mark.parametrize("text", ["", "nonsense", "[]", '{"0:a": 1', '{"0:a": 1}'])
def test_marks_that_no_page_was_given_are_none(text: str) -> None:
    assert form_changes.read_marks(text) == {}


# --- Later versions ------------------------------------------------------------------------------

BASE = {"plan": "ask", "facts": {"a": 1, "b": 2}}


def typed(**changes: object) -> StateDraft:
    made = entries_of(changes, BASE)  # type: ignore[arg-type]
    return StateDraft(3, 5, places_of(replace(each, at=4) for each in made))


def sides(**now: object) -> KeySides:
    return KeySides(BASE, now, ReducerTable())  # type: ignore[arg-type]


def test_a_draft_moves_over_changes_of_other_keys() -> None:
    found = rebase_draft(typed(plan="think"), 4, {"plan": 1, "facts": 4}, None)
    assert found is not None
    assert (found.version, texts(found)) == (4, {"0:plan": "think"})


def test_parts_of_one_value_that_go_together_are_merged() -> None:
    draft = typed(facts={"a": 5, "b": 2})
    held = {"plan": 1, "facts": 4}
    assert touched_keys(draft.entries.values(), 3, held) == {"facts"}
    found = rebase_draft(draft, 4, held, sides(facts={"a": 1, "b": 7}))
    assert found is not None
    changes = changes_of(found.entries.values(), {"facts": {"a": 1, "b": 7}}, ReducerTable())
    assert changes == {"facts": {"a": 5, "b": 7}}
    assert found.entries["0:facts"].at == 4  # who saw it has seen it


@pytest.mark.parametrize(
    ("draft", "held", "now"),
    [
        (typed(plan="think"), {"plan": 4}, {"plan": "act"}),
        (typed(plan=ABSENT), {"plan": 4}, {"plan": "act"}),
        (typed(plan="think"), {}, {}),
        (typed(tone="warm"), {"plan": 1, "tone": 4}, {"tone": "cool"}),
    ],
)
def test_a_draft_stays_where_it_is_in_a_conflict(
    draft: StateDraft, held: dict[str, int], now: dict[str, object]
) -> None:
    assert rebase_draft(draft, 4, held, sides(**now)) is None


def test_a_draft_stays_without_the_values_it_was_typed_over() -> None:
    assert rebase_draft(typed(plan="think"), 4, {"plan": 4}, None) is None


def test_a_text_that_cannot_be_read_holds_the_draft_where_it_is() -> None:
    draft = replace(typed(plan="think"), texts=(WholeText("{", mark="a"),))
    assert rebase_draft(draft, 4, {"plan": 1}, None) is None


def test_a_change_that_someone_applied_alike_is_none_any_longer() -> None:
    found = rebase_draft(typed(plan="think"), 4, {"plan": 4}, sides(plan="think"))
    assert found is not None
    assert not found


def test_what_is_beside_moves_along_as_of_the_keys_of_now() -> None:
    draft = replace(typed(), others=(entry("plan", "x"), entry("more", "y", old=False)))
    found = rebase_draft(draft, 4, {"more": 4}, None)
    assert found is not None
    assert [each.old for each in found.others] == [False, True]


def test_an_edit_has_one_mark_whatever_the_order_of_its_keys() -> None:
    one = mark_of_changes({"a": 1, "b": ABSENT})
    assert one == mark_of_changes({"b": ABSENT, "a": 1}) != mark_of_changes({"a": 1})
