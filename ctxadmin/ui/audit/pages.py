"""The list of the audit with its filters, an entry, and exports."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Final, cast

from django.contrib import messages as flash
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from ctxadmin.audit.checks import Verified, last_check, verify_within
from ctxadmin.audit.models import AuditCheck, AuditEntry
from ctxadmin.audit.queries import erased_among, find_entries, with_reasons
from ctxadmin.audit.spot_check import find_altered
from ctxadmin.http.audit.exports import TYPES, export
from ctxadmin.http.audit.parameters import NAMES, filter_in, position_in
from ctxadmin.http.endpoints.pagination import PageRequest, encode
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import FieldProblem, ValidationFailed
from ctxadmin.ui.audit.change_words import change_words
from ctxadmin.ui.audit.changed_values import ChangedValue, changed_values
from ctxadmin.ui.audit.lines import AuditFacts, AuditLine, line_of_run, tell_apart
from ctxadmin.ui.audit.object_names import object_names
from ctxadmin.ui.audit.origins import Cause, Origin, cause_of, origins_of
from ctxadmin.ui.audit.runs import FoundRun, find_runs
from ctxadmin.ui.audit.typed_filter import suggested_authors, with_names
from ctxadmin.ui.audit.wording import ACTION_GROUPS, OBJECTS
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.sentences import translated

_LINES: Final = 50
_UNLISTED: Final = frozenset({Action.SESSION_FAIL})  # of no workspace
_LONGEST: Final = 10  # seconds in which a page verifies
_verifying: Final = threading.Lock()
# The fields of the filter, as the form calls them.
_NAMED: Final[Mapping[str, Text]] = {
    "actor": gettext_lazy("Person or token"),
    "object": gettext_lazy("Id or name"),
}
_CHOSEN: Final[Mapping[str, tuple[Text, Text]]] = {
    "action": (
        pgettext_lazy("audit", "Action"),
        gettext_lazy("There is no such action. Choose one from the list."),
    ),
    "object_type": (
        gettext_lazy("Object"),
        gettext_lazy("There is no such type of object. Choose one from the list."),
    ),
}
_DAYS: Final[Mapping[str, Text]] = {
    "since": gettext_lazy("From day (UTC)"),
    "until": gettext_lazy("To day (UTC)"),
}
TITLE: Final = gettext_lazy("Audit")


@dataclass(frozen=True, slots=True)
class AuditPage:
    """The entries that fit ``wanted``, the values of the filter's fields as they were typed.

    ``problem`` says what is wrong with them; then there are no lines. ``check`` is the last
    verification of all chains, ``authors`` are names to suggest, ``altered_count`` counts the
    lines that differ from their hash.
    """

    title: Text
    crumbs: Sequence[Crumb]
    lines: Sequence[AuditLine]
    next: str | None
    wanted: Mapping[str, str]
    filter_count: int
    query: str
    groups: Sequence[tuple[Text, Sequence[tuple[str, Text]]]]
    objects: Sequence[tuple[str, Text]]
    authors: Sequence[str]
    check: AuditCheck | None
    altered_count: int
    problem: Text = ""


@dataclass(frozen=True, slots=True)
class EntryPage:
    """One entry; ``before_url`` and ``after_url`` are the entries beside it in its chain.

    ``values`` are those before and after that it has on record.
    """

    title: Text
    crumbs: Sequence[Crumb]
    line: AuditLine
    entry: AuditEntry
    values: Sequence[ChangedValue]
    check: AuditCheck | None
    before_url: str
    after_url: str


@require_safe
@page
def audit_list(request: HttpRequest, actor: Actor) -> HttpResponse:
    actor.require(Action.AUDIT_READ)
    given = {name: request.GET.get(name, "").strip() for name in NAMES}
    query = request.GET.copy()
    query.pop("cursor", None)
    empty = AuditPage(
        title=TITLE,
        crumbs=(),
        lines=(),
        next=None,
        wanted=given,
        filter_count=sum(map(bool, given.values())),
        query=query.urlencode(),
        groups=[
            (
                group,
                [(each.value, words) for each, words in actions.items() if each not in _UNLISTED],
            )
            for group, actions in ACTION_GROUPS
        ],
        objects=list(OBJECTS.items()),
        authors=suggested_authors(actor.workspace),
        check=last_check(),
        altered_count=0,
    )
    try:
        typed = filter_in(request.GET)
        if typed.since and typed.until and typed.since >= typed.until:
            raise ValidationFailed.at("", _("The first day is after the last day."))
    except ValidationFailed as error:
        shown = replace(empty, problem=_problem(error.problems[0]))
        return show(request, "audit/list.html", shown, status=422)
    wanted = with_names(actor.workspace, typed)
    asked = replace(PageRequest.of(request.GET), limit=_LINES)
    find = partial(find_entries, actor.workspace, wanted)
    find_origins = partial(origins_of, actor.workspace)
    found = find_runs(find, find_origins, position_in(asked), _LINES)
    facts, lines = _lines_of(actor.workspace, found.runs, found.origins)
    following = encode(found.runs[-1][-1].position) if found.more else None
    shown = replace(
        empty, lines=tell_apart(lines), next=following, altered_count=len(facts.altered)
    )
    return show(request, "audit/list.html", shown)


def _problem(found: FieldProblem) -> Text:
    """Returns what is wrong with the filter, with its field as the form calls it."""
    name = found.pointer.removeprefix("?")
    if name in _CHOSEN:
        label, value = _CHOSEN[name]
    elif name in _DAYS:
        label, value = _DAYS[name], _("Enter a day such as 2026-11-24.")
    else:
        label, value = _NAMED.get(name, ""), translated(found.message)
    return _("%(field)s: %(value)s") % {"field": label, "value": value} if label else value


def _lines_of(
    workspace: int, runs: Sequence[FoundRun], origins: Mapping[Cause, Origin]
) -> tuple[AuditFacts, list[AuditLine]]:
    """Returns runs of entries as lines with their names and words, and what these are made of."""
    found = [each for run in runs for each in run]
    entries = [each.entry for each in found]
    erased = erased_among(entries)
    left = [each for each in entries if each.stream not in erased]
    facts = AuditFacts(find_altered(found), erased, object_names(workspace, left))
    wanted = [[each.entry for each in run] for run in runs]
    alone = [[each.entry] for run in runs if len(run) > 1 for each in run]
    kept = [run for run in (*wanted, *alone) if run[0].stream not in erased]
    said = iter(change_words(kept))
    words = [next(said) if run[0].stream not in erased else "" for run in (*wanted, *alone)]
    of_parts = iter(words[len(runs) :])
    lines = [
        line_of_run(run, facts, text, list(islice(of_parts, len(run))) if len(run) > 1 else ())
        for run, text in zip(runs, words, strict=False)
    ]
    return facts, [
        replace(line, origin=origins.get((line.author, line.request_id))) for line in lines
    ]


@require_http_methods(["GET", "HEAD", "POST"])
@page
def audit_verify(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Verifies all chains, of all workspaces, if that takes only seconds.

    Who opens the address of the button, as after signing in, comes to the audit.
    """
    actor.require(Action.AUDIT_READ)
    if request.method != "POST":
        return redirect("audit:list")
    if _verifying.acquire(blocking=False):
        try:
            _say_outcome(request, verify_within(_LONGEST))
        finally:
            _verifying.release()
    else:
        flash.info(request, _("The audit is being verified already."))
    return redirect("audit:list")


def _say_outcome(request: HttpRequest, found: Verified | None) -> None:
    if found is None:
        text = _(
            "Not verified: it takes more than %(n)s seconds. An operator verifies it with"
            " manage.py verify_audit, at best once a day."
        )
        flash.warning(request, text % {"n": _LONGEST})
    elif found.broken:
        text = ngettext(
            "%(broken)s of %(n)s chain is broken.",
            "%(broken)s of %(n)s chains are broken.",
            found.streams,
        )
        flash.error(request, text % {"broken": found.broken, "n": found.streams})
    else:
        flash.success(request, _("Verified: no entry was changed or removed."))
    if found is not None and not found.stored:
        flash.warning(request, _("The outcome is not stored: the database refuses it."))


@require_safe
@page
def audit_entry(request: HttpRequest, actor: Actor, stream: int, seq: int) -> HttpResponse:
    actor.require(Action.AUDIT_READ)
    # Compared by field: unlike a composite key, these take numbers that no database holds.
    rows = AuditEntry.objects.filter(stream=stream, seq__gte=seq - 1, seq__lte=seq + 1)
    by_seq = {row.seq: row for row in rows.filter(workspace=actor.workspace)}
    if seq not in by_seq:
        raise Http404
    (found,) = with_reasons([by_seq[seq]])
    origins = origins_of(actor.workspace, {cause_of(found.entry)})
    _facts, (line,) = _lines_of(actor.workspace, [[found]], origins)
    neighbours = {each: reverse("audit:entry", args=[stream, each]) for each in by_seq}
    shown = EntryPage(
        title=line.words,
        crumbs=(Crumb(TITLE, reverse("audit:list")), Crumb(line.words)),
        line=line,
        entry=found.entry,
        values=() if line.erased else changed_values(found.entry),
        check=last_check(),
        before_url=neighbours.get(seq - 1, ""),
        after_url=neighbours.get(seq + 1, ""),
    )
    return show(request, "audit/entry.html", shown)


@require_safe
@page
def audit_export(request: HttpRequest, actor: Actor) -> HttpResponse:
    kind = request.GET.get("format", "csv")
    if kind not in TYPES:
        raise ValidationFailed.at("?format", _("Unknown format."))
    # A stream lacks only what a page does not look at.
    wanted = with_names(actor.workspace, filter_in(request.GET))
    return cast("HttpResponse", export(actor, wanted, kind))
