"""The page that tries the draft on recorded executions, one after the other."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from checkpoints.contexts.what_if import (
    MAX_EXECUTIONS,
    ReplayedExecution,
    ReplayedInput,
    count_executions,
    last_executions,
    what_if,
)
from conversations.reading.display_names import read_display_names
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import InvalidState, ValidationFailed
from ctxadmin.lib.whole_number import whole_number
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.sentences import translated
from workflows.domain.running.plan import Plan
from workflows.domain.running.what_if import ChangeKind, InputChange
from workflows.models import Workflow
from workflows.pages.definition.links import crumbs
from workflows.pages.drawing.summaries import SECTION_WORDS
from workflows.pages.preview.preview_result import step_label
from workflows.reading.node_names import names_in
from workflows.store.definitions import definition
from workflows.store.workflow import find_workflow

_SALT: Final = "checkpoints.what_if"
_STEP: Final = "checkpoints/_what_if_step.html"
_USUAL: Final = 20
_MOST_LINES: Final = 12
KIND_WORDS: Final[Mapping[ChangeKind, Text]] = {
    "lost": gettext_lazy("lost"),
    "gained": gettext_lazy("gained"),
    "changed": gettext_lazy("changed"),
}


@dataclass(frozen=True, slots=True)
class Run:
    """The progress of a run: ``left`` of ``whole`` executions remain.

    ``tried`` identifies what is tried: the version of the draft, or the digest of an unsaved
    document. ``before`` is the start time and id of the last execution tried. ``inputs`` and
    ``changed`` count by node.
    """

    tried: str
    whole: int
    left: int
    before: tuple[datetime, str] | None = None
    inputs: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)

    @property
    def done(self) -> int:
        return self.whole - self.left

    def token(self) -> str:
        """Returns what the next request needs, signed."""
        at, name = self.before or (None, "")
        content = {
            "tried": self.tried,
            "whole": self.whole,
            "left": self.left,
            "at": at.isoformat() if at else "",
            "name": name,
            "inputs": self.inputs,
            "changed": self.changed,
        }
        return signing.dumps(content, salt=_SALT, compress=True)

    @classmethod
    def read(cls, token: str) -> "Run":
        try:
            content = signing.loads(token, salt=_SALT)
        except signing.BadSignature:
            raise ValidationFailed(_("The form is out of date. Start again.")) from None
        before = (datetime.fromisoformat(content["at"]), content["name"]) if content["at"] else None
        return cls(
            content["tried"],
            content["whole"],
            content["left"],
            before,
            Counter(content["inputs"]),
            Counter(content["changed"]),
        )

    def sums(self) -> list["NodeSum"]:
        """Returns the sums of each node, those that change most first."""
        sums = [NodeSum(name, count, self.changed[name]) for name, count in self.inputs.items()]
        return sorted(sums, key=lambda each: -each.changed)

    def after(self, tried: Sequence[ReplayedExecution], left: int) -> "Run":
        """Returns the run after some executions, with ``left`` remaining."""
        inputs, changed, before = self.inputs.copy(), self.changed.copy(), self.before
        for each in tried:
            inputs += each.inputs
            changed.update(one.node_id for one in each.changed)
            row = each.recorded.row
            before = (row.created_at, row.public_id)
        whole = self.done + len(tried) + left
        return Run(self.tried, whole, left, before, inputs, changed)


@dataclass(frozen=True, slots=True)
class NodeSum:
    """The number of contexts of a node that would change."""

    node: str
    inputs: int
    changed: int


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """One difference in words."""

    kind: ChangeKind
    word: Text
    what: str
    why: str


@dataclass(frozen=True, slots=True)
class InputLines:
    """A context that would change; ``more`` of its differences are not shown.

    ``node`` is what its node is called in the draft.
    """

    tried: ReplayedInput
    node: str
    problem: str
    lines: Sequence[ChangeLine]
    more: int


@dataclass(frozen=True, slots=True)
class ExecutionResult:
    """One execution with the contexts that would change."""

    tried: ReplayedExecution
    url: str
    inputs: Sequence[InputLines]
    total: int


@dataclass(frozen=True, slots=True)
class WhatIfPage:
    """The form, and the results so far; ``run`` is None before it begins."""

    title: Text
    crumbs: Sequence[Crumb]
    row: Workflow
    last: int
    most: int
    problem: str
    run: Run | None
    token: str
    sums: Sequence[NodeSum]
    results: Sequence[ExecutionResult]


@require_http_methods(["GET", "HEAD", "POST"])
@page
def what_if_page(request: HttpRequest, actor: Actor, slug: str) -> HttpResponse:
    """Asks how many executions to try.

    Each further request tries some and returns how to continue.

    A browser with scripts sends one request after the other and shows the progress; without
    scripts, each page tries as many as a few seconds allow, and has a button to continue.
    """
    actor.require(Action.PREVIEW)
    row = find_workflow(actor.workspace, slug)
    by_script = bool(request.headers.get("HX-Request"))
    if request.method != "POST":
        return _show_page(request, row, _USUAL, None, ())
    if "run" not in request.POST:
        last = _number(request.POST.get("last", ""))
        if last is None:
            text = _("Enter a number from 1 to %(most)s.") % {"most": MAX_EXECUTIONS}
            return _show_page(request, row, _USUAL, None, (), problem=text)
        there = count_executions(actor, slug, last)
        run = Run(str(row.draft_version), there, there)
        if by_script:
            return _show_page(request, row, last, run, ())
    else:
        run = Run.read(request.POST["run"])
    if run.tried != str(row.draft_version):
        problem = _("The draft has changed since. Start again to replay it as it is now.")
        if not by_script:
            raise InvalidState(problem)
        return _show_page(request, row, run.whole, run, (), _STEP, problem=problem)
    plan = definition(bytes(row.draft)).plan
    run, results = continue_run(actor, slug, plan, run, 1 if by_script else run.left)
    if by_script:
        return _show_page(request, row, run.whole, run, results, _STEP)
    return _show_page(request, row, run.whole, run, results)


def continue_run(
    actor: Actor, slug: str, plan: Plan, run: Run, count: int
) -> tuple[Run, Sequence[ExecutionResult]]:
    """Tries the next executions, at most ``count`` and within the time limit."""
    recorded = last_executions(actor, slug, count, before=run.before) if count else []
    found = what_if(actor, plan, recorded)
    known = run.left if len(recorded) == count else len(recorded)  # there may be fewer than asked
    return run.after(found.tried, known - len(found.tried)), [*map(_result, found.tried)]


def _number(text: str) -> int | None:
    number = whole_number(text)
    return number if number is not None and 1 <= number <= MAX_EXECUTIONS else None


def _result(tried: ReplayedExecution) -> ExecutionResult:
    return ExecutionResult(
        tried=tried,
        url=reverse("checkpoints:detail", args=[tried.recorded.head.public_id]),
        inputs=[_input_lines(each) for each in tried.changed],
        total=tried.inputs.total(),
    )


def _input_lines(tried: ReplayedInput) -> InputLines:
    shown = tried.changes[:_MOST_LINES]
    more = len(tried.changes) - len(shown) + tried.more
    problem = translated(tried.problem)
    return InputLines(tried, tried.node_id, problem, [_line(change) for change in shown], more)


def _line(change: InputChange) -> ChangeLine:
    section = str(SECTION_WORDS.get(change.section, _("template")))
    what = section
    if change.name is not None:
        what = f"{section}: {change.name}"
    elif change.index is not None:
        what = f"{section}: #{change.index}"
    where = "" if change.step is None else step_label(change.step)
    why = " · ".join(part for part in (change.reason, where) if part)
    return ChangeLine(change.kind, KIND_WORDS[change.kind], what, why)


def _show_page(
    request: HttpRequest,
    row: Workflow,
    last: int,
    run: Run | None,
    results: Sequence[ExecutionResult],
    template: str = "checkpoints/what_if.html",
    *,
    problem: str = "",
) -> HttpResponse:
    names = names_in(bytes(row.draft))
    sums = [] if run is None else run.sums()
    read_display_names([each.tried.recorded.head for each in results])
    shown = WhatIfPage(
        title=_("Replay"),
        crumbs=crumbs(row, Crumb(_("Replay"))),
        row=row,
        last=last,
        most=MAX_EXECUTIONS,
        problem=problem,
        run=run,
        token=run.token() if run is not None else "",
        sums=[replace(each, node=names.get(each.node, each.node)) for each in sums],
        results=[_with_names(each, names) for each in results],
    )
    return show(request, template, shown, status=422 if problem else 200)


def _with_names(result: ExecutionResult, names: Mapping[str, str]) -> ExecutionResult:
    """Returns a result with what the draft calls its nodes."""
    inputs = [replace(each, node=names.get(each.node, each.node)) for each in result.inputs]
    return replace(result, inputs=inputs)
