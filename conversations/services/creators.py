"""The creator of a conversation: an engine has more rights to its own."""

from conversations.models import Conversation
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action, refusal
from ctxadmin.lib.errors import Forbidden
from ctxadmin.lib.sentence import say


def require_as_creator(actor: Actor, action: Action, head: Conversation) -> None:
    """Raises Forbidden unless the actor has the right to ``action``, or created this
    conversation.

    The first audit entry names the creator; it is in the transaction that created the conversation.
    A token is identified by its id: another one of the same name is someone else.
    """
    if actor.may(action):
        return
    if not actor.may_to_own(action):
        actor.require(action)
    if not _is_creator(actor, head):
        raise Forbidden(
            say(
                "{refusal} The scope engine is enough for the creator of the conversation; "
                "this token did not create it.",
                refusal=refusal(action),
            )
        )


def _is_creator(actor: Actor, head: Conversation) -> bool:
    first = AuditEntry.objects.filter(stream=head.key, seq=1)
    return first.filter(actor_kind=actor.kind, actor_id=actor.id).exists()
