"""The decision that ended a pause, in the words of a reader who came too late for it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils.translation import gettext as _

from checkpoints.domain.timeline import WriteKind
from checkpoints.models import Checkpoint, Execution
from ctxadmin.identity.actor import Actor
from ctxadmin.ui.components import author_label

_LOOKED_BACK: Final = 20  # versions
_FIELDS: Final = ("version", "kind", "move", "author", "reason", "created_at")
_SYSTEM: Final = "system:"
_OF_OTHERS: Final[Mapping[str, Callable[[], str]]] = {
    "approve": lambda: _("%(who)s approved this."),
    "reject": lambda: _("%(who)s rejected this."),
    "resume": lambda: _("%(who)s resumed this without approving."),
    "cancel": lambda: _("%(who)s cancelled this."),
}
_OF_READER: Final[Mapping[str, Callable[[], str]]] = {
    "approve": lambda: _("You approved this."),
    "reject": lambda: _("You rejected this."),
    "resume": lambda: _("You resumed this without approving."),
    "cancel": lambda: _("You cancelled this."),
}
_OF_DEADLINE: Final[Mapping[str, Callable[[], str]]] = {
    "approve": lambda: _("The deadline passed, so this was approved automatically."),
    "reject": lambda: _("The deadline passed, so this was rejected automatically."),
    "cancel": lambda: _("The deadline passed, so this was cancelled automatically."),
}


@dataclass(frozen=True, slots=True)
class PastDecision:
    """What someone decided: ``words`` name the person, ``mine`` is True for the reader."""

    words: str
    reason: str
    at: datetime
    mine: bool


def find_decision(actor: Actor, row: Execution, *, after: int = -1) -> PastDecision | None:
    """Returns the latest decision behind a version; None if none of the last versions is one."""
    rows = Checkpoint.objects.filter(
        conversation=row.conversation, execution=row.number, version__gt=after
    )
    return latest_decision(actor, rows.only(*_FIELDS).order_by("-version")[:_LOOKED_BACK])


def latest_decision(actor: Actor, newest_first: Iterable[Checkpoint]) -> PastDecision | None:
    """Returns the first decision among some versions."""
    found = (each for each in newest_first if each.kind == WriteKind.MOVE)
    last = next((each for each in found if each.move in _OF_OTHERS), None)
    return _decision(actor, last) if last is not None else None


def _decision(actor: Actor, write: Checkpoint) -> PastDecision:
    mine = write.author == actor.label
    is_late = write.author.startswith(_SYSTEM) and write.move in _OF_DEADLINE
    words = _OF_READER if mine else _OF_DEADLINE if is_late else _OF_OTHERS
    text = words[write.move]() % {"who": author_label(write.author)}
    return PastDecision(text, "" if is_late else write.reason, write.created_at, mine)
