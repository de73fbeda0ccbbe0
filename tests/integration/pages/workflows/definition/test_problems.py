"""What the page of a workflow, and that of publishing, say of the problems of its draft."""

from typing import Any

import pytest
from django.test import Client

from tests.integration.pages.workflows.designing import SMALL, made, text

pytestmark = pytest.mark.django_db
SENTENCE = "No problems. This draft can be published."
BACK = {"id": "back", "type": "sequence", "from": "answer", "to": "start"}
NOWHERE = {**BACK, "to": "nowhere"}


@pytest.mark.parametrize(
    ("more", "says"), [([], True), ([BACK], True), ([NOWHERE], False), ([BACK, NOWHERE], False)]
)
def test_notes_are_no_problems(designer: Client, more: list[Any], says: bool) -> None:
    edges = [*SMALL["edges"], *({**each, "id": f"e{n}"} for n, each in enumerate(more))]  # type: ignore[misc]
    made("small", {**SMALL, "edges": edges})
    html = text(designer.get("/workflows/small/"))
    assert (SENTENCE in html) is says
    assert ("problem-note" in html) is (BACK in more)
    # Where nothing is listed the button alone says it.
    html = text(designer.get("/workflows/small/publish/"))
    assert (SENTENCE in html) is (more == [BACK])
