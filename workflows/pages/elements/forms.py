"""The forms of the workflow pages, built from the models of the contract."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated, Final, Protocol

from django import forms
from django.http import QueryDict
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from pydantic import Field, JsonValue

from ctxadmin.lib.contract import Contract
from ctxadmin.ui.forms import ContractForm, FieldHint, ShownWhen, Tile
from ctxadmin.ui.visible_text import plain
from workflows.api.schemas import ChangeWorkflow, CreateWorkflow
from workflows.domain.document.graph import CONTEXT_PROCESSOR, MAX_REDUCERS
from workflows.domain.processors.registries import standard
from workflows.pages.drawing import summaries
from workflows.pages.elements.edge_fields import EdgeFields
from workflows.pages.elements.filter_hints import (
    TARGETS,
    Choices,
    filter_hints,
    filter_stand_ins,
    later,
    operation_hints,
    transforms,
)
from workflows.pages.elements.names import TypedName
from workflows.pages.elements.node_fields import NodeFields
from workflows.reading.reducers import REDUCERS

_NODE_TYPES: Final = [
    Tile(name, label, summaries.icon_of(name), summaries.tone_of(name))
    for name, label in summaries.NODE_TYPE_WORDS.items()
]


def _context_types() -> Choices:
    named = dict(summaries.CONTEXT_TYPE_WORDS)
    return [
        (name, format_lazy("{} ({})", named[name], name) if name in named else name)
        for name in standard().processors.names()
    ]


_PAUSES: Final = ShownWhen.is_("pause", "before", "after")


class NodeForm(ContractForm[NodeFields]):
    contract = NodeFields
    stand_ins = {
        "id": "x",
        "type": "x",
        "operation": {"operation": "clear"},
        "operation.operation": "clear",
        "timeout_seconds": 60,
        "timeout_outcome": "cancel",
        **filter_stand_ins("context_filters"),
        **filter_stand_ins("outgoing_filters"),
    }
    hints = {
        "id": FieldHint(
            label=_("ID"),
            code=True,
            advanced=True,
            help=_(
                "Letters, digits, - and _. Used by edges and engines. "
                "A new node gets it from its name."
            ),
        ),
        "type": FieldHint(
            label=_("Type"),
            tiles=_NODE_TYPES,
            other_label=_("Own type"),
            change_label=_("Change type"),
            wide=True,
            help=_("Sets the default context type."),
        ),
        "name": FieldHint(label=_("Name")),
        "description": FieldHint(label=_("Description"), height=2, wide=True),
        "template": FieldHint(label=_("Template"), height=4, wide=True, help=_("Always included")),
        "pause": FieldHint(
            label=_("Review"),
            choices=[("before", _("Pause before it runs")), ("after", _("Pause after it has run"))],
            empty_label=_("No pause"),
        ),
        "pause_reason": FieldHint(
            label=_("Question for the reviewer"), height=2, wide=True, shown_when=_PAUSES
        ),
        "timeout_seconds": FieldHint(
            label=_("Timeout"),
            duration=True,
            placeholder="24 h",
            help=_("How long to wait for a reviewer, such as 5 min or 24 h; empty: no timeout."),
            shown_when=_PAUSES,
        ),
        "timeout_outcome": FieldHint(
            label=_("After the timeout"),
            choices=[
                ("approve", _("Approve")),
                ("reject", _("Reject")),
                ("cancel", _("Cancel the execution")),
            ],
            empty_label=_("Keep waiting"),
            shown_when=_PAUSES,
        ),
        "context_type": FieldHint(
            label=_("Context type"),
            choices=later(_context_types),
            empty_label=_("Default for this type"),
            wide=True,
        ),
        "operation": FieldHint(
            label=_("Operation on the conversation"),
            help=_("The server applies it when the engine completes the node. It opens one batch."),
            shown_when=ShownWhen.is_("type", CONTEXT_PROCESSOR),
        ),
        **operation_hints("operation"),
        **filter_hints(
            "context_filters",
            _("Input filters"),
            _("Narrow what this node sees, after the context type. Later nodes are not affected."),
            _("Input filter"),
        ),
        **filter_hints(
            "outgoing_filters",
            _("Output filters"),
            _("Narrow what later nodes see."),
            _("Output filter"),
        ),
        "x": FieldHint(label=_("Position from the left"), advanced=True),
        "y": FieldHint(label=_("Position from the top"), advanced=True),
        "config": FieldHint(
            label=_("Other config"), help=_("A JSON object for the engine."), height=4, wide=True
        ),
        "properties": FieldHint(
            label=_("Properties"),
            help=_("Any JSON object for your own use."),
            height=3,
            wide=True,
            advanced=True,
        ),
    }


_SELECTS: Final = ShownWhen.is_("filter_type", "selective", "conditional", "transform")


class Named(Protocol):
    """A node as far as an edge that ends there names it."""

    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str | None: ...


class EdgeForm(ContractForm[EdgeFields]):
    """The form of an edge.

    Its ends are chosen among ``nodes``; a missing end stays until it is changed.
    """

    contract = EdgeFields
    stand_ins = {
        "id": "x",
        "type": "sequence",
        "from": "x",
        "to": "x",
        "transform_rules": {"pattern": "*", "rename": "*"},
        "transform_rules.pattern": "*",
        "transform_rules.rename": "*",
        "messages": {"operation": "clear"},
        "messages.operation": "clear",
    }
    hints = {
        "id": FieldHint(
            label=_("ID"),
            code=True,
            advanced=True,
            help=_("A new edge gets it from the nodes that it connects."),
        ),
        "type": FieldHint(
            label=_("Type"),
            choices=[
                ("sequence", _("Sequence: taken when the node completes")),
                ("conditional", _("Conditional: taken if its condition is true")),
                ("error", _("Error: taken when the node fails")),
            ],
            wide=True,
        ),
        "from": FieldHint(label=_("From"), choices=[("", "")]),
        "to": FieldHint(label=_("To"), choices=[("", "")]),
        "condition": FieldHint(
            label=_("Condition"),
            code=True,
            height=2,
            wide=True,
            placeholder="context.missing.length > 0",
            help=_(
                "context.NAME is a variable or metadata; === !== < > && || ! ( ) and .length. "
                "Of the messages: context.tokens, context.messages, context.turns, "
                "context.last_role."
            ),
        ),
        "weight": FieldHint(label=_("Weight"), help=_("Higher weight runs first.")),
        "filter_type": FieldHint(
            label=_("Edge filter"),
            choices=[
                ("pass_all", _("Everything")),
                ("pass_none", _("The template only")),
                ("selective", _("Names matching patterns")),
                ("conditional", _("Only if a condition is true")),
                ("transform", _("Transform")),
            ],
            empty_label=_("Default for this edge type"),
            wide=True,
        ),
        "filter_condition": FieldHint(
            label=_("Pass context if"),
            code=True,
            height=2,
            wide=True,
            shown_when=_SELECTS,
            help=_("Otherwise only the template is passed. The edge is taken either way."),
        ),
        "include_patterns": FieldHint(
            label=_("Include"), code=True, shown_when=_SELECTS, help=_("One pattern per line.")
        ),
        "exclude_patterns": FieldHint(
            label=_("Exclude"), code=True, shown_when=_SELECTS, help=_("Exclude always wins.")
        ),
        "transform_rules": FieldHint(
            label=_("Changes"),
            add_label=_("Add a transform"),
            row_label=_("Change"),
            shown_when=_SELECTS,
        ),
        "transform_rules.pattern": FieldHint(label=_("Pattern"), code=True, placeholder="source.*"),
        "transform_rules.transform": FieldHint(label=_("Transform"), choices=later(transforms)),
        "transform_rules.target": FieldHint(label=_("Section"), choices=TARGETS),
        "transform_rules.rename": FieldHint(label=_("Rename to"), code=True),
        "messages": FieldHint(
            label=_("Messages"),
            help=_(
                "Operations on the messages that the next node sees if it is entered along this"
                " edge. The conversation is not changed."
            ),
            add_label=_("Add an operation"),
            row_label=_("Operation"),
            shown_when=ShownWhen.is_(
                "filter_type", "pass_all", "selective", "conditional", "transform"
            ),
        ),
        **operation_hints("messages"),
        "properties": FieldHint(
            label=_("Properties"),
            help=_("Any JSON object for your own use."),
            height=3,
            wide=True,
            advanced=True,
        ),
    }

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        initial: EdgeFields | JsonValue = None,
        nodes: Iterable[Named] = (),
    ) -> None:
        # A field called ``id`` would hide the id of its form from scripts.
        super().__init__(data, initial=initial, root="edge")
        named = _told_apart({node.id: plain(node.name or "") for node in nodes})
        for name in ("edge-from", "edge-to"):
            widget = self.fields[name].widget
            value = str(self[name].value() or "")
            if isinstance(widget, forms.Select):
                extra = [(value, value)] if value and value not in named else []
                widget.choices = [("", _("Select…")), *named.items(), *extra]


def _told_apart(names: Mapping[str, str]) -> dict[str, str]:
    """Returns what nodes are called by id: those of one name with their id."""
    count = Counter(names.values())
    return {
        key: key if not name else name if count[name] == 1 else f"{name} ({key})"
        for key, name in names.items()
    }


class ReducerRow(Contract):
    """How updates of the keys that match ``pattern`` are reduced."""

    pattern: Annotated[str, Field(min_length=1)]
    reducer: str


class ReducerFields(Contract):
    """The reducers of a workflow."""

    reducers: Annotated[tuple[ReducerRow, ...], Field(strict=False, max_length=MAX_REDUCERS)] = ()


class ReducersForm(ContractForm[ReducerFields]):
    contract = ReducerFields
    hints = {
        "reducers": FieldHint(
            label=_("Reducers"),
            add_label=_("Add a reducer"),
            row_label=_("Reducer"),
            help=_("An exact name wins, then the pattern with the longest literal part."),
        ),
        "reducers.pattern": FieldHint(label=_("Key or pattern"), code=True, placeholder="fact.*"),
        "reducers.reducer": FieldHint(
            label=_("Reducer"),
            choices=[
                (each.name, format_lazy("{} – {}", each.name, _(each.description)))
                for each in REDUCERS
            ],
        ),
    }


class PanelNodeForm(NodeForm):
    """The form of a node beside the canvas, where its position is changed by dragging."""

    left_out = ("x", "y")


class DocumentFields(Contract):
    """The fields of a document itself."""

    name: TypedName


class DocumentForm(ContractForm[DocumentFields]):
    contract = DocumentFields
    hints = {
        "name": FieldHint(
            label=_("Name"),
            wide=True,
            help=_("Name of the workflow, also in exports and versions."),
        ),
    }


class NamedWorkflow(CreateWorkflow):
    """A workflow that a person creates: people read lists by names."""

    name: Annotated[TypedName, Field(min_length=1)]


class CreateForm(ContractForm[NamedWorkflow]):
    contract = NamedWorkflow
    hints = {
        "slug": FieldHint(
            label=_("Slug"),
            code=True,
            placeholder="support",
            help=_(
                "Name in URLs and API calls: letters, digits, - and _. "
                "Left empty, it is made from the name."
            ),
        ),
        "name": FieldHint(label=_("Name")),
        "description": FieldHint(label=_("Description"), height=3, wide=True),
        "start_with": FieldHint(label=_("Start with")),
    }


class ChangedDetails(ChangeWorkflow):
    """Name and description as a person changes them."""

    name: Annotated[TypedName, Field(min_length=1)] | None = None


class DetailsForm(ContractForm[ChangedDetails]):
    contract = ChangedDetails
    hints = {
        "name": FieldHint(label=_("Name"), wide=True),
        "description": FieldHint(label=_("Description"), height=4, keep_empty=True, wide=True),
    }
