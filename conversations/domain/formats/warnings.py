"""Warnings about what a format cannot express, with the messages that they concern."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FormatWarning:
    """Something that a format changes or omits, by log indices, ascending."""

    code: str
    message: str
    indices: tuple[int, ...]

    def as_json(self) -> dict[str, object]:
        return {"code": self.code, "message": self.message, "indices": list(self.indices)}


class Warnings:
    """Collects the warnings of a format; the same one about several messages is told once."""

    def __init__(self, format_name: str) -> None:
        self.format_name = format_name
        self._found: dict[tuple[str, str], set[int]] = {}

    def add(self, code: str, message: str, index: int) -> None:
        self._found.setdefault((code, message), set()).add(index)

    def part_left_out(self, what: str, index: int) -> None:
        self.add("part_left_out", f"{what} has no place in this format and is left out", index)

    def field_left_out(self, what: str, index: int) -> None:
        self.add("field_left_out", f"{what} has no place in this format and is left out", index)

    def all(self) -> tuple[FormatWarning, ...]:
        """Returns the warnings in the order of their first occurrence."""
        return tuple(
            FormatWarning(code, message, tuple(sorted(indices)))
            for (code, message), indices in self._found.items()
        )
