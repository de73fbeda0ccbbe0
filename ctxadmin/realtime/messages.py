"""The messages between processes over the channel layer, as plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from pydantic import TypeAdapter
from pydantic_core import from_json

from ctxadmin.realtime.protocol import Activity, AnnouncedFrame, Gone, Person
from ctxadmin.realtime.topics import Topic, source_of

EVERYBODY: Final = "rights"  # the group of all processes that have sockets
_PEOPLE: Final = TypeAdapter(tuple[Person, ...])


@dataclass(frozen=True, slots=True)
class Announced:
    """A committed change."""

    topic: Topic
    frame: AnnouncedFrame
    activity: Activity


@dataclass(frozen=True, slots=True)
class Rights:
    """Someone's rights may have changed; see ``accounts.rights_changes``."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class HereNow:
    """The people at an object by the sockets of one process."""

    topic: Topic
    process: str
    people: tuple[Person, ...]


@dataclass(frozen=True, slots=True)
class WhoIsThere:
    """A process begins to follow an object and asks the others for their people."""

    topic: Topic


Message: TypeAlias = Announced | Rights | HereNow | WhoIsThere


def group_of(message: Message) -> str:
    """Returns the group of the channel layer for a message."""
    return EVERYBODY if isinstance(message, Rights) else group_of_workspace(message.topic.workspace)


def group_of_workspace(workspace: int) -> str:
    return f"workspace.{workspace}"


def pack(message: Message) -> dict[str, object]:
    """Returns a message in the form of the layer."""
    match message:
        case Announced(topic, frame, activity):
            content = {"frame": frame.model_dump_json(), "activity": activity.model_dump_json()}
            return {"is": "announced", **_topic_fields(topic), **content}
        case Rights(kind, name):
            return {"is": "rights", "kind": kind, "name": name}
        case HereNow(topic, process, people):
            listed = _PEOPLE.dump_json(people).decode()
            return {"is": "here", **_topic_fields(topic), "process": process, "people": listed}
        case WhoIsThere(topic):
            return {"is": "who", **_topic_fields(topic)}


def unpacked(values: Mapping[str, object]) -> Message | None:
    """Returns a message of another process; None for one of a release with other messages.

    Raises ValueError for anything else.
    """
    try:
        if values["is"] == "rights":
            return Rights(str(values["kind"]), str(values["name"]))
        topic = Topic(str(values["topic"]), int(str(values["key"])), int(str(values["workspace"])))
        match values["is"]:
            case "announced":
                frame = _frame(topic, str(values["frame"]))
                activity = Activity.model_validate_json(str(values["activity"]))
                return None if frame is None else Announced(topic, frame, activity)
            case "here":
                people = _PEOPLE.validate_json(str(values["people"]))
                return HereNow(topic, str(values["process"]), people)
            case "who":
                return WhoIsThere(topic)
    except KeyError as error:
        raise ValueError(f"a message without {error}") from None
    return None


def _frame(topic: Topic, text: str) -> AnnouncedFrame | None:
    """Returns the frame about an object; None if its kind is unknown here."""
    values = from_json(text)
    if values["type"] == "gone":
        return Gone.model_validate(values)
    source = source_of(topic.kind)
    return None if source is None else source.change.model_validate(values)


def pack_all(process: str, messages: Sequence[Message]) -> dict[str, object]:
    """Returns several messages of one process in the form of the layer."""
    return {"type": "told", "from": process, "all": [pack(each) for each in messages]}


def _topic_fields(topic: Topic) -> dict[str, object]:
    return {"topic": topic.kind, "key": topic.key, "workspace": topic.workspace}
