"""The examples of conversations that other programs write (tests/examples_of_shapes)."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import JsonValue

_FOLDER: Final = Path(__file__).parent / "examples_of_shapes"


@dataclass(frozen=True, slots=True)
class Example:
    """One value that a library made; ``in_envelope``: it is a line of a batch or of a log."""

    shape: str
    name: str
    value: JsonValue

    @property
    def in_envelope(self) -> bool:
        return self.name.startswith("batch") or self.name == "logged"

    def __str__(self) -> str:
        return f"{self.shape}-{self.name}"


def _examples() -> list[Example]:
    found: list[Example] = []
    for path in sorted(_FOLDER.glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        found += [Example(path.stem, name, each) for name, each in document["examples"].items()]
    return found


EXAMPLES: Final = _examples()


def example(shape: str, name: str) -> JsonValue:
    """The value of one example."""
    return next(each.value for each in EXAMPLES if (each.shape, each.name) == (shape, name))
