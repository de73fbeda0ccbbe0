"""Pins messages: who pinned what, when and why. Source: semantics 4.2."""

from collections.abc import Sequence
from typing import Final

from conversations.domain.revisions import UNSEEN, PinnedBy, Seen
from conversations.models import Conversation
from conversations.reading.message_pages import index_of
from conversations.services.use_cases import change_of, check_seen, require_no_running_execution
from conversations.store.pin_rows import find_pinned
from conversations.writing.conversation import writing
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import OutOfRange, ValidationFailed
from ctxadmin.lib.sentence import say

MOST_AT_ONCE: Final = 100


def may_pin(actor: Actor, head: Conversation) -> bool:
    """True if pages offer pinning: people wait until nothing runs (rule 1.16)."""
    waits = head.status != "RUNNING" or actor.is_engine
    return waits and actor.may(Action.MESSAGES_PIN)


def pin(
    actor: Actor,
    public_id: str,
    name: str,
    *,
    pinned: bool,
    reason: str | None = None,
    seen: Seen = UNSEEN,
) -> None:
    """Pins or unpins a message of the log by its index or its id; raises NotFound without it.

    The current revision continues under the same batch number, so that whoever saw the view before
    notices that operations and filters have another effect now. A repeat changes nothing.
    """
    actor.require(Action.MESSAGES_PIN)
    with writing(actor, public_id) as opened:
        head = opened.head
        index = index_of(head, name)
        require_no_running_execution(opened)
        check_seen(opened, seen)
        if pinned == bool(find_pinned(head.key, [index])):
            return
        before = f"{head.current_revision}.{head.visible_count}"
        opened.set_pin(index, pinned=pinned, reason=reason)
        detail = {"message": index, "pinned": pinned}
        opened.commit(
            change_of(head, Action.MESSAGES_PIN, reason=reason, before=before, detail=detail)
        )


def pin_several(
    actor: Actor,
    public_id: str,
    indices: Sequence[int],
    *,
    pinned: bool = True,
    reason: str | None = None,
    seen: Seen = UNSEEN,
    by: PinnedBy = "",
) -> int:
    """Pins or unpins messages of the log by their indices, all or none; returns how many it was.

    Each gets a revision of its own under the same batch number, as one that is pinned alone; the
    audit has one entry that names them all. Raises ValidationFailed for none or more than
    ``MOST_AT_ONCE``, OutOfRange for an index that the log does not have. ``by`` is stored with the
    revisions: whoever undoes one after the other has to know which changes undid others.
    """
    actor.require(Action.MESSAGES_PIN)
    wanted = sorted(set(indices))
    if not 0 < len(wanted) <= MOST_AT_ONCE:
        raise ValidationFailed(say("Select 1 to {n} messages to pin.", n=MOST_AT_ONCE))
    with writing(actor, public_id) as opened:
        head = opened.head
        require_no_running_execution(opened)
        check_seen(opened, seen)
        if wanted[-1] >= head.log_count:
            raise OutOfRange(say("There is no message #{n}.", n=wanted[-1]))
        there = find_pinned(head.key, wanted)
        changed = [index for index in wanted if (index in there) != pinned]
        if not changed:
            return 0
        before = f"{head.current_revision}.{head.visible_count}"
        for index in changed:
            opened.set_pin(index, pinned=pinned, reason=reason, by=by)
        detail = {"first_index": changed[0], "messages": changed, "pinned": pinned}
        opened.commit(
            change_of(head, Action.MESSAGES_PIN, reason=reason, before=before, detail=detail)
        )
        return len(changed)
