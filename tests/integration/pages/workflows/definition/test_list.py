"""The list of workflows; making and importing them."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from ctxadmin.identity.roles import Role
from tests.factories import person
from tests.integration.pages.workflows.designing import draft, made, send, text
from workflows.models import Workflow
from workflows.services import use_cases
from workflows.starters import STARTERS, StarterName, starter

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_who_is_not_signed_in_is_asked_to(small: Workflow) -> None:
    answer = Client().get("/workflows/small/")
    assert answer["Location"] == "/sign-in/?next=/workflows/small/"


def test_an_empty_list_says_what_to_do(designer: Client) -> None:
    page = text(designer.get("/workflows/"))
    assert "No workflows yet" in page
    assert 'href="/workflows/+new/"' in page


def test_the_list_tells_versions_and_problems(designer: Client, small: Workflow) -> None:
    made("broken", {"name": "Broken", "nodes": [], "edges": []})
    use_cases.publish(person(Role.DESIGNER), "small", 1)
    page = text(designer.get("/workflows/"))
    assert "version 1" in page
    assert "as published" in page
    assert "1 error" in page


def test_a_workflow_is_made_and_opens_its_empty_canvas(designer: Client) -> None:
    answer = send(designer, "/workflows/+new/", {"slug": "fresh", "name": "Fresh"})
    assert answer["Location"] == "/workflows/fresh/editor/"
    page = text(designer.get("/workflows/fresh/"))
    assert 'href="/workflows/fresh/editor/"' in page
    assert "Add the first node" in page


def test_a_workflow_without_a_slug_gets_one_from_its_name(designer: Client) -> None:
    opened = [
        send(designer, "/workflows/+new/", {"name": name})["Location"].split("/")[2]
        for name in ("Customer support, again!", "customer SUPPORT again", "客服", "import")
    ]
    assert opened == [
        "customer-support-again",
        "customer-support-again-2",
        "workflow",
        "workflow-2",
    ]


def test_a_name_of_spaces_is_refused_at_its_field(designer: Client) -> None:
    answer = send(designer, "/workflows/+new/", {"name": "   "})
    assert answer.status_code == 422
    assert "only spaces" in text(answer)
    assert Workflow.objects.count() == 0


def test_a_name_that_a_workflow_has_is_said_beside_the_field(
    designer: Client, small: Workflow
) -> None:
    said = text(designer.get("/workflows/+new/same-name/", {"name": f" {small.name} "}))
    assert 'href="/workflows/small/"' in said
    said = text(designer.get("/workflows/+new/same-name/", {"name": "Another"}))
    assert "href" not in said
    assert "If empty, the id is another." in said


def test_a_name_without_letters_of_ids_says_beforehand_which_slug_it_gets(
    designer: Client,
) -> None:
    given = {"name": "客服流程", "start_with": "support"}
    said = text(designer.get("/workflows/+new/same-name/", given))
    assert "so the slug is workflow. Choose another one" in said
    answer = send(designer, "/workflows/+new/", given)
    assert answer.headers["location"] == "/workflows/workflow/editor/"
    said = text(designer.get("/workflows/+new/same-name/", given))
    assert "so the slug is workflow-2." in said
    assert "If empty, the id is workflow-2." in said
    said = text(designer.get("/workflows/+new/same-name/", {"name": "Support"}))
    assert "no letters for a slug" not in said


def test_each_template_is_offered_with_a_picture_and_the_first_is_chosen(designer: Client) -> None:
    page = text(designer.get("/workflows/+new/"))
    for name in STARTERS:
        assert f'name="start_with" value="{name}"' in page
    assert page.count("<svg viewBox=") == len(STARTERS)
    assert 'value="chat" checked' in page
    assert 'value="" checked' not in page
    refused = text(send(designer, "/workflows/+new/", {"slug": "no spaces", "name": "X"}))
    assert 'value="" checked' in refused


@pytest.mark.parametrize("slug", ["small", "import", "no spaces", "ä"])
def test_a_slug_that_cannot_be_is_named_at_its_field(
    designer: Client, small: Workflow, slug: str
) -> None:
    answer = send(designer, "/workflows/+new/", {"slug": slug, "name": "X"})
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in text(answer)
    assert Workflow.objects.count() == 1


def test_yaml_comes_in_as_a_file_and_goes_out_the_same(designer: Client, small: Workflow) -> None:
    data = designer.get("/workflows/small/yaml/").content
    file = SimpleUploadedFile("small.yaml", data)
    answer = send(designer, "/workflows/import/", {"slug": "again", "file": file})
    assert answer["Location"] == "/workflows/again/"
    assert draft("again") == draft("small")


def test_pasted_yaml_with_a_mistake_names_the_line_and_stays(designer: Client) -> None:
    yaml = "name: X\nnodes:\n  - id: a\n    typ: llm\n"
    answer = send(designer, "/workflows/import/", {"yaml": yaml})
    assert answer.status_code == 422
    assert "ine 4" in text(answer)
    assert "typ: llm" in text(answer)
    assert Workflow.objects.count() == 0


def test_an_import_of_nothing_and_of_a_taken_slug_are_refused(
    designer: Client, small: Workflow
) -> None:
    assert send(designer, "/workflows/import/", {"yaml": " "}).status_code == 422
    taken = send(designer, "/workflows/import/", {"slug": "small", "yaml": "name: X"})
    assert taken.status_code == 422
    assert Workflow.objects.count() == 1


@pytest.mark.parametrize("name", ["chat", "review", "research", "support"])
def test_a_workflow_starts_with_a_template_that_can_be_published(
    designer: Client, name: StarterName
) -> None:
    sent = {"slug": "fresh", "name": "Mine", "start_with": name}
    assert send(designer, "/workflows/+new/", sent)["Location"] == "/workflows/fresh/editor/"
    assert draft("fresh") == starter(name, "Mine")
    assert use_cases.publish(person(Role.DESIGNER), "fresh", 1).version == 1


def test_a_template_that_is_not_there_is_named_at_its_field(designer: Client) -> None:
    answer = send(designer, "/workflows/+new/", {"name": "Mine", "start_with": "surprise"})
    assert answer.status_code == 422
    assert 'id="id_start_with_error"' in text(answer)
    assert Workflow.objects.count() == 0


def test_json_comes_in_as_a_file_and_goes_out_the_same(designer: Client, small: Workflow) -> None:
    answer = designer.get("/workflows/small/json/")
    assert answer["Content-Type"] == "application/json"
    file = SimpleUploadedFile("small.json", answer.content)
    send(designer, "/workflows/import/", {"slug": "again", "file": file})
    assert draft("again") == draft("small")


def test_what_is_wrong_with_an_imported_draft_is_reported_by_its_lines(designer: Client) -> None:
    yaml = (
        "name: X\nnodes:\n  - id: a\n    type: start\n"
        "edges:\n  - id: go\n    type: sequence\n    from: a\n    to: nowhere\n"
    )
    answer = designer.post("/workflows/import/", {"yaml": yaml, "slug": "x"}, follow=True)
    page = text(answer)
    assert "Fix 1 problem before publishing" in page
    assert "Line 9, column 5: a → nowhere › To: There is no node" in page
    assert Workflow.objects.count() == 1


def test_each_problem_of_yaml_that_cannot_be_read_names_its_field(designer: Client) -> None:
    yaml = "name: X\nnodes:\n  - id: a\n    type: start\nedges:\n  - {id: go, source: a}\n"
    page = text(designer.post("/workflows/import/", {"yaml": yaml}))
    assert "Line 6, column 5: ? → ? › To: This field is required" in page
    assert "Line 6, column 14: ? → ? › source: Unknown field “source”" in page


def test_a_problem_of_yaml_names_its_node_and_the_label_of_the_field(designer: Client) -> None:
    wrong = "  - {id: a, type: llm, name: Draft the answer, context_type: 7}\n"
    yaml = f"name: X\nnodes:\n{wrong}  - {{name: Ask, type: 5}}\n"
    page = text(designer.post("/workflows/import/", {"yaml": yaml}))
    assert "Draft the answer › Context type: " in page
    assert "Ask › Type: " in page


def test_a_problem_of_an_imported_draft_names_its_node_and_field(designer: Client) -> None:
    yaml = "name: X\nnodes:\n  - {id: a, type: llm, name: Draft it, config: {pause: x}}\n"
    page = text(designer.post("/workflows/import/", {"yaml": yaml, "slug": "x"}, follow=True))
    assert re.search(r"Line 3, column \d+: Draft it › Review: ", page)
