"""What errors say that come from the framework: plain words, with what to do."""

import pytest

from tests.factories import Api
from tests.integration.checkpoints.flows import refused

pytestmark = pytest.mark.django_db


def test_a_method_that_a_path_has_not_names_where_the_others_are() -> None:
    answer = Api().send("patch", "/events", {})
    refused(answer, 405, "method_not_allowed")
    assert answer.json()["detail"].startswith("This path has no such method")
    assert "GET" in answer["Allow"]


def test_a_bound_of_a_number_is_written_without_a_fraction() -> None:
    usage = {"input_tokens": 1, "output_tokens": 1, "cost": -1}
    body = {"checkpoint_id": "c", "result": {}, "usage": usage}
    ok = Api().post("/conversations", {"id": "words"})
    assert ok.status_code == 201
    answer = Api().post("/conversations/words/nodes/a/complete", body)
    refused(answer, 422, "validation", "/usage/cost")
    assert answer.json()["errors"][0]["message"] == "this must be 0 or more"
