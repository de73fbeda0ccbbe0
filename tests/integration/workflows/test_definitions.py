"""Published workflows as those who run them get them: pinned, read once, bounded in memory."""

import pytest
from pytest_django import DjangoAssertNumQueries

from checkpoints.domain.reducers import Reducer
from ctxadmin.identity.roles import Scope
from ctxadmin.lib.errors import NotFound
from tests.factories import engine
from tests.integration.workflows.documents import document, node
from workflows.domain.checks.problems import REDUCERS as KNOWN
from workflows.domain.document import graph
from workflows.domain.processors.registries import standard
from workflows.reading.reducers import REDUCERS
from workflows.services import use_cases
from workflows.services.use_cases import NewWorkflow
from workflows.store import definitions
from workflows.store.definitions import BoundedCache

pytestmark = pytest.mark.django_db


@pytest.fixture
def flow() -> int:
    """The key of a workflow with two versions, called one and two."""
    actor = engine(Scope.DESIGN)
    row = use_cases.create(actor, NewWorkflow("flow"))
    for version, name in enumerate(("one", "two")):
        use_cases.save_draft(actor, "flow", graph.read(document(name=name)), version)
        use_cases.publish(actor, "flow", version + 1)
    return row.key


def test_the_latest_version_is_published_unless_one_is_named(flow: int) -> None:
    workspace = engine().workspace
    newest = definitions.find_published(workspace, "flow")
    assert (newest.key, newest.slug, newest.version) == (flow, "flow", 2)
    assert newest.document.name == "two"
    assert list(newest.graph.nodes) == ["begin", "ask"]
    assert definitions.find_published(workspace, "flow", 1).document.name == "one"


def test_what_is_not_published_is_not_found(flow: int) -> None:
    actor = engine(Scope.DESIGN)
    use_cases.create(actor, NewWorkflow("new"))
    for slug, version in (("new", None), ("flow", 3), ("flow", 0), ("nothing", None)):
        with pytest.raises(NotFound):
            definitions.find_published(actor.workspace, slug, version)
    with pytest.raises(NotFound):
        definitions.find_published(engine(slug="elsewhere").workspace, "flow")


def test_a_pinned_version_outlives_its_workflow(flow: int) -> None:
    actor = engine(Scope.DESIGN)
    use_cases.delete(actor, "flow")
    use_cases.create(actor, NewWorkflow("flow"))
    assert definitions.pinned(flow, 1).document.name == "one"
    with pytest.raises(NotFound):
        definitions.find_published(actor.workspace, "flow", 1)


def test_a_version_is_read_from_the_database_once(
    flow: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    workspace = engine().workspace
    first = definitions.pinned(flow, 2)
    with django_assert_num_queries(0):
        assert definitions.pinned(flow, 2) is first
    with django_assert_num_queries(1):
        assert definitions.find_published(workspace, "flow") is first


def test_problems_follow_the_processors_that_are_registered() -> None:
    body = document(node("begin", "start", context_type="shout"))
    data = definitions.stored(graph.read(body))
    assert [each.code for each in definitions.problems_of(data)] == ["unknown_context_type"]
    processors = standard().processors
    processors.register("shout", lambda node_input, config: node_input)
    try:
        assert not definitions.problems_of(data)
    finally:
        processors.unregister("shout")
    assert definitions.problems_of(data)


def test_what_is_kept_is_bounded_by_number_and_by_bytes() -> None:
    kept = BoundedCache[str](entries=3, size=100)
    made: list[str] = []

    def get(key: str, weight: int) -> str:
        def make() -> tuple[str, int]:
            made.append(key)
            return key, weight

        return kept.get(key, make)

    for key in "abcd":
        get(key, 1)
    assert (get("d", 1), get("b", 1), made) == ("d", "b", list("abcd"))
    get("a", 1)  # pushed out by d
    assert made == list("abcda")
    get("large", 50)
    get("larger", 49)
    get("last", 10)
    assert kept.get("larger", lambda: ("anew", 1)) == "larger"
    assert kept.get("large", lambda: ("anew", 1)) == "anew"
    get("too large", 51)
    assert kept.get("too large", lambda: ("anew", 51)) == "anew"


def test_the_reducers_that_are_listed_are_those_that_run() -> None:
    names = {reducer.name for reducer in REDUCERS}
    assert names == set(KNOWN) == {reducer.value for reducer in Reducer}
