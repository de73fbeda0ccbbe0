"""What nodes answered, as the execution history has it: some write it nowhere else."""

from collections.abc import Collection
from functools import reduce
from operator import or_
from typing import Final

import orjson
from django.db.models import Q
from django.db.models.functions import Length
from pydantic import JsonValue

from checkpoints.models import StateValue
from checkpoints.store.state import HISTORY

ExecutionVersion = tuple[int, int, int]  # conversation, number of the execution, version

_LARGEST: Final = 65_536  # bytes of the entries of one version


def responses_of(completions: Collection[ExecutionVersion]) -> dict[ExecutionVersion, JsonValue]:
    """Returns the responses with which nodes were completed at some versions, in one statement.

    Left out are those without a response, larger than 64 KB, damaged, or no longer stored.
    """
    own = [
        Q(conversation=conversation, execution=execution, version=version)
        for conversation, execution, version in completions
    ]
    if not own:
        return {}
    rows = StateValue.objects.filter(reduce(or_, own), key=HISTORY)
    small = rows.annotate(length=Length("value")).filter(length__gt=0, length__lte=_LARGEST)
    found: dict[ExecutionVersion, JsonValue] = {}
    for *place, version, value in small.values_list(
        "conversation", "execution", "version", "value"
    ):
        entries = _completions(bytes(value), version)
        response = entries[-1].get("response") if entries else None
        if response not in (None, ""):
            found[place[0], place[1], version] = response
    return found


def _completions(value: bytes, version: int) -> list[dict[str, JsonValue]]:
    """Returns the entries of a stored history that completions added; an engine may send others.

    Of a damaged history there are none: its own pages say so.
    """
    try:
        found = orjson.loads(value)
    except orjson.JSONDecodeError:
        return []
    return [
        entry
        for entry in (found if isinstance(found, list) else [])
        if isinstance(entry, dict) and entry.get("version") == version and "checkpoint_id" in entry
    ]
