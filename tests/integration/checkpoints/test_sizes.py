"""Large states: many keys, long lists, ten mebibytes of hostile text."""

import orjson
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from checkpoints.domain.reducers import Reducer
from checkpoints.domain.state import MAX_STATE_BYTES, MAX_STATE_KEYS
from ctxadmin.lib.json_bytes import dumps
from tests.integration.checkpoints.flows import Run, everything, ok, refused
from workflows.reading.reducers import REDUCERS

pytestmark = pytest.mark.django_db

HOSTILE = "\x00\x1f\"'\\\u2028😀/</script>%s\r\n\t\x7fé"


def test_more_keys_than_fit_into_one_statement() -> None:
    names = [f"key {number}" for number in range(1200)]
    run = Run.start(state=dict.fromkeys(names, 0))
    ok(run.save("c1", state_data=dict.fromkeys(names[:900], 1)))
    ok(run.save("c2", state_data={name: {"$delete": True} for name in names[300:]}))
    assert run.state() == dict.fromkeys(names[:300], 1)
    then = ok(run.get("checkpoints/1"))["state_data"]
    assert [then[name] for name in names] == [1] * 900 + [0] * 300
    ok(run.save("c3", status="PAUSED"))
    ok(run.post("checkpoints/0/restore"))
    assert run.state() == dict.fromkeys(names, 0)


def test_a_list_of_many_chunks_is_in_order() -> None:
    run = Run.start(reducers={"log": "append"})
    for number in range(120):
        ok(run.save(f"c{number}", state_data={"log": [number]}))
    assert run.state() == {"log": list(range(120))}
    assert ok(run.get("checkpoints/60"))["state_data"]["log"] == list(range(60))


@pytest.mark.only("sqlite")
def test_values_of_several_keys_are_found_by_seeking() -> None:
    run = Run.start(state={"a": 1, "b": 2, "c": 3})
    with CaptureQueriesContext(connection) as captured:
        run.state()
    asked = [query["sql"] for query in captured if "checkpoints_statevalue WHERE" in query["sql"]]
    assert len(asked) == 1
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {asked[0]}")
        plan = [str(row[-1]) for row in cursor.fetchall()]
    seeks = [step for step in plan if "version>?" in step]
    assert len(seeks) == 3
    assert not [step for step in plan if "SCAN" in step]


def test_ten_mebibytes_of_hostile_text_come_back_and_one_byte_more_is_refused() -> None:
    run = Run.start()
    frame = len(dumps({"k": ""}))
    text = HOSTILE * ((MAX_STATE_BYTES - frame) // (len(dumps(HOSTILE)) - 2))
    text += "x" * (MAX_STATE_BYTES - frame - len(dumps(text)) + 2)
    ok(run.save("c1", state_data={"k": text}))
    snapshot = orjson.loads(run.get("snapshot").content)
    assert snapshot["state_data"]["k"] == text
    (newest, *_) = run.versions()
    assert newest["state_bytes"] == MAX_STATE_BYTES
    before = everything()
    refused(run.save("c2", state_data={"k": text + "x"}), 413, "too_large")
    assert everything() == before


def test_an_update_of_too_many_keys_is_refused_at_its_field_before_anything_is_stored() -> None:
    many = dict.fromkeys((f"k{number}" for number in range(MAX_STATE_KEYS + 1)), 1)
    run = Run.start()
    run.pause_now()
    before = everything()
    refused(run.save("c1", state_data=many), 422, "validation", "/state_data")
    refused(run.complete("a", state_data=many), 422, "validation", "/state_data")
    refused(run.update("a", state_data=many), 422, "validation", "/state_data")
    refused(run.post("executions", {"state": many}), 422, "validation", "/state")
    assert everything() == before


def test_the_reducers_that_workflows_may_name_are_those_that_run() -> None:
    assert {each.value for each in Reducer} == {each.name for each in REDUCERS}
