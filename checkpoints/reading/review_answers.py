"""How the answers begin that an approval approves, as its card shows them, for lists of many."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import OuterRef, Q, Subquery

from checkpoints.domain.commands import output_key
from checkpoints.domain.proposed_answer import proposed_answer
from checkpoints.domain.status import Status
from checkpoints.domain.timeline import WriteKind
from checkpoints.models import Checkpoint, Execution, StateKey, StateValue
from checkpoints.reading.node_responses import responses_of
from checkpoints.reading.proposed_lines import (
    ExecutionKey,
    LastWrite,
    beginning_of_value,
    edited_answers,
    last_writes,
    line_of,
)
from checkpoints.store.state import digest_of_name
from conversations.reading.proposed_answers import ProposedAnswer
from conversations.workspace.last_messages import LastMessage
from ctxadmin.lib.json_bytes import dumps

_NOTHING = b"null"


@dataclass(frozen=True, slots=True)
class _Output:
    line: str
    is_text: bool


def answers_of_executions(
    executions: Sequence[ExecutionKey], messages: Mapping[int, LastMessage]
) -> dict[ExecutionKey, ProposedAnswer]:
    """Returns how the answers of paused executions begin that an approval approves.

    ``messages`` are the last ones by conversation. An answer is what the last node put out, else
    what it said as a message, else its response in the execution history, else an earlier message
    of an assistant. Two statements, one more for responses, two more if something was edited.
    """
    said = {key: proposed_answer(last.role, last.text) for key, last in messages.items()}
    writes = last_writes(executions)
    outputs = {
        key: found.line
        for key, found in (_outputs(writes) if writes else {}).items()
        if found.line and (found.is_text or not _says(messages.get(key[0]), writes[key].node))
    }
    silent = {
        key: last
        for key, last in writes.items()
        if key not in outputs and not _says(messages.get(key[0]), last.node)
    }
    responses = _responses(silent) if silent else {}
    answers = {
        key: ProposedAnswer(outputs.get(key) or responses.get(key) or said.get(key[0], ""))
        for key in executions
    }
    return answers | edited_answers(writes, said, outputs)


def answers_of_conversations(
    conversations: Collection[int], messages: Mapping[int, LastMessage]
) -> dict[int, ProposedAnswer]:
    """Returns the answers of those conversations of which the execution waits for review."""
    rows = Execution.objects.filter(
        conversation__in=conversations, status=Status.PAUSED, waiting_since__isnull=False
    )
    waiting = list(rows.order_by("number").values_list("conversation", "number"))
    answers = answers_of_executions(waiting, messages)
    return {
        key[0]: answer for key, answer in answers.items() if answer.proposed or answer.edited_by
    }


def _says(last: LastMessage | None, node: str) -> bool:
    """Returns True if an assistant said something at the node, which its card shows first."""
    return last is not None and last.node_id == node and bool(proposed_answer(last.role, last.text))


def _responses(writes: Mapping[ExecutionKey, LastWrite]) -> dict[ExecutionKey, str]:
    """Returns how the responses begin with which the last nodes were completed."""
    completions = [
        (*key, last.proposed) for key, last in writes.items() if last.kind == WriteKind.COMPLETION
    ]
    found = responses_of(completions)
    return {(key, number): line_of(dumps(said)) for (key, number, _), said in found.items()}


def _outputs(writes: Mapping[ExecutionKey, LastWrite]) -> dict[ExecutionKey, _Output]:
    """Returns how the outputs begin that the last nodes wrote, as they are now."""
    own = {
        (*key, digest_of_name(output_key(last.node))): (key, last) for key, last in writes.items()
    }
    terms = [
        Q(conversation=conversation, execution=execution, key=key)
        for conversation, execution, key in own
    ]
    whole = StateValue.objects.filter(
        conversation=OuterRef("conversation"),
        execution=OuterRef("execution"),
        key=OuterRef("key"),
        version=OuterRef("first"),
    )
    writer = Checkpoint.objects.filter(
        conversation=OuterRef("conversation"),
        execution=OuterRef("execution"),
        version=OuterRef("version"),
    )
    rows = StateKey.objects.filter(reduce(or_, terms), gone=False).annotate(
        begins=Subquery(whole.annotate(begins=beginning_of_value()).values("begins")[:1]),
        written_by=Subquery(writer.values("kind")[:1]),
    )
    found: dict[ExecutionKey, _Output] = {}
    columns = ("conversation", "execution", "key", "version", "written_by", "begins")
    for conversation, execution, name, version, written_by, begins in rows.values_list(*columns):
        key, last = own[conversation, execution, name]
        # What a node saved on the way to its completion belongs to that; other writes are older.
        on_the_way = last.kind == WriteKind.COMPLETION and written_by == WriteKind.CHECKPOINT
        value = bytes(begins or b"")
        if (version >= last.proposed or on_the_way) and value != _NOTHING:
            found[key] = _Output(line_of(value), value.startswith(b'"'))
    return found
