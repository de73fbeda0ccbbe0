"""One effect per Idempotency-Key: the answer is stored in the transaction of the effect."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.http import HttpResponse
from rest_framework.request import Request

from ctxadmin.http.models import KeptAnswer
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import Duplicate, FieldProblem, NotFound, ValidationFailed
from ctxadmin.lib.sentence import say
from ctxadmin.storage.tables import Table
from ctxadmin.telemetry.metrics import write_repeated

_KEPT: Final = Table(KeptAnswer, at_insert=("created_at",))
_LONGEST_KEY: Final = 255
_KEPT_HEADERS: Final = ("ETag", "Location", "Content-Type")
_ERASED: Final = 404  # the status of an answer that was erased; only successes are kept
REPLAYED: Final = "Idempotent-Replay"


@dataclass(frozen=True, slots=True)
class IdempotentCall:
    """The identity of a request: caller, method, path and key (rest.md, "Writes")."""

    stream: int
    call: str
    body: str

    @classmethod
    def of(cls, request: Request, key: str, actor: Actor, stream: int) -> "IdempotentCall":
        method, body = request.method or "", request._request.body
        return cls.build(method, request.path, body, key, actor, stream)

    @classmethod
    def build(
        cls, method: str, path: str, body: bytes, key: str, actor: Actor, stream: int
    ) -> "IdempotentCall":
        """Builds the identity of a request; raises ValidationFailed for an invalid key."""
        if not key or len(key) > _LONGEST_KEY or not key.isprintable():
            message = say(
                "Idempotency-Key must have 1 to {longest_key} printable characters.",
                longest_key=_LONGEST_KEY,
            )
            raise ValidationFailed.at("Idempotency-Key", message)
        parts = (actor.kind, actor.id, method, path, key)
        return cls(stream=stream, call=_hash("\n".join(parts).encode()), body=_hash(body))


class KeyReused(Duplicate):
    """The key was used before, for another request."""


class _Failed(Exception):
    """Rolls the transaction back and carries an answer that is not a success."""

    def __init__(self, response: HttpResponse) -> None:
        super().__init__()
        self.response = response


def is_success(response: HttpResponse) -> bool:
    return response.status_code < 400


def run_once(
    call: IdempotentCall,
    effect: Callable[[], HttpResponse],
    is_done: Callable[[HttpResponse], bool] = is_success,
    about: Callable[[], int | None] = lambda: None,
) -> HttpResponse:
    """Runs ``effect``, or returns its stored answer.

    The row is inserted first: a second request waits for the first one's transaction and then finds
    the answer. Only answers for which ``is_done`` are stored; another body is KeyReused. ``about``
    returns, after the effect, the conversation that it created.
    """
    kept = _find(call)
    if kept is not None:
        return _replay(kept, call)
    try:
        with transaction.atomic():
            row = KeptAnswer(stream=call.stream, call=call.call, body=call.body, created_at=Now())
            row.save(force_insert=True)
            response = effect()
            if not is_done(response):
                raise _Failed(response)
            KeptAnswer.objects.filter(pk=row.pk).update(
                status=response.status_code,
                answer=response.content,
                headers={n: response[n] for n in _KEPT_HEADERS if n in response},
                about=about(),
            )
            return response
    except _Failed as failed:
        return failed.response
    except IntegrityError:
        kept = _find(call)
        if kept is None:
            raise
        return _replay(kept, call)


def store_answer(call: IdempotentCall, status: int, answer: bytes) -> None:
    """Stores the JSON answer of a request that is part of an open transaction.

    It replaces ``run_once`` for a caller who does not look up first: if there is a stored answer,
    its key refuses this one, and the transaction with it.
    """
    row = KeptAnswer(stream=call.stream, call=call.call, body=call.body, status=status)
    row.headers, row.answer = {"Content-Type": "application/json"}, answer
    _KEPT.insert([row])


def delete_answers(conversation: int) -> None:
    """Deletes the answers of an erased conversation, in the transaction of its erasure.

    Of the request that created it the key stays: a repeat must not create the conversation again.
    """
    KeptAnswer.objects.filter(stream=conversation).delete()
    made = KeptAnswer.objects.filter(about=conversation)
    made.update(body="", status=_ERASED, headers={}, answer=b"")


def _find(call: IdempotentCall) -> KeptAnswer | None:
    """Returns the stored answer, however old: a clock that jumps must not turn a repeat into a
    new request.
    """
    return KeptAnswer.objects.filter(stream=call.stream, call=call.call).first()


def _replay(kept: KeptAnswer, call: IdempotentCall) -> HttpResponse:
    if kept.status == _ERASED:
        raise NotFound(say("What this call created has been erased."))
    if kept.body != call.body:
        message = say("This Idempotency-Key was used with another body.")
        problem = FieldProblem("Idempotency-Key", message, "duplicate")
        raise KeyReused(message, problems=[problem])
    write_repeated("idempotency_key")
    response = HttpResponse(bytes(kept.answer), status=kept.status)
    for name, value in kept.headers.items():
        response[name] = value
    response[REPLAYED] = "true"
    return response


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
