"""Which text of a proposal is the answer that a reviewer approves."""

from collections.abc import Iterable, Mapping

from checkpoints.domain.commands import output_key

_ASSISTANT = "assistant"


def proposed_answer(role: str, text: str) -> str:
    """Returns how the answer begins, of the message that was written last.

    It is "" if no assistant wrote it: then the answer stands in the state alone.
    """
    return text if role == _ASSISTANT else ""


def keys_in_order(
    node_id: str, sizes: Mapping[str, int], edited: Iterable[str], answers: Iterable[int]
) -> list[str]:
    """Returns the keys that a node wrote: its answer, then edited ones, then others by name.

    The answer is the node's output, or a value as large as one of its messages. ``sizes`` are
    the bytes of the values as JSON, ``answers`` those of the texts of the messages.
    """
    changed, said = frozenset(edited), frozenset(answers)
    output = output_key(node_id)

    def rank(name: str) -> tuple[bool, bool, bool, str]:
        is_output = name == output
        is_answer = is_output or sizes[name] in said
        return not is_output, not is_answer, name not in changed, name

    return sorted(sizes, key=rank)
