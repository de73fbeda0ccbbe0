"""Numbers in few bytes: seven bits a byte, the high bit says that more follow."""

from collections.abc import Iterable


def write_varints(numbers: Iterable[int]) -> bytes:
    """Non-negative numbers one behind the other."""
    data = bytearray()
    for number in numbers:
        rest = number
        while rest >= 0x80:
            data.append(rest & 0x7F | 0x80)
            rest >>= 7
        data.append(rest)
    return bytes(data)


def read_varints(data: bytes) -> list[int]:
    """The numbers that ``write_varints`` wrote; ValueError for a cut end."""
    numbers: list[int] = []
    number = shift = 0
    for byte in data:
        number |= (byte & 0x7F) << shift
        if byte & 0x80:
            shift += 7
        else:
            numbers.append(number)
            number = shift = 0
    if shift:
        raise ValueError("the last number is cut")
    return numbers
