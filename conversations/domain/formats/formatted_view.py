"""The messages of a view as a provider takes them."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from conversations.domain.formats.warnings import FormatWarning


@dataclass(frozen=True, slots=True)
class FormattedView:
    """Messages in a format, what it has beside them as ``system``, and what it could not say.

    ``system`` is None in formats whose system text stands among the messages.
    """

    messages: Sequence[dict[str, JsonValue]]
    system: Sequence[dict[str, JsonValue]] | None
    warnings: Sequence[FormatWarning]
