"""A form in which other programs store conversations."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from conversations.domain.imports.source_values import SourceValue
from conversations.domain.imports.transcript import Fields, ImportedConversation, Transcript
from ctxadmin.lib.sentence import say

Append = Callable[[SourceValue, Transcript], Fields]
ReadTraces = Callable[[Sequence[SourceValue]], list[ImportedConversation]]


@dataclass(frozen=True, slots=True)
class Shape:
    """``recognise`` is cheap and accepts no other shape.

    ``append`` adds the messages of one value.

    ``keys`` are fields that hint at this shape where nothing is recognized. Traces have
    ``read_traces`` instead: their values are read together, since one conversation is in several.
    """

    name: str
    title: str
    recognise: Callable[[JsonValue], bool]
    append: Append | None
    keys: frozenset[str]
    read_traces: ReadTraces | None = None

    def read(self, places: Sequence[SourceValue]) -> list[ImportedConversation]:
        """Returns the conversations of some values.

        Raises ContextError at the first invalid place.
        """
        if self.read_traces is not None:
            return self.read_traces(places)
        return [self._read_one(place) for place in places]

    def _read_one(self, place: SourceValue) -> ImportedConversation:
        transcript = Transcript(self.name, place)
        if self.append is None:
            raise place.refusal(say("{title} cannot be imported on its own", title=self.title))
        return transcript.finish(self.append(place, transcript))


def first_match(shapes: Iterable[Shape], value: JsonValue) -> Shape | None:
    """Returns the first of some shapes that recognizes a value."""
    return next((shape for shape in shapes if shape.recognise(value)), None)
