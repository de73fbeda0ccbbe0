"""A link to Redis: in a process that is forked, and the spans around its calls."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import NoReturn

import pytest
from pytest_django import Settings

from checkpoints.live_copy.setup import set_up
from ctxadmin.storage.redis.address import read_address
from ctxadmin.storage.redis.link import Link, Span
from ctxadmin.telemetry import traces


@pytest.fixture
def away() -> Iterator[Link]:
    """A link whose Redis did not answer, with a pause that outlasts the test."""
    link = Link(read_address("redis://127.0.0.1:1/0"), pause=60)
    assert not link.is_reachable()
    yield link
    link.close()


def test_a_forked_process_asks_again_as_it_has_no_probe(away: Link) -> None:
    assert away.is_down
    away.reset()
    assert not away.is_down
    assert not away.is_reachable()


def test_a_call_has_a_span_and_one_that_is_not_made_has_none() -> None:
    entered: list[str] = []

    def span(name: str) -> AbstractContextManager[None]:
        entered.append(name)
        return nullcontext()

    link = Link(read_address("redis://127.0.0.1:1/0"), pause=60, span=span)
    assert not link.is_reachable()  # asked in vain
    assert not link.is_reachable()  # left alone
    link.close()
    assert entered == ["redis"]


def test_the_calls_of_the_live_copy_stand_in_the_traces(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    class Made(Exception):
        """The link is made; nothing else is set up."""

    def made(address: object, *, span: Span) -> NoReturn:
        assert span is traces.span
        raise Made

    settings.LIVE_REDIS = read_address("redis://127.0.0.1:1/0")
    monkeypatch.setattr("ctxadmin.storage.redis.link.Link", made)
    with pytest.raises(Made):
        set_up()
