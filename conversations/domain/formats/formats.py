"""The formats by name; ``ctxadmin`` is that of the contract itself and changes nothing."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from conversations.domain.formats import anthropic, openai, responses, vercel
from conversations.domain.formats.formatted_view import FormattedView
from conversations.domain.formats.source import SourceMessage

ProviderFormat = Literal["openai", "anthropic", "responses", "vercel"]
Write: TypeAlias = Callable[[Sequence[SourceMessage]], FormattedView]

OWN: Final = "ctxadmin"
FORMATS: Final[Mapping[ProviderFormat, Write]] = MappingProxyType(
    {
        "openai": openai.write,
        "anthropic": anthropic.write,
        "responses": responses.write,
        "vercel": vercel.write,
    }
)


def provider_format(name: str) -> ProviderFormat | None:
    """Returns the provider's format of this name, None for ctxadmin's own.

    KeyError for any other.
    """
    if name == OWN:
        return None
    for known in FORMATS:
        if name == known:
            return known
    raise KeyError(name)


def write(messages: Sequence[SourceMessage], name: ProviderFormat) -> FormattedView:
    """Writes the messages of a view in order, in a provider's format (semantics 1.17)."""
    return FORMATS[name](messages)
