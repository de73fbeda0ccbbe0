"""Every message of a socket, each with the version of the protocol.

A socket announces which object changed, to which version, by whom. It never carries content. Pages
fetch and send content by HTTP. The apps derive the states and changes of their objects from the
classes here.
"""

from abc import ABC, abstractmethod
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, StringConstraints

VERSION: Final = 1
MOST_PEOPLE: Final = 50
MOST_KEYS: Final = 20
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


class _ProtocolModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Who(_ProtocolModel):
    """The author of a change, by the name that the pages show."""

    kind: Literal["person", "token", "system"]
    id: str
    name: str


class Person(_ProtocolModel):
    """Someone at a page: ``where`` is what they look at or, if ``editing``, change.

    It is a part of the object as its page names it, or empty. ``keys`` are those of the state that
    they edited and have not applied, not all if there are many. ``kept`` is the ``seq`` of their
    draft there, by which other pages of the same person see that they are behind.
    """

    socket: str
    id: str
    name: str
    where: str = ""
    editing: bool = False
    keys: tuple[str, ...] = ()
    kept: int = 0


class State(_ProtocolModel, ABC):
    """The state of an object: ``seq`` counts its changes, without gaps. Apps add what they show."""

    kind: str
    id: str
    seq: int

    @abstractmethod
    def as_change(self) -> "Change":
        """Returns the change for a state that was found by polling."""


class _Frame(_ProtocolModel):
    v: Literal[1] = VERSION


class Change(_Frame, ABC):
    """An object changed. Apps add its new state.

    ``what`` is the action in the audit; it is ``seen``, and ``who`` null, when the change was found
    by polling.
    """

    type: str
    id: str
    seq: int
    what: str
    who: Who | None

    @abstractmethod
    def apply_to(self, state: State) -> State | None:
        """Returns the state after this change, which is the next.

        None for a state of another kind.
        """


class Gone(_Frame):
    """The object was erased or deleted."""

    type: Literal["gone"] = "gone"
    id: str
    who: Who | None


class Activity(_Frame):
    """Something in a workspace changed, for pages with lists: the object and its kind."""

    type: Literal["activity"] = "activity"
    kind: str
    id: str
    what: str
    status: str = ""
    who: Who | None = None


class Welcome(_Frame):
    """The first frame: your identity, your rights, and the state of the object."""

    type: Literal["welcome"] = "welcome"
    socket: str
    person: str
    scopes: tuple[str, ...]
    state: SerializeAsAny[State] | None


class Presence(_Frame):
    """Everyone at this object now, you included; ``more`` are not listed."""

    type: Literal["presence"] = "presence"
    people: tuple[Person, ...]
    more: int = 0


_Place: TypeAlias = Annotated[str, StringConstraints(max_length=200)]


class Here(_Frame):
    """The one message of a client: what it looks at or edits."""

    type: Literal["here"]
    where: _Place
    editing: bool = False
    keys: Annotated[tuple[_Place, ...], Field(max_length=MOST_KEYS)] = ()
    kept: Annotated[int, Field(ge=0, lt=2**31)] = 0


# What a process tells the others of one object.
AnnouncedFrame: TypeAlias = Change | Gone
