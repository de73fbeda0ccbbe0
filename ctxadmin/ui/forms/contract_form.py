"""A Django form for a contract model: nested, with rows and variants, errors at the field."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Final, Generic, TypeVar, cast

from django import forms
from django.forms.utils import ErrorDict
from django.http import QueryDict
from pydantic import JsonValue

from ctxadmin.lib.contract import Contract, parse
from ctxadmin.lib.errors import FieldProblem, ValidationFailed
from ctxadmin.ui.forms.boxes import GroupBox, hidden_fields, labels_of
from ctxadmin.ui.forms.build import Builder
from ctxadmin.ui.forms.collect import Collected, collect
from ctxadmin.ui.forms.collect_errors import Check, StandIns, all_faults
from ctxadmin.ui.forms.fields import LinesLeaf
from ctxadmin.ui.forms.flat import RowEdit, Texts, edit_rows, join_names, texts_of, without_new_rows
from ctxadmin.ui.forms.hints import Hints
from ctxadmin.ui.forms.places import BoxError, FieldError, FormPath, message_at, nearest
from ctxadmin.ui.forms.shape import FormMember, Group, find_rows, shape_of

ModelT = TypeVar("ModelT", bound=Contract)

ROWS_BUTTON: Final = "_rows"


class ContractForm(forms.Form, Generic[ModelT]):
    """The form of ``contract``; subclass it and set ``contract``, ``hints``, ``left_out``.

    ``data`` is what was sent (None: nothing yet), ``initial`` a model or its JSON, ``root`` the
    start of every name if a page has several forms. ``is_valid()`` and then ``model`` as usual.
    Members that are left out keep the value of ``initial``. When a button of a list was pressed,
    ``is_valid()`` is False and ``edited`` True: show the form again. ``is_opened`` is set where
    errors are those of what is stored, and nothing was sent yet.
    """

    contract: ClassVar[type[Contract]]
    hints: ClassVar[Hints] = {}
    left_out: ClassVar[Sequence[str]] = ()
    stand_ins: ClassVar[StandIns] = {}
    use_required_attribute = False
    is_opened = False

    def __init__(
        self, data: QueryDict | None = None, *, initial: ModelT | JsonValue = None, root: str = ""
    ) -> None:
        self.sent = data is not None
        self.root = root
        self.before = _as_json(self.contract, initial)
        self.edit = RowEdit.read(data.get(join_names(root, ROWS_BUTTON), "")) if data else None
        self.found = Collected()
        self._parsed: Contract | None = None
        shape = shape_of(self.contract, self.hints, self.left_out)
        whole = FormMember("", shape, required=True)
        texts = self._texts(shape, whole, data)
        super().__init__(texts)
        self.texts = texts
        builder = Builder(self, texts, self.edit, join_names(root, ROWS_BUTTON))
        self.box: GroupBox = builder.group(shape, whole, root)

    @property
    def edited(self) -> bool:
        """Returns True if rows were added, removed or moved and nothing is to be saved yet."""
        return self.edit is not None

    @property
    def as_typed(self) -> str:
        """Returns name and value of a button that only shows the form again as it was sent."""
        return f"{join_names(self.root, ROWS_BUTTON)}=up:-:0"

    @property
    def as_sent(self) -> QueryDict:
        """Returns the shown values as if they had been sent; a form of them shows its errors."""
        data = QueryDict(mutable=True)
        for name, values in self.texts.lists():
            data.setlist(name, values)
        return data

    def without_new_rows(self) -> QueryDict:
        """Returns what was sent without the last rows of lists that were only added."""
        shape = shape_of(self.contract, self.hints, self.left_out)
        return without_new_rows(self.texts, shape, self.root)

    @property
    def model(self) -> ModelT:
        """Returns the validated model; call ``is_valid()`` first."""
        if not self.is_valid() or self._parsed is None:
            raise ValueError("the form is not valid")
        return cast(ModelT, self._parsed)

    def is_valid(self) -> bool:
        return self.sent and not self.edited and super().is_valid()

    def full_clean(self) -> None:
        if self.sent and not self.edited:
            super().full_clean()
        else:
            self._errors = ErrorDict()
            self.cleaned_data = {}

    def clean(self) -> dict[str, Any]:
        for name in hidden_fields(self.box):
            self.errors.pop(name, None)
        self.found = collect(self.box, self.cleaned_data, self.before)
        problems: list[FieldProblem] = []
        whole = (self.contract, self.read(self.found.value), "")
        for contract, value, pointer in [*self.found.inner, whole]:
            try:
                self._parsed = parse(contract, value, pointer)
            except ValidationFailed as error:
                problems += error.problems
        self._place_problems(problems)
        return self.cleaned_data

    def read(self, value: JsonValue) -> JsonValue:
        """Converts the fields to the contract, if the form shows parts differently."""
        return value

    def faults(self, check: Check[ModelT]) -> list[FieldProblem]:
        """Adds all errors of ``check`` beyond the model, also in a form that is invalid.

        It gets what was sent, with ``stand_ins`` for what is wrong in it.
        """
        if not self.sent or self.edited:
            return []
        self.is_valid()  # reads what was sent
        contract = cast(type[ModelT], self.contract)
        found = all_faults(contract, self.found.value, self.stand_ins, check)
        return [each for each in found if not self._is_wrong(each.pointer)]

    def add_problems(self, problems: Iterable[FieldProblem]) -> None:
        """Shows the errors of a service at the fields; the form is not valid afterward."""
        self._place_problems(problems)

    def _texts(self, shape: Group, whole: FormMember, data: QueryDict | None) -> Texts:
        """Returns the texts of the fields: the initial value, or what was sent with its rows
        edited.
        """
        if data is None:
            return texts_of(shape, whole, self.before, self.root)
        path = (
            self.edit.rows.removeprefix(f"{self.root}-" if self.root else "") if self.edit else ""
        )
        found = find_rows(shape, path.split("-"))
        if self.edit is None or found is None:
            return data
        rows, member = found
        return edit_rows(
            data, self.edit, lambda name: texts_of(rows.item, member, None, name), rows.most
        )

    def _place_problems(self, problems: Iterable[FieldProblem]) -> None:
        labels = labels_of(self.box)
        for problem in problems:
            place, rest = nearest(self.found.places, problem.pointer)
            if place.field_name in self.found.unread:
                continue  # the field says already why it could not be read
            if place.box is not self.box and not self.found.unread.isdisjoint(place.fields):
                continue  # what could not be read is missing in the box
            message = message_at(problem, rest, self._line_of(place, rest), labels)
            column = dict(problem.extra).get("column")
            self._add_message(place, message, column if isinstance(column, int) else None)

    def _is_wrong(self, pointer: str) -> bool:
        """Returns True if there is an error already at the field, or in the box, of ``pointer``."""
        place, _rest = nearest(self.found.places, pointer)
        if place.box is None or place.box is self.box:
            return place.field_name in self.errors
        return bool(place.box.errors) or any(name in self.errors for name in place.fields)

    def _line_of(self, place: FormPath, rest: Sequence[str]) -> int | None:
        """Returns the line of a text area that has the item of the list."""
        field = self.fields.get(place.field_name)
        if not isinstance(field, LinesLeaf) or not rest or not rest[0].isdigit():
            return None
        return field.line_of(self.data.get(place.field_name), int(rest[0]))

    def _add_message(self, place: FormPath, message: str, column: int | None) -> None:
        if place.field_name:
            if message not in self.errors.get(place.field_name, ()):
                self.add_error(place.field_name, FieldError(message, column))
        elif place.box is None or place.box is self.box:
            self.add_error(None, message)
        elif message not in place.box.errors:
            place.box.errors.append(message)
            self.add_error(None, BoxError(message, place))


def _as_json(contract: type[Contract], initial: Contract | JsonValue) -> JsonValue:
    """Returns the initial value in the contract's spelling; unchanged if it is not valid."""
    if isinstance(initial, Contract):
        return cast(JsonValue, initial.model_dump(mode="json", by_alias=True, exclude_none=True))
    if initial is None:
        return None
    try:
        return _as_json(contract, parse(contract, initial))
    except ValidationFailed:
        return initial
