"""Laws of the operations and of tool pairs, against plain lists."""

from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from conversations.domain.configs import OperationConfig
from conversations.domain.memory import MemoryLog
from conversations.domain.operations import apply
from conversations.domain.pairing import drop_splits, find_splits, keep_pairs, validate_for_model
from conversations.domain.view import View
from tests.property.conversation_strategies import (
    CALL_IDS,
    filters,
    keyword_filters,
    logs,
    truncations,
    views,
)
from tests.unit.conversations.chats import operation


def sliced(indices: list[int], config: OperationConfig) -> list[int]:
    """Truncate, as rule 6 says it, on a list."""
    block = config.truncate
    assert block is not None
    if block.keep_first is not None or block.keep_last is not None:
        first = indices[: block.keep_first or 0]
        rest = indices[len(first) :]
        indices = first + rest[len(rest) - min(block.keep_last or 0, len(rest)) :]
    indices = indices[block.remove_first or 0 :]
    indices = indices[: max(len(indices) - (block.remove_last or 0), 0)]
    return indices[block.range.start : block.range.end] if block.range else indices


def split_in(indices: list[int], log: MemoryLog) -> set[int]:
    """What a provider would reject in a list, pending calls left out: rule 11 the slow way."""
    later_talk = [index for index in range(len(log)) if log.entry(index).draft.role != "tool"]
    fine: set[int] = set()
    for place, index in enumerate(indices):
        draft = log.entry(index).draft
        if draft.role != "tool" and not draft.call_ids:
            fine.add(index)
        if draft.call_ids:
            results = {other for other in range(len(log)) if log.entry(other).call_index == index}
            behind = indices[place + 1 : place + 1 + len(results)]
            answered = len(results) == len(draft.call_ids) or later_talk[-1] == index
            if set(behind) == results and answered:
                fine.update({index, *results})
    return set(indices) - fine


@given(st.data())
def test_truncate_is_slicing(data: st.DataObject) -> None:
    log = data.draw(logs())
    view, config = data.draw(views(log)), operation("truncate", data.draw(truncations()))
    assert list(apply(config, view, log).view) == sliced(list(view), config)


@given(st.data())
def test_the_output_of_filter_is_a_subset_in_order(data: st.DataObject) -> None:
    log = data.draw(logs())
    view, block = data.draw(views(log)), data.draw(keyword_filters())
    kept = list(apply(operation("filter", block), view, log).view)
    roles, wanted = block.get("roles"), block.get("content_contains")
    unwanted = block.get("content_excludes")
    assert kept == [
        index
        for index in view
        for draft in [log.entry(index).draft]
        if (not isinstance(roles, list) or draft.counts_as in roles)
        and (not isinstance(wanted, list) or any(str(word) in draft.text for word in wanted))
        and not (isinstance(unwanted, list) and any(str(word) in draft.text for word in unwanted))
    ]


@given(st.data())
def test_clear_leaves_system_messages_and_exactly_one_description_if_there_are_tools(
    data: st.DataObject,
) -> None:
    log = data.draw(logs())
    view, keep = data.draw(views(log)), data.draw(st.booleans())
    outcome = apply(operation("clear", {"keep_system_message": keep}), view, log)
    log.append(outcome.entries)
    drafts = [log.entry(index).draft for index in outcome.view]
    described = [draft for draft in drafts if draft.tool_description]
    others = [draft for draft in drafts if not draft.tool_description]
    assert len(described) == bool(log.tools() or log.tool_descriptions())
    assert others == [
        log.entry(index).draft
        for index in view
        if keep
        and log.entry(index).draft.counts_as == "system"
        and not log.entry(index).draft.tool_description
    ]


@given(st.data())
def test_splits_are_found_as_the_slow_way_finds_them(data: st.DataObject) -> None:
    log = data.draw(logs())
    view = data.draw(views(log))
    outcome = apply(operation("truncate", {"remove_first": 0}), view, log)
    warned = {
        index
        for warning in outcome.warnings
        if warning.code not in ("tools_hidden", "system_hidden")
        for index in warning.indices
    }
    assert warned == split_in(list(view), log)
    pending = {group.call for group in find_splits(view, log).pending}
    assert set(validate_for_model(view, log)) == warned | pending


@given(st.data())
def test_drop_leaves_no_split_pair_and_shows_nothing_new(data: st.DataObject) -> None:
    log = data.draw(logs())
    view = data.draw(views(log))
    dropped = list(drop_splits(view, log))
    assert split_in(dropped, log) == set()
    assert dropped == [index for index in view if index in dropped]


@given(st.data())
def test_keep_leaves_nothing_split_that_the_log_can_fix_and_hides_nothing(
    data: st.DataObject,
) -> None:
    log = data.draw(logs())
    view = data.draw(views(log))
    kept = keep_pairs(view, log)
    assert set(view) <= set(kept)
    assert len(set(kept)) == len(kept)
    for index in split_in(list(kept), log):
        call = log.entry(index).call_index
        if log.entry(index).draft.role == "tool" and call is None:
            continue  # an orphan
        group = next(
            each for each in log.tool_groups([]) if each.call == (index if call is None else call)
        )
        assert group.unanswered
        place = kept.position_of(group.call)
        assert place is not None
        behind = [kept.index_at(place + step + 1) for step in range(len(group.results))]
        assert behind == list(group.results)
    assert keep_pairs(kept, log) == kept


@given(st.data())
def test_keeping_and_dropping_are_done_by_the_operation(data: st.DataObject) -> None:
    log = data.draw(logs())
    view, block = data.draw(views(log)), data.draw(truncations())
    bare = apply(operation("truncate", block), view, log)
    kept = apply(operation("truncate", block, pairing="keep"), view, log)
    dropped = apply(operation("truncate", block, pairing="drop"), view, log)
    assert kept.view == keep_pairs(bare.view, log)
    assert dropped.view == drop_splits(bare.view, log)


@given(st.data())
def test_a_replaced_call_has_its_results_or_is_warned_of(data: st.DataObject) -> None:
    log = data.draw(logs())
    view, pairing = data.draw(views(log)), data.draw(st.sampled_from(["warn", "keep", "drop"]))
    view = view if len(view) else View(((0, len(log)),))
    if not len(view):
        return
    ids = data.draw(st.lists(st.sampled_from(CALL_IDS), min_size=1, max_size=2, unique=True))
    said: JsonValue = {
        "role": "assistant",
        "content": "new",
        "tool_calls": [{"id": name, "function": {"name": "look"}} for name in ids],
    }
    index = data.draw(st.integers(0, len(view) - 1))
    block: JsonValue = {"index": index, "message": said}
    outcome = apply(operation("replace", block, pairing=pairing, include_pinned=True), view, log)
    new, split = len(log), [each for each in outcome.warnings if each.code == "split_pair"]
    warned = {index for each in split for index in each.indices}
    log.append(outcome.entries)
    place = outcome.view.position_of(new)
    assert pairing != "drop" or not split
    if place is None or new in warned:
        return
    calls = set(log.entry(new).draft.call_ids)
    shown = list(outcome.view)[place + 1 :]
    behind = [log.entry(each) for each in shown[: len(calls)]]
    waits = all(log.entry(each).draft.role == "tool" for each in shown)
    assert waits or {each.draft.answers for each in behind if each.call_index == new} == calls


@given(st.data())
def test_an_outcome_accounts_for_every_index(data: st.DataObject) -> None:
    log = data.draw(logs())
    view, block = data.draw(views(log)), data.draw(truncations())
    outcome = apply(operation("truncate", block, pairing="keep", protect_tools=True), view, log)
    before, after = set(view), set(outcome.view)
    hidden = set(View(outcome.hidden))
    shown = set(View(outcome.shown))
    assert hidden == before - after
    assert shown == after - before
    assert outcome.added == ()


@given(st.data())
def test_protected_tools_stay_visible(data: st.DataObject) -> None:
    log = data.draw(logs())
    view, block = data.draw(views(log)), data.draw(filters())
    outcome = apply(operation("filter", block, protect_tools=True), view, log)
    described = {index for index in view if log.entry(index).draft.tool_description}
    assert described <= set(outcome.view)
    assert list(outcome.view) == [index for index in view if index in outcome.view]
