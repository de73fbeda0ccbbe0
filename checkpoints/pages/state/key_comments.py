"""Comments on keys of a state, shown with the keys, including those on older values."""

from collections.abc import Sequence
from dataclasses import replace

from checkpoints.pages.state.state_view import KeyView, StateView
from checkpoints.store.snapshots import StoredSnapshot
from conversations.models import Comment
from conversations.pages.reading.cards import CommentView, comment_view
from conversations.services.comments import of_execution
from ctxadmin.identity.actor import Actor


def comments_until(moment: StoredSnapshot) -> Sequence[Comment]:
    """Returns the comments on the versions and keys up to a moment, oldest first."""
    if moment.row is None:
        return ()
    found = of_execution(moment.head, moment.row.number)
    return [each for each in found if each.version is None or each.version <= moment.version]


def with_comments(
    actor: Actor, moment: StoredSnapshot, state: StateView, comments: Sequence[Comment]
) -> StateView:
    """Returns the keys with their comments; a key that changed since says so."""
    by_key: dict[str, list[Comment]] = {}
    for each in comments:
        by_key.setdefault(each.key_name, []).append(each)
    keys = [
        replace(
            key,
            comments=[
                _comment_on_key(actor, each, key, moment.version) for each in by_key[key.name]
            ],
        )
        if key.name in by_key
        else key
        for key in state.keys
    ]
    return replace(state, keys=keys)


def _comment_on_key(actor: Actor, comment: Comment, key: KeyView, shown: int) -> CommentView:
    made_at = comment.version
    return replace(
        comment_view(actor, comment),
        about="",
        at=None if made_at == shown else made_at,
        outdated=made_at is not None and made_at < key.version,
    )
