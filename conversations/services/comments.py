"""Comments on messages, keys and versions: written, read, removed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from conversations.models import Comment, Conversation
from conversations.services.use_cases import change_of
from conversations.writing.conversation import Writing, writing
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action, Scope
from ctxadmin.lib import clock
from ctxadmin.lib.errors import FieldProblem, Forbidden, NotFound, OutOfRange
from ctxadmin.lib.sentence import say

LONGEST: Final = 10_000


@dataclass(frozen=True, slots=True)
class About:
    """The subject of a comment: a message of the log, a version, or a key at a version."""

    message: int | None = None
    execution: int | None = None
    version: int | None = None
    key: str = ""


def comment(actor: Actor, public_id: str, about: About, text: str) -> Comment:
    """Comments on a message or a version; raises OutOfRange for a missing message.

    It changes nothing of what an agent sees, so it does not unarchive the conversation.
    """
    actor.require(Action.COMMENT_WRITE)
    with writing(actor, public_id) as opened:
        return comment_in(opened, about, text)


def comment_in(opened: Writing, about: About, text: str) -> Comment:
    """Adds a comment as the one change of an open transaction, and commits it; see ``comment``."""
    head, actor = opened.head, opened.actor
    if about.message is not None and about.message >= head.log_count:
        message = say("There is no message #{index}.", index=about.message)
        raise OutOfRange(message, problems=[FieldProblem("/message", message, "out_of_range")])
    made = Comment.objects.create(
        conversation=head.key,
        number=head.change_seq + 1,
        message=about.message,
        execution=about.execution,
        version=about.version,
        key_name=about.key,
        text=text,
        author_id=f"{actor.kind}:{actor.id}",
        author=actor.label,
        created_at=opened.at,
    )
    detail = {"comment": made.number, "message": about.message, "version": about.version}
    opened.commit(change_of(head, Action.COMMENT_WRITE, detail=detail), upkeep=True)
    return made


def remove_comment(actor: Actor, public_id: str, number: int) -> Comment:
    """Removes a comment: one's own, or any for an admin; raises Forbidden otherwise."""
    actor.require(Action.COMMENT_DELETE)
    with writing(actor, public_id) as opened:
        found = Comment.objects.filter(conversation=opened.head.key, number=number).first()
        if found is None:
            raise NotFound(say("There is no comment {number}.", number=number))
        if not may_remove(actor, found):
            raise Forbidden(say("Only its author or an admin can delete a comment."))
        Comment.objects.filter(conversation=opened.head.key, number=number).delete()
        detail = {"comment": number}
        opened.commit(change_of(opened.head, Action.COMMENT_DELETE, detail=detail), upkeep=True)
    return found


def may_remove(actor: Actor, comment: Comment) -> bool:
    own = comment.author_id == f"{actor.kind}:{actor.id}"
    return actor.may(Action.COMMENT_DELETE) and (own or Scope.ADMIN in actor.scopes)


def of_messages(head: Conversation, indices: Iterable[int]) -> Mapping[int, Sequence[Comment]]:
    """Returns the comments on some messages by log index, oldest first."""
    rows = Comment.objects.filter(conversation=head.key, message__in=list(indices))
    found: dict[int, list[Comment]] = {}
    for each in rows.order_by("number"):
        if each.message is not None:
            found.setdefault(each.message, []).append(each)
    return found


def of_execution(head: Conversation, execution: int) -> Sequence[Comment]:
    """Returns the comments on the versions and keys of one execution, oldest first; at most 500."""
    rows = Comment.objects.filter(conversation=head.key, execution=execution)
    return list(rows.order_by("number")[:500])


def comment_json(comment: Comment) -> dict[str, object]:
    """Returns a comment as REST shows it, with its subject only."""
    about = {
        "message": comment.message,
        "version": comment.version,
        "key": comment.key_name or None,
    }
    return {
        "number": comment.number,
        **{name: value for name, value in about.items() if value is not None},
        "text": comment.text,
        "author": comment.author,
        "created_at": clock.iso(comment.created_at),
    }
