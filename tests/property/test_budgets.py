"""Laws of budgets: the fold over random views, message by message."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from conversations.domain.budgets.config import BudgetConfig
from conversations.domain.budgets.fold import Fold
from conversations.domain.budgets.incremental_fold import extend, fold_of
from conversations.domain.memory import MemoryLog
from conversations.domain.pairing import drop_splits, find_splits, splits_within
from conversations.domain.view import View
from tests.property.conversation_strategies import budgets, logs, views
from tests.unit.conversations.chats import calls, message, result, system, tools

LONG = "pear and apple " * 4


@st.composite
def talks(draw: st.DrawFn) -> MemoryLog:
    """A log of up to 40 messages as an engine writes it: in turns, with calls and results."""
    log = MemoryLog()
    turn = st.sampled_from(["user", "calls", "answer", "system", "tools", "late", "half"])
    drafts = []
    for number, kind in enumerate(draw(st.lists(turn, max_size=16))):
        text = draw(st.sampled_from(["pear", LONG, "梨和苹果。" * 6]))
        names = [f"{number}{letter}" for letter in draw(st.sampled_from(["", "a", "ab", "abc"]))]
        match kind:
            case "user" | "answer":
                drafts.append(message("user" if kind == "user" else "assistant", text))
            case "system":
                drafts.append(system(text))
            case "tools":
                drafts.append(tools(text))
            case "calls" if names:
                drafts += [calls(*names), *(result(name, text) for name in names)]
            case "half" if names:
                drafts += [calls(*names), *(result(name, text) for name in names[1:])]
            case "late" if names:
                drafts += [calls(*names), message("user", "?")]
                drafts += [result(name, text) for name in names]
    return MemoryLog(drafts) if drafts else log


def configs() -> st.SearchStrategy[BudgetConfig]:
    return budgets().map(BudgetConfig.model_validate)


def steps(
    config: BudgetConfig, view: View, log: MemoryLog, protected: frozenset[int] = frozenset()
) -> Iterator[tuple[Fold, View]]:
    """The fold after each message, each made from nothing."""
    for length in range(len(view) + 1):
        part = view.slice(0, length)
        yield fold_of(config, part, log, protected=protected), part


def shown(fold: Fold, part: View) -> list[tuple[int, bool]]:
    """What the fold leaves: log indices, and whether each was emptied."""
    emptied = {index for index, _ in fold.emptied}
    return [(index, index in emptied) for index in fold.visible(part)]


def tokens_shown(fold: Fold, part: View, log: MemoryLog) -> int:
    freed = dict(fold.emptied)
    return sum(log.tokens(index, index + 1) - freed.get(index, 0) for index in fold.visible(part))


@given(st.data())
def test_between_two_cuts_what_was_sent_stays_as_it_was(data: st.DataObject) -> None:
    log, config = data.draw(talks() | logs()), data.draw(configs())
    view = data.draw(views(log))
    former: tuple[tuple[int, int], list[tuple[int, bool]]] | None = None
    for fold, part in steps(config, view, log):
        now = ((fold.cut, len(fold.emptied)), shown(fold, part))
        if former is not None and former[0] == now[0]:
            assert now[1][: len(former[1])] == former[1]
        former = now


@given(st.data())
def test_it_cuts_only_over_the_maximum(data: st.DataObject) -> None:
    log, config = data.draw(talks() | logs()), data.draw(configs())
    view = data.draw(views(log))
    before, known = (0, 0), 0
    for fold, part in steps(config, view, log):
        now = (fold.cut, len(fold.emptied))
        if now != before:
            new = part.index_at(len(part) - 1)
            assert known + log.tokens(new, new + 1) > config.max_tokens
        before, known = now, tokens_shown(fold, part, log)


@given(st.data())
def test_its_tokens_are_those_of_what_it_leaves(data: st.DataObject) -> None:
    log, config = data.draw(talks() | logs()), data.draw(configs())
    for fold, part in steps(config, data.draw(views(log)), log):
        assert fold.tokens == tokens_shown(fold, part, log)


@given(st.data())
def test_over_the_maximum_nothing_is_left_that_could_go(data: st.DataObject) -> None:
    log, config = data.draw(talks()), data.draw(configs())
    view = View(((0, len(log)),))
    fold = fold_of(config, view, log)
    if fold.tokens <= config.max_tokens or config.at_least or config.drop != "oldest":
        return
    left = list(fold.visible(view))
    for place, index in enumerate(left):
        draft, entry = log.entry(index).draft, log.entry(index)
        first = index < config.keep_first or place == 0
        stays = first or (config.keep_system and draft.counts_as == "system")
        after = left[place:]
        splits = any(
            call is not None and call in left[:place]
            for call in (log.entry(each).call_index for each in after)
        )
        frees = [each for each in left[:place] if _may_go(each, log, config)]
        if not stays and not splits and entry.call_index is None:
            starts = [each for each in frees if log.entry(each).draft.role == "user"]
            held = starts[-1:] if config.keeps_turn_start and draft.role != "user" else []
            assert not set(frees) - set(held)


def _may_go(index: int, log: MemoryLog, config: BudgetConfig) -> bool:
    draft, call = log.entry(index).draft, log.entry(index).call_index
    if index < config.keep_first or (config.keep_system and draft.counts_as == "system"):
        return False
    return call is None or call >= config.keep_first


@given(st.data())
def test_no_pair_is_split_that_was_whole(data: st.DataObject) -> None:
    log, config = data.draw(talks() | logs()), data.draw(configs())
    for length in range(len(log) + 1):
        part = MemoryLog([log.entry(index).draft for index in range(length)])
        view = drop_splits(View(((0, length),)), part)
        after = fold_of(config, view, part).visible(view)
        assert not find_splits(after, part).groups
        assert not find_splits(after, part).orphans


@given(st.data())
def test_what_is_protected_stays(data: st.DataObject) -> None:
    log, config = data.draw(talks() | logs()), data.draw(configs())
    view = data.draw(views(log))
    pinned = data.draw(st.sets(st.sampled_from(list(view)), max_size=4)) if view else set()
    alone = {each for each in pinned if not _in_group(each, log)}
    for fold, part in steps(config, view, log, frozenset(alone)):
        left, emptied = set(fold.visible(part)), {index for index, _ in fold.emptied}
        for place, index in enumerate(part):
            is_system = log.entry(index).draft.counts_as == "system"
            if index in alone or (is_system and config.keep_system) or place < config.keep_first:
                assert index in left
                assert index not in emptied


def _in_group(index: int, log: MemoryLog) -> bool:
    return bool(log.entry(index).draft.call_ids) or log.entry(index).call_index is not None


@given(st.data())
def test_a_fold_that_is_continued_is_that_of_the_whole(data: st.DataObject) -> None:
    log, config = data.draw(talks() | logs()), data.draw(configs())
    view = data.draw(views(log))
    whole, continued = fold_of(config, view, log), Fold(config)
    ends = sorted(data.draw(st.lists(st.integers(0, len(view)), max_size=4)))
    for end in [*ends, len(view)]:
        former, known = shown(continued, view.slice(0, continued.count)), continued
        continued = continued.copy()
        extend(continued, view.slice(0, end), log)
        assert shown(known, view.slice(0, known.count)) == former
    assert shown(continued, view) == shown(whole, view)
    assert (continued.tokens, continued.cut) == (whole.tokens, whole.cut)


@given(st.data())
def test_the_start_of_the_turn_that_was_cut_stays_until_the_next_cut(data: st.DataObject) -> None:
    log, config = data.draw(talks()), data.draw(configs())
    view = View(((0, len(log)),))
    fold = fold_of(config, view, log)
    if fold.cut and config.keeps_turn_start and log.entry(fold.cut).draft.role != "user":
        starts = [each for each in range(fold.cut) if log.entry(each).draft.role == "user"]
        assert not starts or starts[-1] in fold.visible(view)


@given(st.data())
def test_turns_are_cut_at_their_starts(data: st.DataObject) -> None:
    log = data.draw(talks())
    config = data.draw(configs().filter(lambda each: each.drop == "oldest_turns"))
    fold = fold_of(config, View(((0, len(log)),)), log)
    assert not fold.cut or log.entry(fold.cut).draft.role == "user"


@given(st.data())
def test_results_are_emptied_from_the_oldest_on_but_for_the_last(data: st.DataObject) -> None:
    log = data.draw(talks())
    config = data.draw(configs().filter(lambda each: each.drop == "tool_results"))
    view = View(((0, len(log)),))
    fold = fold_of(config, view, log)
    results = [each for each in view if log.entry(each).draft.role == "tool"]
    last = results[len(results) - min(config.keep_last_results, len(results)) :]
    emptied = [index for index, _ in fold.emptied]
    assert list(fold.visible(view)) == list(view)
    assert emptied == sorted(emptied)
    assert not set(emptied) & set(last)
    assert set(emptied) <= set(results)


@given(st.data())
def test_pairs_that_are_split_in_the_rest_were_split_before(data: st.DataObject) -> None:
    """So the warnings of a budget need no second look at the log."""
    log, config = data.draw(talks() | logs()), data.draw(configs())
    view = data.draw(views(log))
    after = fold_of(config, view, log).visible(view)
    left = splits_within(find_splits(view, log), after)
    found = find_splits(after, log)
    assert set(left.groups) == set(found.groups)
    assert left.orphans == found.orphans


@given(st.data())
def test_a_protected_call_stays_with_its_results_and_splits_nothing(data: st.DataObject) -> None:
    log, config = data.draw(talks()), data.draw(configs())
    view = drop_splits(View(((0, len(log)),)), log)
    asked = [index for index in view if log.entry(index).draft.call_ids]
    chosen = data.draw(st.sets(st.sampled_from(asked), max_size=3)) if asked else set()
    group = frozenset(
        index for index in view if index in chosen or log.entry(index).call_index in chosen
    )
    fold = fold_of(config, view, log, protected=group)
    after = fold.visible(view)
    assert group <= set(after)
    assert not group & {index for index, _ in fold.emptied}
    assert not find_splits(after, log).groups
