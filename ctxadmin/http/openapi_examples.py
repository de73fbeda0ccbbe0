"""The examples of the OpenAPI document: calls that follow each other, with what they answer.

``examples.json`` holds them in order. ``places`` and ``query`` say where a call goes; ``learns``
gives names to fields of its answer, ``$name`` in a place or in ``replace`` (of fields of the body)
stands for them. ``python -m scripts.openapi_examples`` makes the calls and writes the answers; a
test makes them too. Of a call that is made twice the first is the example.
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
    """All of them, in order."""
    return tuple(orjson.loads(FILE.read_bytes()))


@functools.cache
def examples() -> Mapping[str, Json]:
    """The example of each operation, by its id."""
    return {each["call"]: each for each in reversed(example_calls())}
