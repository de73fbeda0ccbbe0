"""Where in a form a JSON pointer of the model stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from ctxadmin.lib.errors import FieldProblem
from ctxadmin.web.forms.boxes import GroupBox, RowsBox


@dataclass(frozen=True, slots=True)
class Place:
    """A field by its name, or a box; neither: the whole form."""

    field_name: str = ""
    box: GroupBox | RowsBox | None = None


WHOLE = Place()


def nearest(places: Mapping[str, Place], pointer: str) -> tuple[Place, list[str]]:
    """The innermost place that holds ``pointer``, and the steps below it."""
    rest: list[str] = []
    while pointer:
        if pointer in places:
            return places[pointer], rest
        pointer, _slash, step = pointer.rpartition("/")
        rest.insert(0, step)
    return places.get("", WHOLE), rest


def message_at(problem: FieldProblem, rest: Sequence[str], line: int | None) -> str:
    """What the field says: the place inside of it, the message, line and column if there are."""
    message = problem.message
    if line is not None:
        message = _("Line %(line)d: %(message)s") % {"line": line, "message": message}
    elif rest:
        message = f"{'/'.join(rest)}: {message}"
    extra = dict(problem.extra)
    if "column" in extra and "column" not in message:
        where = {"line": extra.get("line", 1), "column": extra["column"]}
        message += " " + _("(line %(line)s, column %(column)s)") % where
    hint = extra.get("hint")
    return f"{message}; {hint}" if hint else message
