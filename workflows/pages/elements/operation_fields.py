"""The form fields of operations on messages, which keep tool pairs by default."""

from collections.abc import Callable, Mapping
from typing import Annotated, Final

from pydantic import Field, JsonValue

from conversations.domain.budgets.config import BudgetConfig
from conversations.domain.configs import (
    Age,
    ClearConfig,
    Count,
    FilterConfig,
    OperationName,
    RangeConfig,
    Sources,
    TruncateConfig,
)
from conversations.domain.pairing import Pairing
from ctxadmin.lib.contract import Contract
from workflows.domain.filters.context_filter import MAX_OPERATIONS

_ASSUMED: Final = "warn"  # what the contract means by an operation that says nothing of pairs


class TruncateFields(TruncateConfig):
    """Truncate as a form adds it, with system messages kept by default."""

    keep_system: bool = True


class InsertFields(Contract):
    """Insert with messages as JSON: fields other than text stay as they were written."""

    position: Annotated[int, Field(ge=-1)]
    messages: list[dict[str, JsonValue]]


class ReplaceFields(Contract):
    """Replace with the new message as JSON."""

    index: Count
    message: dict[str, JsonValue]


class SummarizeFields(Contract):
    """The span to summarize, and the message that replaces it, as JSON."""

    range: RangeConfig | None = None
    older_than: Age | None = None
    keep_system: bool = True
    message: dict[str, JsonValue]
    sources: Sources | None = None


class OperationFields(Contract):
    """One operation; its parts are checked together with the node or edge."""

    operation: OperationName
    truncate: TruncateFields | None = None
    insert: InsertFields | None = None
    replace: ReplaceFields | None = None
    clear: ClearConfig | None = None
    filter: FilterConfig | None = None
    budget: BudgetConfig | None = None
    summarize: SummarizeFields | None = None
    pairing: Pairing = "keep"
    protect_tools: bool = False
    include_pinned: bool = False
    leave_pointer: bool = False


OperationList = Annotated[
    tuple[OperationFields, ...], Field(strict=False, max_length=MAX_OPERATIONS)
]


def operation_to_form(operation: JsonValue) -> JsonValue:
    """Returns the form of an operation, with its defaults spelled out."""
    if not isinstance(operation, dict):
        return operation
    form = {**operation, "pairing": operation.get("pairing") or _ASSUMED}
    block = operation.get("truncate")
    if isinstance(block, dict) and "keepSystem" not in block:
        form["truncate"] = {**block, "keep_system": block.get("keep_system") or False}
    return form


def operation_from_form(operation: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Returns the operation in a form, in the contract's spelling."""
    kept = {key: value for key, value in operation.items() if key != "pairing"}
    if operation.get("operation") == "clear" and kept.get("clear") == {}:
        del kept["clear"]
    block = kept.get("truncate")
    if isinstance(block, dict):
        keeps = block.get("keep_system", True)
        options = {name: value for name, value in block.items() if name != "keep_system"}
        kept["truncate"] = {**options, "keep_system": True} if keeps else options
    pairing = operation.get("pairing", "keep")
    return kept if pairing == _ASSUMED else {**kept, "pairing": pairing}


def filter_to_form(source: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Returns a filter of a document with its operations in the form's fields."""
    return _with_operations(source, operation_to_form)


def filter_from_form(source: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Returns a filter of a form with its operations in the contract's spelling."""
    return _with_operations(
        source, lambda each: operation_from_form(each) if isinstance(each, dict) else each
    )


def _with_operations(
    source: Mapping[str, JsonValue], change: Callable[[JsonValue], JsonValue]
) -> dict[str, JsonValue]:
    listed = source.get("messages")
    if not isinstance(listed, list):
        return dict(source)
    return {**source, "messages": [change(each) for each in listed]}
