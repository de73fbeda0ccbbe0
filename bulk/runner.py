"""Works on a bulk job, item by item."""

import logging
import time
from itertools import chain
from typing import Final

from django.db import Error

from bulk import store
from bulk.item_changes import change_item
from bulk.models import BulkItem, BulkJob
from bulk.store import BulkProblem
from ctxadmin.accounts.authentication import person_in, token_in
from ctxadmin.background.runner import JobRunner
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.bulk_actions import BulkAction
from ctxadmin.lib import clock
from ctxadmin.lib.errors import Unavailable

_log = logging.getLogger("ctxadmin.bulk")

RENEW_SECONDS: Final = 0.5
_PART: Final = 200  # items that are read at once
_TRIES: Final = 5  # of an item that others hold


def run_job(row: BulkJob) -> None:
    """Does what is left of a job, item by item, as long as its lease and the right last."""
    action = BulkAction(row.action)
    if action is BulkAction.EXPORT:  # its file went to who asked for it, as far as it was fetched
        store.finish(row, clock.now(), BulkProblem.STOPPED)
        return
    row.done, row.refused = store.outcomes_of(row)
    done, refused = row.done, row.refused
    renewed = time.monotonic() - RENEW_SECONDS
    actor: Actor | None = None
    for item in chain.from_iterable(iter(lambda: _next_items(row), [])):
        if time.monotonic() - renewed >= RENEW_SECONDS:
            if not store.renew(row, done, refused, clock.now()):
                _log.info("bulk job %s: stopped", row.public_id)
                store.leave(row)
                return
            actor = actor_of(row)
            renewed = time.monotonic()
        if actor is None or not actor.may(action.right):
            store.finish(row, clock.now(), BulkProblem.NOT_ALLOWED)
            return
        text = row.label if action is BulkAction.LABEL else row.reason
        outcome = _change(actor, action, item, text)
        done += outcome == BulkItem.Outcome.DONE
        refused += outcome == BulkItem.Outcome.REFUSED
    store.finish(row, clock.now())


def actor_of(row: BulkJob) -> Actor | None:
    """Returns who started a job, with the rights of now."""
    if row.token:
        return token_in(row.workspace, row.token, row.request_id, row.address)
    return person_in(row.workspace, row.person, row.request_id, row.address)


def _next_items(row: BulkJob) -> list[BulkItem]:
    """Returns the next items of which nothing is known."""
    return list(store.items_of(row, BulkItem.Outcome.WAITING)[:_PART])


def _change(actor: Actor, action: BulkAction, item: BulkItem, text: str) -> BulkItem.Outcome:
    for left in reversed(range(_TRIES)):
        try:
            return change_item(actor, action, item, text)
        except (Unavailable, Error):
            if not left:
                raise
            time.sleep(0.2)
    raise AssertionError  # the last try raises or returns


def _fail(row: BulkJob) -> None:
    store.finish(row, clock.now(), BulkProblem.ERROR)


RUNNER: Final = JobRunner("bulk", store.JOBS, run_job, _fail)
