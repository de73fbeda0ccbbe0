"""Labels, help and choices of the form fields of filters and operations."""

from collections.abc import Callable, Sequence
from typing import Final, cast

from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext_lazy as _
from pydantic import JsonValue

from conversations.pages.changes.budget_hints import BUDGET, budget_hints
from conversations.pages.changes.origin_hints import SUMMARIZE, origin_hints, summary_hints
from conversations.pages.changes.recall_hints import LEAVE_POINTER, LEAVE_POINTER_OF_RULES
from ctxadmin.ui.components import Text
from ctxadmin.ui.forms import FieldHint, ShownWhen
from workflows.domain.processors.registries import standard

Choices = Sequence[tuple[str, Text]]


def later(make: Callable[[], Choices]) -> Choices:
    """Returns choices that are looked up when a form is made: packages can add their own."""
    return cast(Choices, SimpleLazyObject(make))


def transforms() -> Choices:
    return [(name, name) for name in standard().transforms.names()]


TARGETS: Final[Choices] = [
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
    ("drop", _("Hide both")),
    ("warn", _("Only warn")),
]
_OPERATIONS: Final[Choices] = [
    ("truncate", _("Truncate by position")),
    BUDGET,
    ("filter", _("Filter by role or keyword")),
    ("insert", _("Insert messages")),
    ("replace", _("Replace a message")),
    SUMMARIZE,
    ("clear", _("Clear")),
]


def operation_hints(path: str) -> dict[str, FieldHint]:
    """Returns the hints of one operation at ``path``."""

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
        f"{path}.truncate.remove_ranges": FieldHint(
            label=_("Ranges to hide"), add_label=_("Add a range"), row_label=_("Range")
        ),
        f"{path}.truncate.range": FieldHint(
            label=_("Range of positions"), help=_("Start included, end excluded, counted from 0.")
        ),
        f"{path}.truncate.keep_system": FieldHint(
            label=_("Keep the system messages"),
            help=_("They stay in addition to what the options above keep."),
            when_off=_("System messages are hidden like all others."),
        ),
        f"{path}.insert": block("insert", _("Insert")),
        f"{path}.insert.position": FieldHint(
            label=_("Position"),
            help=_("Counted in the visible messages: 0 is the start, -1 the end."),
        ),
        f"{path}.insert.messages": FieldHint(
            label=_("Messages"), help=_("A JSON list of messages."), placeholder=example, wide=True
        ),
        f"{path}.replace": block("replace", _("Replace")),
        f"{path}.replace.index": FieldHint(
            label=_("Position"),
            help=_("Position of the message to replace, counted in the visible messages from 0."),
        ),
        f"{path}.replace.message": FieldHint(
            label=_("Message"), help=_("A JSON object with role and content."), wide=True
        ),
        f"{path}.clear": block("clear", _("Clear")),
        f"{path}.clear.keep_system_message": FieldHint(
            label=_("Keep the system messages"),
            when_off=_("System messages are hidden like all others."),
        ),
        f"{path}.filter": block("filter", _("What stays")),
        f"{path}.filter.roles": FieldHint(label=_("Only these roles")),
        f"{path}.filter.content_contains": FieldHint(
            label=_("Containing one of"), help=_("One keyword per line, case-sensitive.")
        ),
        f"{path}.filter.content_excludes": FieldHint(label=_("Containing none of")),
        **origin_hints(f"{path}.filter"),
        **summary_hints(f"{path}.summarize"),
        f"{path}.summarize.message": FieldHint(
            label=_("Message"), help=_("A JSON object with role and content."), wide=True
        ),
        **budget_hints(f"{path}.budget"),
        f"{path}.pairing": FieldHint(
            label=_("Incomplete tool pairs"), choices=_PAIRING, help=_("A call without its result.")
        ),
        f"{path}.protect_tools": FieldHint(label=_("Keep the tool description visible")),
        f"{path}.include_pinned": FieldHint(label=_("Treat pinned messages like all others")),
        f"{path}.leave_pointer": LEAVE_POINTER,
    }


def filter_hints(path: str, legend: Text, help: Text, row: Text) -> dict[str, FieldHint]:
    """Returns the hints of a list of context filters at ``path``."""
    return {
        path: FieldHint(label=legend, help=help, add_label=_("Add a filter"), row_label=row),
        f"{path}.rules": FieldHint(
            label=_("Rules"),
            add_label=_("Add a rule"),
            row_label=_("Rule"),
            help=_(
                "A name is kept if an include pattern matches and no exclude pattern does. For"
                " other names “If no rule matches” decides. * matches any text."
            ),
        ),
        f"{path}.rules.type": FieldHint(label=_("Action"), choices=_RULE_TYPES, initial="include"),
        f"{path}.rules.pattern": FieldHint(label=_("Pattern"), code=True, placeholder="llm.*"),
        f"{path}.rules.target": FieldHint(label=_("Section"), choices=TARGETS),
        f"{path}.rules.transform": FieldHint(label=_("Transform"), choices=later(transforms)),
        f"{path}.rules.condition": FieldHint(
            label=_("Condition"), code=True, height=1, placeholder="context.mode === 'short'"
        ),
        f"{path}.default_behavior": FieldHint(
            label=_("If no rule matches"),
            choices=[("pass", _("Pass")), ("block", _("Block"))],
            empty_label=_("Default for this context type"),
        ),
        f"{path}.priority": FieldHint(
            label=_("Priority"), help=_("The filter with the highest priority sets the default.")
        ),
        f"{path}.leave_pointer": LEAVE_POINTER_OF_RULES,
        f"{path}.messages": FieldHint(
            label=_("Messages"),
            help=_(
                "Operations on the messages that this node sees. The conversation is not changed."
            ),
            add_label=_("Add an operation"),
            row_label=_("Operation"),
        ),
        **operation_hints(f"{path}.messages"),
    }


def filter_stand_ins(path: str) -> dict[str, JsonValue]:
    return {
        path: {},
        f"{path}.rules": {"type": "include", "pattern": "*"},
        f"{path}.rules.type": "include",
        f"{path}.rules.pattern": "*",
        f"{path}.messages": {"operation": "clear"},
        f"{path}.messages.operation": "clear",
    }
