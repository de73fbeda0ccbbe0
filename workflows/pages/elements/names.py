"""Names as people type them into forms."""

from typing import Annotated

from pydantic import AfterValidator

from ctxadmin.lib.sentence import say
from ctxadmin.ui.visible_text import shows_nothing
from workflows.api.schemas import Name
from workflows.domain.selection.patterns import unwritable_sign


def _typed_name(text: str) -> str:
    sign = unwritable_sign(text)
    if sign:
        raise ValueError(say("a name has no control characters such as {sign}", sign=sign))
    if text and shows_nothing(text):
        raise ValueError(
            say("a name has letters or digits, this one has only invisible characters")
        )
    return text


TypedName = Annotated[Name, AfterValidator(_typed_name)]
