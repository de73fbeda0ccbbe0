"""Who created a conversation: an engine may do more to its own."""

from conversations.models import Conversation
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action


def require_as_creator(actor: Actor, action: Action, head: Conversation) -> None:
    """Forbidden unless the actor may do ``action`` to any conversation, or created this one.

    The first entry of the audit tells who did; it is in the transaction that made the
    conversation. A token is its id: another one of the same name is somebody else.
    """
    if actor.may(action):
        return
    if not (actor.may_to_own(action) and _is_creator(actor, head)):
        actor.require(action)


def _is_creator(actor: Actor, head: Conversation) -> bool:
    first = AuditEntry.objects.filter(stream=head.key, seq=1)
    return first.filter(actor_kind=actor.kind, actor_id=actor.id).exists()
