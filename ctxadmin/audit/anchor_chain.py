"""Verifies the chain of anchors itself."""

from collections.abc import Collection, Iterator, Mapping

from ctxadmin.audit.chain import FIRST_HASH, anchor_hash, heads_digest
from ctxadmin.audit.keys import known_keys
from ctxadmin.audit.models import AuditAnchor, AuditAnchoredHead


def anchor_faults() -> Iterator[str]:
    """Yields the faults of the anchors, up to the first that does not hold."""
    keys = known_keys()
    before, expected = FIRST_HASH, 1
    for anchor in AuditAnchor.objects.order_by("number").iterator(1000):
        if anchor.number != expected:
            yield f"anchor {expected} is missing"
            return
        key = keys.get(anchor.key_name)
        if key is None:
            yield (
                f"anchor {expected} has the key {anchor.key_name}, which this server does not "
                "have: add the former key to CTXADMIN_AUDIT_KEY_FALLBACKS"
            )
            return
        rows = AuditAnchoredHead.objects.filter(anchor=expected).order_by("stream")
        heads = rows.values_list("stream", "seq", "hash", "unkeyed").iterator(1000)
        found = anchor_hash(before, expected, anchor.at, anchor.streams, anchor.digest, key)
        if anchor.hash != found or anchor.digest != heads_digest(heads):
            yield f"anchor {expected} was changed"
            return
        before, expected = anchor.hash, expected + 1
    if expected == 1:
        yield "all are missing"


def first_unkeyed(streams: Collection[int]) -> Mapping[int, int]:
    """Returns how many entries of release 0.1.0 streams begin with, by the first anchor."""
    rows = AuditAnchoredHead.objects.filter(anchor=1, stream__in=streams)
    return dict(rows.values_list("stream", "unkeyed"))
