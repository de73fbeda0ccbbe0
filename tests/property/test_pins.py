"""Laws of pins: whatever an operation does, what is pinned and visible stays where it was."""

from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import JsonValue

from conversations.domain.configs import OperationConfig, read_operation
from conversations.domain.memory import MemoryLog
from conversations.domain.operations import apply
from conversations.domain.view import View
from tests.property.conversation_strategies import budgets, filters, logs, truncations, views
from tests.property.test_budgets import talks


class Pinning(MemoryLog):
    """A log of which some messages are pinned."""

    def pin(self, *indices: int) -> "Pinning":
        self._pins = sorted(indices)
        return self


def pinnable(log: MemoryLog) -> Pinning:
    twin = Pinning(tools=log.tools())
    for index in range(len(log)):
        twin.append([log.entry(index)], tokens=[log.tokens(index, index + 1)])
    return twin


@st.composite
def operations(draw: st.DrawFn) -> OperationConfig:
    name = draw(st.sampled_from(["truncate", "filter", "clear", "budget"]))
    blocks: dict[str, st.SearchStrategy[dict[str, JsonValue]]] = {
        "truncate": truncations(),
        "filter": filters(),
        "budget": budgets(),
        "clear": st.fixed_dictionaries({"keep_system_message": st.booleans()}),
    }
    pairing = draw(st.sampled_from(["warn", "keep"]))
    return read_operation({"operation": name, name: draw(blocks[name]), "pairing": pairing})


@given(st.data())
def test_every_operation_keeps_the_visible_pins_in_their_order(data: st.DataObject) -> None:
    log = pinnable(data.draw(talks() | logs()))
    assume(len(log))
    view, config = data.draw(views(log)), data.draw(operations())
    pins = data.draw(st.sets(st.integers(0, len(log) - 1), max_size=4))
    outcome = apply(config, view, log.pin(*pins))
    shown = [index for index in view if index in pins]
    # Pairs that are kept whole may be put behind their call.
    places = [index for index in outcome.view if index in pins]
    assert set(shown) <= set(places)
    if config.pairing == "warn":
        assert [index for index in places if index in view] == shown
    kept = [each for each in outcome.warnings if each.code == "kept_pinned"]
    assert all(set(each.indices) <= set(shown) for each in kept)


@given(st.data())
def test_a_pin_never_hides_what_would_stay_without_it(data: st.DataObject) -> None:
    log = pinnable(data.draw(talks() | logs()))
    assume(len(log))
    view, config = data.draw(views(log)), data.draw(operations())
    assume(config.operation != "budget")  # it cuts deeper around them
    without = apply(config, view, log)
    pins = data.draw(st.sets(st.integers(0, len(log) - 1), max_size=4))
    outcome = apply(config, view, log.pin(*pins))
    assert {index for index in without.view if index < len(log)} <= set(outcome.view)


@given(st.data())
def test_include_pinned_is_the_operation_without_pins(data: st.DataObject) -> None:
    log = pinnable(data.draw(talks() | logs()))
    assume(len(log))
    view, config = data.draw(views(log)), data.draw(operations())
    asked = config.filter.has if config.filter else None
    assume("pinned" not in (asked or ()))  # it chooses messages by their pins
    without = apply(config, view, log)
    every = log.pin(*range(len(log)))
    assert apply(config.model_copy(update={"include_pinned": True}), view, every) == without


@given(st.data())
def test_no_pin_splits_a_pair_that_was_whole(data: st.DataObject) -> None:
    log = pinnable(data.draw(talks()))
    assume(len(log))
    view = View(((0, len(log)),))
    pins = data.draw(st.sets(st.integers(0, len(log) - 1), max_size=3))
    config = read_operation({"operation": "truncate", "truncate": {"keep_last": 0}})
    outcome = apply(config, view, log.pin(*pins))
    known = {index for each in apply(config, view, log.pin()).warnings for index in each.indices}
    whole = read_operation({"operation": "truncate", "truncate": {"keep_first": len(log)}})
    known |= {index for each in apply(whole, view, log).warnings for index in each.indices}
    split = {
        index
        for each in outcome.warnings
        if each.code in ("split_pair", "orphan_result")
        for index in each.indices
    }
    assert split <= known
