"""The contract of a budget."""

from typing import Annotated, Final, Literal

from pydantic import Field, ValidationInfo, field_validator

from ctxadmin.lib.contract import Contract
from ctxadmin.lib.sentence import say

Drop = Literal["oldest", "tool_results", "oldest_turns"]
Tokens = Annotated[int, Field(ge=1, le=1_000_000_000)]

PLACEHOLDER: Final = "[result removed to save space]"

_ONLY_FOR: Final[dict[str, Drop]] = {
    "placeholder": "tool_results",
    "keep_last_results": "tool_results",
    "keep_turn_start": "oldest",
}


class BudgetConfig(Contract):
    """Over ``max_tokens`` a view is cut until at most ``target_tokens`` remain.

    Source: semantics 4.1.
    """

    max_tokens: Tokens = Field(
        description="Cut the context when it has more tokens than this.", examples=[60_000]
    )
    target_tokens: Tokens = Field(
        description="Cut until this many tokens remain; fewer than `max_tokens`.",
        examples=[40_000],
    )
    drop: Drop = Field(
        "oldest",
        description=(
            "What goes first: the `oldest` messages, the `oldest_turns` as a whole (a turn begins "
            "with a user message), or the content of the oldest `tool_results`."
        ),
    )
    keep_last_results: Annotated[int, Field(ge=0)] = Field(
        3, description="Keep this many of the last results; only with `tool_results`.", examples=[3]
    )
    placeholder: Annotated[str, Field(max_length=10_000)] = Field(
        PLACEHOLDER,
        description="Text instead of a result; only with `tool_results`.",
        examples=["[result removed]"],
    )
    keep_turn_start: bool = Field(
        True,
        description=(
            "Whether the user message stays with which the turn began that is cut; only with "
            "`oldest`."
        ),
    )
    keep_first: Annotated[int, Field(ge=0)] = Field(
        0, description="Keep this many messages at the beginning.", examples=[2]
    )
    keep_system: bool = Field(True, description="Keep system messages in any case.")
    at_least: Tokens | None = Field(
        None, description="Cut nothing rather than fewer tokens than this.", examples=[1000]
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
        if drop is not None and drop != needed:
            raise ValueError(say("this is only used with {option}", option=f"drop: {needed}"))
        return value

    @property
    def keeps_turn_start(self) -> bool:
        """Returns True if the user message that began the turn at the cut is kept."""
        return self.drop == "oldest" and self.keep_turn_start
