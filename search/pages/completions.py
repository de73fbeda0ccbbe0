"""Names that complete a filter at the end of a search: workflows and tools of the workspace."""

from collections.abc import Mapping, Sequence
from typing import Final

from django.utils.translation import gettext as _

from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from search.domain.query import last_filter
from search.tool_names import recent_tool_names
from workflows.models import Workflow

_MOST: Final = 20
_WORKFLOWS: Final = 1_000


def completions(actor: Actor, text: str) -> Mapping[str, Sequence[str]]:
    """Returns names for the filter at the end of a text, by that filter.

    Workflows stand latest change first, tools latest call first. Other filters have ``VALUES``.
    """
    actor.require(Action.READ)
    last = last_filter(text)
    if last is None or last[1] not in ("tool", "workflow"):
        return {}
    _before, name, typed = last
    if name == "tool":
        names = recent_tool_names(actor.workspace)
    else:
        rows = Workflow.objects.for_workspace(actor.workspace).order_by("-updated_at")
        names = [slug or "" for slug in rows.values_list("slug", flat=True)[:_WORKFLOWS]]
    begun = [each for each in names if each.lower().startswith(typed.lower())]
    # A name with a space would need quotes, which end the completion.
    return {name: [each for each in begun if each and not set(each) & {*' \t\n"'}][:_MOST]}


def value_wanted(text: str) -> str:
    """Returns what is missing where a text ends with a filter without a value, else ""."""
    last = last_filter(text)
    if last is None or last[2]:
        return ""
    return _("Enter a value after “%(filter)s”.") % {"filter": f"{last[1]}:"}
