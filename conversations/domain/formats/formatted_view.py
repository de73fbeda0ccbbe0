"""The messages of a view in a provider's format."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from conversations.domain.formats.warnings import FormatWarning


@dataclass(frozen=True, slots=True)
class FormattedView:
    """Messages in a format, its separate ``system`` text, and what it could not express.

    ``system`` is None in formats whose system text is among the messages.
    """

    messages: Sequence[dict[str, JsonValue]]
    system: Sequence[dict[str, JsonValue]] | None
    warnings: Sequence[FormatWarning]
