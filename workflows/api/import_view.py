"""The endpoint that imports a workflow from YAML."""

from dataclasses import dataclass
from typing import ClassVar, Final

from django.conf import settings
from pydantic import TypeAdapter
from rest_framework.request import Request
from rest_framework.response import Response

from ctxadmin.http.described import FROM_ZERO, IF_MATCH, Parameter, described
from ctxadmin.http.endpoints.endpoint import Endpoint
from ctxadmin.http.endpoints.json_body import StrictJsonParser
from ctxadmin.identity.roles import Action
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import ContextError, FieldProblem, ValidationFailed
from ctxadmin.lib.ids import FREE_SCHEMA
from workflows.api.answers import ImportedAnswer
from workflows.api.schemas import ImportWorkflow, Slug
from workflows.api.yaml_text import (
    ApplicationYamlParser,
    FormerYamlParser,
    PlainTextParser,
    TextYamlParser,
    YamlText,
)
from workflows.domain.document.graph import Document
from workflows.services import imports, use_cases

_SLUG: Final[TypeAdapter[str]] = TypeAdapter(Slug)


class ImportYaml(Endpoint):
    max_body_bytes: ClassVar[int] = settings.MAX_IMPORT_BYTES
    parser_classes = [
        StrictJsonParser,
        ApplicationYamlParser,
        TextYamlParser,
        FormerYamlParser,
        PlainTextParser,
    ]

    @described(
        "Import YAML",
        body=ImportWorkflow,
        answer=ImportedAnswer,
        status=201,
        also=(200,),
        query=(
            Parameter(
                "slug",
                "With a YAML body: the slug; by default derived from its name.",
                limits={"pattern": FREE_SCHEMA["pattern"]},
            ),
            Parameter(
                "expected_version",
                "With a YAML body: like the field of this name.",
                int,
                limits=FROM_ZERO,
            ),
        ),
        headers=(IF_MATCH,),
        errors=("duplicate", "version_conflict", "not_found"),
        needs=Action.WORKFLOW_CHANGE,
        answer_headers=("Location",),
    )
    def post(self, request: Request) -> Response:
        """Creates a workflow with this draft. A draft with problems is saved as well.

        JSON is read as YAML. Every error and problem names its line and column.

        An existing slug is `duplicate`, unless `expected_version` is the version of its draft: then
        the draft is replaced, and the answer is 200.
        """
        wanted = self._import_request(request)
        document = _document(wanted, "" if isinstance(request.data, YamlText) else "/yaml")
        expected = self.expected_version(wanted.expected_version)
        if wanted.slug is None and expected is not None:
            text = "What is expected is a draft that is there: name the slug of its workflow."
            raise ValidationFailed.at("/slug", text)
        saved = use_cases.import_document(self.actor, document, wanted.slug, expected)
        location = f"/api/v1/workflows/{saved.workflow.slug}"
        places = imports.places_of(wanted.text, saved.problems)
        answer = ImportedAnswer.of_saved(saved, places)
        return answer.response(201 if saved.created else 200, {"Location": location})

    def _import_request(self, request: Request) -> "_Wanted":
        if isinstance(request.data, YamlText):
            slug = request.query_params.get("slug")
            if slug is not None:
                slug = parse(_SLUG, slug, "?slug")
            return _Wanted(request.data.data, slug, self.query_int("expected_version"))
        body = self.body(ImportWorkflow)
        return _Wanted(body.yaml, body.slug, body.expected_version)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A YAML text and its target workflow."""

    text: str | bytes
    slug: str | None
    expected_version: int | None


def _document(wanted: _Wanted, pointer: str) -> Document:
    """Returns the document of the text, which is at ``pointer`` of the body."""
    try:
        return imports.read_yaml(wanted.text, default_name=wanted.slug or "")
    except ContextError as error:
        error.problems = tuple(
            FieldProblem(pointer + each.pointer, each.message, each.code, each.extra)
            for each in error.problems
        )
        raise
