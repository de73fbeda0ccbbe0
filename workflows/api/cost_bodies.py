"""The body of ``POST /workflows/{slug}/costs``."""

from typing import Annotated

from pydantic import Field, ValidationInfo, field_validator

from ctxadmin.lib.contract import Contract
from ctxadmin.lib.sentence import say
from workflows.domain.document.graph import Document


class EstimateCosts(Contract):
    """``POST /workflows/{slug}/costs``; the document is the draft unless another is named."""

    document: Document | None = Field(
        None, description="A document that is not saved, instead of the draft."
    )
    version: Annotated[int, Field(ge=1, lt=2**31)] | None = Field(
        None, description="Published version, instead of the draft.", examples=[1]
    )
    offers: bool = Field(
        True, description="Whether budgets are tried where a policy raises the cost."
    )

    @field_validator("version")
    @classmethod
    def _one_document(cls, value: object, info: ValidationInfo) -> object:
        if value is not None and info.data.get("document") is not None:
            raise ValueError(say("either this or {other}, not both", other="document"))
        return value
