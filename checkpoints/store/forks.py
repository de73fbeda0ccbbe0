"""Copies an execution at one version, within SQL."""

from typing import Final

from django.db.models import Case, Sum, Value, When
from django.db.models.functions import Length

from checkpoints.domain.state import ChangeKind
from checkpoints.models import Checkpoint, CheckpointDetails, Execution, StateKey, StateValue
from checkpoints.store.state_checksums import summed_key
from checkpoints.store.task_writes import copy_writes
from conversations.lifecycle.conversation_copy import copy_rows, moves_until
from ctxadmin.lib.errors import Unavailable
from ctxadmin.lib.sentence import say

_BATCH: Final = 500


def copy_execution(source: Execution, to: Checkpoint, target: Execution) -> int:
    """Copies the versions of ``source`` up to ``to``, with their state, to ``target``.

    Their change numbers become those of the copied changes. Returns the bytes of the values. Raises
    Unavailable if versions were thinned or deleted meanwhile, because the copy may then lack some
    of their values.
    """
    moves = moves_until(source.conversation, to.change_seq)
    for table in (Checkpoint, CheckpointDetails, StateValue):
        own, new = (source.conversation, source.number), (target.conversation, target.number)
        copy_rows(table, own, new, "version", to.version + 1)
    rows = Checkpoint.objects.filter(conversation=target.conversation, execution=target.number)
    rows.update(
        usage_sum=None,  # what was used is the source's
        change_seq=Case(
            *(
                When(change_seq__gte=move.seq, then=Value(place - len(moves)))
                for place, move in reversed([*enumerate(moves)])
            ),
            default=Value(-1 - len(moves)),
        ),
    )
    rows.filter(version=to.version).update(status=target.status)
    _copy_keys(source, to.version, target)
    ids = rows.exclude(checkpoint_id=None).values_list("checkpoint_id", flat=True)
    copy_writes(source.conversation, target.conversation, [each for each in ids if each])
    copied = Execution.objects.filter(conversation=target.conversation, number=target.number)
    target.thinned_count = rows.filter(thinned_at__isnull=False).count()
    copied.update(thinned_count=target.thinned_count)
    now = Execution.objects.filter(conversation=source.conversation, number=source.number)
    if now.values_list("thinned_count", flat=True).first() != source.thinned_count:
        raise Unavailable(say("Versions of this execution were removed meanwhile; try again."))
    values = StateValue.objects.filter(conversation=target.conversation, execution=target.number)
    return values.aggregate(n=Sum(Length("value")))["n"] or 0


def _copy_keys(source: Execution, version: int, target: Execution) -> None:
    """Copies the heads of all keys as of a version, including those deleted by then."""
    keys = StateKey.objects.filter(conversation=source.conversation, execution=source.number)
    names = dict(keys.values_list("key", "name"))
    own = {"conversation": target.conversation, "execution": target.number}
    latest: dict[str, StateValue] = {}
    values = StateValue.objects.filter(**own, version__lte=version).defer("value")
    for row in values.order_by("key", "version").iterator(_BATCH):
        latest[row.key] = row
    StateKey.objects.bulk_create(
        summed_key(
            StateKey(
                **own,
                key=key,
                name=names[key],
                version=row.version,
                gone=row.kind == ChangeKind.GONE,
                first=row.first,
                last=row.last,
                spans=row.spans,
                digest=row.digest,
                size=row.size,
                count=row.count,
            )
        )
        for key, row in latest.items()
    )
