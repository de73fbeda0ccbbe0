"""How the answers begin that people edited while a review waits, for lists of many reviews."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Final

from django.db.models import BinaryField, OuterRef, Q, Subquery
from django.db.models.functions import Substr

from checkpoints.domain.commands import output_key
from checkpoints.domain.json_beginning import json_beginning
from checkpoints.domain.proposal import VersionManifest, lineage
from checkpoints.domain.state import ChangeKind
from checkpoints.domain.timeline import WriteKind
from checkpoints.models import Checkpoint, Execution, StateValue
from checkpoints.reading.proposals import read_manifest
from checkpoints.store.executions import manifest_fault
from checkpoints.store.state import digest_of_name
from conversations.domain.beginnings import beginning_of
from conversations.reading.proposed_answers import ProposedAnswer

ExecutionKey = tuple[int, int]  # conversation and number

_BEGINNING: Final = 140
_READ: Final = 4000  # bytes of a value
_MOST_VERSIONS: Final = 50  # since the proposal
_MOST_KEYS: Final = 8  # edited ones of one execution
_OF_NODES: Final = (WriteKind.CHECKPOINT, WriteKind.COMPLETION)


@dataclass(frozen=True, slots=True)
class LastWrite:
    """The last write of a node to an execution, which is at ``version`` now."""

    node: str
    kind: str
    proposed: int
    version: int


@dataclass(frozen=True, slots=True)
class _Edits:
    """The edits of one execution since its proposal: of each key, latest first."""

    node: str
    of_keys: Mapping[str, Sequence[VersionManifest]]


def last_writes(executions: Iterable[ExecutionKey]) -> dict[ExecutionKey, LastWrite]:
    """Returns the last write of a node to each execution, in one statement."""
    own = [Q(conversation=key, number=number) for key, number in executions]
    if not own:
        return {}
    written = Checkpoint.objects.filter(
        conversation=OuterRef("conversation"), execution=OuterRef("number"), kind__in=_OF_NODES
    ).order_by("-version")
    rows = Execution.objects.filter(reduce(or_, own)).annotate(
        proposed=Subquery(written.values("version")[:1]),
        node=Subquery(written.values("saved_node")[:1]),
        write=Subquery(written.values("kind")[:1]),
    )
    found = rows.filter(proposed__isnull=False)
    return {
        (key, number): LastWrite(node, kind, proposed, version)
        for key, number, node, kind, proposed, version in found.values_list(
            "conversation", "number", "node", "write", "proposed", "version"
        )
    }


def edited_answers(
    writes: Mapping[ExecutionKey, LastWrite],
    said: Mapping[int, str],
    outputs: Collection[ExecutionKey] = (),
) -> dict[ExecutionKey, ProposedAnswer]:
    """Returns the answers of paused executions that were edited since they were proposed.

    ``said`` are the beginnings of the last messages by conversation. The answer is the output of
    the node, or a key that said the same as the message, but in ``outputs``, where it is the output
    alone. No statement if nothing was written since, else two.
    """
    sources = {
        key: (last.proposed, last.version)
        for key, last in writes.items()
        if last.version > last.proposed
    }
    edits = _edits(sources) if sources else {}
    wanted = [
        (key, name, write.version)
        for key, edited in edits.items()
        for name, changes in edited.of_keys.items()
        for write in changes
    ]
    values = _values(wanted) if wanted else {}
    found = {
        key: _answer(key, edits[key], values, "" if key in outputs else said.get(key[0], ""))
        for key in edits
    }
    return {key: answer for key, answer in found.items() if answer is not None}


def _edits(sources: Mapping[ExecutionKey, tuple[int, int]]) -> dict[ExecutionKey, _Edits]:
    own = [
        Q(conversation=key, execution=number, version__gte=max(first, last - _MOST_VERSIONS))
        | Q(conversation=key, execution=number, version=first)
        for (key, number), (first, last) in sources.items()
    ]
    rows = Checkpoint.objects.filter(reduce(or_, own)).defer(
        "answer", "marking", "routing", "whole"
    )
    found: dict[ExecutionKey, dict[int, VersionManifest]] = {key: {} for key in sources}
    for row in rows:
        if not manifest_fault(row):  # a damaged one hides no other line
            found[row.conversation, row.execution][row.version] = read_manifest(row)
    read = {key: _edits_of(found[key], last) for key, (_first, last) in sources.items()}
    return {key: edits for key, edits in read.items() if edits is not None}


def _edits_of(versions: Mapping[int, VersionManifest], last: int) -> _Edits | None:
    """Returns the edits up to the write of a node; None if that is not among the versions."""
    of_keys: dict[str, list[VersionManifest]] = {}
    for write in lineage(versions.get, last):
        if write.kind in _OF_NODES:
            output = output_key(write.node)
            names = sorted(of_keys, key=lambda name: name != output)[:_MOST_KEYS]
            return _Edits(write.node, {name: of_keys[name] for name in names})
        if write.kind is WriteKind.UPDATE:
            for name in write.keys:
                of_keys.setdefault(name, []).append(write)
    return None


@dataclass(frozen=True, slots=True)
class _Value:
    """What an edit set a key to, and what stood there before."""

    kind: str
    text: str
    digest: str
    before: str
    digest_before: str | None


def _values(
    wanted: Sequence[tuple[ExecutionKey, str, int]],
) -> dict[tuple[ExecutionKey, str, int], _Value]:
    own = {(*key, digest_of_name(name), version): (key, name) for key, name, version in wanted}
    terms = [
        Q(conversation=conversation, execution=execution, key=key, version=version)
        for conversation, execution, key, version in own
    ]
    former = StateValue.objects.filter(
        conversation=OuterRef("conversation"),
        execution=OuterRef("execution"),
        key=OuterRef("key"),
        version__lt=OuterRef("version"),
    ).order_by("-version")
    beginning = beginning_of_value()
    rows = StateValue.objects.filter(reduce(or_, terms)).annotate(
        begins=beginning,
        before=Subquery(former.annotate(begins=beginning).values("begins")[:1]),
        digest_before=Subquery(former.values("digest")[:1]),
    )
    columns = ("conversation", "execution", "key", "version", "kind", "begins", "digest")
    found: dict[tuple[ExecutionKey, str, int], _Value] = {}
    for *place, kind, begins, digest, before, digest_before in rows.values_list(
        *columns, "before", "digest_before"
    ):
        key, name = own[place[0], place[1], place[2], place[3]]
        found[key, name, place[3]] = _Value(
            kind, line_of(begins), digest, line_of(before), digest_before
        )
    return found


def _answer(
    key: ExecutionKey,
    edits: _Edits,
    values: Mapping[tuple[ExecutionKey, str, int], _Value],
    said: str,
) -> ProposedAnswer | None:
    output = output_key(edits.node)
    for name, writes in edits.of_keys.items():
        first = values.get((key, name, writes[-1].version))
        now = values.get((key, name, writes[0].version))
        if first is None or now is None or not (name == output or (said and first.before == said)):
            continue
        if now.kind == ChangeKind.GONE:
            return ProposedAnswer("", writes[0].author, removed=True)
        if now.digest == first.digest_before:
            return None  # it was changed back
        return ProposedAnswer(now.text, writes[0].author)
    return None


def beginning_of_value() -> Substr:
    """Returns the bytes that a line shows of a value, as an expression."""
    return Substr("value", 1, _READ, output_field=BinaryField())


def line_of(value: bytes | None) -> str:
    """Returns how a value begins, from the first bytes of its JSON."""
    return beginning_of(json_beginning(bytes(value or b"")), _BEGINNING)
