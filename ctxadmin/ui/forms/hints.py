"""What a page adds to the form of a model: labels, help, choices, panels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ctxadmin.lib.contract import Contract
from ctxadmin.ui.components import Text, Tone


@dataclass(frozen=True, slots=True)
class ShownWhen:
    """A member counts only while its sibling ``member`` has one of ``values``."""

    member: str
    values: frozenset[str]

    @classmethod
    def is_(cls, member: str, *values: str) -> "ShownWhen":
        return cls(member, frozenset(values))


@dataclass(frozen=True, slots=True)
class Tile:
    """A choice drawn with an icon of the sprite in a color of the page's tokens."""

    value: str
    label: Text
    icon: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class FieldHint:
    """How one member is shown; everything may be left out.

    ``choices`` makes a text a select, and names the values of a Literal; ``suggestions`` are
    only offered. ``tiles`` are choices with icons, beside which any other text can be typed,
    labeled ``other_label``; once one is chosen the others are behind a button, ``change_label``.
    ``advanced`` folds the member away at the end. ``contract`` reads free
    JSON (or each item of a list of it) as that model.
    ``as_text`` shows a content that may be a text or a list as a text. ``height`` makes a text
    a text area of so many lines; ``code`` sets it in a monospaced font. ``keep_empty`` makes
    an empty text a value instead of a missing one. ``wide`` takes the whole width of a row.
    ``duration`` shows a number of seconds in units: ``5 min``. ``when_off`` is shown in red as long
    as a checkbox is off. ``initial`` is the text in a row that was just added.
    """

    label: Text = ""
    help: Text = ""
    placeholder: Text = ""
    choices: Sequence[tuple[str, Text]] = ()
    suggestions: Sequence[str] = ()
    tiles: Sequence[Tile] = ()
    other_label: Text = ""
    change_label: Text = ""
    advanced: bool = False
    empty_label: Text = ""
    contract: type[Contract] | None = None
    as_text: bool = False
    height: int = 0
    code: bool = False
    keep_empty: bool = False
    wide: bool = False
    duration: bool = False
    shown_when: ShownWhen | None = None
    when_off: Text = ""
    add_label: Text = ""
    row_label: Text = ""
    initial: str = ""


# By dotted path without list indices: ``rules.pattern``; in a variant ``step.retry.times``.
Hints = Mapping[str, FieldHint]
