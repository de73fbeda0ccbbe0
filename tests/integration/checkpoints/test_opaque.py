"""Opaque values over REST: kept byte for byte, compared by digest, edited by nobody."""

import base64
import os
from typing import Any

import pytest

from checkpoints.verification.conversation import verify_conversation
from conversations.store.verification import Unsummed
from ctxadmin.identity.roles import Role, Scope
from tests.factories import Api, conversation, signed_in
from tests.integration.checkpoints.flows import Run, ok, refused

pytestmark = pytest.mark.django_db

EVERY_BYTE = bytes(range(256)) * 3


@pytest.fixture
def run() -> Run:
    return Run(Api([Scope.ENGINE, Scope.REVIEW]), conversation())


def value(data: bytes = EVERY_BYTE, kind: str = "msgpack") -> dict[str, str]:
    return {"type": kind, "base64": base64.b64encode(data).decode()}


def test_an_opaque_value_comes_back_byte_for_byte_and_beside_the_state(run: Run) -> None:
    ok(run.save("c1", opaque={"blob": value(), "none": value(b"", "null")}, state_data={"k": 1}))
    ok(run.save("c2", state_data={"k": 2}))
    for path in ("snapshot", "checkpoints/1", "checkpoints/2"):
        found = ok(run.get(path))
        assert found["opaque"] == {"blob": value(), "none": value(b"", "null")}
        assert "blob" not in found["state_data"]
    listed = ok(run.get("checkpoints?include=state&limit=1"))["results"][0]
    assert listed["opaque"]["blob"] == value()
    assert "opaque" not in ok(run.get("snapshot?keys=k"))
    assert ok(run.get("snapshot?keys=blob"))["opaque"] == {"blob": value()}


def test_a_checkpoint_replaces_and_removes_it(run: Run) -> None:
    ok(run.save("c1", opaque={"a": value(), "b": value()}))
    ok(run.save("c2", opaque={"a": value(b"2")}, state_data={"b": {"$delete": True}}))
    assert run.snapshot()["opaque"] == {"a": value(b"2")}
    ok(run.save("c3", state_data={"a": 3}))
    assert "opaque" not in run.snapshot()
    assert ok(run.get("checkpoints/1"))["opaque"] == {"a": value(), "b": value()}


def test_versions_are_compared_by_digest(run: Run) -> None:
    ok(run.save("c1", opaque={"a": value(b"one"), "b": value()}))
    ok(run.save("c2", opaque={"a": value(b"three"), "b": value()}))
    (change,) = ok(run.get("checkpoints/diff?from=1&to=2"))["state"]
    assert (change["path"], change["kind"]) == ("/a", "changed")
    assert change["before"]["$opaque"]["size"] == 3
    assert change["before"]["$opaque"]["digest"] != change["after"]["$opaque"]["digest"]


def test_no_one_edits_it(run: Run) -> None:
    ok(run.save("c1", status="PAUSED", opaque={"a": value()}, state_data={"k": 1}))
    for data in ({"a": 1}, {"a": {"$replace": 1}}, {"a": {"$delete": True}}):
        refused(run.update("a", state_data=data), 422, "type_mismatch", "/state_data/a")
    ok(run.update("a", state_data={"k": 2}))
    assert run.snapshot()["opaque"] == {"a": value()}


def test_a_node_is_reported_type_and_size(run: Run) -> None:
    ok(run.save("c1", opaque={"a": value()}))
    told = ok(run.enter("a"))["context"]["variables"]["a"]["$opaque"]
    assert (told["type"], told["size"]) == ("msgpack", len(EVERY_BYTE))


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"opaque": {"a": {"type": "m", "base64": "===="}}}, "/opaque/a/base64"),
        ({"opaque": {"a": {"type": "m", "base64": "é"}}}, "/opaque/a/base64"),
        ({"opaque": {"a": {"type": "a b", "base64": ""}}}, "/opaque/a/type"),
        ({"opaque": {"a": {"type": "m"}}}, "/opaque/a/base64"),
        ({"opaque": {"messages": value()}}, "/opaque/messages"),
        ({"opaque": {"": value()}}, "/opaque"),
        ({"opaque": {"a": value()}, "state_data": {"a": 1}}, "/opaque/a"),
    ],
)
def test_what_is_no_opaque_value_is_refused(run: Run, body: dict[str, Any], pointer: str) -> None:
    refused(run.save("c1", **body), 422, "validation", pointer)


def test_only_overwrite_takes_it() -> None:
    run = Run.start(reducers={"log": "append"})
    refused(run.save("c1", opaque={"log": value()}), 422, "type_mismatch", "/opaque/log")


def test_ten_megabytes_are_stored_and_more_than_a_state_has_are_refused_by_name(run: Run) -> None:
    large = value(os.urandom(10_000_000))
    ok(run.save("c1", opaque={"a": large}))
    assert ok(run.get("checkpoints/1"))["opaque"] == {"a": large}
    refused(run.save("c2", opaque={"b": value(b"x" * 10_485_761)}), 413, "too_large", "/opaque/b")
    refused(run.save("c2", opaque={"b": value(b"x" * 600_000)}), 413, "too_large")


def test_opaque_values_belong_to_the_body_of_a_save(run: Run) -> None:
    ok(run.save("c1", opaque={"a": value()}))
    assert run.save("c1", opaque={"a": value()}).status_code == 200
    refused(run.save("c1", opaque={"a": value(b"other")}), 409, "duplicate")


def test_forks_restores_and_verify_know_them(run: Run) -> None:
    ok(run.save("c1", opaque={"a": value()}))
    ok(run.save("c2", status="PAUSED", opaque={"a": value(b"2")}))
    fork = ok(run.post("checkpoints/1/fork", {"id": "fork"}))
    assert run.api.get(f"/conversations/{fork['id']}/snapshot").json()["opaque"] == {"a": value()}
    ok(run.post("checkpoints/1/restore"))
    assert run.snapshot()["opaque"] == {"a": value()}
    run.head.refresh_from_db()
    assert [*verify_conversation(run.head, Unsummed())] == []


def test_pages_show_type_and_size_and_never_the_bytes(run: Run) -> None:
    ok(run.save("c1", status="PAUSED", opaque={"a": value()}))
    viewer, path = signed_in(Role.REVIEWER), f"/executions/{run.head.public_id}"
    page = viewer.get(f"{path}/versions/1/").content.decode()
    assert "Opaque data, 768" in page.replace("\xa0", " ")
    for shown in (page, viewer.get(f"{path}/").content.decode()):
        assert value()["base64"][:40] not in shown
