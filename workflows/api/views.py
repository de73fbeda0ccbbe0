"""The endpoints of workflows, drafts and versions."""

from django.utils.http import content_disposition_header
from rest_framework.request import Request
from rest_framework.response import Response

from ctxadmin.http.described import IF_MATCH, PAGE, ListOf, Parameter, described
from ctxadmin.http.endpoints import etags
from ctxadmin.http.endpoints.endpoint import Endpoint
from ctxadmin.http.endpoints.pagination import PageRequest, page_of, position_after
from ctxadmin.http.endpoints.renderers import JsonRenderer
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say
from workflows.api.answers import (
    DocumentJson,
    DraftAnswer,
    ElementChangeAnswer,
    PublishedAnswer,
    PublishedNowAnswer,
    SavedDraftAnswer,
    VersionAnswer,
    WorkflowAnswer,
)
from workflows.api.schemas import ChangeDraft, ChangeWorkflow, CreateWorkflow, Publish, PutDraft
from workflows.api.yaml_text import ApplicationYamlRenderer, TextYamlRenderer
from workflows.domain.document import yaml_io
from workflows.models import Workflow
from workflows.reading import exports, queries
from workflows.services import use_cases
from workflows.services.use_cases import SavedDraft
from workflows.store.definitions import problems_of
from workflows.store.workflow import find_version, find_workflow

_VERSION = {"pattern": "^(?:draft|[0-9]{1,9})$"}
_WHICH = "`draft` or the number of a version."


class Workflows(Endpoint):
    @described("List workflows", answer=ListOf[WorkflowAnswer], query=PAGE)
    def get(self, request: Request) -> Response:
        """Lists workflows, ordered by slug."""
        page = queries.list_workflows(self.actor, PageRequest.of(request.query_params))
        return Response(page.as_json([WorkflowAnswer.of(row).model_dump() for row in page.items]))

    @described(
        "Create a workflow",
        body=CreateWorkflow,
        answer=WorkflowAnswer,
        status=201,
        errors=("duplicate",),
        needs=Action.WORKFLOW_CHANGE,
        answer_headers=("ETag", "Location"),
    )
    def post(self, request: Request) -> Response:
        """Creates a workflow with an empty draft of version 0, or the draft of a template,
        version 1.
        """
        body = self.body(CreateWorkflow)
        new = use_cases.NewWorkflow(body.slug, body.name, body.description, body.start_with)
        return created(use_cases.create(self.actor, new))


class OneWorkflow(Endpoint):
    @described("Get a workflow", answer=WorkflowAnswer, answer_headers=("ETag",))
    def get(self, request: Request, slug: str) -> Response:
        return workflow_response(find_workflow(self.actor.workspace, slug))

    @described(
        "Change a workflow",
        body=ChangeWorkflow,
        answer=WorkflowAnswer,
        headers=(IF_MATCH,),
        errors=("version_conflict",),
        needs=Action.WORKFLOW_CHANGE,
        answer_headers=("ETag",),
    )
    def patch(self, request: Request, slug: str) -> Response:
        """Changes its name and description in lists; a version has its own in the document."""
        body = self.body(ChangeWorkflow)
        row = use_cases.change(
            self.actor,
            slug,
            name=body.name,
            description=body.description,
            expected=self._expected(),
        )
        return workflow_response(row)

    @described(
        "Delete a workflow",
        headers=(IF_MATCH,),
        errors=("version_conflict",),
        needs=Action.WORKFLOW_CHANGE,
    )
    def delete(self, request: Request, slug: str) -> Response:
        """Deletes a workflow. Its slug can be used again, and no execution can start with it.

        Executions that are pinned to one of its versions continue and stay readable.
        """
        use_cases.delete(self.actor, slug, expected=self._expected())
        return Response(status=204)

    def _expected(self) -> int | None:
        """Returns the number of changes that If-Match names."""
        given = self.request.headers.get("If-Match")
        numbers = etags.parts(given, 1) if given is not None else None
        return None if numbers is None else numbers[0]


class _DraftWriter(Endpoint):
    """An endpoint whose request names the version of the draft that it read."""

    def seen_draft(self, given: int | None) -> int:
        expected = self.expected_version(given)
        if expected is None:
            message = "this field is required, or the header If-Match with the ETag of the draft"
            raise ValidationFailed.at("/expected_version", message)
        return expected


class Draft(_DraftWriter):
    @described("Get the draft", answer=DraftAnswer, answer_headers=("ETag",))
    def get(self, request: Request, slug: str) -> Response:
        """Returns the draft with its problems; the ETag is the version of the draft."""
        row = find_workflow(self.actor.workspace, slug)
        answer = DraftAnswer.of(SavedDraft(row, problems_of(bytes(row.draft))))
        return answer.response(headers=_draft_etag(row))

    @described(
        "Put the draft",
        body=PutDraft,
        answer=SavedDraftAnswer,
        headers=(IF_MATCH,),
        errors=("version_conflict", "too_large"),
        needs=Action.WORKFLOW_CHANGE,
        answer_headers=("ETag",),
    )
    def put(self, request: Request, slug: str) -> Response:
        """Replaces the draft.

        A draft with problems is saved and its problems returned; it cannot be published.
        """
        body = self.body(PutDraft)
        expected = self.seen_draft(body.expected_version)
        saved = use_cases.save_draft(self.actor, slug, body.document, expected)
        return SavedDraftAnswer.of(saved).response(headers=_draft_etag(saved.workflow))

    @described(
        "Change the draft",
        body=ChangeDraft,
        answer=SavedDraftAnswer,
        headers=(IF_MATCH,),
        errors=("version_conflict", "too_large"),
        needs=Action.WORKFLOW_CHANGE,
        answer_headers=("ETag",),
    )
    def patch(self, request: Request, slug: str) -> Response:
        """Changes elements of the draft by id.

        All others stay as they are in the draft that you read.
        """
        body = self.body(ChangeDraft)
        expected = self.seen_draft(body.expected_version)
        saved = use_cases.change_draft(self.actor, slug, body.changes, expected)
        return SavedDraftAnswer.of(saved).response(headers=_draft_etag(saved.workflow))


class PublishDraft(_DraftWriter):
    @described(
        "Publish the draft",
        body=Publish,
        answer=PublishedNowAnswer,
        status=201,
        headers=(IF_MATCH,),
        errors=("version_conflict", "invalid_state"),
        needs=Action.WORKFLOW_PUBLISH,
        answer_headers=("Location",),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Publishes the draft as the next version.

        Refused, with all problems, if the draft has errors.
        """
        body = self.body(Publish)
        expected = self.seen_draft(body.expected_version)
        version = use_cases.publish(self.actor, slug, expected, body.note)
        location = f"/api/v1/workflows/{slug}/versions/{version.version}"
        found = problems_of(bytes(version.document))
        return PublishedNowAnswer.of_new(version, found).response(201, {"Location": location})


class Versions(Endpoint):
    @described("List versions", answer=ListOf[PublishedAnswer], query=PAGE)
    def get(self, request: Request, slug: str) -> Response:
        """Lists the published versions, latest first, without their documents."""
        page = queries.list_versions(self.actor, slug, PageRequest.of(request.query_params))
        return Response(page.as_json([PublishedAnswer.of(row).model_dump() for row in page.items]))


class OneVersion(Endpoint):
    @described("Get a version", answer=VersionAnswer)
    def get(self, request: Request, slug: str, number: int) -> Response:
        key = find_workflow(self.actor.workspace, slug).key
        return VersionAnswer.of_row(find_version(key, number)).response()


class Diff(Endpoint):
    @described(
        "Compare two versions",
        answer=ListOf[ElementChangeAnswer],
        query=(
            Parameter("from", _WHICH, required=True, limits=_VERSION),
            Parameter("to", _WHICH, required=True, limits=_VERSION),
            *PAGE,
        ),
    )
    def get(self, request: Request, slug: str) -> Response:
        """Compares two versions, element by element."""
        before, after = (self._version_parameter(name) for name in ("from", "to"))
        changes = queries.changes_between(self.actor, slug, before, after)
        asked = PageRequest.of(request.query_params)
        start = position_after(asked)
        part = list(enumerate(changes))[start : start + asked.limit + 1]
        page = page_of(part, asked, lambda item: (item[0],))
        return Response(page.as_json([change.as_json() for _, change in page.items]))

    def _version_parameter(self, name: str) -> str:
        which = self.request.query_params.get(name)
        if which is None:
            raise ValidationFailed.at(
                f"?{name}", say("{name} is required: {which}", name=name, which=_WHICH)
            )
        return which


class Yaml(Endpoint):
    renderer_classes = [TextYamlRenderer, ApplicationYamlRenderer, JsonRenderer]

    @described(
        "Export as YAML",
        answer=dict[str, str],
        query=(Parameter("version", f"{_WHICH} The draft by default.", limits=_VERSION),),
        answer_types=("text/yaml", "application/yaml", "application/json"),
        yaml=DocumentJson,
    )
    def get(self, request: Request, slug: str) -> Response:
        """Exports the document; if only JSON is accepted, as text in the field `yaml`.

        The export is recorded in the audit.
        """
        which = request.query_params.get("version", queries.DRAFT)
        text = yaml_io.dump(exports.export(self.actor, slug, which))
        if request.accepted_renderer.format == "json":
            return Response({"yaml": text})
        name = content_disposition_header(as_attachment=True, filename=f"{slug}.yaml")
        return Response(text, headers={"Content-Disposition": str(name)})


def workflow_response(row: Workflow, status: int = 200) -> Response:
    """Returns the answer for a workflow; its ETag is the number of its changes."""
    headers = {"ETag": etags.quoted(row.change_seq)}
    return WorkflowAnswer.of(row).response(status, headers)


def created(row: Workflow) -> Response:
    response = workflow_response(row, 201)
    response["Location"] = f"/api/v1/workflows/{row.slug}"
    return response


def _draft_etag(row: Workflow) -> dict[str, str]:
    return {"ETag": etags.quoted(row.draft_version)}
