"""Laws of lines about hidden messages: they name what is hidden and disturb nothing."""

from hypothesis import given
from hypothesis import strategies as st

from conversations.domain import runs
from conversations.domain.budgets.incremental_fold import fold_of
from conversations.domain.configs import OperationConfig
from conversations.domain.log import Log
from conversations.domain.memory import MemoryLog
from conversations.domain.operations import Outcome, apply, apply_budget
from conversations.domain.pairing import find_splits
from conversations.domain.tokens import tokens_of_message
from conversations.domain.view import View
from tests.property.conversation_strategies import logs, views
from tests.property.test_budgets import configs, talks
from tests.property.test_pins import operations
from workflows.domain.context.overlay_log import OverlayLog


def leaving(config: OperationConfig) -> OperationConfig:
    return config.model_copy(update={"leave_pointer": True})


def lines(outcome: Outcome) -> list[int]:
    return [entry.index for entry in outcome.entries if entry.draft.points_to]


def named(outcome: Outcome) -> set[int]:
    return {index for entry in outcome.entries for index in runs.indices(entry.draft.points_to)}


def splits(view: View, log: Log) -> set[int]:
    return {group.call for group in find_splits(view, log).groups}


@given(st.data())
def test_a_line_names_hidden_messages_and_changes_nothing_else(data: st.DataObject) -> None:
    log, config = data.draw(talks() | logs()), data.draw(operations())
    view = data.draw(views(log))
    plain = apply(config, view, log)
    outcome = apply(leaving(config), view, log)
    if config.operation == "budget":
        return
    assert named(outcome) == set(runs.indices(outcome.hidden))
    assert len(lines(outcome)) == bool(outcome.hidden)
    new = len(log) + len(plain.entries)
    assert [index for index in outcome.view if index < new] == list(plain.view)
    assert (outcome.hidden, outcome.shown, outcome.warnings) == (
        plain.hidden,
        plain.shown,
        plain.warnings,
    )


@given(st.data())
def test_a_line_splits_no_pair(data: st.DataObject) -> None:
    log, config = data.draw(talks() | logs()), data.draw(operations())
    view = data.draw(views(log))
    outcome = apply(leaving(config), view, log)
    shown = [entry.index for entry in outcome.entries if entry.draft.points_to]
    without = outcome.view.without(runs.of_indices(shown))
    overlay = OverlayLog(log, outcome.entries)
    assert splits(outcome.view, overlay) == splits(without, overlay)


@given(st.data())
def test_between_two_cuts_what_was_sent_stays_with_its_line(data: st.DataObject) -> None:
    """Byte by byte, so that the provider's cache keeps it."""
    log, block = data.draw(talks() | logs()), data.draw(configs())
    config = OperationConfig(operation="budget", budget=block, leave_pointer=True)
    former: tuple[tuple[int, int], list[bytes]] | None = None
    for length in range(len(log) + 1):
        part = View(((0, length),))
        fold = fold_of(block, part, log, leaves_pointer=True)
        outcome = apply_budget(config, block, part, log)
        sent = [_bytes(index, outcome, log) for index in outcome.view]
        now = ((fold.cut, len(fold.emptied)), sent)
        if former is not None and former[0] == now[0]:
            assert sent[: len(former[1])] == former[1]
        former = now


def _bytes(index: int, outcome: Outcome, log: MemoryLog) -> bytes:
    if index >= len(log):
        return outcome.entries[index - len(log)].draft.body
    if index in dict(outcome.emptied):
        return outcome.emptied_text(index).encode()
    return log.entry(index).draft.body


@given(st.data())
def test_a_budget_with_its_line_is_under_the_maximum_or_says_so(data: st.DataObject) -> None:
    log, block = data.draw(talks()), data.draw(configs())
    config = OperationConfig(operation="budget", budget=block, leave_pointer=True)
    outcome = apply_budget(config, block, View(((0, len(log)),)), log)
    freed = dict(outcome.emptied)
    tokens = sum(
        log.tokens(index, index + 1) - freed.get(index, 0)
        if index < len(log)
        else tokens_of_message(outcome.entries[index - len(log)].draft)
        for index in outcome.view
    )
    over = any(notice.code == "over_budget" for notice in outcome.warnings)
    assert (tokens > block.max_tokens) == over


@given(st.data())
def test_the_lines_of_a_conversation_together_name_all_that_is_hidden(
    data: st.DataObject,
) -> None:
    """However often it is operated on, each hidden message is named by a visible line."""
    log = data.draw(talks())
    view = View(((0, len(log)),))
    for config in data.draw(st.lists(operations(), max_size=4)):
        if config.operation == "budget" or config.pairing == "keep":
            continue
        outcome = apply(leaving(config), view, log)
        log.append(outcome.entries)
        view = outcome.view
    visible = [log.pointers()[index] for index in view if index in log.pointers()]
    hidden = {index for index in range(len(log)) if index not in view} - log.pointers().keys()
    assert hidden == {index for each in visible for index in runs.indices(each)} - set(view)
