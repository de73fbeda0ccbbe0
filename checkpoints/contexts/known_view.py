"""Finds the messages that an engine still has from entering a node before."""

from dataclasses import dataclass

from checkpoints.store.snapshots import StoredSnapshot
from conversations.domain.view import View
from conversations.models import Move, Revision
from conversations.store.conversation import find_revision, view_of
from conversations.store.sql_log import SqlLog
from workflows.domain.context.known_messages import known_prefix
from workflows.domain.context.prompt_context import Messages, NodeInput
from workflows.domain.running import flow


@dataclass(frozen=True, slots=True)
class KnownView:
    """The view of the conversation when the engine entered the node: ``count`` of ``revision``."""

    revision: int
    count: int


def count_known_messages(
    moment: StoredSnapshot, node_id: str, known: KnownView, origin: NodeInput, now: Messages
) -> int:
    """Returns how many of the first messages that a node sees ``now`` it also saw at ``known``.

    ``origin`` is the whole state of the moment. Returns 0 if the view is another one, and if the
    view alone does not determine what the node saw then (semantics 2.16).
    """
    if known.revision != moment.revision or known.count > moment.visible_count:
        return 0
    if moment.pinned is None:
        return known.count
    if not moment.pinned.plan.sees_by_view(node_id):
        return 0
    row = find_revision(moment.head.key, moment.revision)
    view = view_of(row).slice(0, moment.visible_count)
    length = _log_length(moment, row, view, known.count)
    if length is None:
        return 0
    log = SqlLog(moment.head, length, moment.revision)
    then = NodeInput(origin.context, Messages(log, view.slice(0, known.count)))
    before = flow.enter(moment.pinned.plan, node_id, then, check=False)
    return known_prefix(before.node_input.messages, now)


def _log_length(moment: StoredSnapshot, row: Revision, view: View, count: int) -> int | None:
    """Returns the length of the log when the revision had so many messages; None if unknown.

    Only appends change the current revision. One that was left and restored may have missed some.
    """
    opened = row.visible_count - len(View.decode(bytes(row.grown)))
    if count < opened:
        return None
    if Move.objects.filter(conversation=moment.head.key, to_revision=row.number).exists():
        return None
    return view.index_at(count) if count < len(view) else moment.log_count
