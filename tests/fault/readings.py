"""What the answers to readings tell of a conversation."""

from dataclasses import replace

from pydantic import JsonValue

from tests.fault.digests import objects, state_digest, view_digests
from tests.fault.history import Json, Seen


def of_head(answer: Json) -> Seen:
    """``GET /conversations/{id}``."""
    return Seen(
        revision=number(answer["current_revision"]),
        message_count=number(answer["message_count"]),
        visible_count=number(answer["visible_count"]),
        status=str(answer["status"]),
    )


def of_messages(answer: Json) -> Seen:
    """``GET messages``; a page that is not the last one tells nothing of the view."""
    whole = answer["next"] is None
    return Seen(view=view_digests(answer["results"])) if whole else Seen()


def of_snapshot(answer: Json) -> Seen:
    """``GET snapshot``; without an execution it tells of the conversation only."""
    state = objects(answer["state_data"])
    view = view_digests(state.get("messages"))
    seen = Seen(revision=number(answer["revision"]), view=view, status=str(answer["status"]))
    if answer["execution"] is None:
        return seen
    return replace(
        seen,
        version=number(answer["version"]),
        pause_requested=bool(answer["pause_requested"]),
        state=state_digest(state),
    )


def of_entering(answer: Json) -> Seen:
    """``POST nodes/{node}/enter`` of a node that sees everything."""
    return Seen(version=number(answer["version"]), view=view_digests(answer["messages"]))


def number(value: JsonValue) -> int | None:
    return value if isinstance(value, int) else None
