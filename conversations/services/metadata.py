"""The description of a conversation: title, metadata, the tools text."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from conversations.domain.revisions import UNSEEN, Seen
from conversations.models import Conversation
from conversations.services.use_cases import change_of, check_seen
from conversations.writing.conversation import writing
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import VersionConflict
from ctxadmin.lib.json_bytes import digest
from ctxadmin.lib.sentence import say

_DETAILS: Final = ("metadata", "tools")
EDITED: Final = ("title", *_DETAILS)


def digests_of(head: Conversation) -> dict[str, str]:
    """Returns the digests of the current values that ``change_metadata`` sets."""
    return {name: field_digest(value_of(head, name)) for name in EDITED}


def value_of(head: Conversation, name: str) -> str | bytes:
    """Returns the value of one of the fields that ``change_metadata`` sets."""
    value: str | bytes = getattr(head.details if name in _DETAILS else head, name)
    return value


def field_digest(value: str | bytes) -> str:
    """Returns the digest of a value of a field, in hex."""
    return digest(value.encode() if isinstance(value, str) else bytes(value)).hex()


def change_metadata(
    actor: Actor,
    public_id: str,
    *,
    title: str | None = None,
    metadata: bytes | None = None,
    tools: str | None = None,
    seen: Mapping[str, str] = MappingProxyType({}),
    view: Seen = UNSEEN,
) -> Conversation:
    """Sets what is given: title, metadata (JSON bytes of an object) or tools.

    ``seen`` are the digests of the values that the writer started from, as ``digests_of`` returns
    them: VersionConflict names the given fields that someone else changed since. It is also raised
    if ``view`` is not the current view.
    """
    actor.require(Action.CONVERSATION_UPDATE)
    given = {"title": title, "metadata": metadata, "tools": tools}
    fields = {name: value for name, value in given.items() if value is not None}
    with writing(actor, public_id) as opened:
        check_seen(opened, view)
        now = digests_of(opened.head)
        stale = [name for name in fields if seen.get(name, now[name]) != now[name]]
        if stale:
            message = say("These fields have changed since: {names}.", names=", ".join(stale))
            expected, actual = seen[stale[0]], now[stale[0]]
            raise VersionConflict(message, expected=expected, actual=actual, changed_keys=stale)
        if fields:
            if title is not None:
                opened.set(title=title)
            if details := {name: fields[name] for name in _DETAILS if name in fields}:
                opened.set_details(**details)
            detail = {"fields": sorted(fields)}
            opened.commit(change_of(opened.head, Action.CONVERSATION_UPDATE, detail=detail))
    return opened.head
