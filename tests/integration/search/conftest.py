"""What tests of searches need: an index that is up to date, and a reader."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.utils import timezone

from ctxadmin.http.endpoints.pagination import PageRequest
from ctxadmin.identity.actor import Actor
from search import indexer
from search.domain.query import read_query
from search.hits import Hit
from search.queries import search
from tests.factories import person

Find = Callable[..., Sequence[Hit]]


@pytest.fixture
def find() -> Find:
    """Brings the index up to date, then searches."""

    def found(text: str, actor: Actor | None = None, **given: Any) -> Sequence[Hit]:
        indexer.run_until_done()
        return look(text, actor, **given)

    return found


def look(
    text: str, actor: Actor | None = None, *, archived: bool = False, **given: str
) -> Sequence[Hit]:
    """Searches with the index as it is."""
    query = read_query(text, given, timezone.now(), archived=archived)
    return search(actor or person(), query, PageRequest(limit=50)).hits
