"""The protocol between a page of a paused state and the server, for drafts.

A page sends ``PATCH /executions/{id}/state/draft/`` with its changes since the last request. The
answer is Kept, or with 409 what another page of the same person changed at the same places: nothing
of the patch is applied then, and the page sends it again with knowledge of that.
"""

from typing import Annotated, Literal

from pydantic import Field

from checkpoints.editing.draft import Overtaken
from ctxadmin.lib.contract import Contract

Seq = Annotated[int, Field(ge=0, lt=2**31)]
Place = Annotated[str, Field(min_length=2)]  # "0:name" a key of the state, "1:name" a new one


class Typed(Contract):
    """The field of a key: it becomes the entry, or an alternative to it.

    The kind ``value`` is that of a key in the text of a whole state: its text is any JSON.
    """

    op: Literal["set", "beside"]
    place: Place
    kind: str
    text: str
    gone: bool = False
    mine: Seq = 0  # the seq with which this page spoke of the place last


class Untyped(Contract):
    """The key is as in the state again; or its entry becomes an alternative, before a ``set``."""

    op: Literal["revert", "aside"]
    place: Place
    mine: Seq = 0


class Whole(Contract):
    """The whole state as text; the server parses it if it can, and stores the text otherwise."""

    op: Literal["text"]
    mark: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    text: str
    mine: Seq = 0


class Read(Contract):
    """The text of this mark became JSON: its changes arrived as other operations."""

    op: Literal["drop"]
    mark: str


class Patch(Contract):
    """The changes of one page to the draft that it saw at ``seen_seq``, typed over ``version``.

    A page that ``leaves`` cannot ask again: changes that overtook it become alternatives. ``given``
    are the marks it was made with, by place: a text is parsed with their knowledge.
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


def stored_answer(seq: int, count: int, message: str) -> dict[str, object]:
    """Returns the answer of a stored patch: ``seq``, ``count`` changes, and a ``message``."""
    return {"seq": seq, "count": count, "told": message}


def overtaken_answer(found: Overtaken, detail: str) -> dict[str, object]:
    """Returns the changes of another page, in the form of ``Typed``."""
    changed = [
        {"place": place, "kind": each.kind, "text": each.text, "gone": each.gone}
        for place, each in found.changed.items()
    ]
    texts = [each.mark for each in found.texts]
    return {"seq": found.draft.seq, "changed": changed, "texts": texts, "detail": detail}
