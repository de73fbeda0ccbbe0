"""What callers say of webhooks and of what they want to hear."""

from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from ctxadmin.lib.contract import Contract
from ctxadmin.lib.ids import PATTERN
from notifications.domain.addresses import LONGEST, read_address
from notifications.domain.kinds import KindName


def _an_address(url: str) -> str:
    read_address(url)
    return url


Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
Url = Annotated[str, Field(max_length=LONGEST), AfterValidator(_an_address)]
Kinds = Annotated[list[KindName], Field(min_length=1, max_length=20)]
Slug = Annotated[str, Field(pattern=f"^{PATTERN}$")]


class CreateWebhook(Contract):
    """The address and the kinds of events, for one workflow or all of the workspace."""

    name: Name
    url: Url
    kinds: Kinds
    workflow: Slug | None = None


class ChangeWebhook(Contract):
    """The fields to change. ``workflow: ""`` means all executions."""

    name: Name | None = None
    url: Url | None = None
    kinds: Kinds | None = None
    workflow: Slug | Annotated[str, Field(max_length=0)] | None = None
    paused: bool | None = None
    expected_version: Annotated[int, Field(ge=0)] | None = None
