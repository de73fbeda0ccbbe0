"""The forms of the workflow pages, built from the models of the contract."""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Final, cast

from django import forms
from django.http import QueryDict
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext_lazy as _
from pydantic import Field, JsonValue

from ctxadmin.lib.contract import Contract
from ctxadmin.web.components import Text
from ctxadmin.web.forms import ContractForm, FieldHint, ShownWhen
from workflows.api.schemas import ChangeWorkflow, CreateWorkflow
from workflows.domain.graph import CONTEXT_PROCESSOR, MAX_NAME, MAX_REDUCERS, Node
from workflows.domain.processors import standard
from workflows.pages import words
from workflows.pages.edge_fields import EdgeFields
from workflows.pages.node_fields import NodeFields
from workflows.reducers import REDUCERS

Choices = Sequence[tuple[str, Text]]

NODE_TYPES: Final = (
    "start",
    "llm",
    "tool",
    "decision",
    "context_processor",
    "human_relay",
    "user_interaction",
    "merge",
    "join",
    "subworkflow",
    "end",
)


def _later(make: Callable[[], Choices]) -> Choices:
    """Choices that are looked up when a form is made: packages may bring their own."""
    return cast(Choices, SimpleLazyObject(make))


def _context_types() -> Choices:
    named = dict(words.CONTEXT_TYPE_WORDS)
    return [
        (name, f"{name} – {named[name]}" if name in named else name)
        for name in standard().processors.names()
    ]


def _transforms() -> Choices:
    return [(name, name) for name in standard().transforms.names()]


_TARGETS: Final[Choices] = [
    ("variables", _("Variables")),
    ("history", _("History (by node)")),
    ("metadata", _("Metadata")),
    ("messages", _("Messages (by role)")),
]
_RULE_TYPES: Final[Choices] = [
    ("include", _("Include")),
    ("exclude", _("Exclude")),
    ("transform", _("Transform")),
]
_PAIRING: Final[Choices] = [
    ("keep", _("Keep both")),
    ("drop", _("Drop both")),
    ("warn", _("Only warn")),
]
_OPERATIONS: Final[Choices] = [
    ("truncate", _("Truncate by position")),
    ("filter", _("Filter by role or words")),
    ("insert", _("Insert messages")),
    ("replace", _("Replace one message")),
    ("clear", _("Clear")),
]


def _operation_hints(path: str) -> dict[str, FieldHint]:
    """The hints of one operation that stands at ``path``."""

    def block(name: str, label: Text) -> FieldHint:
        return FieldHint(label=label, shown_when=ShownWhen.is_("operation", name))

    example = '[{"role": "system", "content": "…"}]'
    return {
        f"{path}.operation": FieldHint(label=_("Operation"), choices=_OPERATIONS),
        f"{path}.truncate": block("truncate", _("What stays")),
        f"{path}.truncate.keep_first": FieldHint(label=_("Keep the first")),
        f"{path}.truncate.keep_last": FieldHint(label=_("Keep the last")),
        f"{path}.truncate.remove_first": FieldHint(label=_("Remove the first")),
        f"{path}.truncate.remove_last": FieldHint(label=_("Remove the last")),
        f"{path}.truncate.range": FieldHint(
            label=_("Range of positions"), help=_("From start up to, but without, end; from 0.")
        ),
        f"{path}.insert": block("insert", _("Insert")),
        f"{path}.insert.position": FieldHint(
            label=_("Position"), help=_("In the visible list: 0 is the front, -1 the end.")
        ),
        f"{path}.insert.messages": FieldHint(
            label=_("Messages"), help=_("A JSON list of messages."), placeholder=example, wide=True
        ),
        f"{path}.replace": block("replace", _("Replace")),
        f"{path}.replace.index": FieldHint(
            label=_("Position"), help=_("Of the message to replace, in the visible list from 0.")
        ),
        f"{path}.replace.message": FieldHint(
            label=_("Message"), help=_("A JSON object with role and content."), wide=True
        ),
        f"{path}.clear": block("clear", _("Clear")),
        f"{path}.clear.keep_system_message": FieldHint(label=_("Keep the system messages")),
        f"{path}.filter": block("filter", _("What stays")),
        f"{path}.filter.roles": FieldHint(label=_("Only these roles")),
        f"{path}.filter.content_contains": FieldHint(
            label=_("Containing one of"), help=_("One keyword a line; upper and lower case differ.")
        ),
        f"{path}.filter.content_excludes": FieldHint(label=_("Containing none of")),
        f"{path}.pairing": FieldHint(
            label=_("Split tool pairs"), choices=_PAIRING, help=_("A call without its result.")
        ),
        f"{path}.protect_tools": FieldHint(label=_("Keep the description of the tools visible")),
    }


def _filter_hints(path: str, legend: Text, help: Text) -> dict[str, FieldHint]:
    """The hints of a list of context filters at ``path``."""
    return {
        path: FieldHint(
            label=legend, help=help, add_label=_("Add a filter"), row_label=_("Filter")
        ),
        f"{path}.rules": FieldHint(
            label=_("Rules"),
            add_label=_("Add a rule"),
            row_label=_("Rule"),
            help=_("A name is kept if an include matches and no exclude does; * is any text."),
        ),
        f"{path}.rules.type": FieldHint(label=_("What it does"), choices=_RULE_TYPES),
        f"{path}.rules.pattern": FieldHint(label=_("Pattern"), code=True, placeholder="llm.*"),
        f"{path}.rules.target": FieldHint(label=_("Of what"), choices=_TARGETS),
        f"{path}.rules.transform": FieldHint(label=_("Transform"), choices=_later(_transforms)),
        f"{path}.rules.condition": FieldHint(
            label=_("Only if"), code=True, placeholder="context.mode === 'short'"
        ),
        f"{path}.default_behavior": FieldHint(
            label=_("What no rule mentions"),
            choices=[("pass", _("Passes")), ("block", _("Is blocked"))],
            empty_label=_("As the context type says"),
        ),
        f"{path}.priority": FieldHint(
            label=_("Priority"), help=_("Of several filters the highest decides the default.")
        ),
        f"{path}.messages": FieldHint(
            label=_("Messages"),
            help=_("Operations on the visible messages, as a view: nothing is changed or stored."),
            add_label=_("Add an operation"),
            row_label=_("Operation"),
        ),
        **_operation_hints(f"{path}.messages"),
    }


_PAUSES: Final = ShownWhen.is_("pause", "before", "after")


class NodeForm(ContractForm[NodeFields]):
    contract = NodeFields
    hints = {
        "id": FieldHint(
            label=_("Id"), code=True, help=_("Letters, digits, - and _; edges and engines use it.")
        ),
        "type": FieldHint(
            label=_("Type"),
            suggestions=NODE_TYPES,
            help=_("A free name; it says what the node sees if you choose no context type."),
        ),
        "name": FieldHint(label=_("Name")),
        "description": FieldHint(label=_("Description"), height=2, wide=True),
        "template": FieldHint(
            label=_("Template"), height=4, wide=True, help=_("Every filter lets it through.")
        ),
        "pause": FieldHint(
            label=_("Review by a person"),
            choices=[("before", _("Pause before it runs")), ("after", _("Pause after it ran"))],
            empty_label=_("No pause"),
        ),
        "pause_reason": FieldHint(
            label=_("What the reviewer is asked"), height=2, wide=True, shown_when=_PAUSES
        ),
        "timeout_seconds": FieldHint(label=_("If nobody comes within seconds"), shown_when=_PAUSES),
        "timeout_outcome": FieldHint(
            label=_("Then"),
            choices=[
                ("approve", _("Approve")),
                ("reject", _("Reject")),
                ("cancel", _("Cancel the execution")),
            ],
            empty_label=_("Wait on"),
            shown_when=_PAUSES,
        ),
        "context_type": FieldHint(
            label=_("What it sees"),
            choices=_later(_context_types),
            empty_label=_("As its type says"),
            wide=True,
        ),
        "operation": FieldHint(
            label=_("What it does to the conversation"),
            help=_("The server runs it when the engine completes the node; it opens one batch."),
            shown_when=ShownWhen.is_("type", CONTEXT_PROCESSOR),
        ),
        **_operation_hints("operation"),
        **_filter_hints(
            "context_filters",
            _("Filters of what comes in"),
            _("They narrow what the context type lets through; this node alone sees less."),
        ),
        **_filter_hints(
            "outgoing_filters",
            _("Filters of what goes out"),
            _("They narrow what travels on along its edges."),
        ),
        "x": FieldHint(label=_("Position from the left")),
        "y": FieldHint(label=_("Position from the top")),
        "config": FieldHint(
            label=_("Other config"), help=_("A JSON object for the engine."), height=4, wide=True
        ),
        "properties": FieldHint(
            label=_("Properties"), help=_("A JSON object of your own."), height=3, wide=True
        ),
    }


_SELECTS: Final = ShownWhen.is_("filter_type", "selective", "conditional", "transform")


class EdgeForm(ContractForm[EdgeFields]):
    """The ends are chosen among ``nodes``; an end that is not there stays until it is changed."""

    contract = EdgeFields
    hints = {
        "id": FieldHint(label=_("Id"), code=True),
        "type": FieldHint(
            label=_("Type"),
            choices=[
                ("sequence", _("Sequence: taken when the node is done")),
                ("conditional", _("Conditional: taken if its condition is true")),
                ("error", _("Error: taken when the node fails")),
            ],
        ),
        "from": FieldHint(label=_("From"), choices=[("", "")]),
        "to": FieldHint(label=_("To"), choices=[("", "")]),
        "condition": FieldHint(
            label=_("Taken if"),
            code=True,
            height=2,
            wide=True,
            placeholder="context.missing.length > 0",
            help=_("context.NAME is a variable or metadata; === !== < > && || ! ( ) and .length."),
        ),
        "weight": FieldHint(label=_("Weight"), help=_("Heavier edges come first.")),
        "filter_type": FieldHint(
            label=_("What flows along it"),
            choices=[
                ("pass_all", _("Everything")),
                ("pass_none", _("The template only")),
                ("selective", _("What patterns select")),
                ("conditional", _("Only if a condition is true")),
                ("transform", _("Everything, with some changed")),
            ],
            empty_label=_("As the type of the edge says"),
            wide=True,
        ),
        "filter_condition": FieldHint(
            label=_("Context flows if"),
            code=True,
            height=2,
            wide=True,
            shown_when=_SELECTS,
            help=_("If not, the template only; the edge is taken all the same."),
        ),
        "include_patterns": FieldHint(
            label=_("Include"), code=True, shown_when=_SELECTS, help=_("One pattern a line.")
        ),
        "exclude_patterns": FieldHint(
            label=_("Exclude"), code=True, shown_when=_SELECTS, help=_("It always wins.")
        ),
        "transform_rules": FieldHint(
            label=_("Changes"),
            add_label=_("Add a change"),
            row_label=_("Change"),
            shown_when=_SELECTS,
        ),
        "transform_rules.pattern": FieldHint(label=_("Pattern"), code=True, placeholder="source.*"),
        "transform_rules.transform": FieldHint(label=_("Transform"), choices=_later(_transforms)),
        "transform_rules.target": FieldHint(label=_("Of what"), choices=_TARGETS),
        "transform_rules.rename": FieldHint(label=_("Rename to"), code=True),
        "messages": FieldHint(
            label=_("Messages"),
            help=_("Operations on the visible messages, as a view: nothing is changed or stored."),
            add_label=_("Add an operation"),
            row_label=_("Operation"),
            shown_when=ShownWhen.is_(
                "filter_type", "pass_all", "selective", "conditional", "transform"
            ),
        ),
        **_operation_hints("messages"),
        "properties": FieldHint(
            label=_("Properties"), help=_("A JSON object of your own."), height=3, wide=True
        ),
    }

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        initial: EdgeFields | JsonValue = None,
        nodes: Iterable[Node] = (),
    ) -> None:
        # A field called ``id`` would hide the id of its form from scripts.
        super().__init__(data, initial=initial, root="edge")
        named = {node.id: f"{node.name} ({node.id})" if node.name else node.id for node in nodes}
        for name in ("edge-from", "edge-to"):
            widget = self.fields[name].widget
            value = str(self[name].value() or "")
            if isinstance(widget, forms.Select):
                extra = [(value, value)] if value and value not in named else []
                widget.choices = [("", _("Choose…")), *named.items(), *extra]


class ReducerRow(Contract):
    """How updates of the keys that match ``pattern`` are taken in."""

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
            choices=[(each.name, f"{each.name} – {each.description}") for each in REDUCERS],
        ),
    }


class NamedWorkflow(CreateWorkflow):
    """A workflow that a person makes: people read lists by names."""

    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME)]


class CreateForm(ContractForm[NamedWorkflow]):
    contract = NamedWorkflow
    hints = {
        "slug": FieldHint(
            label=_("Slug"),
            code=True,
            placeholder="support",
            help=_("Its name in addresses and calls; letters, digits, - and _."),
        ),
        "name": FieldHint(label=_("Name")),
        "description": FieldHint(label=_("Description"), height=3, wide=True),
    }


class DetailsForm(ContractForm[ChangeWorkflow]):
    contract = ChangeWorkflow
    hints = {
        "name": FieldHint(label=_("Name"), wide=True),
        "description": FieldHint(label=_("Description"), height=4, keep_empty=True, wide=True),
    }
