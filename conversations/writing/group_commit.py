"""Writes several conversations in one transaction: one COMMIT for many requests.

Each request is a part of the transaction and decides for itself. A part can read what it cannot
decide by the head and the caches, as long as it has written nothing; a part that is refused, or
needs more, leaves nothing and is done alone afterward.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextvars import Context
from dataclasses import dataclass
from typing import Final

from django.db import Error

from conversations.models import Conversation
from conversations.store.conversation import HEADS
from conversations.writing.announcements import announce_group
from conversations.writing.conversation import Writing
from ctxadmin.accounts import authentication
from ctxadmin.identity.actor import Actor
from ctxadmin.storage import statement_batch
from ctxadmin.storage.database.errors import CommitUnknown, is_outage
from ctxadmin.storage.tables import Question, run_queries
from ctxadmin.telemetry.facts import note_actor
from ctxadmin.telemetry.shared_spans import OwnWrite, shared_span

WriteStep = Callable[[Writing], bytes]
"""Decides one write of a conversation, commits its ``Writing`` and gives the answer."""

_BY_ID: Final = "conversation_id_unique"


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """One write: the caller, by the digest of a token, the conversation, and what to do."""

    token: authentication.TokenUse
    public_id: str
    step: WriteStep
    context: Context
    write: OwnWrite | None = None  # the span of it, if traces are wanted


def commit_group(requests: Sequence[WriteRequest]) -> list[bytes | None]:
    """Returns the answers of writes to different conversations, committed as one transaction.

    None for each that has to be done alone: it has left nothing. Raises CommitUnknown, and the
    database's error while that is down; no write was stored then, or that is unknown.
    """
    answers: list[bytes | None] = [None] * len(requests)
    known = authentication.workspaces_of([request.token.digest for request in requests])
    places = [place for place, request in enumerate(requests) if request.token.digest in known]
    if not places:
        return answers
    try:
        with (
            shared_span([requests[place].write for place in places]),
            announce_group(),
            statement_batch.batch() as batch,
        ):
            found = _look_up([requests[place] for place in places], known)
            for place, (actor, head) in zip(places, found, strict=True):
                if actor is not None and head is not None:
                    answers[place] = _decided(batch, requests[place], actor, head)
    except CommitUnknown:
        raise
    except Error as error:
        if is_outage(error):
            raise
        return [None] * len(requests)  # one of them is refused by a key: nothing was stored
    return answers


def _look_up(
    requests: Sequence[WriteRequest], known: Mapping[str, int]
) -> list[tuple[Actor | None, Conversation | None]]:
    """Returns the current callers, and the locked heads, with one round trip.

    Every batch locks heads in the order of the index. One that someone else holds is left out where
    the database can do that, so that nobody waits for an unrelated transaction.
    """
    ids: dict[int, list[str]] = defaultdict(list)
    for request in requests:
        ids[known[request.token.digest]].append(request.public_id)
    heads_asked: list[Question[Conversation]] = [
        HEADS.question({"workspace": workspace}, "public_id", sorted(names), by=_BY_ID, lock=True)
        for workspace, names in sorted(ids.items())
    ]
    tokens_asked = authentication.question_of_tokens([request.token.digest for request in requests])
    tokens, *heads = run_queries(tokens_asked, *heads_asked)
    by_digest = {token.digest: token for token in tokens}
    by_id = {(head.workspace, head.public_id): head for rows in heads for head in rows}
    found = []
    for request in requests:
        actor = request.token.actor_of(by_digest.get(request.token.digest))
        head = None if actor is None else by_id.get((actor.workspace, request.public_id))
        found.append((actor, head))
    return found


def _decided(
    batch: statement_batch.Batch, request: WriteRequest, actor: Actor, head: Conversation
) -> bytes | None:
    """Returns the answer of one part; None if it left the batch, for whatever reason."""
    try:
        with batch.part():
            return request.context.run(_as_actor, actor, request.step, head)
    except Error:
        raise
    except Exception:  # noqa: BLE001 - done alone it tells its own caller what it is
        return None


def _as_actor(actor: Actor, step: WriteStep, head: Conversation) -> bytes:
    note_actor(actor)
    return step(Writing(head, actor))
