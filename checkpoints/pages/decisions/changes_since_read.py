"""What changed since a refused form was shown, in sentences."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import orjson
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from checkpoints.domain.reducers import MESSAGES
from checkpoints.models import Checkpoint
from checkpoints.pages.decisions.review_looks import Look
from checkpoints.pages.expected_version_fields import expected_in
from checkpoints.pages.presenters import write_label
from checkpoints.store.snapshots import StoredSnapshot
from conversations.domain.diff import ChangeKind
from conversations.reading.view_changes import ReadView, changes_since
from ctxadmin.identity.actor import Actor
from ctxadmin.lib.errors import NotFound, ValidationFailed
from ctxadmin.ui.components import author_label, join_list

_MOST_VERSIONS: Final = 5
_MOST_KEYS: Final = 6

_MESSAGES: Final[Mapping[ChangeKind, Callable[[int], str]]] = {
    "added": lambda n: ngettext(
        "%(n)s message was added by %(who)s since you read this.",
        "%(n)s messages were added by %(who)s since you read this.",
        n,
    ),
    "hidden": lambda n: ngettext(
        "%(n)s message was hidden by %(who)s since you read this.",
        "%(n)s messages were hidden by %(who)s since you read this.",
        n,
    ),
    "edited": lambda n: ngettext(
        "%(n)s message was edited by %(who)s since you read this.",
        "%(n)s messages were edited by %(who)s since you read this.",
        n,
    ),
    "shown": lambda n: ngettext(
        "%(n)s message was shown again by %(who)s since you read this.",
        "%(n)s messages were shown again by %(who)s since you read this.",
        n,
    ),
    "moved": lambda n: ngettext(
        "%(n)s message was moved by %(who)s since you read this.",
        "%(n)s messages were moved by %(who)s since you read this.",
        n,
    ),
}


def changed_since_read(actor: Actor, moment: StoredSnapshot, sent: QueryDict) -> Sequence[str]:
    """Returns what differs from the versions in a form; nothing if the form has none."""
    try:
        seen = expected_in(sent)
        return [*_of_view(actor, moment, seen), *_of_state(actor, moment, sent, seen)]
    except (NotFound, ValidationFailed):  # the form names what there never was
        return ()


def changes_since_look(actor: Actor, moment: StoredSnapshot, look: Look) -> Sequence[str]:
    """Returns what differs from a review as someone saw it."""
    sent = QueryDict(mutable=True)
    sent.update(
        {
            "execution": look.execution,
            "expected_version": str(look.version),
            "expected_revision": str(look.revision),
            "expected_count": str(look.visible_count),
        }
    )
    return changed_since_read(actor, moment, sent)


def _of_view(actor: Actor, moment: StoredSnapshot, seen: Mapping[str, int | None]) -> Iterator[str]:
    revision, count = seen["expected_revision"], seen["expected_count"]
    if revision is None or count is None:
        return
    before = ReadView(revision, count)
    after = ReadView(moment.revision, moment.visible_count, moment.log_count)
    found = Counter(
        (change.kind, change.author) for change in changes_since(moment.head, before, after)
    )
    for (kind, author), number in found.items():
        yield _MESSAGES[kind](number) % {"n": number, "who": _author_words(actor, author)}


def _of_state(
    actor: Actor, moment: StoredSnapshot, sent: QueryDict, seen: Mapping[str, int | None]
) -> Iterator[str]:
    version, row = seen["expected_version"], moment.row
    # The versions of another execution begin again at 0.
    if version is None or row is None or sent.get("execution") not in (None, row.public_id):
        return
    rows = Checkpoint.objects.filter(
        conversation=row.conversation, execution=row.number, version__gt=version
    )
    newest = rows.defer("answer", "marking", "whole").order_by("-version")[:_MOST_VERSIONS]
    for each in reversed(newest):
        names: list[str] = orjson.loads(bytes(each.changed_keys))
        keys = sorted(name for name in names if name != MESSAGES)
        text = (
            _("%(what)s by %(who)s since you read this (version %(n)s): %(keys)s")
            if keys
            else _("%(what)s by %(who)s since you read this (version %(n)s).")
        )
        yield text % {
            "what": write_label(each).label,
            "who": _author_words(actor, each.author),
            "n": each.version,
            "keys": join_list([*keys[:_MOST_KEYS], *(["…"] if len(keys) > _MOST_KEYS else [])]),
        }


def _author_words(actor: Actor, author: str) -> str:
    if author == actor.label:
        return _("you")
    return author_label(author) if author else _("others")
