"""Django fields for the leaves of a contract model: text from the browser to a JSON value."""

import re
from typing import Any, Final

import orjson
from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _
from pydantic import JsonValue

from ctxadmin.lib.durations import duration_text, parse_duration
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.json_bytes import loads_strict
from ctxadmin.ui.components import Text
from ctxadmin.ui.forms.hints import FieldHint
from ctxadmin.ui.forms.shape import FormMember, Leaf, LeafKind
from ctxadmin.ui.forms.tiles import TileSelect
from ctxadmin.ui.forms.wording import translate_error

_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,1000}")
# JSON of the contract has no larger integers; what is cut to it means "as many as there are".
_LARGEST: Final = 2**63 - 1
_NUMBER: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")
_LONG: Final = 500
# What ``label_of`` makes of names that have no label of their own, so that catalogues have it.
_KNOWN_LABELS: Final = (
    gettext_noop("Role"),
    gettext_noop("System"),
    gettext_noop("Developer"),
    gettext_noop("User"),
    gettext_noop("Assistant"),
    gettext_noop("Tool"),
    gettext_noop("Start"),
    gettext_noop("End"),
)


class Missing:
    """The value of an empty field: the member is left out of the object."""


MISSING: Final = Missing()


class LeafField(forms.Field):
    """A field whose ``clean`` returns a JSON value or MISSING.

    The model decides whether something is required, and every limit, so that forms and the API have
    one rule and one message.
    """

    def __init__(self, member: FormMember, leaf: Leaf, widget: forms.Widget) -> None:
        hint = member.hint
        super().__init__(
            required=False,
            label=hint.label or label_of(member.name),
            help_text=hint.help or ("" if hint.duration else _limits(leaf)),
            widget=widget,
        )
        self.member = member
        self.leaf = leaf
        self.wide = hint.wide or isinstance(widget, forms.Textarea)
        self.suggestions = tuple(hint.suggestions)
        self.place: list[Text] = []

    @property
    def marked_required(self) -> bool:
        """Returns True if the field has to be marked as required."""
        return self.member.required and not isinstance(self.widget, forms.CheckboxInput)

    @property
    def long_label(self) -> str:
        """Returns the label with the rows and groups around it, for the summary of errors."""
        return " › ".join(str(part) for part in [*self.place, self.label or ""])

    def clean(self, value: Any) -> Any:  # Django's signature; the raw value is what widgets give
        return self.read(value)

    def read(self, raw: Any) -> JsonValue | Missing:
        raise NotImplementedError

    def write(self, value: JsonValue) -> object:
        """Returns the value as the widget shows it; the inverse of ``read``."""
        return "" if value is None else value

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.write(initial) != data)


class TextLeaf(LeafField):
    """Text as it was typed, spaces included; line ends are ``\n``."""

    def read(self, raw: Any) -> JsonValue | Missing:
        text = "" if raw is None else str(raw).replace("\r\n", "\n")
        if text == "" and not self.member.hint.keep_empty:
            return MISSING
        return text


class IntegerLeaf(LeafField):
    def read(self, raw: Any) -> JsonValue | Missing:
        text = str(raw or "").strip()
        if not text:
            return MISSING
        if not _INTEGER.fullmatch(text):
            raise ValidationError(_("Enter a whole number."), code="validation")
        number = int(text)
        limit = self.leaf.maximum if number > 0 else self.leaf.minimum
        if abs(number) > _LARGEST and limit is None:
            most = {"n": f"{_LARGEST if number > 0 else -_LARGEST:,}"}
            words = _("Enter at most %(n)s.") if number > 0 else _("Enter at least %(n)s.")
            raise ValidationError(words % most, code="validation")
        return max(-_LARGEST, min(number, _LARGEST))  # beyond a limit: its rule refuses it


class NumberLeaf(LeafField):
    def read(self, raw: Any) -> JsonValue | Missing:
        text = str(raw or "").strip()
        if not text:
            return MISSING
        if _INTEGER.fullmatch(text) and abs(int(text)) <= _LARGEST:
            return int(text)
        if not _NUMBER.fullmatch(text) or abs(float(text)) == float("inf"):
            raise ValidationError(_("Enter a number."), code="validation")
        return float(text)


class DurationLeaf(LeafField):
    """Whole seconds, typed and shown in units, as are the limits of the model."""

    def read(self, raw: Any) -> JsonValue | Missing:
        text = str(raw or "").strip()
        if not text:
            return MISSING
        seconds = parse_duration(text)
        if seconds is None:
            raise ValidationError(
                _("Enter a duration with its unit, for example 5 min or 24 h."), code="validation"
            )
        low, high = self.leaf.minimum, self.leaf.maximum
        if low is not None and seconds < low:
            least = {"duration": duration_text(int(low))}
            raise ValidationError(_("Enter at least %(duration)s.") % least, code="validation")
        if high is not None and seconds > high:
            most = {"duration": duration_text(int(high))}
            raise ValidationError(_("Enter at most %(duration)s.") % most, code="validation")
        return seconds

    def write(self, value: JsonValue) -> object:
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return duration_text(value)
        return super().write(value)


class CheckboxLeaf(LeafField):
    def read(self, raw: Any) -> JsonValue | Missing:
        return bool(raw)

    def write(self, value: JsonValue) -> object:
        return bool(value)


class YesNoLeaf(LeafField):
    """A boolean for which a missing value differs from no."""

    def read(self, raw: Any) -> JsonValue | Missing:
        return {"true": True, "false": False}.get(str(raw), MISSING)

    def write(self, value: JsonValue) -> object:
        return "" if value is None else "true" if value else "false"


class ChoiceLeaf(LeafField):
    def read(self, raw: Any) -> JsonValue | Missing:
        text = "" if raw is None else str(raw)
        return text if text else MISSING


class ChoicesLeaf(LeafField):
    def read(self, raw: Any) -> JsonValue | Missing:
        return [str(item) for item in raw] if raw else MISSING

    def write(self, value: JsonValue) -> object:
        return [str(item) for item in value] if isinstance(value, list) else []


class LinesLeaf(LeafField):
    """A list of texts, one per line; empty lines are ignored."""

    def read(self, raw: Any) -> JsonValue | Missing:
        lines: list[JsonValue] = [line for line in _lines(raw) if line]
        return lines or MISSING

    def write(self, value: JsonValue) -> object:
        return "\n".join(str(item) for item in value) if isinstance(value, list) else ""

    @staticmethod
    def line_of(raw: Any, index: int) -> int:
        """Returns the line, from 1, of item ``index``."""
        filled = [number for number, line in enumerate(_lines(raw), 1) if line]
        return filled[index] if index < len(filled) else len(filled)


class JsonLeaf(LeafField):
    """JSON text, parsed as strictly as by the API; errors name line and column."""

    def read(self, raw: Any) -> JsonValue | Missing:
        text = str(raw or "")
        if not text.strip():
            return MISSING
        try:
            return loads_strict(text.replace("\r\n", "\n").encode("utf-8", "surrogatepass"))
        except ValidationFailed as error:
            raise ValidationError(translate_error(error.detail, {}), code=error.code) from None

    def write(self, value: JsonValue) -> object:
        if value is None or (value in ({}, []) and not self.member.required):
            return ""
        return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def field_for(member: FormMember, leaf: Leaf) -> LeafField:
    """Returns the field for ``member``; constants have none."""
    hint = member.hint
    code = {"class": "font-monospace", "spellcheck": "false", "autocapitalize": "off"}
    match leaf.kind:
        case LeafKind.TEXT:
            return TextLeaf(member, leaf, _text_widget(leaf, hint))
        case LeafKind.INTEGER if hint.duration:
            return DurationLeaf(member, leaf, _text_widget(leaf, hint))
        case LeafKind.INTEGER:
            return IntegerLeaf(member, leaf, _number_widget(leaf))
        case LeafKind.NUMBER:
            return NumberLeaf(member, leaf, _number_widget(leaf))
        case LeafKind.BOOLEAN if member.nullable:
            named: list[tuple[str, Text]] = [("true", _("Yes")), ("false", _("No"))]
            return YesNoLeaf(member, leaf, _select(member, hint.choices or named))
        case LeafKind.BOOLEAN:
            return CheckboxLeaf(member, leaf, forms.CheckboxInput())
        case LeafKind.CHOICE:
            return ChoiceLeaf(member, leaf, _select(member, _named(leaf, hint)))
        case LeafKind.CHOICES:
            boxes = forms.CheckboxSelectMultiple(choices=_named(leaf, hint))
            return ChoicesLeaf(member, leaf, boxes)
        case LeafKind.LINES:
            area = forms.Textarea(attrs={"rows": hint.height or 3} | (code if hint.code else {}))
            return LinesLeaf(member, leaf, area)
        case _:
            return JsonLeaf(member, leaf, forms.Textarea(attrs={"rows": hint.height or 6} | code))


def label_of(name: str) -> str:
    """Returns ``Keep first`` for ``keep_first``, translated if the catalog has it."""
    return gettext(name.replace("_", " ").capitalize())


def _lines(raw: Any) -> list[str]:
    return str(raw or "").replace("\r\n", "\n").split("\n")


def _named(leaf: Leaf, hint: FieldHint) -> list[tuple[str, Text]]:
    names = dict(hint.choices)
    return [(choice, names.get(choice, label_of(choice))) for choice in leaf.choices]


def _select(member: FormMember, choices: list[tuple[str, Text]] | Any) -> forms.Select:
    has_empty = member.nullable or member.required or member.default in (None, "")
    empty = member.hint.empty_label or (_("Select…") if member.required else "—")
    return forms.Select(choices=[("", empty), *choices] if has_empty else list(choices))


def _text_widget(leaf: Leaf, hint: FieldHint) -> forms.Widget:
    attrs: dict[str, Any] = {}
    if hint.placeholder:
        attrs["placeholder"] = hint.placeholder
    if hint.code:
        attrs |= {"class": "font-monospace", "spellcheck": "false", "autocapitalize": "off"}
    # No maxlength: it would cut a long paste without a word. The model says what is too long.
    if hint.tiles:
        return TileSelect(hint, attrs | {"autocomplete": "off"})
    long = leaf.mixed or (leaf.max_length is not None and leaf.max_length > _LONG)
    if hint.height or long:
        return forms.Textarea(attrs=attrs | {"rows": hint.height or 3})
    return forms.TextInput(attrs=attrs | {"autocomplete": "off"})


def _number_widget(leaf: Leaf) -> forms.Widget:
    """Returns a text input: ``type=number`` sends nothing at all for what it does not
    understand.
    """
    negative = leaf.minimum is None or leaf.minimum < 0
    keyboard = "text" if negative else "numeric" if leaf.kind is LeafKind.INTEGER else "decimal"
    return forms.TextInput(attrs={"inputmode": keyboard, "autocomplete": "off", "size": "8"})


def _limits(leaf: Leaf) -> Text:
    """Returns ``From 1 to 100.``; leaves out that a number is not negative."""
    low, high = leaf.minimum, leaf.maximum
    if low is not None and high is not None:
        return format_lazy(_("From {low} to {high}."), low=_number(low), high=_number(high))
    if high is not None:
        return format_lazy(_("At most {high}."), high=_number(high))
    if low is not None and low > 1:
        return format_lazy(_("{low} or more."), low=_number(low))
    return ""


def _number(limit: float) -> str:
    return f"{int(limit):,}" if limit == int(limit) else f"{limit:g}"
