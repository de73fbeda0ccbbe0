"""The content of a delivery: ids, kind, version, link; never a title, a message or a state."""

from typing import Final

from django.conf import settings
from django.urls import reverse

from ctxadmin.lib.clock import iso
from ctxadmin.lib.json_bytes import dumps
from notifications.domain.kinds import TEST, Kind
from notifications.models import Delivery

_SUBJECTS: Final = {
    Kind.ASSIGNED: "Assigned to you",
    Kind.REVIEW_ASKED: "Waiting for review",
    Kind.PAUSED: "Paused",
    Kind.TIMED_OUT: "Review timed out",
    Kind.FAILED: "Failed",
}


def link_of(row: Delivery, url: str = "") -> str:
    """Returns the page of the event; without the host if no public address is set."""
    return (url or settings.PUBLIC_URL) + path_of(row)


def path_of(row: Delivery) -> str:
    return reverse("checkpoints:detail", args=[row.conversation_id])


def body_of(row: Delivery, url: str = "") -> bytes:
    """Returns the body of a webhook, the same at every attempt."""
    if row.kind == TEST:
        data: dict[str, object] = {"webhook": row.target}
    else:
        data = {
            "conversation": row.conversation_id,
            "execution": row.execution,
            "workflow": row.workflow or None,
            "version": row.version,
            "status": row.status,
            "node_id": row.node_id or None,
            "link": link_of(row, url),
        }
        if row.outcome:
            data["outcome"] = row.outcome
    return dumps({"type": row.kind, "timestamp": iso(row.at), "data": data})


def subject_of(row: Delivery) -> str:
    return f"{_SUBJECTS.get(Kind(row.kind), row.kind)}: {row.conversation_id}"


def text_of(row: Delivery, url: str = "") -> str:
    """Returns the text of a mail."""
    base = url or settings.PUBLIC_URL
    lines = [
        f"{_SUBJECTS.get(Kind(row.kind), row.kind)}.",
        "",
        f"Conversation: {row.conversation_id}",
        f"Workflow: {row.workflow or 'none'}",
        f"Node: {row.node_id or 'none'}",
        f"Version: {row.version}",
    ]
    if row.outcome:
        lines.append(f"Outcome: {row.outcome}")
    lines += ["", link_of(row, url), "", f"Notification settings: {base}{reverse('notifications')}"]
    return "\n".join(lines) + "\n"
