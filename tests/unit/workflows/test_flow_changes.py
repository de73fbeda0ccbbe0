"""Changes of the flow, apart from where cards stand."""

from tests.unit.workflows.test_compare import document, node
from workflows.domain.document.compare import compare
from workflows.domain.document.flow_changes import flow_changes


def test_a_position_is_no_change_of_the_flow() -> None:
    before = document([node("a", position={"x": 0, "y": 0}), node("b"), node("c")])
    after = document(
        [
            node("a", position={"x": 0, "y": 9}),
            node("b", position={"x": 9, "y": 9}),
            node("c", name="C", position={"x": 9, "y": 9}),
        ]
    )
    found = flow_changes(compare(before, after))
    assert (found.moved, found.placed) == (1, 2)
    (change,) = found.changes
    assert (change.id, [field.path for field in change.fields]) == ("c", ["/name"])


def test_a_field_called_position_is_one_of_the_flow_elsewhere() -> None:
    before, after = (document([node("a", config={"position": place})]) for place in (1, 2))
    found = flow_changes(compare(before, after))
    assert (len(found.changes), found.moved, found.placed) == (1, 0, 0)
