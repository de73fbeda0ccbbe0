"""Verifies some entries without reading their whole streams."""

from collections.abc import Sequence

from ctxadmin.audit.chain import FIRST_HASH, entry_hash, reason_digest
from ctxadmin.audit.keys import known_keys
from ctxadmin.audit.models import AuditEntry
from ctxadmin.audit.queries import FoundEntry


def find_altered(found: Sequence[FoundEntry]) -> set[tuple[int, int]]:
    """Returns stream and number of the entries that differ from their hash, with one query.

    An entry is compared with the stored hash of the entry before it; only ``verify_audit`` sees
    whether entries are missing. Entries of release 0.1.0 and those whose key this server does not
    have are left out.
    """
    by_place = {(each.entry.stream, each.entry.seq): each.entry.hash for each in found}
    before = [(each.entry.stream, each.entry.seq - 1) for each in found]
    missing = [place for place in before if place[1] > 0 and place not in by_place]
    if missing:
        rows = AuditEntry.objects.filter(pk__in=missing).values_list("stream", "seq", "hash")
        by_place |= {(stream, seq): hash_ for stream, seq, hash_ in rows}
    return {
        (each.entry.stream, each.entry.seq)
        for each in found
        if _is_altered(each, by_place.get((each.entry.stream, each.entry.seq - 1)))
    }


def _is_altered(found: FoundEntry, before: str | None) -> bool:
    entry, reason = found.entry, found.reason
    key = known_keys().get(entry.key_name)
    if key is None:
        return False
    if before is None and entry.seq > 1:
        return True
    if entry.hash != entry_hash(entry, before or FIRST_HASH, key):
        return True
    return reason is not None and entry.reason_digest != reason_digest(reason.salt, reason.text)
