"""What a read raises when stored rows are not what was written there."""

import logging
from typing import Final

from conversations.models import Conversation
from ctxadmin.lib.errors import Damaged, NotFound
from ctxadmin.telemetry.facts import current
from ctxadmin.telemetry.metrics import damage_found

MISSING: Final = "is missing"
ALTERED: Final = "is not what was written"

_log = logging.getLogger(__name__)


def damaged(conversation: int, what: str, place: object, how: str) -> Damaged | NotFound:
    """The refusal of a read that met a damaged row, counted and logged; content is not named.

    ``what`` is the kind of row, ``place`` its number or name, ``how`` MISSING or ALTERED. NotFound
    if the conversation was erased while it was read: then nothing is wrong.
    """
    head = Conversation.objects.filter(key=conversation).only("public_id").first()
    if head is None:
        return NotFound("The conversation was erased while it was read.")
    damage_found(what)
    facts = current.get()
    told = {**(facts.ids() if facts else {}), "conversation": head.public_id, "what": what}
    if isinstance(place, int):  # a name may be content
        told["place"] = str(place)
    _log.error("damaged: %s %s", what, how, extra={"told": told})
    return Damaged(what, str(place), how)
