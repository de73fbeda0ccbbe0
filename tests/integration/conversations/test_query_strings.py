"""Query strings of the contract: what a call does not know is refused by name."""

import pytest

from tests.factories import Api, conversation, user
from tests.integration.checkpoints.flows import Run, everything, refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    return Run(Api(), conversation(user("one"), public_id="chat"))


def test_a_read_that_asks_for_something_unknown_is_refused(run: Run) -> None:
    problem = refused(run.api.get(f"{run.path}/messages?view=all&version=5"), 422, "validation")
    (error,) = problem["errors"]
    assert error["pointer"] == "?version"
    assert "cursor, format, limit, order, view" in error["message"]


def test_a_write_that_asks_for_something_unknown_changes_nothing(run: Run) -> None:
    before = everything()
    answer = run.api.post(f"{run.path}/messages?dry_run=true", {"messages": [user("two")]})
    refused(answer, 422, "validation", "?dry_run")
    assert everything() == before


def test_many_unknown_names_are_not_all_repeated(run: Run) -> None:
    query = "&".join(f"x{number}=1" for number in range(500))
    assert len(refused(run.api.get(f"{run.path}?{query}"), 422, "validation")["errors"]) == 20


def test_a_caller_without_access_learns_nothing_of_parameters(run: Run) -> None:
    run.api.client.credentials()
    refused(run.api.get(f"{run.path}?x=1"), 401, "unauthenticated")
