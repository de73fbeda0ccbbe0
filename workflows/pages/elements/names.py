"""Names as people type them into forms."""

from typing import Annotated

from pydantic import AfterValidator

from ctxadmin.lib.sentence import say
from workflows.api.schemas import Name
from workflows.domain.selection.patterns import unwritable_sign


def _typed_name(text: str) -> str:
    sign = unwritable_sign(text)
    if sign:
        raise ValueError(say("a name has no control characters such as {sign}", sign=sign))
    return text


TypedName = Annotated[Name, AfterValidator(_typed_name)]
