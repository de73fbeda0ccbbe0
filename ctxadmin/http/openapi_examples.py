"""The examples of the OpenAPI document: requests in sequence, with their answers.

``examples.json`` has them in order. ``places`` and ``query`` are the path and query parameters of a
request; ``learns`` names fields of its answer, to which ``$name`` in a place or in ``replace`` (of
fields of the body) refers. ``python -m scripts.openapi_examples`` makes the requests and writes the
answers; a test makes them too. Of a call that occurs twice the first is the example.
"""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import orjson

Json = dict[str, Any]
FILE: Final = Path(__file__).with_name("examples.json")


@functools.cache
def example_calls() -> tuple[Json, ...]:
    """Returns all of them, in order."""
    return tuple(orjson.loads(FILE.read_bytes()))


@functools.cache
def examples() -> Mapping[str, Json]:
    """Returns the example of each operation, by its id."""
    return {each["call"]: each for each in reversed(example_calls())}
