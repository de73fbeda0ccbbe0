"""Which version of an execution wrote which messages of the log."""

from checkpoints.models import Checkpoint, Execution


def find_writing_version(row: Execution, index: int) -> int | None:
    """Returns the first version whose log has the message; None if it predates the execution.

    Searches by bisection: the log only grows, and this rare question needs no index.
    """
    before, after = 0, row.version
    if log_count_at(row, before) > index or log_count_at(row, after) <= index:
        return None
    while after - before > 1:
        middle = (before + after) // 2
        if log_count_at(row, middle) > index:
            after = middle
        else:
            before = middle
    return after


def messages_of_version(row: Execution, checkpoint: Checkpoint) -> range:
    """Returns the log indices written between the version before and this one."""
    if checkpoint.version == 0:
        return range(0)
    return range(log_count_at(row, checkpoint.version - 1), checkpoint.log_count)


def log_count_at(row: Execution, version: int) -> int:
    rows = Checkpoint.objects.filter(conversation=row.conversation, execution=row.number)
    return rows.values_list("log_count", flat=True).get(version=version)
