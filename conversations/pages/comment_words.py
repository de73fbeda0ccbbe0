"""What comments are about and how they begin, in words for the audit."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Final

from django.db.models import Q
from django.utils.translation import gettext as _
from pydantic import JsonValue

from conversations.models import Comment
from ctxadmin.audit.models import AuditEntry
from ctxadmin.http.audit.entries import detail_of
from ctxadmin.identity.roles import Action
from ctxadmin.ui.components import Text, inside_quotes

_COMMENTS: Final = (Action.COMMENT_WRITE, Action.COMMENT_DELETE)
_LONGEST: Final = 60  # characters of a comment
Place = tuple[int, int]  # stream of a conversation, which is its key, and number


def words_of_comments(entries: Sequence[AuditEntry]) -> Mapping[Place, Text]:
    """Returns what each comment is about, with its beginning as long as it is there.

    The audit has no content: comments are erased with their conversation, and keys are named only
    by comments. It takes two queries.
    """
    places = {
        (entry.stream, entry.seq): (entry.stream, number)
        for entry in entries
        if entry.action in _COMMENTS
        if isinstance(number := _fields(entry).get("comment"), int)
    }
    if not places:
        return {}
    written = {(row.stream, row.seq): _fields(row) for row in _entries(places.values())}
    comments = {(row.conversation, row.number): row for row in _rows(places.values())}
    return {
        entry: _words(written.get(place, {}), comments.get(place))
        for entry, place in places.items()
    }


def _words(written: Mapping[str, JsonValue], comment: Comment | None) -> Text:
    place = _place(written, comment)
    if comment is None:
        return place or _("Removed comment")
    begun = comment.text if len(comment.text) <= _LONGEST else f"{comment.text[:_LONGEST]}…"
    return _("%(place)s: “%(text)s”") % {"place": place, "text": inside_quotes(begun)}


def _place(written: Mapping[str, JsonValue], comment: Comment | None) -> Text:
    if comment is not None and comment.key_name:
        return _("Key %(key)s") % {"key": comment.key_name}
    if (message := written.get("message")) is not None:
        return _("Message #%(n)s") % {"n": message}
    if (version := written.get("version")) is not None:
        return _("Version %(n)s") % {"n": version}
    return ""


def _fields(entry: AuditEntry) -> Mapping[str, JsonValue]:
    found = detail_of(entry.detail)
    return found if isinstance(found, dict) else {}


def _entries(places: Iterable[Place]) -> Iterable[AuditEntry]:
    """Returns the entries by which comments were written."""
    wanted = [Q(stream=key, seq__in=numbers) for key, numbers in _by_stream(places).items()]
    return AuditEntry.objects.filter(reduce(or_, wanted), action=Action.COMMENT_WRITE)


def _rows(places: Iterable[Place]) -> Iterable[Comment]:
    wanted = [Q(conversation=key, number__in=of) for key, of in _by_stream(places).items()]
    return Comment.objects.filter(reduce(or_, wanted))


def _by_stream(places: Iterable[Place]) -> Mapping[int, list[int]]:
    numbers: dict[int, list[int]] = defaultdict(list)
    for key, number in places:
        numbers[key].append(number)
    return numbers
