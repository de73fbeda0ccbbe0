"""ETags of versions, and If-Match as an expected version."""

from typing import Final

from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say
from ctxadmin.lib.whole_number import whole_number

_DIGITS: Final = 18


def quoted(*numbers: int) -> str:
    """Returns an ETag of numbers: ``"version.revision.count"`` or ``"revision.count"``."""
    return '"' + ".".join(str(number) for number in numbers) + '"'


def parts(if_match: str, count: int) -> tuple[int, ...] | None:
    """Returns the ``count`` numbers of an If-Match header.

    None for ``*``, ValidationFailed otherwise.
    """
    text = if_match.strip()
    if text == "*":
        return None
    words = text.removeprefix("W/").strip('"').split(".")
    numbers = [whole_number(word, digits=_DIGITS) for word in words]
    found = tuple(number for number in numbers if number is not None)
    if len(words) != count or len(found) != count:
        raise ValidationFailed.at("If-Match", say("If-Match must be an ETag from a response."))
    return found


def expected_version(if_match: str | None, given: int | None) -> int | None:
    """Returns the version that a writer expects, from the body or from a snapshot's ETag."""
    if if_match is None:
        return given
    text = if_match.strip().removeprefix("W/").strip('"')
    numbers = parts(if_match, 3 if text.count(".") == 2 else 1)
    if numbers is None:
        return given
    if given is not None and given != numbers[0]:
        raise ValidationFailed.at("If-Match", say("If-Match and expected_version differ."))
    return numbers[0]


def expected_view(
    if_match: str | None, revision: int | None, count: int | None
) -> tuple[int | None, int | None]:
    """Returns the revision and count that a writer expects, from the body or from an ETag.

    Accepts the ETag of a conversation (``"revision.count"``) or of a snapshot.
    """
    if if_match is None:
        return revision, count
    text = if_match.strip().removeprefix("W/").strip('"')
    numbers = parts(if_match, 3 if text.count(".") == 2 else 2)
    if numbers is None:
        return revision, count
    seen_revision, seen_count = numbers[-2:]
    if revision not in (None, seen_revision) or count not in (None, seen_count):
        raise ValidationFailed.at(
            "If-Match", say("If-Match and the expected values in the body differ.")
        )
    return seen_revision, seen_count
