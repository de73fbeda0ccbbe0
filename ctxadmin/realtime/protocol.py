"""Every message of a socket, with the version of the protocol on each.

A socket announces: which object changed, to which version, by whom. It never carries content; of a
state it names the keys that changed. What is to be shown is fetched by HTTP, what is to be written
is sent by HTTP.
"""

from collections.abc import Iterable
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

VERSION: Final = 1
MOST_KEYS: Final = 50
MOST_PEOPLE: Final = 50
LONGEST_NAME: Final = 128
# The longest text that a client may send; ``here`` is the only message that it has.
MOST_BYTES: Final = 2048

# Why the server closed a socket, beside the codes of the standard.
UNREADABLE: Final = 4400
SIGNED_OUT: Final = 4401
RIGHTS_CHANGED: Final = 4403
NOT_FOUND: Final = 4404
TOO_MANY: Final = 4429
UNAVAILABLE: Final = 4503
GOING_DOWN: Final = 1012


class _Said(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Who(_Said):
    """Who made a change, by the name that the pages show."""

    kind: Literal["person", "token", "system"]
    id: str
    name: str


class Person(_Said):
    """Somebody at a page: ``where`` is what is looked at or, if ``editing``, changed there.

    It is ``key:NAME`` of a state, ``node:ID`` or ``edge:ID`` of a workflow, or empty. ``kept`` is
    how often what is typed there was kept: by that other pages of the same person see that they
    are behind.
    """

    socket: str
    id: str
    name: str
    where: str = ""
    editing: bool = False
    kept: int = 0


class ConversationState(_Said):
    """Where a conversation stands: ``seq`` counts its changes, without gaps.

    ``version`` and ``execution`` are those of the current execution, 0 and null without one;
    ``revision`` and ``count`` are of the view.
    """

    kind: Literal["conversation"] = "conversation"
    id: str
    seq: int
    execution: str | None
    version: int
    status: str
    revision: int
    count: int


class WorkflowState(_Said):
    """Where a workflow stands: ``seq`` counts its changes, without gaps."""

    kind: Literal["workflow"] = "workflow"
    id: str
    seq: int
    draft_version: int
    published_version: int | None


State: TypeAlias = ConversationState | WorkflowState


class _Frame(_Said):
    v: Literal[1] = VERSION


class Changed(_Frame):
    """A conversation changed. What is null of ``execution`` and ``version`` is as it was before.

    ``keys`` are the names of the state keys that changed, at most 50 of them; ``more_keys`` says
    that there are others. ``what`` is the action as the audit names it; it is ``seen`` and ``who``
    null when the change was found by looking, not heard of.
    """

    type: Literal["changed"] = "changed"
    id: str
    seq: int
    what: str
    who: Who | None
    status: str
    revision: int
    count: int
    execution: str | None = None
    version: int | None = None
    keys: tuple[str, ...] = ()
    more_keys: bool = False


class DraftChanged(_Frame):
    """A workflow changed: its draft, its published version or its description."""

    type: Literal["draft"] = "draft"
    id: str
    seq: int
    what: str
    who: Who | None
    draft_version: int
    published_version: int | None


class Gone(_Frame):
    """The conversation was erased, or the workflow deleted."""

    type: Literal["gone"] = "gone"
    id: str
    who: Who | None


class Activity(_Frame):
    """Something of a workspace changed, for pages that list: no names of keys.

    ``kind`` is conversation or workflow.
    """

    type: Literal["activity"] = "activity"
    kind: str
    id: str
    what: str
    status: str = ""
    who: Who | None = None


class Welcome(_Frame):
    """The first frame: who you are here, what you may do, and where the object stands."""

    type: Literal["welcome"] = "welcome"
    socket: str
    person: str
    scopes: tuple[str, ...]
    state: State | None


class Presence(_Frame):
    """Everybody at this object now, you too; ``more`` are not listed."""

    type: Literal["presence"] = "presence"
    people: tuple[Person, ...]
    more: int = 0


class Here(_Frame):
    """The one message of a client: what it looks at or edits."""

    type: Literal["here"]
    where: Annotated[str, StringConstraints(max_length=200)]
    editing: bool = False
    kept: Annotated[int, Field(ge=0, lt=2**31)] = 0


# What a process tells the others.
Told: TypeAlias = Annotated[Changed | DraftChanged | Gone, Field(discriminator="type")]


def named(keys: Iterable[str]) -> tuple[tuple[str, ...], bool]:
    """The keys that a frame names, each once, and whether there are more.

    A long name says too much: it is left out and counts as one more.
    """
    each = list(dict.fromkeys(keys))
    short = [key for key in each if len(key) <= LONGEST_NAME][:MOST_KEYS]
    return tuple(short), len(short) < len(each)
