"""Who may do what, and how many queries the pages cost."""

from typing import Any

import pytest
from django.test import Client

from ctxadmin.identity.roles import Role
from demo.workflows import WORKFLOWS
from tests.factories import person, signed_in
from tests.integration.pages.workflows.designing import SMALL, made, text
from workflows.models import Workflow
from workflows.services import use_cases

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


CHANGING = (
    "edit/",
    "delete/",
    "publish/",
    "reducers/",
    "add-node/",
    "add-edge/",
    "nodes/answer/",
    "nodes/answer/delete/",
    "edges/go/",
    "edges/go/delete/",
    "versions/1/restore/",
)


@pytest.mark.parametrize("role", [Role.VIEWER, Role.REVIEWER])
def test_who_may_not_change_is_offered_nothing_and_refused(role: Role, small: Workflow) -> None:
    use_cases.publish(person(Role.DESIGNER), "small", 1)
    client = signed_in(role)
    assert "+new" not in text(client.get("/workflows/"))
    page = text(client.get("/workflows/small/"))
    assert all(f"/workflows/small/{path}" not in page for path in CHANGING)
    assert 'href="#node-answer"' in page
    for path in CHANGING:
        assert client.get(f"/workflows/small/{path}").status_code == 403
        assert client.post(f"/workflows/small/{path}").status_code == 403
    for path in ("versions/", "versions/1/", "diff/?from=1", "yaml/"):
        assert client.get(f"/workflows/small/{path}").status_code == 200
    allowed = client.get("/workflows/small/preview/").status_code
    assert allowed == (403 if role is Role.VIEWER else 200)


def test_a_foreign_workflow_is_not_found(small: Workflow) -> None:
    stranger = signed_in(Role.ADMIN, "elsewhere")
    for path in ("", "yaml/", "versions/", "diff/", "preview/", *CHANGING):
        assert stranger.get(f"/workflows/small/{path}").status_code == 404


def test_the_list_costs_as_many_queries_for_many_as_for_few(
    designer: Client, django_assert_max_num_queries: Any
) -> None:
    for number in range(30):
        made(f"w{number}", SMALL)
    with django_assert_max_num_queries(9):
        designer.get("/workflows/")


def test_reading_a_workflow_costs_few_queries(
    designer: Client, django_assert_max_num_queries: Any
) -> None:
    made("support", WORKFLOWS["support"])
    with django_assert_max_num_queries(8):
        designer.get("/workflows/support/")
    with django_assert_max_num_queries(10):
        designer.get("/workflows/support/nodes/draft/")
