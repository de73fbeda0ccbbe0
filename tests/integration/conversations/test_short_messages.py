"""Many short messages take little more memory than the JSON that they come in."""

import tracemalloc
from collections.abc import Callable, Iterator

import orjson
import pytest
from pydantic import JsonValue

from conversations.domain.imports.uploads import read_value
from conversations.lifecycle import transfers
from ctxadmin.lib.contract import parse
from tests.factories import engine
from workflows.api.schemas import ApplyFilters
from workflows.previews.dry_run import apply_steps

_MESSAGES = {"messages": [{"role": "user", "content": "x"}] * 20_000}
_BODY = orjson.dumps({**_MESSAGES, "context": {}, "steps": []})


@pytest.fixture
def traced() -> Iterator[None]:
    parse(ApplyFilters, {"context": {}, "steps": []})  # its schema is built once
    tracemalloc.start()
    yield
    tracemalloc.stop()


def _peak(work: Callable[[], object]) -> int:
    """The most bytes that are held at once while something is done, with what is held before."""
    tracemalloc.reset_peak()
    work()
    return tracemalloc.get_traced_memory()[1]


@pytest.mark.usefixtures("traced")
def test_messages_of_a_body_take_the_place_of_its_json() -> None:
    value: JsonValue = orjson.loads(_BODY)
    held, _ = tracemalloc.get_traced_memory()
    assert _peak(lambda: parse(ApplyFilters, value)) < 1.3 * held


@pytest.mark.usefixtures("traced")
def test_filters_tried_on_short_messages_hold_less_than_their_json_did() -> None:
    value: JsonValue = orjson.loads(_BODY)
    held, _ = tracemalloc.get_traced_memory()
    body = parse(ApplyFilters, value)
    del value
    assert _peak(lambda: apply_steps(body.given_context(), body.steps)) < 1.7 * held


@pytest.mark.django_db
@pytest.mark.usefixtures("traced")
def test_an_import_holds_the_rows_of_some_messages_at_a_time() -> None:
    actor = engine()
    source = read_value(orjson.loads(orjson.dumps(_MESSAGES)))
    held, _ = tracemalloc.get_traced_memory()
    assert _peak(lambda: transfers.import_one(actor, source)) < 2.5 * held
