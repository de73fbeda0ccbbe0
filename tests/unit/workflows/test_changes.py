"""Changes of a document: what the canvas names is what the server makes of it."""

from pathlib import Path
from typing import Any, Final

import orjson
import pytest

from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import ValidationFailed
from workflows.domain.document import graph
from workflows.domain.document.draft_changes import DraftChanges, keys_of

# The model of the canvas is tested with the same cases.
_CASES: Final = Path(__file__).parents[3] / "frontend/src/graph/test/patches.json"
CASES: Final[list[Any]] = orjson.loads(_CASES.read_bytes())


def applied(before: Any, changes: Any) -> Any:
    document = graph.read(before)
    return graph.dump(parse(DraftChanges, changes).apply_to(document, ""))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["what"])
def test_changes_make_the_document_that_the_canvas_has(case: Any) -> None:
    made = applied(case["before"], case["changes"])
    assert {key: value for key, value in made.items() if value != {}} == case["after"]


def test_elements_of_one_id_are_counted() -> None:
    assert keys_of(["a", "b", "a", "a"]) == ["a", "b", "a~2", "a~3"]


def test_an_element_that_is_removed_cannot_be_changed() -> None:
    document = {"name": "w", "nodes": [{"id": "a", "type": "llm"}], "edges": []}
    both = {"removed": ["a"], "changed": {"a": {"id": "a", "type": "tool"}}}
    with pytest.raises(ValidationFailed, match="no element 'a'"):
        applied(document, {"nodes": both})
    with pytest.raises(ValidationFailed, match="no element 'a'"):
        applied(document, {"nodes": {"removed": ["a", "a"]}})
