"""The context of a node when it wrote a version: the state before it, and later messages."""

from dataclasses import replace
from typing import Final

from django.conf import settings
from django.utils.translation import gettext as _

from checkpoints.contexts.node_context import node_input_at
from checkpoints.domain.timeline import WriteKind
from checkpoints.models import Checkpoint, Execution
from checkpoints.store.executions import find_checkpoint
from checkpoints.store.snapshots import StoredSnapshot, snapshot_at
from conversations.models import Conversation, Message
from conversations.writing.token_sums import TokenSums
from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.work_budget import limit_work
from workflows.domain.context.prompt_context import NodeInput
from workflows.domain.running import flow
from workflows.previews.conversation import NodePreview

# The writes with which an engine says that a node has run.
SAVES: Final = (WriteKind.CHECKPOINT.value, WriteKind.COMPLETION.value)
_MOST_HEARD: Final = 1_000
_OF_A_NODE: Final = frozenset({"assistant", "tool"})


def version_input(moment: StoredSnapshot, after: Checkpoint) -> NodeInput:
    """Returns the state before a node wrote ``after``, with messages of others until then.

    Messages between the two writes were seen by the node as far as they are not its own: what an
    engine logs of a node begins with an answer or a result.
    """
    index = moment.log_count
    came = Message.objects.filter(
        conversation=moment.head.key,
        index__gte=index,
        index__lt=after.log_count,
        revision=moment.revision,
    ).order_by("index")
    answers = 0
    for role, node_id in came.values_list("role", "node_id")[:_MOST_HEARD]:
        if node_id or role in _OF_A_NODE:
            break
        answers += 1
    grown = replace(moment, log_count=index + answers, visible_count=moment.visible_count + answers)
    return node_input_at(grown)


def preview_version_input(head: Conversation, row: Execution, version: int) -> NodePreview:
    """Returns the context of the node that wrote a version, explained by the pinned version.

    The incoming edges are those whose source was done then. Raises NotFound for a version that no
    node of the workflow wrote, or whose previous state was removed.
    """
    after = find_checkpoint(row.conversation, row.number, version)
    if after.kind not in SAVES or not after.saved_node or not version:
        raise NotFound(_("No node wrote version %(n)s.") % {"n": version})
    moment = snapshot_at(head, row, version - 1)
    pinned = moment.pinned
    if pinned is None or after.saved_node not in pinned.graph.nodes:
        raise NotFound(_("The workflow has no node that wrote version %(n)s.") % {"n": version})
    node_id = after.saved_node
    arrived = moment.marking.arrived_edges(pinned.graph, node_id) if moment.marking else ()
    node_input = version_input(moment, after)
    tokens = TokenSums(head.key)
    with limit_work(settings.MAX_PREVIEW_WORK):
        found = flow.preview(pinned.plan, node_id, node_input, arrived, tokens=tokens)
    moment.require_whole()
    costs = (found.tokens_before, found.tokens_after, found.cached_prefix_lost)
    return NodePreview(found.entered, node_input, head, *costs)
