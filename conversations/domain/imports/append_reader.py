"""Reads messages that are appended in a provider's format: the inverse of ``formats``."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Final

from pydantic import JsonValue

from conversations.domain.formats.formats import ProviderFormat
from conversations.domain.imports import anthropic, openai, responses, vercel
from conversations.domain.imports.source_values import SourceValue
from conversations.domain.imports.transcript import Transcript
from conversations.domain.message import MessageDraft
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say

_READERS: Final[Mapping[ProviderFormat, Callable[[SourceValue, Transcript], None]]] = (
    MappingProxyType(
        {
            "openai": openai.append_messages,
            "anthropic": anthropic.append_messages,
            "responses": responses.append_messages,
            "vercel": vercel.append_messages,
        }
    )
)


@dataclass(frozen=True, slots=True)
class AppendedMessages:
    """The messages in the chat form, and parsed; equally many of both."""

    messages: Sequence[JsonValue]
    drafts: tuple[MessageDraft, ...]


class _WholeTranscript(Transcript):
    """Refuses what an import would leave out, because an append has no report."""

    keeps_own: ClassVar[bool] = True

    def report_omission(self, place: SourceValue, what: str, why: str) -> None:
        raise place.refusal(say("{what} cannot be appended: {why}", what=what, why=why))


def read_appended(
    messages: Sequence[JsonValue], name: ProviderFormat, system: JsonValue = None
) -> AppendedMessages:
    """Returns messages in a format as messages of the log, in order (semantics 1.20).

    ``system`` is what Anthropic has beside the messages; it comes first. Raises ValidationFailed
    and TooLarge with the place of what is wrong, or cannot be stored.
    """
    if system is not None and name != "anthropic":
        raise ValidationFailed.at(
            "/system", say("{name} has system texts among the messages", name=name)
        )
    root = SourceValue(list(messages), "/messages")
    transcript = _WholeTranscript(name, root)
    if system is not None:
        anthropic.append_system(SourceValue(system, "/system"), transcript)
    if messages:
        _READERS[name](root, transcript)
    return AppendedMessages(transcript.chat(), tuple(transcript.read()))
