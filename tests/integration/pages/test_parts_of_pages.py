"""Parts of pages that a person opens by themselves lead to the pages that they belong to."""

import pytest
from django.test import Client

from tests.factories import conversation, user
from tests.integration.checkpoints.flows import Run, node, ok, publish

pytestmark = pytest.mark.django_db

OPENED = {"Sec-Fetch-Mode": "navigate"}


@pytest.mark.parametrize(
    ("part", "page"),
    [
        ("/overview/executions/", "/"),
        ("/usage/days/", "/usage/"),
        ("/conversations/chat/messages/", "/conversations/chat/"),
        ("/conversations/chat/hidden/", "/conversations/chat/"),
        ("/conversations/chat/outline/", "/conversations/chat/"),
    ],
)
def test_a_part_that_is_opened_leads_to_its_page(reviewer: Client, part: str, page: str) -> None:
    conversation(user("hi"), public_id="chat")
    assert reviewer.get(part, headers=OPENED)["Location"] == page
    assert reviewer.get(page, headers=OPENED).status_code == 200


def test_a_part_of_an_execution_leads_to_the_page_of_that_execution(reviewer: Client) -> None:
    publish("flow", [node("a", "llm")], [])
    run = Run.start("flow")
    ok(run.append(user("hi")))
    ok(run.enter("a"))
    ok(run.complete("a", "c-1"))
    here = f"/executions/{run.head.public_id}/"
    for part, page in (
        ("canvas/panel/?node=a", "canvas/"),
        ("versions/1/context-seen/", "versions/1/saw/"),
    ):
        assert reviewer.get(here + part, headers=OPENED)["Location"] == here + page
        assert reviewer.get(here + page, headers=OPENED).status_code == 200
        assert reviewer.get(here + part).status_code == 200
