"""The bodies of bulk actions."""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, field_validator, model_validator

from bulk.jobs import Selection
from conversations.workspace.matching import STATUSES, ConversationFilter
from ctxadmin.identity.bulk_actions import MOST_ITEMS, BulkAction, BulkList
from ctxadmin.lib.contract import Contract
from ctxadmin.lib.sentence import say

_Id = Annotated[str, Field(max_length=64)]
ActionName = Literal["pause", "resume", "cancel", "label", "archive", "unarchive", "erase"]


class BulkFilter(Contract):
    """The filter of the list of conversations, or of that of executions."""

    status: Annotated[str, Field(max_length=20)] = Field(
        "", description="Only those of this status.", examples=["COMPLETED"]
    )
    workflow: Annotated[str, Field(max_length=64)] = Field(
        "", description="Only those of this workflow, by its slug.", examples=["support"]
    )
    q: Annotated[str, Field(max_length=200)] = Field(
        "", description="Only those with this text in the title or id.", examples=["refund"]
    )
    archived: bool = Field(False, description="Whether to select archived conversations instead.")

    @field_validator("status")
    @classmethod
    def _known(cls, status: str) -> str:
        if status and status not in STATUSES:
            known = ", ".join(STATUSES)
            raise ValueError(say("Unknown status. Use one of: {known}.", known=known))
        return status


class SelectItems(Contract):
    """An action, and the conversations or current executions that it is for."""

    action: ActionName = Field(
        description="What is done to each: `pause`, `resume`, `cancel` and `label` to the current"
        " execution, the others to the conversation."
    )
    conversations: Annotated[list[_Id], Field(min_length=1, max_length=MOST_ITEMS)] | None = Field(
        None, description="Ids of conversations; unknown ones are left out.", examples=[["c-1"]]
    )
    filter: BulkFilter | None = Field(
        None, description="Instead of ids: all that fit it now, 10,000 at most."
    )

    @model_validator(mode="after")
    def _one_selection(self) -> Self:
        if (self.conversations is None) == (self.filter is None):
            raise ValueError(say("give either conversations or filter"))
        return self

    @property
    def bulk_action(self) -> BulkAction:
        return BulkAction(self.action)

    @property
    def selection(self) -> Selection:
        """Returns the ids, or the filter of the list that has such items."""
        if self.filter is None:
            return self.conversations or []
        wanted = self.filter
        return ConversationFilter(
            status=wanted.status,
            workflow=wanted.workflow if wanted.workflow.isascii() else "?",
            text=wanted.q.strip(),
            archived=wanted.archived,
            with_execution=self.bulk_action.list is BulkList.EXECUTIONS,
        )


class StartBulkAction(SelectItems):
    """A bulk action that is started at once."""

    reason: Annotated[str, Field(max_length=2_000)] = Field(
        "", description="Reason that is recorded for each; not for `label`.", examples=["Old."]
    )
    label: Annotated[str, StringConstraints(strip_whitespace=True, max_length=80)] = Field(
        "", description="Label of the latest version of each; for `label` only.", examples=["good"]
    )
    expected_count: Annotated[int, Field(ge=0, le=MOST_ITEMS)] | None = Field(
        None,
        description="Number that may be changed, as the dry run told (`changing`); another number"
        " is refused. Required for `erase`.",
        examples=[12],
    )

    @model_validator(mode="after")
    def _fitting_texts(self) -> Self:
        if (self.action == "label") != bool(self.label):
            raise ValueError(say("the action label needs a label, and no other action takes one"))
        if self.action == "label" and self.reason:
            raise ValueError(say("the action label takes no reason"))
        if self.action == "erase" and self.expected_count is None:
            raise ValueError(say("to erase, give the expected_count of a dry run"))
        return self
