"""Templates of workflows, each complete and without problems."""

from collections.abc import Mapping
from typing import Final, Literal

from pydantic import JsonValue

from workflows.domain.document import graph
from workflows.domain.document.graph import Document
from workflows.starters.chat import CHAT
from workflows.starters.research import RESEARCH
from workflows.starters.review import REVIEW
from workflows.starters.support import SUPPORT

StarterName = Literal["chat", "review", "research", "support"]

STARTERS: Final[Mapping[StarterName, Mapping[str, JsonValue]]] = {
    "chat": CHAT,
    "review": REVIEW,
    "research": RESEARCH,
    "support": SUPPORT,
}


def starter(name: StarterName, title: str) -> Document:
    """Returns the document of a template under a name of its own."""
    return graph.read({**STARTERS[name], "name": title})
