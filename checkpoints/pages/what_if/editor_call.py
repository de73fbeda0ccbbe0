"""The endpoint that tries an unsaved document on one recorded execution per call."""

from typing import Annotated, Any, Final

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from pydantic import Field

from checkpoints.contexts.what_if import MAX_EXECUTIONS, count_executions
from checkpoints.pages.what_if.page import ExecutionResult, InputLines, Run, continue_run
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import InvalidState, ValidationFailed
from ctxadmin.lib.json_bytes import canonical, digest
from ctxadmin.ui.sentences import translated
from workflows.domain.document import graph
from workflows.domain.running.plan import Plan
from workflows.pages.editor.canvas_document import CanvasRequest
from workflows.pages.editor.document_parts import DocumentParts
from workflows.pages.editor.editor_call import editor_call, json_answer, json_body, workflow_named

_USUAL: Final = 20


class WhatIfAsked(CanvasRequest):
    """A document and how many of the latest executions to try; ``run`` continues a run."""

    last: Annotated[int, Field(ge=1, le=MAX_EXECUTIONS)] = _USUAL
    run: Annotated[str, Field(max_length=200_000)] = ""


@editor_call
def what_if(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """Returns ``{run, done, whole, sums, results}``.

    The next call sends ``run``, null at the end.

    The first call only counts, so that the page can say how long it will take.
    """
    actor.require(Action.PREVIEW)
    row = workflow_named(actor, slug)
    asked = json_body(request, WhatIfAsked)
    parts = asked.parts(row)
    plan = _plan_of(parts)
    # As it is read, because it can be saved between two calls of a run.
    tried = digest(canonical(graph.dump(parts.document))).hex()
    if not asked.run:
        there = count_executions(actor, slug, asked.last)
        return _answer(Run(tried, there, there))
    run = Run.read(asked.run)
    if run.tried != tried:
        raise InvalidState(
            _("The workflow has changed since. Start again to replay it as it is now.")
        )
    run, results = continue_run(actor, slug, plan, run, min(run.left, 1))
    return _answer(run, *results)


def _plan_of(parts: DocumentParts) -> Plan:
    """Returns the whole document: an omitted element would count as removed."""
    broken = [part.id for part in parts.nodes if part.element is None]
    broken += [part.id for part in parts.edges if part.element is None]
    if broken:
        text = _("Cannot replay: %(id)s is invalid. See Problems.")
        raise ValidationFailed(text % {"id": broken[0][:64]})
    return Plan(parts.document)


def _answer(run: Run, *results: ExecutionResult) -> HttpResponse:
    return json_answer(
        {
            "run": run.token() if run.left else None,
            "done": run.done,
            "whole": run.whole,
            "sums": [
                {"node": each.node, "inputs": each.inputs, "changed": each.changed}
                for each in run.sums()
            ],
            "results": [_input(result, lines) for result in results for lines in result.inputs],
            "incomplete": [
                result.tried.recorded.head.public_id
                for result in results
                if result.tried.thinned or not result.tried.complete
            ],
        }
    )


def _input(result: ExecutionResult, found: InputLines) -> dict[str, Any]:
    tried = found.tried
    return {
        "node": tried.node_id,
        "execution": result.tried.recorded.head.public_id,
        "url": result.url,
        "version": tried.version,
        "problem": translated(tried.problem),
        "gone_edges": list(tried.gone_edges),
        "lines": [
            {"kind": each.kind, "word": str(each.word), "what": each.what, "why": each.why}
            for each in found.lines
        ],
        "more": found.more,
        "tokens": [tried.tokens_before, tried.tokens_after] if tried.changes else None,
    }
