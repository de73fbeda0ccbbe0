"""The frames that tell pages about a conversation: its state, and its changes."""

from collections.abc import Iterable
from typing import Final, Literal

from ctxadmin.realtime.protocol import Change, State

MOST_KEYS: Final = 50
LONGEST_NAME: Final = 128


class ConversationState(State):
    """The state of a conversation.

    ``version`` and ``execution`` are those of the current execution, 0 and null without one;
    ``revision`` and ``count`` are of the view.
    """

    kind: Literal["conversation"] = "conversation"
    execution: str | None
    version: int
    status: str
    revision: int
    count: int

    def as_change(self) -> "ConversationChanged":
        return ConversationChanged(
            id=self.id,
            seq=self.seq,
            what="seen",
            who=None,
            status=self.status,
            revision=self.revision,
            count=self.count,
            execution=self.execution,
            version=self.version,
        )


class ConversationChanged(Change):
    """A change of a conversation.

    A null ``execution`` or ``version`` means that it did not change.

    ``keys`` are the names of the changed state keys, at most 50; ``more_keys`` is True if there are
    others.
    """

    type: Literal["changed"] = "changed"
    status: str
    revision: int
    count: int
    execution: str | None = None
    version: int | None = None
    keys: tuple[str, ...] = ()
    more_keys: bool = False

    def apply_to(self, state: State) -> ConversationState | None:
        if not isinstance(state, ConversationState):
            return None
        return ConversationState(
            id=state.id,
            seq=self.seq,
            execution=state.execution if self.execution is None else self.execution,
            version=state.version if self.version is None else self.version,
            status=self.status,
            revision=self.revision,
            count=self.count,
        )


def shorten_keys(keys: Iterable[str]) -> tuple[tuple[str, ...], bool]:
    """Returns the distinct keys that a frame names, and whether there are more.

    A long name is omitted and counts as one more.
    """
    each = list(dict.fromkeys(keys))
    short = [key for key in each if len(key) <= LONGEST_NAME][:MOST_KEYS]
    return tuple(short), len(short) < len(each)
