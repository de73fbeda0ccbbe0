"""What the policies on the canvas would have cost on past conversations, saved or not."""

from typing import Any

from django.http import HttpRequest, HttpResponse

from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from workflows.costs.calibrations import calibrations_of
from workflows.costs.elements import DraftCosts, Offer, draft_costs
from workflows.pages.drawing.cost_words import cost_words, replayed_words, sample_words
from workflows.pages.editor.canvas_document import CanvasRequest
from workflows.pages.editor.editor_call import editor_call, json_answer, json_body, workflow_named


@editor_call
def costs(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """``{whole, said, sample, nodes: {id: words}, edges: {id: words}}``, as far as it is known.

    Each call replays a part of the conversations; until ``whole`` it is to be asked again. Of
    elements with one id the first counts, whose key in the browser is the id.
    """
    actor.require(Action.PREVIEW)
    row = workflow_named(actor, slug)
    document = json_body(request, CanvasRequest).parts(row).document
    found = draft_costs(actor, slug, document)
    if found.is_whole:  # for previews, which are not to wait for it
        calibrations_of(actor.workspace)
    return json_answer(
        {
            "whole": found.is_whole,
            "said": sample_words(found),
            "sample": replayed_words(found),
            "nodes": _words(found, "node"),
            "edges": _words(found, "edge"),
        }
    )


def _words(found: DraftCosts, kind: str) -> dict[str, dict[str, Any]]:
    told: dict[str, dict[str, Any]] = {}
    for priced in found.elements:
        if priced.cost.element.kind != kind:
            continue
        words = cost_words(priced)
        told[priced.cost.element.id] = {
            "line": words.line,
            "brief": words.brief,
            "said": words.said,
            "basis": words.basis,
            "warning": words.warning,
            "offer": None if priced.offer is None else _offer(priced.offer, words.offer),
        }
    return told


def _offer(offer: Offer, label: str) -> dict[str, Any]:
    """The label of its button, and the element with the budget."""
    element = offer.element.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return {"label": label, "element": element}
