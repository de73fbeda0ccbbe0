"""Erases a conversation everywhere."""

from collections.abc import Callable
from datetime import datetime
from typing import Final

from django.db import transaction

from conversations.domain.revisions import UNSEEN, Seen
from conversations.models import (
    Comment,
    Conversation,
    ConversationDetails,
    Mark,
    Message,
    Move,
    Pin,
    Recall,
    Revision,
    UnsettledCall,
)
from conversations.services.creators import require_as_creator
from conversations.services.use_cases import change_of, check_seen
from conversations.store.fold_cache import FOLDS
from conversations.writing.cache import WRITE_CACHE
from conversations.writing.conversation import writing
from ctxadmin.audit.record import delete_reasons
from ctxadmin.http.endpoints import idempotency
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import InvalidState
from ctxadmin.lib.sentence import say

Forget = Callable[[int], None]
_others: Final[list[Forget]] = []
_word_keepers: Final[list[Callable[[], bool]]] = []


def on_erase(forget: Forget, *, keeps_words: Callable[[], bool] | None = None) -> None:
    """Registers ``forget(conversation key)``, called in the transaction of every erasure.

    It is for the apps above, which have rows of conversations. ``keeps_words`` returns whether the
    database keeps the words of what ``forget`` removes.
    """
    _others.append(forget)
    if keeps_words is not None:
        _word_keepers.append(keeps_words)


def keeps_words() -> bool:
    """Returns whether the database keeps the words of erased texts in an index."""
    return any(keeps() for keeps in _word_keepers)


def erase(
    actor: Actor,
    public_id: str,
    *,
    seen: Seen = UNSEEN,
    reason: str | None = None,
    archived_since: datetime | None = None,
) -> None:
    """Erases a conversation with everything that belongs to it; only the audit remains.

    The audit has ids, counts, and who did what; of reasons only that of the erasure.

    With ``archived_since`` raises InvalidState unless it has been archived, without writes, since
    before then.
    """
    actor.require_to_own(Action.CONVERSATION_ERASE)
    with writing(actor, public_id) as opened:
        require_as_creator(actor, Action.CONVERSATION_ERASE, opened.head)
        check_seen(opened, seen)
        key, head = opened.head.key, opened.head
        if archived_since and not (head.archived and head.updated_at < archived_since):
            raise InvalidState(say("The conversation has changed."), status=head.status)
        opened.commit(change_of(head, Action.CONVERSATION_ERASE, reason=reason), upkeep=True)
        for forget in _others:
            forget(key)
        for table in (
            Message,
            UnsettledCall,
            Mark,
            Pin,
            Recall,
            Revision,
            Move,
            Comment,
            ConversationDetails,
        ):
            table.objects.filter(conversation=key).delete()
        idempotency.delete_answers(key)
        delete_reasons(key, head.change_seq)
        Conversation.objects.filter(key=key).delete()
        transaction.on_commit(lambda: WRITE_CACHE.drop(key))
        transaction.on_commit(lambda: FOLDS.drop(key))
