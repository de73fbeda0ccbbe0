"""Exports the conversations of a bulk action as one file of JSON Lines, read as it is sent."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import orjson
from django.db import transaction
from django.db.models import Exists, OuterRef, Sum
from django.http import StreamingHttpResponse

from bulk import store
from bulk.domain.rules import GONE
from bulk.models import BulkItem, BulkJob
from bulk.runner import RENEW_SECONDS, actor_of
from bulk.store import BulkProblem
from conversations.lifecycle import transfers
from conversations.models import Conversation
from conversations.store.conversation import find_head
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.bulk_actions import BulkAction
from ctxadmin.lib import clock, ids
from ctxadmin.lib.errors import ContextError, InvalidState
from ctxadmin.lib.stored_sentence import sentence_bytes


@dataclass(frozen=True, slots=True)
class ExportSize:
    """How much an export has now: its messages, and about how many bytes they are."""

    messages: int
    bytes: int


def size_of(job: BulkJob) -> ExportSize:
    """Returns the size of the conversations of a job that still exist, in one query."""
    items = BulkItem.objects.filter(job=job.key, conversation=OuterRef("key"))
    rows = Conversation.objects.for_workspace(job.workspace).filter(Exists(items))
    found = rows.aggregate(messages=Sum("log_count"), size=Sum("log_bytes"))
    return ExportSize(int(found["messages"] or 0), int(found["size"] or 0))


def send(actor: Actor, job: BulkJob) -> StreamingHttpResponse | None:
    """Starts an export and returns its file, one export document a line; None if it was started.

    Each export is recorded in the audit, as part of the job. Raises Forbidden.
    """
    actor.require(BulkAction.EXPORT.right)
    if not store.start_sending(job, ids.new_public_id("sender"), clock.now()):
        return None
    day = clock.iso(clock.now())[:10]
    return StreamingHttpResponse(
        _lines(job),
        content_type="application/x-ndjson",
        headers={"Content-Disposition": f'attachment; filename="conversations-{day}.jsonl"'},
    )


def _lines(job: BulkJob) -> Iterator[bytes]:
    """Yields a line for each; one that cannot be exported says why instead.

    A file that is not fetched to its end leaves a job that says so.
    """
    problem: BulkProblem | None = BulkProblem.STOPPED
    done = refused = 0
    actor, renewed = actor_of(job), time.monotonic()
    try:
        for item in list(store.items_of(job)):
            if time.monotonic() - renewed >= RENEW_SECONDS:
                if not store.is_sent_on(job, done, refused, clock.now()):
                    return
                actor, renewed = actor_of(job), time.monotonic()
            if actor is None or not actor.may(BulkAction.EXPORT.right):
                problem = BulkProblem.NOT_ALLOWED
                return
            line, is_done = _line(actor, item)
            done, refused = done + is_done, refused + (not is_done)
            yield line
        problem = None
    finally:
        store.end_sending(job, clock.now(), problem)


def _line(actor: Actor, item: BulkItem) -> tuple[bytes, bool]:
    """Returns the line of an item, and whether it is its export; both are written down."""
    try:
        with transaction.atomic():
            store.record_outcome(item, BulkItem.Outcome.DONE)
            if find_head(actor.workspace, item.public_id).key != item.conversation:
                raise InvalidState(GONE)
            return transfers.export(actor, item.public_id) + b"\n", True
    except ContextError as error:
        store.record_outcome(item, BulkItem.Outcome.REFUSED, sentence_bytes(error.detail))
        problem = {"code": error.code, "detail": str(error.detail)}
        line = orjson.dumps({"conversation_id": item.public_id, "error": problem}) + b"\n"
        return line, False
