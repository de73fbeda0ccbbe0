"""The errors of reads that find damaged rows."""

import logging
from collections.abc import Callable, Mapping
from typing import Final

from conversations.models import Conversation
from ctxadmin.lib.errors import Damaged, NotFound
from ctxadmin.lib.sentence import Sentence, say
from ctxadmin.telemetry.facts import current
from ctxadmin.telemetry.metrics import damage_found

MISSING: Final = "is missing"
ALTERED: Final = "is damaged"
SENTENCES: Final[Mapping[tuple[str, str], Callable[[str], Sentence]]] = {
    ("conversation", ALTERED): lambda name: say(
        "The stored conversation {name} is damaged.", name=name
    ),
    ("metadata", ALTERED): lambda name: say("The stored metadata {name} is damaged.", name=name),
    ("execution", ALTERED): lambda name: say("The stored execution {name} is damaged.", name=name),
    ("writes of checkpoint", ALTERED): lambda name: say(
        "The stored writes of checkpoint {name} are damaged.", name=name
    ),
    ("message", MISSING): lambda name: say("The stored message {name} is missing.", name=name),
    ("message", ALTERED): lambda name: say("The stored message {name} is damaged.", name=name),
    ("revision", MISSING): lambda name: say("The stored revision {name} is missing.", name=name),
    ("revision", ALTERED): lambda name: say("The stored revision {name} is damaged.", name=name),
    ("version", MISSING): lambda name: say("The stored version {name} is missing.", name=name),
    ("version", ALTERED): lambda name: say("The stored version {name} is damaged.", name=name),
    ("state key", MISSING): lambda name: say("The stored state key {name} is missing.", name=name),
    ("state key", ALTERED): lambda name: say("The stored state key {name} is damaged.", name=name),
    ("list", MISSING): lambda name: say("The stored list {name} is missing.", name=name),
    ("list", ALTERED): lambda name: say("The stored list {name} is damaged.", name=name),
}

_log = logging.getLogger(__name__)


def damaged(conversation: int, what: str, place: object, how: str) -> Damaged | NotFound:
    """Returns the error for a damaged row, counted and logged without content.

    ``what`` is the kind of row, ``place`` its number or name, ``how`` MISSING or ALTERED. It is
    NotFound if the conversation was erased while it was read: then nothing is damaged.
    """
    head = Conversation.objects.filter(key=conversation).only("public_id").first()
    if head is None:
        return NotFound(say("The conversation was erased while it was read."))
    damage_found(what)
    facts = current.get()
    log_fields = {**(facts.ids() if facts else {}), "conversation": head.public_id, "what": what}
    if isinstance(place, int):  # a name may be content
        log_fields["place"] = str(place)
    _log.error("the stored %s %s", what, how, extra={"told": log_fields})
    name = str(place)
    return Damaged(SENTENCES[what, how](name), what=what, place=name)
