"""The page of the visual editor, and the data with which every canvas opens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from pydantic import JsonValue

from conversations.reading.display_names import display_name
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import page, show
from workflows.domain.document import graph
from workflows.domain.document.graph import Document
from workflows.domain.document.layout import lay_out
from workflows.domain.document.topology import graph_of
from workflows.domain.filters.context_types import default_context_type
from workflows.models import Workflow
from workflows.pages.definition.links import crumbs
from workflows.pages.definition.workflow_pages import version_label
from workflows.pages.drawing import summaries
from workflows.pages.drawing.marks import Marks
from workflows.pages.editor.card_summaries import summaries_of
from workflows.pages.editor.document_parts import parts_of
from workflows.pages.preview.page import suggested_conversations
from workflows.reading import queries
from workflows.store.definitions import stored
from workflows.store.workflow import find_workflow

# Larger graphs open for seconds and move like treacle; the outline of the workflow has all of it.
MOST_DRAWN: Final = 5_000

# A context processor without an operation could not be published.
_FIRST_CONFIG: Final[Mapping[str, JsonValue]] = {
    "context_processor": {
        "operation": "budget",
        "budget": {"max_tokens": 60_000, "target_tokens": 40_000},
        "pairing": "keep",
    }
}


@dataclass(frozen=True, slots=True)
class EditorPage:
    """The canvas of a draft, or of a published version, which is read-only.

    ``setup`` is the data of the island (frontend/src/graph/io/setup.ts); None if the graph is too
    large to draw. ``which`` is ``draft`` or the number of a version.
    """

    title: Text
    crumbs: Sequence[Crumb]
    row: Workflow
    which: str
    setup: Mapping[str, object] | None
    may_change: bool
    may_publish: bool


@require_safe
@page
def editor(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    row = find_workflow(actor.workspace, slug)
    which = request.GET.get("version") or queries.DRAFT
    document = queries.document_of(row, which, "version")
    is_draft = which == queries.DRAFT
    may_change = is_draft and actor.may(Action.WORKFLOW_CHANGE)
    title = row.name if is_draft else f"{row.name}, {version_label(which)}"
    small = len(document.nodes) <= MOST_DRAWN
    shown = EditorPage(
        title=title,
        crumbs=crumbs(row, Crumb(_("Editor") if is_draft else version_label(which))),
        row=row,
        which=which,
        setup=_setup(actor, row, document, which, may_change=may_change) if small else None,
        may_change=may_change,
        may_publish=is_draft and actor.may(Action.WORKFLOW_PUBLISH),
    )
    return show(request, "workflows/editor.html", shown)


def _setup(
    actor: Actor, row: Workflow, document: Document, which: str, *, may_change: bool
) -> Mapping[str, object]:
    may_preview = actor.may(Action.PREVIEW)
    conversations = suggested_conversations(actor, str(row.slug)) if may_preview else ()
    return {
        **_canvas_setup(actor, document, row.name),
        "workflow": str(row.key),
        "version": row.draft_version,
        "published": None if which == queries.DRAFT else int(which),
        "conversations": [
            [each.public_id, display_name(each), each.workflow == row.slug]
            for each in conversations
        ],
        "may_change": may_change,
        "may_preview": may_preview,
        "urls": {
            **_urls(),
            "draft": f"/api/v1/workflows/{row.slug}/draft",
            "editor": reverse("workflows:editor", args=[row.slug]),
            "publish": reverse("workflows:publish", args=[row.slug]),
            "compare": reverse("workflows:compare", args=[row.slug]) if may_preview else "",
            "versions": reverse("workflows:diff", args=[row.slug]) if row.published_version else "",
            "imports": reverse("conversations:import")
            if actor.may(Action.CONVERSATION_IMPORT)
            else "",
        },
    }


def read_only_setup(
    actor: Actor, document: Document, name: str, marks: Marks, *, panel: str, again: str = ""
) -> Mapping[str, object] | None:
    """Returns the data of a read-only canvas with marks; None if the graph is too large to draw.

    ``panel`` is the address of its panel as HTML, with ``?node=`` or ``?edge=``; ``again`` that of
    the current marks as JSON, if they change.
    """
    if len(document.nodes) > MOST_DRAWN:
        return None
    return {
        **setup_to_look_at(actor, document, name),
        "watched": {
            "panel": panel,
            "again": again,
            "marks": marks.as_json(),
            "words": {
                **summaries_of(parts_of(stored(document))),
                "wrong": {"nodes": {}, "edges": {}},
                "warned": {"nodes": (), "edges": ()},
                "problems": [],
            },
        },
    }


def setup_to_look_at(actor: Actor, document: Document, name: str) -> dict[str, object]:
    """Returns what every canvas on which nothing is edited opens with."""
    return {
        **_canvas_setup(actor, document, name),
        "workflow": "",
        "version": 0,
        "published": None,
        "conversations": (),
        "may_change": False,
        "may_preview": False,
        "urls": {
            **_urls(),
            **dict.fromkeys(("draft", "editor", "publish", "compare", "versions", "imports"), ""),
        },
    }


def _canvas_setup(actor: Actor, document: Document, name: str) -> dict[str, object]:
    return {
        "person": actor.id,
        "name": name,
        "document": graph.dump(document),
        "places": _places(document),
        "kinds": [kind(each) for each in summaries.NODE_TYPE_WORDS],
        "edge_types": [[each, str(label)] for each, label in summaries.EDGE_TYPE_WORDS.items()],
    }


def _urls() -> dict[str, str]:
    return {
        "icons": static("vendor/icons.svg"),
        "worker": static("build/layout.js"),
        "sign_in": reverse("login"),
    }


def kind(name: str) -> Mapping[str, object]:
    """Returns a type of node for the palette, with the default context of such a node."""
    first = _FIRST_CONFIG.get(name)
    context_type = default_context_type(name)
    return {
        "type": name,
        "label": str(summaries.NODE_TYPE_WORDS[name]),
        "tone": summaries.tone_of(name),
        "icon": summaries.icon_of(name),
        "context_type": context_type,
        "context_label": str(summaries.CONTEXT_TYPE_WORDS[context_type]),
        **({"config": first} if first is not None else {}),
    }


def _places(document: Document) -> Mapping[str, Mapping[str, float]]:
    """Returns the positions of nodes that have none of their own."""
    found = lay_out(graph_of(document))
    given = {node.id for node in document.nodes if node.position is not None}
    return {
        name: {"x": spot.x * 1.1, "y": spot.y * 1.2}
        for name, spot in found.items()
        if name not in given
    }
