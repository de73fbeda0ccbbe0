"""The forms of the conversation pages, built from the models of the contract."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Final

from django.utils.translation import gettext_lazy as _
from pydantic import Field, JsonValue

from conversations.api.schemas import ChangeConversation, Number, Reason
from conversations.domain.configs import OperationConfig
from conversations.pages.changes import typed_messages
from conversations.pages.changes.budget_hints import BUDGET, budget_hints
from conversations.pages.changes.origin_hints import SUMMARIZE, origin_hints, summary_hints
from conversations.pages.changes.recall_hints import LEAVE_POINTER
from conversations.pages.changes.typed_messages import TypedMessage
from ctxadmin.lib.errors import FieldProblem
from ctxadmin.ui.forms import ContractForm, FieldHint, ShownWhen

_CALLS: Final = re.compile(
    r"^(/insert/messages/[0-9]+|/replace/message|/summarize/message)/tool_calls"
)


class OperationRequest(OperationConfig):
    """An operation in a form: with a reason and the view that the person saw."""

    reason: Reason | None = None
    expected_revision: Annotated[int, Field(ge=0)] | None = None
    expected_count: Number | None = None


class OperationForm(ContractForm[OperationRequest]):
    contract = OperationRequest
    left_out = (
        "version",
        "expected_revision",
        "expected_count",
    )
    hints = {
        "operation": FieldHint(
            label=_("Operation"),
            choices=[
                ("truncate", _("Truncate by position")),
                BUDGET,
                ("filter", _("Filter by role or keyword")),
                ("insert", _("Insert messages")),
                ("replace", _("Replace a message")),
                SUMMARIZE,
                ("clear", _("Clear")),
            ],
        ),
        "truncate": FieldHint(
            label=_("What stays"), shown_when=ShownWhen.is_("operation", "truncate")
        ),
        "truncate.keep_first": FieldHint(label=_("Keep the first")),
        "truncate.keep_last": FieldHint(label=_("Keep the last")),
        "truncate.remove_first": FieldHint(label=_("Remove the first")),
        "truncate.remove_last": FieldHint(label=_("Remove the last")),
        "truncate.range": FieldHint(
            label=_("Range of positions"), help=_("Start included, end excluded, counted from 0.")
        ),
        "truncate.remove_ranges": FieldHint(
            label=_("Ranges to hide"), add_label=_("Add a range"), row_label=_("Range")
        ),
        "truncate.keep_system": FieldHint(
            label=_("Keep the system messages"),
            help=_("They stay in addition to what the options above keep."),
            when_off=_("System messages are hidden like all others."),
        ),
        "insert": FieldHint(label=_("Insert"), shown_when=ShownWhen.is_("operation", "insert")),
        "insert.position": FieldHint(
            label=_("Position"),
            help=_(
                "Counted in the visible messages, not by their numbers: 0 is before the first, "
                "-1 after the last."
            ),
        ),
        "insert.messages": FieldHint(
            label=_("Messages"),
            add_label=_("Add a message"),
            row_label=_("Message"),
            contract=TypedMessage,
        ),
        **typed_messages.hints("insert.messages", height=4),
        "replace": FieldHint(label=_("Replace"), shown_when=ShownWhen.is_("operation", "replace")),
        "replace.index": FieldHint(
            label=_("Position"),
            help=_("Position of the message to replace, counted in the visible messages from 0."),
        ),
        "replace.message": FieldHint(label=_("New message"), contract=TypedMessage),
        **typed_messages.hints("replace.message", height=6),
        **summary_hints("summarize"),
        "summarize.message": FieldHint(label=_("Summary"), contract=TypedMessage),
        **typed_messages.hints("summarize.message", height=6),
        "clear": FieldHint(label=_("Clear"), shown_when=ShownWhen.is_("operation", "clear")),
        "clear.keep_system_message": FieldHint(
            label=_("Keep the system messages"),
            when_off=_("System messages are hidden like all others."),
        ),
        "filter": FieldHint(label=_("What stays"), shown_when=ShownWhen.is_("operation", "filter")),
        "filter.roles": FieldHint(label=_("Only these roles")),
        "filter.content_contains": FieldHint(
            label=_("Containing one of"), help=_("One keyword per line, case-sensitive.")
        ),
        "filter.content_excludes": FieldHint(label=_("Containing none of")),
        **origin_hints("filter"),
        **budget_hints("budget"),
        "pairing": FieldHint(
            label=_("Incomplete tool pairs"),
            choices=[
                ("keep", _("Keep both")),
                ("drop", _("Hide both")),
                ("warn", _("Only warn")),
            ],
        ),
        "protect_tools": FieldHint(label=_("Keep the tool description visible")),
        "include_pinned": FieldHint(label=_("Treat pinned messages like all others")),
        "leave_pointer": LEAVE_POINTER,
        "reason": FieldHint(
            label=_("Reason"), help=_("Shown in the list of batches."), height=2, wide=True
        ),
    }

    def read(self, value: JsonValue) -> JsonValue:
        return typed_messages.map_messages(value, typed_messages.as_message)

    def _place_problems(self, problems: Iterable[FieldProblem]) -> None:
        """Moves problems of calls to their field, which is in a group of its own."""
        super()._place_problems(
            replace(each, pointer=_CALLS.sub(r"\1/calls/tool_calls", each.pointer))
            for each in problems
        )


class ConversationForm(ContractForm[ChangeConversation]):
    contract = ChangeConversation
    hints = {
        "title": FieldHint(label=_("Title"), keep_empty=True, wide=True),
        "metadata": FieldHint(
            label=_("Metadata"), help=_("Enter a JSON object."), height=8, wide=True
        ),
        "tools": FieldHint(
            label=_("Tool description"),
            help=_(
                "Kept visible when the conversation is cleared, so that the model knows its tools."
            ),
            height=6,
            keep_empty=True,
            wide=True,
        ),
    }
