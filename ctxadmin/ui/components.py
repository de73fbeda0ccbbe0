"""The values that pages pass to components; ``templates/README.md`` shows each in use."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from django.conf import settings
from django.utils.translation import get_language, gettext, override, pgettext
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

# A text that is translated when it is shown.
Text: TypeAlias = "str | _StrPromise"
# In front of the address of an undo that does again what was undone.
REDO: Final = "redo "
Tone = Literal["blue", "green", "red", "orange", "purple", "teal", "secondary"]


@dataclass(frozen=True, slots=True)
class Crumb:
    """One breadcrumb; the last one has no url."""

    label: Text
    url: str = ""


@dataclass(frozen=True, slots=True)
class Tab:
    """A link of a row of tabs; ``count`` is shown after the label."""

    label: Text
    url: str
    current: bool = False
    count: int | None = None


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One difference: ``label`` is its place, ``before`` and ``after`` are texts.

    A changed row marks the words that differ, unless its texts are compared as a ``whole``;
    ``note`` explains, e.g. a reducer or an operation. Of many rows that follow each other with one
    ``group``, such as the key of a state, the first are shown, and the others on demand.
    With ``field``, the label is the name of something and that its field, in words; ``url`` leads
    to it, and ``anchor`` is the id of the row.
    """

    kind: Literal["added", "removed", "changed", "moved", "same"]
    label: Text
    before: str = ""
    after: str = ""
    note: Text = ""
    whole: bool = False
    group: str = ""
    field: Text = ""
    url: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class StatusBadge:
    """How a status is shown."""

    label: Text
    tone: Tone
    icon: str


STATUSES: Final[Mapping[str, StatusBadge]] = {
    "IDLE": StatusBadge(_("Idle"), "secondary", "circle-dashed"),
    "PENDING": StatusBadge(_("Pending"), "secondary", "clock"),
    "RUNNING": StatusBadge(_("Running"), "blue", "player-play"),
    "PAUSED": StatusBadge(_("Paused"), "orange", "player-pause"),
    "COMPLETED": StatusBadge(_("Completed"), "green", "circle-check"),
    "FAILED": StatusBadge(_("Failed"), "red", "alert-circle"),
    "CANCELLED": StatusBadge(_("Cancelled"), "secondary", "ban"),
}


def join_list(words: Iterable[object]) -> str:
    """Returns translated words as a list in the reader's language: ``a, b``."""
    return pgettext("between the items of a list", ", ").join(str(word) for word in words)


def inside_quotes(words: object) -> str:
    """Returns words for between quotation marks: those that they have become single ones."""
    return str(words).translate({ord("“"): "‘", ord("”"): "’"})


def sentence_gap() -> str:
    """Returns what stands between two sentences: a space, in Chinese nothing."""
    return "" if (get_language() or "").startswith("zh") else " "


def join_sentences(sentences: Iterable[object]) -> str:
    """Returns translated sentences one after the other."""
    return sentence_gap().join(str(sentence) for sentence in sentences)


def join_line(phrases: Iterable[object]) -> str:
    """Returns translated phrases, with lists in them, in one line: ``a, b; c``."""
    return pgettext("between phrases", "; ").join(str(phrase) for phrase in phrases)


def label_of_status(status: str) -> Text:
    """Returns the label of an execution's status; an unknown one by its own name."""
    known = STATUSES.get(status)
    return known.label if known is not None else status


def author_label(label: str) -> str:
    """Returns a recorded author in words: ``anna``, ``engine-1 (token)``."""
    kind, separator, name = label.partition(":")
    if kind == "person" and separator:
        return name
    words = _author_words()
    return words[kind] % {"name": name} if separator and kind in words else label


def author_of_label(label: str) -> str:
    """Returns the token or system that ``author_label`` calls so in any language, else ""."""
    for language, _name in settings.LANGUAGES:
        with override(language):
            words = _author_words()
        for kind, text in words.items():
            before, _placeholder, after = text.partition("%(name)s")
            name = label.removeprefix(before).removesuffix(after)
            if name and label == f"{before}{name}{after}":
                return f"{kind}:{name}"
    return ""


def _author_words() -> Mapping[str, str]:
    return {"token": gettext("%(name)s (token)"), "system": gettext("%(name)s (system)")}
