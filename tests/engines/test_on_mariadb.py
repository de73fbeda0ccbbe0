"""What engines need most, on MariaDB; all other tests of engines run there by request only.

They take a minute and more: ``CTXADMIN_TEST_DATABASE=mariadb``.
"""

import json
from collections.abc import Iterator

import pytest

from tests.engines.conftest import Engine, engine_of
from tests.live_server import LiveServer

# One for each kind of call: pauses, edits, claims, executions, forks, operations, bytes, deletions.
SCENARIOS = (
    "test_an_interrupt_pauses_with_what_it_asks_before_the_node_that_asks",
    "test_the_graph_continues_with_what_people_made_of_state_and_messages",
    "test_several_workers_take_up_a_decision_once",
    "test_each_turn_is_an_execution_and_the_history_has_all_of_them",
    "test_time_travel_from_the_graph_shows_the_messages_of_then",
    "test_messages_that_a_graph_removes_changes_and_inserts_are_operations",
    "test_values_that_are_json_are_state_keys_and_others_come_back_as_they_were",
    "test_pruning_frees_the_bytes_of_earlier_turns",
)


@pytest.fixture(scope="module")
def on_mariadb(
    mariadb_of_module: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    settings = {"DATABASE_URL": mariadb_of_module}
    folder = tmp_path_factory.mktemp("engines-mariadb")
    with LiveServer(folder, settings, "--no-demo") as live:
        live.make_people("engine")
        yield engine_of(live)


def test_langgraph_keeps_its_checkpoints(on_mariadb: Engine) -> None:
    told = json.loads(on_mariadb("langgraph_scenarios", *SCENARIOS))
    assert told == dict.fromkeys(SCENARIOS)


@pytest.mark.parametrize("program", ["agents_session", "langchain_history", "pydantic_ai_history"])
def test_histories_are_kept(on_mariadb: Engine, program: str) -> None:
    on_mariadb(program)
