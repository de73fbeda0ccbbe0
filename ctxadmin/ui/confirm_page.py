"""The page that asks before a change: its question, the write, and a refusal in place."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from django.contrib import messages as flash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _

from ctxadmin.http.problems import status_of
from ctxadmin.lib.errors import ContextError, InvalidState, ValidationFailed, VersionConflict
from ctxadmin.ui.components import REDO, Crumb, Text
from ctxadmin.ui.sentences import translated

_LONG: Final = 100  # characters, from which on a text is written in several lines


@dataclass(frozen=True, slots=True)
class TextEntry:
    """A text that goes with the answer, ``limit`` characters at most: a reason, a label.

    ``wrong`` says what to enter instead of a text that is refused: one that is too long, or at
    whose ``pointer``, which is its name by itself, the write finds a problem.
    """

    name: str
    label: Text
    limit: int
    wrong: Text
    help: Text = ""
    value: str = ""
    rows: int = 2
    problem: Text = ""
    pointer: str = ""
    one_line: bool = False

    @property
    def is_long(self) -> bool:
        """Returns True if it is written in several lines; in one line Enter answers."""
        return "\n" in self.value or (self.limit > _LONG and not self.one_line)


REASON: Final = TextEntry(
    name="reason",
    label=_("Reason"),
    limit=2_000,
    wrong=_("Enter a reason of at most 2000 characters."),
    help=_("Stored with the change and shown in the history."),
    one_line=True,
)


@dataclass(frozen=True, slots=True)
class OtherButton:
    """A second way to answer: its name is sent with the value 1."""

    name: str
    label: Text
    icon: str


@dataclass(frozen=True, slots=True)
class Confirm:
    """A question before a change: a page of its own, and a dialog where there is JavaScript.

    What is posted has the fields ``hidden`` and those of ``entry`` and ``details``, which the
    template shows. Without ``submit`` there is nothing to do. ``stay`` names the button that does
    nothing, which is Cancel by itself. ``action`` is the path of the page unless it is given.
    ``once``: its view answers by a redirect, and knows the form again if it is sent twice
    (``form_idempotency``). ``refusal`` says why
    nothing was done, by itself in the words of the error; it is empty if the details tell it.
    """

    title: Text
    text: Text
    submit: Text
    back: str
    crumbs: Sequence[Crumb]
    action: str = ""
    stay: Text = ""
    danger: bool = False
    once: bool = False
    hidden: Mapping[str, str] = field(default_factory=dict)
    other: OtherButton | None = None
    entry: TextEntry | None = None
    refusal: "Text | None" = None
    template: str = "confirm.html"
    details: object = None


@dataclass(frozen=True, slots=True)
class Redirection:
    """Where an answer leads when it is done, with what is said there.

    ``undo`` is an address that undoes it by POST; if it is an undo itself, that ``redoes``.
    """

    to: str
    text: Text = ""
    undo: str = ""
    redoes: bool = False


Question = Confirm | Callable[[ContextError | None], Confirm]
"""The question, or what makes it when it is asked: with the error if an answer was refused."""

Write = Callable[[str], Redirection | HttpResponse]
"""Does what was asked for with the text of the entry, without white space around it."""

Refused = Callable[[ContextError], HttpResponse]


def confirm_page(
    request: HttpRequest,
    question: Question,
    write: Write,
    *,
    entry: TextEntry | None = None,
    refused: Refused | None = None,
) -> HttpResponse:
    """Ask; what is posted is written and leads on.

    A text that is too long, and what ``write`` refuses by ValidationFailed, InvalidState or
    VersionConflict, is shown in place, with the input. With ``refused`` that answers the last two
    instead, also those of the question. Other errors are raised to the caller.
    """
    try:
        if request.method != "POST":
            return _asked(request, question, entry)
        return _answered(request, question, write, entry)
    except (InvalidState, VersionConflict) as error:
        if refused is not None:
            return refused(error)
        if request.method != "POST":
            raise
        return _asked(request, question, _typed(request, entry), error)


def ask(request: HttpRequest, confirm: Confirm) -> HttpResponse:
    """Asks; the answer goes to the ``action`` of the question, which another view may be."""
    return _asked(request, confirm, None)


def _answered(
    request: HttpRequest, question: Question, write: Write, entry: TextEntry | None
) -> HttpResponse:
    typed = _typed(request, entry)
    try:
        if typed is not None and len(typed.value) > typed.limit:
            raise ValidationFailed.at(f"/{typed.name}", str(typed.wrong))
        done = write(typed.value if typed is not None else "")
    except ValidationFailed as error:
        return _asked(request, question, typed, error)
    if isinstance(done, HttpResponse):
        return done
    if done.text:
        undo = REDO + done.undo if done.redoes else done.undo
        flash.success(request, done.text, extra_tags=undo)
    return redirect(done.to)


def _typed(request: HttpRequest, entry: TextEntry | None) -> TextEntry | None:
    """The entry with the text that was sent."""
    if entry is None:
        return None
    text = request.POST.get(entry.name, "").replace("\r\n", "\n").strip()
    return replace(entry, value=text)


def _asked(
    request: HttpRequest,
    question: Question,
    entry: TextEntry | None,
    error: ContextError | None = None,
) -> HttpResponse:
    confirm = question if isinstance(question, Confirm) else question(error)
    refusal = confirm.refusal
    if error is not None and entry is not None and _is_about(error, entry):
        entry = replace(entry, problem=entry.wrong)
    elif error is not None and refusal is None:
        refusal = translated(error.detail)
    confirm = replace(confirm, entry=entry, refusal=refusal, action=confirm.action or request.path)
    context = {
        "title": confirm.title,
        "crumbs": confirm.crumbs,
        "confirm": confirm,
        "page": confirm.details,
    }
    status = 200 if error is None else status_of(error)
    return render(request, confirm.template, context, status=status)


def _is_about(error: ContextError, entry: TextEntry) -> bool:
    pointer = entry.pointer or f"/{entry.name}"
    return any(problem.pointer == pointer for problem in error.problems)
