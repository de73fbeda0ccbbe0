"""The place in a form of a JSON pointer of the model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from ctxadmin.lib.errors import FieldProblem
from ctxadmin.ui.forms.boxes import GroupBox, RowsBox, fields_in
from ctxadmin.ui.forms.wording import translate_error
from ctxadmin.ui.sentences import translated


@dataclass(frozen=True, slots=True)
class FormPath:
    """A field by its name, or a box; neither: the whole form."""

    field_name: str = ""
    box: GroupBox | RowsBox | None = None

    @property
    def label(self) -> str:
        """Returns the legends around and of the box, for the summary of errors."""
        return (
            " › ".join(str(part) for part in (*self.box.place, self.box.legend)) if self.box else ""
        )

    @property
    def fields(self) -> list[str]:
        """Returns the names of the fields in the box."""
        return [each.bound.name for each in fields_in(self.box)] if self.box else []


WHOLE_FORM = FormPath()


def nearest(places: Mapping[str, FormPath], pointer: str) -> tuple[FormPath, list[str]]:
    """Returns the innermost place that contains ``pointer``, and the steps below it."""
    rest: list[str] = []
    while pointer:
        if pointer in places:
            return places[pointer], rest
        pointer, _slash, step = pointer.rpartition("/")
        rest.insert(0, step)
    return places.get("", WHOLE_FORM), rest


class FieldError(ValidationError):
    """An error of a field; ``column`` is its place in a text of one line, if known."""

    def __init__(self, message: str, column: int | None) -> None:
        super().__init__(message, code="validation")
        self.column = column


class BoxError(ValidationError):
    """An error of a whole box; the summary links to its first field."""

    def __init__(self, message: str, place: FormPath) -> None:
        super().__init__(f"{place.label}: {message}", code="validation")
        self.sentence = message
        self.place = place


def message_at(
    problem: FieldProblem, rest: Sequence[str], line: int | None, labels: Mapping[str, str]
) -> str:
    """Returns the message at a field, with the place inside of it, and line and column if known."""
    message, extra = problem.message, dict(problem.extra)
    if "column" in extra and "column" not in message:
        where = {"line": extra.get("line", 1), "column": extra["column"]}
        message = f"{translated(message)} {_('(line %(line)s, column %(column)s)') % where}"
    message = translate_error(message, labels)
    if isinstance(hint := extra.get("hint"), str) and hint:
        message += " " + translate_error(hint, labels)
    if line is not None:
        return _("Line %(line)d: %(message)s") % {"line": line, "message": message}
    return ": ".join([*(labels.get(step, step) for step in rest), message])
