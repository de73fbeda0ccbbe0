"""The messages of a view in a provider's format, bounded, because such an answer has no pages."""

from typing import Final

from django.conf import settings

from conversations.domain.formats.formats import ProviderFormat, write
from conversations.domain.formats.formatted_view import FormattedView
from conversations.domain.formats.source import source_messages
from conversations.models import Conversation, Revision
from conversations.store.conversation import view_of
from conversations.store.message_rows import BODY, message_rows
from ctxadmin.lib.errors import TooLarge
from ctxadmin.lib.sentence import say

MOST_MESSAGES: Final = 10_000
_AT_ONCE: Final = 100  # messages that are read before their sizes are looked at


def view_in_format(head: Conversation, row: Revision, name: ProviderFormat) -> FormattedView:
    """Returns the messages of a revision's view in a provider's format.

    A part of them could split a pair, so it is all or, over MOST_MESSAGES or the bytes of a request
    body, TooLarge.
    """
    view = view_of(row)
    refuse_many(len(view))
    found: list[tuple[int, bytes]] = []
    size = 0
    for start in range(0, len(view), _AT_ONCE):
        part = view.slice(start, start + _AT_ONCE)
        rows = message_rows(head.key, part)
        found += [(index, bytes(rows[index][BODY])) for index in part]
        size += sum(len(body) for _, body in found[start:])
        refuse_large(size)
    return write(source_messages(found), name)


def refuse_many(count: int) -> None:
    """Raises TooLarge for more messages than one answer in a format can have."""
    if count > MOST_MESSAGES:
        message = say(
            "{count} messages are visible; a provider's format takes at most {most}. "
            "Truncate the view, or read its pages without a format.",
            count=count,
            most=MOST_MESSAGES,
        )
        raise TooLarge(message, limit=MOST_MESSAGES)


def refuse_large(size: int) -> None:
    """Raises TooLarge for more bytes of messages than a request body can have."""
    most = settings.MAX_BODY_BYTES
    if size > most:
        message = say(
            "The messages have more than {most} bytes, the limit of a provider's format. "
            "Truncate the view, or read its pages without a format.",
            most=most,
        )
        raise TooLarge(message, limit=most)
