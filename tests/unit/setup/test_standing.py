"""What the tests of a folder share stands until the last of them."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.standing import Standing


def test_a_thing_is_made_once_until_it_ends_and_then_anew() -> None:
    told: list[str] = []

    @contextmanager
    def made() -> Iterator[int]:
        told.append("made")
        yield len(told)
        told.append("ended")

    standing = Standing[int]()
    assert (standing.get(made), standing.get(made)) == (1, 1)
    standing.end()
    standing.end()
    assert told == ["made", "ended"]
    assert standing.get(made) == 3
    standing.end()
