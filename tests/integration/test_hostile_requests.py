"""Single requests made to cost much are refused where they go wrong, or done as what they are."""

from typing import Any

import pytest

from ctxadmin.identity.roles import Scope
from tests.factories import Api
from tests.hostile_requests import CORPUS, Hostile

# ``python -m bench hostile`` weighs what they cost; how they end is the same on any database.
pytestmark = [pytest.mark.django_db, pytest.mark.only("sqlite")]


@pytest.mark.parametrize("hostile", CORPUS, ids=[each.name for each in CORPUS])
def test_a_costly_request_is_refused_at_its_place_or_done(hostile: Hostile) -> None:
    engine = Api((Scope.ENGINE,))
    assert engine.post("/conversations", {"id": "c"}).status_code == 201
    assert engine.post("/conversations/c/executions", {}).status_code == 201
    api = Api([Scope(each) for each in hostile.scopes])
    send: Any = api.client.generic  # whose stub knows texts only
    path = f"/api/v1{hostile.path}"
    answer = send(hostile.method, path, hostile.make(), content_type=hostile.content_type)
    assert answer.status_code == hostile.status, answer.content[:500]
    if hostile.pointer is not None:
        assert answer.json()["errors"][0]["pointer"] == hostile.pointer
