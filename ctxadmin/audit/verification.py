"""Verifies the audit: every chain, against the heads of its streams and against the anchors."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Exists, OuterRef

from ctxadmin.audit.anchor_chain import anchor_faults, first_unkeyed
from ctxadmin.audit.chain import FIRST_HASH, entry_hash, reason_digest, unkeyed_hash
from ctxadmin.audit.heads import Head, heads_of, heads_without_entries
from ctxadmin.audit.keys import AuditKey, known_keys
from ctxadmin.audit.models import AuditAnchoredHead, AuditEntry, AuditReason
from ctxadmin.identity.roles import Action

_ENTRIES: Final = 2000  # read at once
_STREAMS: Final = 400


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a stream, or of the anchors, where ``stream`` is None."""

    stream: int | None
    text: str

    def __str__(self) -> str:
        where = "anchors" if self.stream is None else f"stream {self.stream}"
        return f"{where}: {self.text}"


@dataclass(frozen=True, slots=True)
class KnownStream:
    """What other rows say of a stream, read before its entries.

    ``anchored`` has hashes by entry; ``unkeyed`` is the number of release 0.1.0 entries at its
    start; ``erased`` means that its conversation was erased.
    """

    head: Head | None
    anchored: Mapping[int, str]
    unkeyed: int
    erased: bool


def verify_all() -> Iterator[tuple[int, Sequence[Fault]]]:
    """Yields the faults of each stream, by its key, after those of the anchors, under 0.

    Writers can continue: heads and anchors are read before the entries that they cover.
    """
    yield 0, [Fault(None, text) for text in anchor_faults()]
    for streams in _streams_by_page():
        known = _read_known(streams)
        for stream in streams:
            yield stream, _faults(stream, known[stream])
    for stream in _streams_without_entries():
        yield stream, verify_stream(stream)


def verify_stream(stream: int) -> Sequence[Fault]:
    """Yields the faults of one stream; trusts the anchors themselves."""
    return _faults(stream, _read_known([stream])[stream])


def _streams_by_page() -> Iterator[Sequence[int]]:
    last: int | None = None
    while True:
        rows = AuditEntry.objects.order_by("stream").values_list("stream", flat=True).distinct()
        page = list((rows if last is None else rows.filter(stream__gt=last))[:_STREAMS])
        if not page:
            return
        yield page
        last = page[-1]


def _streams_without_entries() -> Iterator[int]:
    """Returns the streams known by heads or anchors without any audit entry."""
    seen: set[int] = set()
    for stream in (*heads_without_entries(), *_anchored_without_entries()):
        if stream not in seen:
            seen.add(stream)
            yield stream


def _anchored_without_entries() -> Iterator[int]:
    entries = AuditEntry.objects.filter(stream=OuterRef("stream"))
    rows = AuditAnchoredHead.objects.filter(~Exists(entries)).order_by("stream")
    yield from rows.values_list("stream", flat=True).distinct().iterator(1000)


def _read_known(streams: Collection[int]) -> Mapping[int, KnownStream]:
    heads = heads_of(streams)
    unkeyed = first_unkeyed(streams)
    anchored: dict[int, dict[int, str]] = {stream: {} for stream in streams}
    rows = AuditAnchoredHead.objects.filter(stream__in=streams).order_by("stream", "anchor")
    for stream, seq, hash_ in rows.values_list("stream", "seq", "hash"):
        anchored[stream].setdefault(seq, hash_)
    erasures = AuditEntry.objects.filter(stream__in=streams, action=Action.CONVERSATION_ERASE.value)
    erased = set(erasures.values_list("stream", flat=True))
    return {
        stream: KnownStream(
            heads.get(stream), anchored[stream], unkeyed.get(stream, 0), stream in erased
        )
        for stream in streams
    }


def _faults(stream: int, known: KnownStream) -> Sequence[Fault]:
    walk = _Walk(stream, known, known_keys())
    for entry, reason in _entries(stream):
        if problem := walk.step(entry, reason):
            return [Fault(stream, problem)]
    problem = walk.end()
    return [Fault(stream, problem)] if problem else []


def _entries(stream: int) -> Iterator[tuple[AuditEntry, AuditReason | None]]:
    last = -1
    while True:
        rows = AuditEntry.objects.filter(stream=stream, seq__gt=last).order_by("seq")
        page = list(rows[:_ENTRIES])
        if not page:
            return
        last = page[-1].seq
        reasons = {
            reason.seq: reason
            for reason in AuditReason.objects.filter(
                stream=stream, seq__gte=page[0].seq, seq__lte=last
            )
        }
        for entry in page:
            yield entry, reasons.get(entry.seq)


class _Walk:
    """One stream, entry by entry, up to the first that does not hold."""

    def __init__(self, stream: int, known: KnownStream, keys: Mapping[str, AuditKey]) -> None:
        self.stream = stream
        self._known = known
        self._keys = keys
        self._last = 0
        self._hash = FIRST_HASH
        self._action = ""

    def step(self, entry: AuditEntry, reason: AuditReason | None) -> str:
        """Returns the fault of the next entry, "" for none."""
        expected = self._last + 1
        if entry.seq != expected:
            return f"the chain breaks at entry {expected}, which is missing"
        if problem := self._wrong_hash(entry, reason) or self._wrong_reason(entry, reason):
            return f"the chain breaks at entry {expected}, {problem}"
        anchored = self._known.anchored.get(expected)
        if anchored is not None and anchored != entry.hash:
            return f"entry {expected} is not the one that was anchored"
        head = self._known.head
        if head is not None and head.seq == expected and head.hash not in ("", entry.hash):
            return f"entry {expected} is not the one that its head names"
        self._last, self._hash, self._action = expected, entry.hash, entry.action
        return ""

    def end(self) -> str:
        """Returns the fault of the end of the entries."""
        anchored = max(self._known.anchored, default=0)
        counted = self._known.head.seq if self._known.head else 0
        if max(anchored, counted) > self._last:
            had = f"{anchored} by an anchor" if anchored >= counted else f"{counted} by its head"
            is_gone = "the whole stream is missing" if not self._last else ""
            return f"{is_gone or f'it ends at entry {self._last}'}; it had {had}"
        if self._known.head is None:
            ended = self._action == Action.CONVERSATION_ERASE.value
            return (
                ""
                if ended
                else "its conversation, workflow or workspace is gone without a recorded erasure"
            )
        if counted < self._last:
            now = heads_of([self.stream]).get(self.stream)
            if now is not None and now.seq < self._last:
                return f"it has {self._last} entries and {now.seq} by its head"
        return ""

    def _wrong_hash(self, entry: AuditEntry, reason: AuditReason | None) -> str:
        if not entry.key_name:
            return self._wrong_unkeyed_hash(entry, reason)
        key = self._keys.get(entry.key_name)
        if key is None:
            return (
                f"whose key {entry.key_name} this server does not have: "
                "add the former key to CTXADMIN_AUDIT_KEY_FALLBACKS"
            )
        return "" if entry.hash == entry_hash(entry, self._hash, key) else "which was changed"

    def _wrong_unkeyed_hash(self, entry: AuditEntry, reason: AuditReason | None) -> str:
        if entry.seq > self._known.unkeyed:
            return "which has no key, as only those before the upgrade have"
        given = reason.text if reason else ""
        if entry.hash == unkeyed_hash(entry, self._hash, given):
            return ""
        # Its hash is over the reason itself: without that only its place in the chain is sure.
        return "" if self._known.erased and reason is None else "which was changed"

    def _wrong_reason(self, entry: AuditEntry, reason: AuditReason | None) -> str:
        if not entry.key_name:
            return ""
        if reason is None:
            erased = self._known.erased or not entry.reason_digest
            return "" if erased else "whose reason is gone without a recorded erasure"
        right = entry.reason_digest == reason_digest(reason.salt, reason.text)
        return "" if right else "whose reason was changed"
