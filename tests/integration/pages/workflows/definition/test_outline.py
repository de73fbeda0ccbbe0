"""The tables of a workflow's page use the words of the palette and the names of nodes."""

from typing import Any

import pytest
from django.test import Client

from ctxadmin.identity.roles import Role
from demo.workflows import WORKFLOWS
from tests.factories import person
from tests.integration.pages.workflows.designing import text
from workflows.domain.document.graph import read
from workflows.models import Workflow
from workflows.services import use_cases
from workflows.services.use_cases import NewWorkflow

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def support(designer: Client) -> Workflow:
    return use_cases.create(
        person(Role.DESIGNER), NewWorkflow("support", "Support", start_with="support")
    )


def table(page: str) -> str:
    return page[page.index('id="outline"') :]


def test_types_have_the_words_of_the_palette_and_nodes_their_names(
    designer: Client, support: Workflow
) -> None:
    page = table(text(designer.get("/workflows/support/")))
    assert "Context processor</span>" in page
    assert "Human relay</span>" in page
    assert ">context_processor<" not in page
    assert '<a href="#node-plan">Plan the look-up</a>' in page
    assert '<a href="#node-start">A question arrives</a> → <a href="#node-classify">' in page


def test_what_a_node_does_not_see_of_others_does_not_read_as_no_messages(
    designer: Client, support: Workflow
) -> None:
    page = table(text(designer.get("/workflows/support/")))
    assert "no node history" in page
    assert "no history" not in page


def test_forms_are_called_by_names(designer: Client, support: Workflow) -> None:
    assert '<h1 class="page-title">Draft the answer</h1>' in text(
        designer.get("/workflows/support/nodes/draft/")
    )
    edge = support_edges()["classify"]
    assert "Classify → Plan the look-up</h1>" in text(
        designer.get(f"/workflows/support/edges/{edge}/")
    )


def support_edges() -> dict[str, Any]:
    return {edge.from_node: edge.id for edge in read(WORKFLOWS["support"]).edges}
