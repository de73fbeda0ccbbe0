"""Measures reading and comparing JSON of 10 MB."""

from typing import Final

import orjson
from pydantic import JsonValue

from bench.table import Row, medians
from ctxadmin.lib.json_bytes import loads_strict
from ctxadmin.lib.structural_diff import diff

_BYTES: Final = 10_000_000


def state_of(size: int, *, step: int = 0) -> dict[str, JsonValue]:
    """Returns a state of about ``size`` bytes like those of agents: records, texts, numbers."""
    records = max(size // 1_000, 1)
    found: dict[str, JsonValue] = {"step": step}
    for group in range(10):
        found[f"group.{group}"] = [
            {
                "id": f"record-{group}-{number}",
                "score": number / 7,
                "tags": ["new", "checked", f"tag {number % 13}"],
                "text": f"What was found in place {number}: " + "words of the finding, " * 38,
            }
            for number in range(group, records, 10)
        ]
    return found


def rows() -> list[Row]:
    before = state_of(_BYTES)
    after = state_of(_BYTES, step=1)
    groups = after["group.3"]
    if not isinstance(groups, list):
        raise AssertionError("a group is a list")
    del groups[100:110]
    groups.insert(5, {"id": "new", "text": "x"})
    data = orjson.dumps(before)
    found = medians(
        {
            "diff": lambda: diff(before, after),
            "strict": lambda: loads_strict(data),
            "bare": lambda: orjson.loads(data),
        },
        7,
    )
    size = f"{len(data) / 1e6:.0f} MB"
    return [
        Row(f"structural diff of two states of {size}", found["diff"] * 1e3, "ms", goal=50),
        Row(
            f"strict reading of JSON of {size}, beside orjson",
            found["strict"] * 1e3,
            "ms",
            found["bare"] * 1e3,
        ),
    ]
