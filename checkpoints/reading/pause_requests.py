"""Whether the execution of a conversation is to pause, for the apps below."""

from checkpoints.store.executions import as_domain, find_current
from ctxadmin.lib.errors import ContextError


def has_pause_request(conversation: int) -> bool:
    """Returns whether a pause is requested; a damaged execution has its own page to say so."""
    row = find_current(conversation)
    try:
        return row is not None and as_domain(row).pause_requested
    except ContextError:
        return False
