"""What a page of a paused state and the server say to each other about a draft.

A page sends ``PATCH /executions/{id}/state/draft/`` with what it changed since it spoke last. The
answer is Kept, or with 409 what another page of the person changed at the same places meanwhile:
nothing of the patch is applied then, and the page sends it again in view of that.
"""

from typing import Annotated, Literal

from pydantic import Field

from checkpoints.editing.draft import Overtaken
from ctxadmin.lib.contract import Contract

Seq = Annotated[int, Field(ge=0, lt=2**31)]
Place = Annotated[str, Field(min_length=2)]  # "0:name" a key of the state, "1:name" a new one


class Typed(Contract):
    """The field of a key as it is now: it stands for the key, or is kept beside what does.

    The kind ``value`` is that of a key in the text of a whole state: its text is any JSON.
    """

    op: Literal["set", "beside"]
    place: Place
    kind: str
    text: str
    gone: bool = False
    mine: Seq = 0  # the seq with which this page spoke of the place last


class Untyped(Contract):
    """The key is again as in the state; or what stands for it is kept beside, before a ``set``."""

    op: Literal["revert", "aside"]
    place: Place
    mine: Seq = 0


class Whole(Contract):
    """The whole state as a text; the server reads it if it can, else it keeps the text."""

    op: Literal["text"]
    mark: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    text: str
    mine: Seq = 0


class Read(Contract):
    """The text of this mark became JSON: what it says came as other operations."""

    op: Literal["drop"]
    mark: str


class Patch(Contract):
    """What one page changed of the draft that it saw at ``seen_seq``, typed over ``version``.

    A page that ``leaves`` cannot ask again: what overtook it is kept beside what it says. ``given``
    are the marks of the changes that it was made with, by place: a text is read in view of them.
    """

    execution: str
    version: Annotated[int, Field(ge=0, lt=2**31)]
    seen_seq: Seq
    operations: Annotated[
        list[Annotated[Typed | Untyped | Whole | Read, Field(discriminator="op")]],
        Field(max_length=20_000),
    ]
    given: dict[str, str] = {}
    leaves: bool = False


def kept(seq: int, count: int, told: str) -> dict[str, object]:
    """The draft is at ``seq`` and has ``count`` changes; ``told`` is for its person to read."""
    return {"seq": seq, "count": count, "told": told}


def overtaken(found: Overtaken, detail: str) -> dict[str, object]:
    """What another page changed, in the words of ``Typed``."""
    changed = [
        {"place": place, "kind": each.kind, "text": each.text, "gone": each.gone}
        for place, each in found.changed.items()
    ]
    texts = [each.mark for each in found.texts]
    return {"seq": found.draft.seq, "changed": changed, "texts": texts, "detail": detail}
