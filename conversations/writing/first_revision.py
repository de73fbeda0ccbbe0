"""A new conversation with its first revision."""

from django.db import IntegrityError, transaction

from conversations.domain.view import View
from conversations.models import Conversation, Revision
from conversations.store.revision_sums import add_checksums
from conversations.writing.conversation import Writing
from ctxadmin.identity.actor import Actor
from ctxadmin.lib import clock
from ctxadmin.lib.errors import Duplicate, FieldProblem
from ctxadmin.lib.sentence import say


def insert_head(head: Conversation, actor: Actor) -> Writing:
    """Stores a new conversation with its first revision; Duplicate if the id is taken.

    The returned writing can continue in the same transaction, and commits itself.
    """
    at = clock.now()
    head.created_at = head.updated_at = at
    try:
        with transaction.atomic():
            head.save(force_insert=True)
            head.details.save(force_insert=True)
    except IntegrityError:
        message = say("The id {name} is taken.", name=repr(head.public_id))
        problem = FieldProblem("/id", message, "duplicate")
        raise Duplicate(message, problems=[problem]) from None
    first = Revision(
        conversation=head.key,
        number=0,
        starts_line=True,
        batch=0,
        operation="start",
        opened=View().encode(),
        log_length=0,
        visible_count=0,
        tokens=0,
        author=actor.label,
        created_at=at,
    )
    add_checksums(first).save(force_insert=True)
    return Writing(head, actor)
