"""The model that a conversation's calls used last: the app that runs executions knows it."""

from collections.abc import Callable

from conversations.models import Conversation

ModelSource = Callable[[int], str]

_sources: list[ModelSource] = []


def register_model_source(source: ModelSource) -> None:
    """Registers what returns the model of the latest reported call by a conversation's key."""
    _sources[:] = [source]


def model_of(head: Conversation) -> str:
    """Returns the name of the model that was reported last, "" if none was."""
    return next((source(head.key) for source in _sources), "")
