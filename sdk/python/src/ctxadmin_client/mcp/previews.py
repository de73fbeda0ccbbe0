"""Previewed changes of a view; each can be applied once, exactly as previewed."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

from ctxadmin_client.answers import JsonObject

_MOST: Final = 100


@dataclass(frozen=True, slots=True)
class Preview:
    """A dry run: its call, which names the view that it saw.

    ``key`` is the idempotency key of applying it, so that a repeat is done once.
    """

    conversation_id: str
    call: str
    body: JsonObject
    key: str


class Previews:
    """The latest previews of this process, by id."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Preview] = OrderedDict()

    def add(self, preview: Preview) -> str:
        """Stores a preview and returns its id."""
        made = uuid4().hex[:12]
        self._kept[made] = preview
        while len(self._kept) > _MOST:
            self._kept.popitem(last=False)
        return made

    def find(self, preview_id: str) -> Preview | None:
        return self._kept.get(preview_id)
