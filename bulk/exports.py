"""Exports many conversations as one file of JSON Lines, read as it is sent."""

from collections.abc import Iterator

import orjson
from django.http import StreamingHttpResponse

from bulk.jobs import Selection, selected_heads
from conversations.lifecycle import transfers
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.bulk_actions import BulkAction
from ctxadmin.lib import clock
from ctxadmin.lib.errors import ContextError


def export(actor: Actor, selection: Selection) -> StreamingHttpResponse:
    """Returns the export documents of the selected conversations, one a line.

    Each export is recorded in the audit. Raises TooLarge and ValidationFailed as
    ``selected_heads`` does.
    """
    actor.require(BulkAction.EXPORT.right)
    names = [head.public_id for head in selected_heads(actor, selection)]
    day = clock.iso(clock.now())[:10]
    return StreamingHttpResponse(
        _lines(actor, names),
        content_type="application/x-ndjson",
        headers={"Content-Disposition": f'attachment; filename="conversations-{day}.jsonl"'},
    )


def _lines(actor: Actor, names: list[str]) -> Iterator[bytes]:
    """Yields a line for each; one that cannot be exported says why instead."""
    for name in names:
        try:
            yield transfers.export(actor, name) + b"\n"
        except ContextError as error:
            problem = {"code": error.code, "detail": str(error.detail)}
            yield orjson.dumps({"conversation_id": name, "error": problem}) + b"\n"
