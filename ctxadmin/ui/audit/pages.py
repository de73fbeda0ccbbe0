"""The list of the audit with its filters, an entry, and exports."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from django.contrib import messages as flash
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from ctxadmin.audit.checks import Verified, last_check, verify_within
from ctxadmin.audit.models import AuditCheck, AuditEntry
from ctxadmin.audit.queries import erased_among, find_entries, with_reasons
from ctxadmin.audit.spot_check import find_altered
from ctxadmin.http.audit.exports import TYPES, export
from ctxadmin.http.audit.parameters import NAMES, filter_in, position_in
from ctxadmin.http.endpoints.pagination import PageRequest, page_of
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.ui.audit.change_words import change_words
from ctxadmin.ui.audit.lines import AuditLine, audit_line
from ctxadmin.ui.audit.wording import ACTION_GROUPS, OBJECTS
from ctxadmin.ui.components import Crumb, Text
from ctxadmin.ui.pages import page, show
from ctxadmin.ui.sentences import translated

_LINES: Final = 50
_LONGEST: Final = 10  # seconds in which a page verifies
_verifying: Final = threading.Lock()
TITLE: Final = gettext_lazy("Audit")


@dataclass(frozen=True, slots=True)
class AuditPage:
    """The entries that fit ``wanted``, the values of the filter's fields as they were typed.

    ``problem`` says what is wrong with them; then there are no lines. ``check`` is the last
    verification of all chains, ``altered_count`` counts the lines that differ from their hash.
    """

    title: Text
    crumbs: Sequence[Crumb]
    lines: Sequence[AuditLine]
    next: str | None
    wanted: Mapping[str, str]
    filtered: bool
    query: str
    groups: Sequence[tuple[Text, Sequence[tuple[str, Text]]]]
    objects: Sequence[tuple[str, Text]]
    check: AuditCheck | None
    altered_count: int
    problem: Text = ""


@dataclass(frozen=True, slots=True)
class EntryPage:
    """One entry; ``before_url`` and ``after_url`` are the entries beside it in its chain."""

    title: Text
    crumbs: Sequence[Crumb]
    line: AuditLine
    entry: AuditEntry
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
        filtered=any(given.values()),
        query=query.urlencode(),
        groups=[
            (group, [(action.value, words) for action, words in actions.items()])
            for group, actions in ACTION_GROUPS
        ],
        objects=list(OBJECTS.items()),
        check=last_check(),
        altered_count=0,
    )
    try:
        wanted = filter_in(request.GET)
    except ValidationFailed as error:
        shown = replace(empty, problem=translated(error.problems[0].message))
        return show(request, "audit/list.html", shown, status=422)
    asked = replace(PageRequest.of(request.GET), limit=_LINES)
    found = find_entries(actor.workspace, wanted, position_in(asked), _LINES + 1)
    part = page_of(found, asked, lambda each: each.position)
    wrong = find_altered(part.items)
    erased = erased_among(each.entry for each in part.items)
    said = change_words(each.entry for each in part.items if each.entry.stream not in erased)
    lines = [audit_line(each, wrong, erased, said) for each in part.items]
    shown = replace(empty, lines=lines, next=part.next, altered_count=len(wrong))
    return show(request, "audit/list.html", shown)


@require_POST
@page
def audit_verify(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Verifies all chains, of all workspaces, if that takes only seconds."""
    actor.require(Action.AUDIT_READ)
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
        text = ngettext("%(n)s chain is intact.", "All %(n)s chains are intact.", found.streams)
        flash.success(request, text % {"n": found.streams})
    if found is not None and not found.stored:
        flash.warning(request, _("The outcome is not stored: the database refuses it."))


@require_safe
@page
def audit_entry(request: HttpRequest, actor: Actor, stream: int, seq: int) -> HttpResponse:
    actor.require(Action.AUDIT_READ)
    near = [(stream, number) for number in (seq - 1, seq, seq + 1)]
    rows = AuditEntry.objects.filter(pk__in=near, workspace=actor.workspace)
    by_seq = {row.seq: row for row in rows}
    if seq not in by_seq:
        raise Http404
    (found,) = with_reasons([by_seq[seq]])
    erased = erased_among([found.entry])
    said = {} if erased else change_words([found.entry])
    line = audit_line(found, find_altered([found]), erased, said)
    neighbours = {each: reverse("audit:entry", args=[stream, each]) for each in by_seq}
    shown = EntryPage(
        title=line.words,
        crumbs=(Crumb(TITLE, reverse("audit:list")), Crumb(line.words)),
        line=line,
        entry=found.entry,
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
    return cast("HttpResponse", export(actor, filter_in(request.GET), kind))
