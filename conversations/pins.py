"""Pins messages: who pinned what, when and why. Source: semantics 4.2."""

from conversations.domain.revisions import UNSEEN, Seen
from conversations.message_pages import index_of
from conversations.models import Conversation
from conversations.pin_rows import pinned_among
from conversations.services import change_of, check_seen, require_quiet
from conversations.writing import writing
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action


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
        require_quiet(opened)
        check_seen(opened, seen)
        if pinned == bool(pinned_among(head.key, [index])):
            return
        before = f"{head.current_revision}.{head.visible_count}"
        opened.set_pin(index, pinned=pinned, reason=reason)
        detail = {"message": index, "pinned": pinned}
        opened.commit(
            change_of(head, Action.MESSAGES_PIN, reason=reason, before=before, detail=detail)
        )
