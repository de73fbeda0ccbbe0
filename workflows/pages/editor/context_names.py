"""The names that a conversation has, which rules and conditions of the editor suggest."""

from typing import Annotated, Final

from django.http import HttpRequest, HttpResponse
from pydantic import Field

from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.contract import Contract
from workflows.pages.editor.editor_call import editor_call, json_answer, json_body, workflow_named
from workflows.previews import conversation as previews
from workflows.previews.conversation import PreviewRequest

_MOST: Final = 500


class NamesRequest(Contract):
    """A conversation, at a version of its execution or the latest."""

    conversation: Annotated[str, Field(max_length=10_000)]
    at: Annotated[int, Field(ge=0, lt=2**31)] | None = None


@editor_call
def context_names(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """Returns ``{variables, metadata}``: the names of the state, sorted, at most 500 of each."""
    actor.require(Action.PREVIEW)
    workflow_named(actor, slug)
    asked = json_body(request, NamesRequest)
    wanted = PreviewRequest(node="", conversation=asked.conversation, at=asked.at)
    context = previews.preview_source_of(actor, slug, wanted).node_input.context
    return json_answer(
        {
            "variables": sorted(context.variables)[:_MOST],
            "metadata": sorted(context.metadata)[:_MOST],
        }
    )
