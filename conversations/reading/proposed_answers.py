"""The answers that wait for review: the app that runs executions knows them."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from conversations.workspace.last_messages import LastMessage


@dataclass(frozen=True, slots=True)
class ProposedAnswer:
    """How the answer begins that an approval approves; ``edited_by`` changed or ``removed`` it."""

    proposed: str
    edited_by: str = ""
    removed: bool = False


ProposalSource = Callable[
    [Collection[int], Mapping[int, LastMessage]], Mapping[int, ProposedAnswer]
]

_sources: list[ProposalSource] = []


def register_proposal_source(source: ProposalSource) -> None:
    """Registers what returns the answers by key, of those conversations that wait for review."""
    _sources[:] = [source]


def proposed_answers(
    conversations: Collection[int], messages: Mapping[int, LastMessage]
) -> Mapping[int, ProposedAnswer]:
    """Returns the answers that are not what was said last anyway."""
    found = _sources[0](conversations, messages) if _sources and conversations else {}
    return {
        key: answer
        for key, answer in found.items()
        if answer.edited_by or answer.proposed != _said(messages.get(key))
    }


def _said(last: LastMessage | None) -> str:
    return last.text if last is not None else ""
