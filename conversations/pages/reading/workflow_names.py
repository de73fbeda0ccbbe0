"""The names of the workflows that conversations follow."""

from collections.abc import Iterable, Mapping

from conversations.models import Conversation
from ctxadmin.identity.actor import Actor
from ctxadmin.ui.object_names import names_of


def workflow_names(actor: Actor, heads: Iterable[Conversation]) -> Mapping[str, str]:
    """Returns the names by slug."""
    slugs = {head.workflow for head in heads if head.workflow}
    return names_of("workflow", actor.workspace, slugs)
