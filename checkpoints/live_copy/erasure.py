"""Removes erased conversations from the live copy, later if Redis is unavailable."""

import logging

from django.db import DatabaseError, connection, transaction

from checkpoints.live_copy import current
from checkpoints.models import UndroppedCopy

_log = logging.getLogger(__name__)


def schedule_removal(conversation: int) -> None:
    """Schedules, in the transaction of an erasure, the removal of the copy after it.

    A copy that is not dropped yet is never shown, because each read starts with the row in SQL.
    """
    if current.copy().is_enabled:
        UndroppedCopy.objects.get_or_create(conversation=conversation)
        transaction.on_commit(drop_erased, robust=True)


def drop_erased() -> int:
    """Drops the copies of erased conversations that are still pending; returns how many.

    Runs after every erasure, when Redis is available again, in ``maintain`` and in every
    ``live_copy`` command.
    """
    dropped = 0
    for row in UndroppedCopy.objects.all():
        if not current.copy().drop(row.conversation):
            break
        row.delete()
        dropped += 1
    return dropped


def drop_erased_in_thread() -> None:
    """Calls ``drop_erased`` in a thread that ends after it.

    Without SQL the next call does the work.
    """
    try:
        drop_erased()
    except DatabaseError as error:
        _log.warning("Erased conversations wait to be dropped from Redis: %s", error)
    finally:
        connection.close()
