"""Signed checkpoints of the audit, to store where writers of the database have no access."""

from dataclasses import asdict, dataclass
from typing import Final

from pydantic import TypeAdapter

from ctxadmin.audit.keys import current_key, known_keys
from ctxadmin.audit.models import AuditAnchor
from ctxadmin.lib import clock
from ctxadmin.lib.json_bytes import canonical

FORMAT: Final = "ctxadmin audit checkpoint 1"


@dataclass(frozen=True, slots=True)
class AnchorPoint:
    """An anchor by its number and hash, which stands for all that was anchored up to it."""

    format: str
    made_at: str
    anchor: int
    hash: str
    key_name: str
    signature: str = ""

    def signed_bytes(self) -> bytes:
        return canonical({**asdict(self), "signature": ""})


_READ: Final = TypeAdapter(AnchorPoint)


def checkpoint_of(anchor: AuditAnchor) -> AnchorPoint:
    """Returns the signed checkpoint of an anchor."""
    key = current_key()
    made_at = clock.iso(clock.now())
    unsigned = AnchorPoint(FORMAT, made_at, anchor.number, anchor.hash, key.name)
    return AnchorPoint(
        FORMAT,
        made_at,
        anchor.number,
        anchor.hash,
        key.name,
        key.hash_of(unsigned.signed_bytes()),
    )


def write_checkpoint(checkpoint: AnchorPoint) -> str:
    """Returns a checkpoint as a line of JSON."""
    return canonical(asdict(checkpoint)).decode()


def read_checkpoint(data: bytes) -> AnchorPoint:
    """Returns the checkpoint of ``write_checkpoint``; raises ValueError for anything else."""
    found = _READ.validate_json(data)
    if found.format != FORMAT:
        raise ValueError(f"its format is not {FORMAT!r}")
    return found


def checkpoint_fault(checkpoint: AnchorPoint) -> str:
    """Returns the difference of a checkpoint and the anchors of the database, "" for none."""
    key = known_keys().get(checkpoint.key_name)
    if key is None:
        return f"its key {checkpoint.key_name} is not known to this server"
    if key.hash_of(checkpoint.signed_bytes()) != checkpoint.signature:
        return "it was changed"
    found = AuditAnchor.objects.filter(number=checkpoint.anchor).first()
    if found is None:
        return f"anchor {checkpoint.anchor} is missing, which was there at {checkpoint.made_at}"
    if found.hash != checkpoint.hash:
        return f"anchor {checkpoint.anchor} is not the one that was there at {checkpoint.made_at}"
    return ""
