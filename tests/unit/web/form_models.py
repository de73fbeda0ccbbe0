"""Models of the kind that forms are made of, and forms as browsers send them, for tests."""

from typing import Annotated, Any, Literal, cast

from django.http import QueryDict
from pydantic import Field, JsonValue, model_validator

from ctxadmin.lib.contract import Contract
from ctxadmin.ui.forms import ContractForm, FieldHint, ShownWhen


class Rule(Contract):
    type: Literal["include", "exclude", "transform"]
    pattern: Annotated[str, Field(min_length=1)]
    target: Literal["variables", "history", "metadata", "messages"] = "variables"
    transform: str | None = None
    condition: str | None = None


class Filter(Contract):
    rules: Annotated[tuple[Rule, ...], Field(strict=False, max_length=5)] = ()
    default_behavior: Literal["pass", "block"] | None = None
    priority: Annotated[int, Field(ge=0, le=100)] = 0


class FilterForm(ContractForm[Filter]):
    contract = Filter
    stand_ins = {"rules.pattern": "*", "rules.type": "include"}
    hints = {
        "rules": FieldHint(add_label="Add a rule", row_label="Rule"),
        "rules.transform": FieldHint(
            choices=[("upper", "Upper case"), ("mask", "Mask")],
            shown_when=ShownWhen.is_("type", "transform"),
        ),
    }


class Range(Contract):
    start: int
    end: int

    @model_validator(mode="after")
    def _in_order(self) -> "Range":
        if self.start >= self.end:
            raise ValueError("start must be below end")
        return self


class Truncate(Contract):
    keep_first: Annotated[int, Field(ge=0)] | None = None
    keep_last: Annotated[int, Field(ge=0)] | None = None
    range: Range | None = None

    @model_validator(mode="after")
    def _some_option(self) -> "Truncate":
        if not self.model_fields_set:
            raise ValueError("one of keep_first, keep_last, range is required")
        return self


class Message(Contract):
    role: Literal["system", "user", "assistant", "tool"]
    content: str | list[dict[str, JsonValue]] | None = None


class Insert(Contract):
    position: int
    messages: Annotated[list[Message], Field(min_length=1)]


class Clear(Contract):
    keep_system_message: bool = True


class Select(Contract):
    roles: list[Literal["system", "user", "assistant", "tool"]] | None = None
    content_contains: list[Annotated[str, Field(max_length=10)]] | None = None


class Operation(Contract):
    operation: Literal["truncate", "insert", "clear", "filter"]
    version: int = 2
    truncate: Truncate | None = None
    insert: Insert | None = None
    clear: Clear | None = None
    filter: Select | None = None
    protect_tools: bool = False
    urgent: bool | None = None

    @model_validator(mode="after")
    def _one_block(self) -> "Operation":
        blocks = ("truncate", "insert", "clear", "filter")
        given = [name for name in blocks if getattr(self, name) is not None]
        if given not in ([self.operation], []):
            raise ValueError("blocks of other operations")
        return self


class OperationForm(ContractForm[Operation]):
    contract = Operation
    left_out = ("version",)
    hints = {
        "truncate": FieldHint(shown_when=ShownWhen.is_("operation", "truncate")),
        "insert": FieldHint(shown_when=ShownWhen.is_("operation", "insert")),
        "clear": FieldHint(shown_when=ShownWhen.is_("operation", "clear")),
        "filter": FieldHint(shown_when=ShownWhen.is_("operation", "filter")),
        "insert.messages.content": FieldHint(as_text=True, height=4),
    }


class Retry(Contract):
    kind: Literal["retry"]
    times: Annotated[int, Field(ge=1, le=9)]
    wait: float = 0.5


class Skip(Contract):
    kind: Literal["skip"]
    reason: str | None = None


Step = Annotated[Retry | Skip, Field(discriminator="kind")]


class Plan(Contract):
    first: Step
    then: Annotated[tuple[Step, ...], Field(strict=False)] = ()
    otherwise: Step | None = None
    extra: dict[str, JsonValue] = {}


class PlanForm(ContractForm[Plan]):
    contract = Plan


class Holder(Contract):
    """Takes a filter as free JSON, as a node of a workflow does."""

    from_node: Annotated[str, Field(alias="from")]
    context_filter: JsonValue | None = None
    note: str = "none"
    secret: str | None = None


class HolderForm(ContractForm[Holder]):
    contract = Holder
    left_out = ("secret",)
    hints = {"context_filter": FieldHint(contract=Filter)}


class Wait(Contract):
    seconds: Annotated[int, Field(ge=1, le=31_536_000)] = 1


class WaitForm(ContractForm[Wait]):
    contract = Wait


def sent(**fields: str | list[str]) -> QueryDict:
    """A form as a browser sends it; ``__`` in a keyword stands for ``-``."""
    data = QueryDict(mutable=True)
    for name, value in fields.items():
        data.setlist(name.replace("__", "-"), value if isinstance(value, list) else [value])
    return data


def shown(form: ContractForm[Any]) -> QueryDict:
    """What a browser would send of a form that nobody touched."""
    data = QueryDict(mutable=True)
    for name, values in cast(QueryDict, form.data).lists():
        data.setlist(name, [str(value) for value in values])
    return data
