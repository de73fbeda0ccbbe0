"""The contract of a budget."""

from typing import Annotated, Final, Literal

from pydantic import Field, ValidationInfo, field_validator

from ctxadmin.lib.contract import Contract
from ctxadmin.lib.sentence import say

Drop = Literal["oldest", "tool_results", "oldest_turns"]
Tokens = Annotated[int, Field(ge=1, le=1_000_000_000)]

PLACEHOLDER: Final = "[result removed to save space]"
KEEP_LAST_RESULTS: Final = 3

_ONLY_FOR: Final[dict[str, Drop]] = {
    "placeholder": "tool_results",
    "keep_last_results": "tool_results",
    "keep_turn_start": "oldest",
}


class BudgetConfig(Contract):
    """Over ``max_tokens`` a view is cut until at most ``target_tokens`` remain.

    Source: semantics 1.20.
    """

    max_tokens: Tokens = Field(
        description="Cut the context when it has more tokens than this.", examples=[60_000]
    )
    target_tokens: Tokens = Field(
        description="Cut until this many tokens remain; fewer than `max_tokens`.",
        examples=[40_000],
    )
    keep_first: Annotated[int, Field(ge=0)] = Field(
        0, description="Keep this many messages at the beginning."
    )
    keep_system: bool = Field(True, description="Keep system messages in any case.")
    drop: Drop = Field(
        "oldest",
        description=(
            "What goes first: the `oldest` messages, the `oldest_turns` as a whole (a turn begins "
            "with a user message), or the content of the oldest `tool_results`."
        ),
    )
    placeholder: Annotated[str, Field(max_length=10_000)] | None = Field(
        None,
        description=(
            f"Text instead of a removed result, with `tool_results`; by default `{PLACEHOLDER}`."
        ),
    )
    keep_last_results: Annotated[int, Field(ge=0)] | None = Field(
        None,
        description=(
            "Keep this many of the last results, with `tool_results`; by default "
            f"{KEEP_LAST_RESULTS}."
        ),
    )
    at_least: Tokens | None = Field(
        None, description="Cut nothing rather than fewer tokens than this."
    )
    keep_turn_start: bool | None = Field(
        None,
        description=(
            "Whether the user message stays with which the turn began that is cut, with `oldest`; "
            "by default it does."
        ),
    )

    @field_validator("target_tokens")
    @classmethod
    def _below_maximum(cls, target: int, info: ValidationInfo) -> int:
        most = info.data.get("max_tokens")
        if most is not None and target >= most:
            raise ValueError(say("this must be less than {field}", field="max_tokens"))
        return target

    @field_validator(*_ONLY_FOR)
    @classmethod
    def _of_its_drop(cls, value: object, info: ValidationInfo) -> object:
        drop, needed = info.data.get("drop"), _ONLY_FOR[info.field_name or ""]
        if value is not None and drop is not None and drop != needed:
            raise ValueError(say("this is only used with {option}", option=f"drop: {needed}"))
        return value

    @property
    def emptied_text(self) -> str:
        """What stands in place of a result that was emptied."""
        return PLACEHOLDER if self.placeholder is None else self.placeholder

    @property
    def last_results(self) -> int:
        """How many of the last results stay as they are."""
        return KEEP_LAST_RESULTS if self.keep_last_results is None else self.keep_last_results

    @property
    def keeps_turn_start(self) -> bool:
        """True if the user message stays that began the turn at the cut."""
        return self.drop == "oldest" and self.keep_turn_start is not False
