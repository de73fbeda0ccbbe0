"""The endpoint of the audit."""

from typing import Final

from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from ctxadmin.audit.queries import find_entries
from ctxadmin.http.audit.entries import AuditEntryAnswer, entry_json
from ctxadmin.http.audit.exports import TYPES, export
from ctxadmin.http.audit.parameters import ACTIONS, LONGEST, OBJECT_TYPES, filter_in, position_in
from ctxadmin.http.described import PAGE, ListOf, Parameter, described
from ctxadmin.http.endpoints.endpoint import Endpoint
from ctxadmin.http.endpoints.pagination import PageRequest, page_of
from ctxadmin.http.endpoints.renderers import JsonRenderer
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say

_TEXT: Final = {"maxLength": LONGEST}
_FILTERS: Final = (
    Parameter(
        "actor", "Only what this person or token did: `anna`, or `token:engine-1`.", limits=_TEXT
    ),
    Parameter("action", "Only this action.", limits={"enum": sorted(ACTIONS)}),
    Parameter("object_type", "Only objects of this kind.", limits={"enum": list(OBJECT_TYPES)}),
    Parameter(
        "object",
        "Only the object with this id; of a conversation also its executions.",
        limits=_TEXT,
    ),
    Parameter(
        "since", "Only from this day or time on: `2026-11-24`, `2026-11-24T13:05Z`.", limits=_TEXT
    ),
    Parameter("until", "Only up to the end of this day, or before this time.", limits=_TEXT),
)
_EXPORT: Final = Parameter(
    "export", "All matching entries as a file, without pages.", limits={"enum": sorted(TYPES)}
)


class CsvRenderer(JsonRenderer):
    """Lets a call with ``Accept: text/csv`` pass; the answer is a stream, which nothing renders."""

    media_type = "text/csv"
    format = "csv"


class JsonLinesRenderer(JsonRenderer):
    """The same for ``Accept: application/x-ndjson``."""

    media_type = "application/x-ndjson"
    format = "jsonl"


class Audit(Endpoint):
    renderer_classes = [JsonRenderer, CsvRenderer, JsonLinesRenderer]

    @described(
        "List the audit",
        answer=ListOf[AuditEntryAnswer],
        query=(*_FILTERS, _EXPORT, *PAGE),
        needs=Action.AUDIT_READ,
        file_types=("text/csv", "application/x-ndjson"),
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Lists who did what, latest first; an admin may.

        With `export`, or an `Accept` of its type, the answer is a file that is sent as it is read:
        `csv`, in which text that a spreadsheet would run has an apostrophe before it, or `jsonl`,
        one entry a line. The export is itself recorded.
        """
        actor = self.actor
        actor.require(Action.AUDIT_READ)
        wanted = filter_in(request.query_params)
        accepted = str(request.accepted_renderer.format)
        kind = request.query_params.get("export", accepted if accepted in TYPES else None)
        if kind is not None:
            if kind not in TYPES:
                raise ValidationFailed.at("?export", say("export must be csv or jsonl."))
            return export(actor, wanted, kind)
        asked = PageRequest.of(request.query_params)
        found = find_entries(actor.workspace, wanted, position_in(asked), asked.limit + 1)
        page = page_of(found, asked, lambda each: each.position)
        return Response(page.as_json([entry_json(each) for each in page.items]))
