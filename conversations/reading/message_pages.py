"""Messages of a conversation, one page or one message at a time."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from conversations.domain.bodies import StoredMessage
from conversations.domain.view import View
from conversations.models import Conversation, Message, Revision
from conversations.reading.queries import (
    log_window,
    shown_revision,
    stored_message,
    visible_window,
)
from conversations.store.conversation import find_revision, view_of
from conversations.store.message_rows import body_sizes, check_rows
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

MOST_BYTES: Final = 16 * 1024**2  # of the messages of a page, unless its only one is larger
_BACKWARDS: Final = "desc"
_DEFAULT_ID: Final = re.compile(r"(?P<log>log-)?(?P<index>[0-9]+)")
_MOST_DIGITS: Final = 9


def message_page(
    head: Conversation, which: str, asked: PageRequest, *, newest_first: bool = False
) -> Page[StoredMessage]:
    """Returns a page of a view, or of the log (``all``), by position.

    It ends early before a message with which it would exceed MOST_BYTES. Cursors survive the growth
    of the view.
    """
    row = None if which == "all" else shown_revision(head, which)
    count = head.log_count if row is None else row.visible_count
    if newest_first:
        stop = min(_position_before(asked, count), count)
        start = max(stop - asked.limit, 0)
    else:
        start = position_after(asked)
        stop = start + asked.limit
    if head.log_bytes > MOST_BYTES:
        start, stop = _fitting(head, row, start, stop, newest_first=newest_first)
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


def _fitting(
    head: Conversation, row: Revision | None, start: int, stop: int, *, newest_first: bool
) -> tuple[int, int]:
    """Returns the positions from ``start`` to ``stop`` that fit in a page, one at least."""
    runs = [(start, stop)] if start < stop else []
    part = View(runs) if row is None else view_of(row).slice(start, stop)
    sizes = body_sizes(head.key, part)
    listed = [sizes.get(index, 0) for index in part]
    if newest_first:
        return stop - _count_fitting(reversed(listed)), stop
    return start, start + _count_fitting(listed)


def _count_fitting(sizes: Iterable[int]) -> int:
    """Returns how many of the first sizes have MOST_BYTES together, one at least, if any."""
    total = count = 0
    for size in sizes:
        total += size
        if count and total > MOST_BYTES:
            break
        count += 1
    return count


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
