"""Whether a running execution is to pause: the app that runs executions knows it."""

from collections.abc import Callable

from conversations.models import Conversation

PauseSource = Callable[[int], bool]

_sources: list[PauseSource] = []


def register_pause_source(source: PauseSource) -> None:
    """Registers what returns whether the execution of a conversation, by its key, is to pause."""
    _sources[:] = [source]


def is_pause_requested(head: Conversation) -> bool:
    """Returns whether the execution of a conversation pauses at its next checkpoint."""
    return head.status == "RUNNING" and any(source(head.key) for source in _sources)
