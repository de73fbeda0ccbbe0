"""A link to Redis in a process that is forked."""

from collections.abc import Iterator

import pytest

from ctxadmin.storage.redis.address import read_address
from ctxadmin.storage.redis.link import Link


@pytest.fixture
def away() -> Iterator[Link]:
    """A link whose Redis did not answer, with a pause that outlasts the test."""
    link = Link(read_address("redis://127.0.0.1:1/0"), pause=60)
    assert not link.answers()
    yield link
    link.close()


def test_a_forked_process_asks_again_as_it_has_no_probe(away: Link) -> None:
    assert away.is_away
    away.begin_anew()
    assert not away.is_away
    assert not away.answers()
