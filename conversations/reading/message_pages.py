"""Messages of a conversation, one page or one message at a time."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from conversations.domain.bodies import StoredMessage
from conversations.models import Conversation, Message
from conversations.reading.queries import (
    log_window,
    shown_revision,
    stored_message,
    visible_window,
)
from conversations.store.conversation import find_revision, view_of
from conversations.store.message_rows import check_rows
from conversations.store.pin_rows import find_pinned
from ctxadmin.http.endpoints.pagination import (
    Page,
    PageRequest,
    encode,
    foreign_cursor,
    position_after,
)
from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.ids import is_public_id
from ctxadmin.lib.sentence import say

_BACKWARDS: Final = "desc"
_DEFAULT_ID: Final = re.compile(r"(?P<log>log-)?(?P<index>[0-9]+)")
_MOST_DIGITS: Final = 9


def message_page(
    head: Conversation, which: str, asked: PageRequest, *, newest_first: bool = False
) -> Page[StoredMessage]:
    """Returns a page of a view, or of the log (``all``), by position.

    Cursors survive its growth.
    """
    row = None if which == "all" else shown_revision(head, which)
    count = head.log_count if row is None else row.visible_count
    if newest_first:
        stop = min(_position_before(asked, count), count)
        start = max(stop - asked.limit, 0)
    else:
        start = position_after(asked)
        stop = start + asked.limit
    if row is None:
        window = log_window(head, start, stop - start)
    else:
        window = visible_window(head, row, start, stop - start)
    messages = with_pins(head, window.messages)
    if newest_first:
        more = encode((_BACKWARDS, start)) if start else None
        return Page(messages[::-1], more)
    places = window.positions
    has_more = len(places) > 0 and places[-1] + 1 < window.view_count
    return Page(messages, encode((places[-1],)) if has_more else None)


def _position_before(request: PageRequest, count: int) -> int:
    """Returns the end of a page in descending order: before the cursor's position."""
    match request.after:
        case ():
            return count
        case (str() as order, int() as position) if order == _BACKWARDS and 0 < position < 2**31:
            return position
    raise foreign_cursor()


def with_pins(head: Conversation, messages: Sequence[StoredMessage]) -> Sequence[StoredMessage]:
    """Returns the messages, with the pins of those that are pinned."""
    pinned = find_pinned(head.key, (message.index for message in messages))
    if not pinned:
        return messages
    return [replace(message, pinned=message.index in pinned) for message in messages]


def one_message(head: Conversation, name: str) -> StoredMessage:
    """Returns a message of the log by its index or its id; raises NotFound.

    It is ``visible`` if the current view has it. Digits are an index; an id of digits only is found
    by its index.
    """
    row = _row_of(head, name)
    current = find_revision(head.key, head.current_revision)
    return with_pins(head, [stored_message(row, visible=row.index in view_of(current))])[0]


def index_of(head: Conversation, name: str) -> int:
    """Returns the log index of a message by its index or its id; raises NotFound."""
    return _row_of(head, name).index


def _row_of(head: Conversation, name: str) -> Message:
    unknown = NotFound(say("There is no message {name}.", name=repr(name[:64])))
    found = _DEFAULT_ID.fullmatch(name)
    rows = Message.objects.filter(conversation=head.key)
    if found is not None and len(found["index"]) <= _MOST_DIGITS:
        rows = rows.filter(index=int(found["index"]))
        if found["log"]:
            rows = rows.filter(message_id=None)
    elif is_public_id(name):
        rows = rows.filter(message_id=name)
    else:
        raise unknown
    row = next(check_rows(rows), None)
    if row is None:
        raise unknown
    return row
