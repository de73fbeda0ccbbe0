"""What the tests of workflows share: a client and a workflow."""

import pytest

from ctxadmin.identity.roles import Scope
from tests.openapi import CheckedApi


@pytest.fixture
def api(db: None) -> CheckedApi:
    """A designer's client; every answer is compared with the OpenAPI document."""
    return CheckedApi([Scope.DESIGN])


@pytest.fixture
def flow(api: CheckedApi) -> str:
    """The slug of a new workflow with an empty draft."""
    answer = api.post("/workflows", {"slug": "flow", "name": "A flow"})
    assert answer.status_code == 201, answer.content
    return "flow"
