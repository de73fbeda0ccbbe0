"""The tree of a form: fields, groups, lists and variants, for drawing and reading it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from django.forms import BoundField
from pydantic import JsonValue

from ctxadmin.lib.contract import Contract
from ctxadmin.ui.components import Text
from ctxadmin.ui.forms.shape import FormMember


@dataclass(frozen=True, slots=True)
class Shown:
    """A box counts only while the field ``name`` has one of ``values``; ``now`` says if it has."""

    name: str
    values: str
    now: bool


@dataclass(slots=True)
class FieldBox:
    """One field with its label, help and errors.

    ``marker`` is a hidden name that keeps a content which is not text as JSON.
    """

    kind: ClassVar[str] = "field"
    member: FormMember
    bound: BoundField
    wide: bool
    marked_required: bool
    suggestions: Sequence[str] = ()
    marker: str = ""
    shown: Shown | None = None


@dataclass(slots=True)
class GroupBox:
    """A fieldset, or a row of a list; the outermost one has no legend.

    ``place`` are the legends around it. ``constants`` are members without a field, ``left_out``
    those that are not shown, ``is_open`` keeps others; ``contract`` reads what the outer model
    takes as free JSON.
    """

    kind: ClassVar[str] = "group"
    member: FormMember
    name: str
    legend: Text
    place: Sequence[Text] = ()
    boxes: "list[Box]" = field(default_factory=list)
    constants: Mapping[str, JsonValue] = field(default_factory=dict)
    contract: type[Contract] | None = None
    left_out: Sequence[str] = ()
    is_open: bool = False
    errors: list[str] = field(default_factory=list)
    shown: Shown | None = None

    @property
    def help(self) -> Text:
        return self.member.hint.help

    @property
    def plain(self) -> "Sequence[Box]":
        """Returns the boxes that are in sight."""
        return [box for box in self.boxes if not box.member.hint.advanced]

    @property
    def advanced(self) -> "Sequence[Box]":
        """Returns the boxes that are folded away."""
        return [box for box in self.boxes if box.member.hint.advanced]

    @property
    def is_unfolded(self) -> bool:
        """Returns True if something that is folded away is wrong."""
        return any(isinstance(box, FieldBox) and box.bound.errors for box in self.advanced)


@dataclass(slots=True)
class VariantBox:
    """One of several groups; ``choice`` says which."""

    kind: ClassVar[str] = "variant"
    member: FormMember
    name: str
    legend: Text
    tag: str
    choice: FieldBox
    panels: Mapping[str, GroupBox]
    errors: list[str] = field(default_factory=list)
    shown: Shown | None = None

    @property
    def help(self) -> Text:
        return self.member.hint.help


@dataclass(slots=True)
class RowsBox:
    """A list whose rows can be added, removed and moved by submit buttons.

    ``focus`` is the button or new row that gets the focus after such an edit.
    """

    kind: ClassVar[str] = "rows"
    member: FormMember
    name: str
    legend: Text
    place: Sequence[Text]
    add_label: Text
    button: str
    count_name: str
    most: int
    rows: "list[GroupBox | VariantBox]" = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    shown: Shown | None = None
    focus: tuple[str, int] = ("", -1)

    @property
    def help(self) -> Text:
        return self.member.hint.help

    @property
    def is_full(self) -> bool:
        return len(self.rows) >= self.most


Box: TypeAlias = FieldBox | GroupBox | VariantBox | RowsBox


def is_active(box: Box) -> bool:
    """Returns False for what a choice hides: it is neither required nor read."""
    return box.shown is None or box.shown.now


def children(box: Box) -> "Sequence[Box]":
    match box:
        case FieldBox():
            return ()
        case GroupBox():
            return box.boxes
        case VariantBox():
            return (box.choice, *box.panels.values())
        case RowsBox():
            return box.rows


def fields_in(box: Box) -> Iterator[FieldBox]:
    """Yields the fields of a box that count now, in drawing order."""
    if isinstance(box, FieldBox):
        yield box
        return
    for child in children(box):
        if is_active(child):
            yield from fields_in(child)


def hidden_fields(box: Box, *, inside: bool = False) -> Iterator[str]:
    """Yields the names of all fields that do not count now."""
    hidden = inside or not is_active(box)
    if isinstance(box, FieldBox):
        if hidden:
            yield box.bound.name
        return
    for child in children(box):
        yield from hidden_fields(child, inside=hidden)


def labels_of(box: Box) -> Mapping[str, str]:
    """Returns the labels of members in and below ``box``, by name; the outer one of a name wins."""
    return dict(reversed(list(_labels(box))))


def _labels(box: Box) -> Iterator[tuple[str, str]]:
    for child in children(box):
        label = child.bound.label if isinstance(child, FieldBox) else child.legend
        yield child.member.name, str(label)
    for child in children(box):
        yield from _labels(child)
