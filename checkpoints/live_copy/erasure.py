"""Removing erased conversations from the live copy, also if it cannot be reached just then."""

import logging

from django.db import DatabaseError, connection, transaction

from checkpoints.live_copy import current
from checkpoints.models import UndroppedCopy

_log = logging.getLogger(__name__)


def forget(conversation: int) -> None:
    """In the transaction of an erasure: have the copy dropped after it, now or later.

    What is not dropped yet is never shown, because a read starts with the row in SQL.
    """
    if current.copy().holds:
        UndroppedCopy.objects.get_or_create(conversation=conversation)
        transaction.on_commit(drop_erased, robust=True)


def drop_erased() -> int:
    """Drop the copies of all erased conversations that are still to be dropped; how many were.

    Run after every erasure, when Redis is back, by ``maintain`` and by every ``live_copy`` command.
    """
    dropped = 0
    for row in UndroppedCopy.objects.all():
        if not current.copy().drop(row.conversation):
            break
        row.delete()
        dropped += 1
    return dropped


def drop_erased_in_thread() -> None:
    """``drop_erased`` for a thread that ends after it; without SQL it is left to the next call."""
    try:
        drop_erased()
    except DatabaseError as error:
        _log.warning("Erased conversations wait to be dropped from Redis: %s", error)
    finally:
        connection.close()
