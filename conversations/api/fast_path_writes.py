"""Conversation writes on the fast path, many of them in one transaction."""

from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import JsonValue

from conversations.api.message_views import Messages
from conversations.api.schemas import AppendMessages
from conversations.services.use_cases import append_alone
from conversations.writing.conversation import Writing
from conversations.writing.group_commit import WriteRequest, WriteStep, commit_group
from ctxadmin.accounts.authentication import TokenUse
from ctxadmin.accounts.services import token_digest
from ctxadmin.http.endpoints import idempotency
from ctxadmin.http.requests.fast_path import HotCall, QueuedCall
from ctxadmin.lib.contract import parse
from ctxadmin.lib.json_bytes import dumps, loads_strict
from ctxadmin.telemetry.traces import span

ONE: Final = "/api/v1/conversations/{conversation_id}"


def write_calls(calls: Sequence[QueuedCall]) -> list[bytes | None]:
    """The Writer of the fast path: writes all parsable requests together."""
    requests = {
        place: request for place, call in enumerate(calls) if (request := _write_request(call))
    }
    answers: list[bytes | None] = [None] * len(calls)
    for place, answer in zip(requests, commit_group(list(requests.values())), strict=True):
        answers[place] = answer
    return answers


def _write_request(call: QueuedCall) -> WriteRequest | None:
    """Returns the write of a request; None if its endpoint has to report a problem."""
    try:
        step = call.hot.read(loads_strict(call.body), call.names)
    except Exception:  # noqa: BLE001 - the endpoint meets it again and tells its own caller
        return None
    if call.key is not None:
        step = _once(step, call, call.key)
    token = TokenUse(token_digest(call.secret), call.facts.request_id, call.address)
    return WriteRequest(token, call.conversation_id, step, call.context, call.write)


def _once(step: WriteStep, call: QueuedCall, key: str) -> WriteStep:
    """Returns the step with its answer stored for repeats under this Idempotency-Key."""

    def kept(opened: Writing) -> bytes:
        answer = step(opened)
        made = (call.hot.method, call.path, call.body, key)
        idempotency.store_answer(
            idempotency.IdempotentCall.build(*made, opened.actor, opened.head.key), 201, answer
        )
        return answer

    return kept


def _append(body: JsonValue, names: Mapping[str, str]) -> WriteStep:
    drafts = parse(AppendMessages, body).messages

    def step(opened: Writing) -> bytes:
        with span("append", messages=len(drafts)):
            return dumps(append_alone(opened, drafts).as_json())

    return step


CALLS: Final = (HotCall("POST", f"{ONE}/messages", Messages, _append),)
