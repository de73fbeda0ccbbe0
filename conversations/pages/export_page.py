"""The export of a conversation: the file, after a page of what its format cannot express."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from conversations.domain.formats.formats import OWN, ProviderFormat, provider_format
from conversations.domain.formats.warnings import FormatWarning
from conversations.lifecycle import transfers
from conversations.pages import presenters
from conversations.store.conversation import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.sentences import translated

_MOST_LINKS: Final = 8
_TITLES: Final[Mapping[ProviderFormat, str]] = MappingProxyType(
    {
        "openai": "OpenAI chat",
        "responses": "OpenAI Responses",
        "anthropic": "Anthropic Messages",
        "vercel": "Vercel AI SDK",
    }
)


@dataclass(frozen=True, slots=True)
class ExportLoss:
    """What a format omits or changes; the first messages that it concerns, and how many more."""

    text: str
    indices: Sequence[int]
    more: int


@dataclass(frozen=True, slots=True)
class ExportPage:
    """What the file in a provider's format does not say; ``download_url`` is the file."""

    title: Text
    crumbs: Sequence[Crumb]
    conversation_id: str
    format_title: str
    losses: Sequence[ExportLoss]
    download_url: str


@require_safe
@page
def export(request: HttpRequest, actor: Actor, conversation_id: str) -> HttpResponse:
    """Exports everything, or with ``?format=`` the current view in a provider's format.

    If that format cannot express everything, a page says so first; ``download=1`` skips it.
    """
    try:
        provider = provider_format(request.GET.get("format", OWN))
    except KeyError:
        raise ValidationFailed.at("?format", _("Unknown format.")) from None
    if provider is not None and request.GET.get("download") != "1":
        warnings = transfers.export_warnings(actor, conversation_id, provider)
        if warnings:
            shown = _export_page(actor, conversation_id, provider, warnings)
            return show(request, "conversations/export.html", shown)
    document = transfers.export(actor, conversation_id, provider)
    name = f'attachment; filename="{transfers.file_name(conversation_id, provider)}"'
    headers = {"Content-Disposition": name}
    return HttpResponse(document, content_type="application/json", headers=headers)


def _export_page(
    actor: Actor, conversation_id: str, provider: ProviderFormat, warnings: Sequence[FormatWarning]
) -> ExportPage:
    here = reverse("conversations:export", args=[conversation_id])
    head = find_head(actor.workspace, conversation_id)
    return ExportPage(
        title=_("Export for %(format)s") % {"format": _TITLES[provider]},
        crumbs=presenters.crumbs(head, Crumb(_("Export"))),
        conversation_id=conversation_id,
        format_title=_TITLES[provider],
        losses=[_loss(each) for each in warnings],
        download_url=f"{here}?format={provider}&download=1",
    )


def _loss(warning: FormatWarning) -> ExportLoss:
    shown = warning.indices[:_MOST_LINKS]
    text = translated(warning.message)
    return ExportLoss(text[:1].upper() + text[1:], shown, len(warning.indices) - len(shown))
