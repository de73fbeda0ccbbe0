"""Checksums of what stands in the live copy, by which a read tells bytes that nobody wrote so.

CRC-32C, which processors have an instruction for: 10 MB take half a millisecond, where SHA-256
takes 20. It is no signature: it tells an accident, or a hand that changed a value, from what was
written, not one that writes a sum to go with it.

The sum of a text and another behind it follows from the sums of both and the length of the other,
so a list that grows has one without being read again (``JOINED``).
"""

from collections.abc import Iterable
from typing import Final

import google_crc32c

DIGITS: Final = 8  # hexadecimal ones, of every sum
_POLYNOMIAL: Final = 0x82F63B78  # of CRC-32C, the lowest power in the highest bit
_X_8: Final = 1 << (31 - 8)


def sum_of(name: str, pieces: Iterable[bytes]) -> bytes:
    """The sum of a value under its name, so that two values cannot take each other's place."""
    total = google_crc32c.value(name.encode())
    for piece in pieces:
        total = google_crc32c.extend(total, piece)
    return _written(total)


def sum_of_piece(piece: bytes) -> bytes:
    """The sum of what is put behind the pieces of a list."""
    return _written(google_crc32c.value(piece))


def _written(total: int) -> bytes:
    return b"%08x" % total


def _times(one: int, other: int) -> int:
    """The product of two polynomials modulo that of the sum."""
    product = 0
    for place in reversed(range(32)):
        if one >> place & 1:
            product ^= other
        other = (other >> 1) ^ (_POLYNOMIAL if other & 1 else 0)
    return product


def _powers() -> list[int]:
    """``x^8``, ``x^16``, ``x^32``, ...: what a sum is multiplied by for 1, 2, 4, ... bytes."""
    found = [_X_8]
    while len(found) < 32:
        found.append(_times(found[-1], found[-1]))
    return found


# Lua: the sum of a text and another behind it, as digits.
JOINED: Final = f"""
local powers = {{{", ".join(map(hex, _powers()))}}}
local function times(one, other)
  local product = 0
  one = bit.tobit(one)
  while one ~= 0 do
    if one < 0 then product = bit.bxor(product, other) end
    one = bit.lshift(one, 1)
    local lowest = bit.band(other, 1)
    other = bit.rshift(other, 1)
    if lowest == 1 then other = bit.bxor(other, {hex(_POLYNOMIAL)}) end
  end
  return product
end
local function joined(first, second, bytes)
  local total, place = tonumber(first, 16), 1
  while bytes > 0 do
    if bytes % 2 == 1 then total = times(powers[place], total) end
    bytes, place = math.floor(bytes / 2), place + 1
  end
  return bit.tohex(bit.bxor(total, tonumber(second, 16)))
end
"""
