"""The forms of edges and reducers."""

import pytest
from django.test import Client

from tests.integration.pages.workflows.designing import draft, edge, opened, send, text
from workflows.models import Workflow

pytestmark = pytest.mark.django_db


def test_an_edge_is_added_with_its_filter(designer: Client, small: Workflow) -> None:
    new = opened(designer, "/workflows/small/add-edge/?from=answer&to=start")
    assert (new["from"], new["to"]) == ("answer", "start")
    new |= {
        "id": "again",
        "type": "conditional",
        "condition": "context.again === true",
        "weight": "2",
        "filter_type": "selective",
        "include_patterns": "fact.*\r\nprompt.*",
        "exclude_patterns": "*.internal",
        "messages-count": "1",
        "messages-0-operation": "filter",
        "messages-0-filter-roles": ["user", "assistant", "system"],
        "messages-0-pairing": "keep",
    }
    assert send(designer, "/workflows/small/add-edge/", new).status_code == 302
    assert edge("again").context_filter == {
        "type": "selective",
        "include_patterns": ["fact.*", "prompt.*"],
        "exclude_patterns": ["*.internal"],
        "messages": [
            {
                "operation": "filter",
                "filter": {"roles": ["user", "assistant", "system"]},
                "pairing": "keep",
            }
        ],
    }
    assert "no tools" in text(designer.get("/workflows/small/"))


@pytest.mark.parametrize(
    ("sent", "place"),
    [
        ({"condition": "context.a ==="}, "id_edge-condition_error"),
        ({"filter_type": "selective"}, "id_edge-include_patterns_error"),
        ({"filter_type": "conditional"}, "id_edge-filter_condition_error"),
        ({"to": "gone"}, "id_edge-to_error"),
        ({"id": "bad id"}, "id_edge-id_error"),
        ({"weight": "heavy"}, "id_edge-weight_error"),
        ({"filter_type": "selective", "include_patterns": "a\n" + "x" * 999}, "id_edge-include"),
    ],
)
def test_an_error_of_an_edge_is_at_its_field(
    designer: Client, small: Workflow, sent: dict[str, str], place: str
) -> None:
    path = "/workflows/small/edges/go/"
    answer = send(designer, path, opened(designer, path) | sent)
    assert answer.status_code == 422
    assert place in text(answer)
    assert edge("go").context_filter is None


def test_reducers_are_set_and_checked(designer: Client, small: Workflow) -> None:
    path = "/workflows/small/reducers/"
    row = {
        "reducers-count": "2",
        "reducers-0-pattern": "fact.*",
        "reducers-0-reducer": "merge",
        "reducers-1-pattern": "fact.*",
        "reducers-1-reducer": "max",
    }
    answer = send(designer, path, opened(designer, path) | row)
    assert answer.status_code == 422
    assert "is already listed" in text(answer)
    good = opened(designer, path) | row | {"reducers-1-pattern": "count"}
    assert send(designer, path, good).status_code == 302
    assert draft().reducers == {"fact.*": "merge", "count": "max"}
