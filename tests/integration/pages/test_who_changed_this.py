"""Who changed a message, a key of the state, or a version: one link away."""

import re
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pydantic import JsonValue

from checkpoints.models import Execution
from checkpoints.reading import key_history
from checkpoints.reading.key_history import earlier_execution_of_key, writes_of_key
from checkpoints.store.executions import find_current
from conversations.domain.configs import read_operation
from conversations.reading.message_history import history_of
from conversations.services import pins
from conversations.services.use_cases import apply_operation, restore, rollback
from conversations.store.conversation import find_head
from ctxadmin.identity.roles import Role
from tests.factories import Api, assistant, conversation, engine, person, signed_in, user
from tests.integration.checkpoints.flows import Run, ok
from tests.integration.live_copy import steps

pytestmark = pytest.mark.django_db

KEEP_LAST = read_operation({"operation": "truncate", "truncate": {"keep_last": 1}})


def effects(index: int) -> list[tuple[str, str, str]]:
    found = history_of(find_head(engine().workspace, "c"), index)
    return [(each.effect, each.author, each.reason) for each in found.changes]


def test_a_message_knows_who_hid_showed_and_pinned_it_and_why() -> None:
    conversation(user("a"), user("b"), user("c"), public_id="c", actor=engine())
    rita = person(Role.REVIEWER)
    apply_operation(rita, "c", KEEP_LAST, reason="too long")
    rollback(rita, "c", 0, reason="needed after all")
    pins.pin(rita, "c", "0", pinned=True, reason="the order number")
    assert effects(0) == [
        ("pinned", rita.label, "the order number"),
        ("showed", rita.label, "needed after all"),
        ("hid", rita.label, "too long"),
    ]
    assert effects(1)[0][0] == "showed"
    assert effects(2) == []


def test_a_message_that_an_operation_wrote_was_not_hidden_before() -> None:
    conversation(user("a"), user("b"), public_id="c", actor=engine())
    message: JsonValue = {"role": "user", "content": "both"}
    replaced: JsonValue = {"index": 0, "message": message}
    config = read_operation({"operation": "replace", "replace": replaced})
    apply_operation(person(Role.REVIEWER), "c", config, reason="shorter")
    assert [effect for effect, _, _ in effects(0)] == ["hid"]
    assert effects(2) == []


def origin(reader: Client, index: int) -> str:
    """The last row of the card, which says who wrote the message and how, as words."""
    page = reader.get(f"/conversations/c/messages/{index}/").content.decode()
    row = page.split('id="changes"')[1].split("</tbody>")[0].split("<tr>")[-1]
    cells = re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL)
    assert ("/conversations/c/diff/?from=" in cells[1]) == ("#" in cells[1])
    return " | ".join(unescape(re.sub(r"<[^>]+>", "", cell)) for cell in (cells[1], cells[3]))


def test_a_message_that_an_operation_wrote_says_what_it_replaced_or_sums_up() -> None:
    conversation(*[user(f"u{n}") for n in range(6)], public_id="c", actor=engine())
    rita = person(Role.REVIEWER)
    message: JsonValue = {"role": "user", "content": "new"}
    blocks: dict[str, JsonValue] = {
        "replace": {"index": 4, "message": message},
        "insert": {"position": 1, "messages": [message]},
        "summarize": {"range": {"start": 2, "end": 4}, "message": message},
    }
    for name, block in blocks.items():
        config = read_operation({"operation": name, name: block})
        apply_operation(rita, "c", config, reason=f"why {name}")
    reader = signed_in(Role.VIEWER)
    assert [origin(reader, index) for index in (6, 7, 8)] == [
        "Written Replaced #4 | why replace",
        "Written Inserted #7 before #1 | why insert",
        "Written Summarized #1–#2 | why summarize",
    ]
    page = reader.get("/conversations/c/messages/6/").content.decode()
    assert '<a href="/conversations/c/messages/4/">#4</a>' in page
    assert origin(reader, 0) == "Written | –"


def test_a_replacement_that_was_undone_and_done_again_says_so_like_what_it_replaced() -> None:
    conversation(user("a"), user("b"), public_id="c", actor=engine())
    rita = person(Role.REVIEWER)
    message: JsonValue = {"role": "user", "content": "both"}
    replaced: JsonValue = {"index": 0, "message": message}
    config = read_operation({"operation": "replace", "replace": replaced})
    apply_operation(rita, "c", config, reason="shorter")
    rollback(rita, "c", 0, reason="undone")
    restore(rita, "c", 1, reason="done again")
    assert effects(2) == [
        ("showed", rita.label, "done again"),
        ("hid", rita.label, "undone"),
    ]
    assert [effect for effect, _, _ in effects(0)] == ["hid", "showed", "hid"]


def test_a_change_that_was_undone_and_redone_is_named() -> None:
    conversation(user("a"), user("b"), public_id="c", actor=engine())
    rita = person(Role.REVIEWER)
    apply_operation(rita, "c", KEEP_LAST, reason="too long")
    restore(rita, "c", 0)
    restore(rita, "c", 1)
    page = signed_in(Role.VIEWER).get("/conversations/c/messages/0/").content.decode()
    told = unescape(page.split('id="changes"')[1].split("</tbody>")[0])
    said = re.findall("(?:[A-Z][a-z]+: )?Kept the last 1 message", told)
    kept = "Kept the last 1 message"
    assert said == [f"Redone: {kept}", f"Undone: {kept}", kept]


def test_what_is_appended_behind_a_replacement_was_not_written_by_it() -> None:
    conversation(user("a"), user("b"), public_id="c", actor=engine())
    replaced: JsonValue = {"index": 0, "message": {"role": "user", "content": "both"}}
    config = read_operation({"operation": "replace", "replace": replaced})
    apply_operation(person(Role.REVIEWER), "c", config, reason="shorter")
    steps.append("c", "later")
    assert origin(signed_in(Role.VIEWER), 3) == "Written | –"


def test_a_message_of_an_imported_file_is_not_said_to_be_written_by_the_importer() -> None:
    api = Api()
    made = ok(api.post("/conversations/import", [user("Hi"), assistant("Hello")]))["id"]
    ok(api.post(f"/conversations/{made}/messages", {"messages": [user("More")]}))
    reader = signed_in(Role.VIEWER)
    pages = [
        reader.get(f"/conversations/{made}/messages/{index}/").content.decode() for index in (1, 2)
    ]
    assert ["Imported from a file" in page for page in pages] == [True, False]


def test_a_history_costs_no_more_queries_for_more_changes() -> None:
    conversation(user("a"), user("b"), public_id="c", actor=engine())
    rita = person(Role.REVIEWER)
    counts: list[int] = []
    changes = 0
    for n in (1, 8):
        for _ in range(n):
            apply_operation(rita, "c", KEEP_LAST, reason="less")
            rollback(rita, "c", 0, reason="more")
        head = find_head(engine().workspace, "c")
        with CaptureQueriesContext(connection) as asked:
            found = history_of(head, 0)
        assert len(found.changes) > changes
        changes = len(found.changes)
        counts.append(len(asked))
    assert counts[0] == counts[1]


def test_a_message_leads_to_its_changes_and_an_admin_to_the_audit() -> None:
    conversation(user("a"), user("b"), public_id="c", actor=engine())
    apply_operation(person(Role.REVIEWER), "c", KEEP_LAST, reason="too long")
    viewer = signed_in(Role.VIEWER)
    listed = viewer.get("/conversations/c/?view=all").content.decode()
    assert 'href="/conversations/c/messages/0/"' in listed
    assert 'data-href="{message}#changes"' in listed
    page = viewer.get("/conversations/c/messages/0/").content.decode()
    assert "Who changed this" in page
    assert "too long" in page
    assert "/audit/" not in page
    admin = signed_in(Role.ADMIN).get("/conversations/c/messages/0/").content.decode()
    assert "/audit/?object_type=conversation&amp;object=c" in admin


def test_a_key_knows_the_versions_that_wrote_it() -> None:
    conversation(user("a"), public_id="c", actor=engine())
    for x in (1, 2):
        steps.save("c", f"more{x}", x=x)
    steps.save("c", "other", y=1)
    row = find_current(find_head(engine().workspace, "c").key)
    assert row is not None
    with CaptureQueriesContext(connection) as asked:
        found = writes_of_key(row, "x", None, 50)
    assert [each.checkpoint.version for each in found] == sorted(
        (each.checkpoint.version for each in found), reverse=True
    )
    assert len(found) == 2
    assert len(asked) == 3
    admin = signed_in(Role.ADMIN)
    page = admin.get("/executions/c/state/key/?key=x").content.decode()
    for each in found:
        assert f"/executions/c/versions/{each.checkpoint.version}/" in page
    newest = f"/executions/c/versions/{found[0].checkpoint.version}/"
    shown = admin.get(newest).content.decode()
    assert "/executions/c/state/key/?key=x" in shown
    assert f"/audit/{row.conversation}/" in shown
    assert admin.get("/executions/c/state/key/?key=nothing").status_code == 404
    assert admin.get("/executions/c/state/key/").status_code == 422


def test_the_history_of_a_key_continues_in_earlier_executions() -> None:
    run = Run.start(state={"x": 1, "old": True})
    row = find_current(run.head.key)
    assert row is not None
    first = row.public_id
    ok(run.post("cancel"))
    assert run.post("executions", {"state": {"x": 2}}).status_code == 201
    reader, path = signed_in(Role.VIEWER), f"/executions/{run.head.public_id}/state/key/"
    page = reader.get(f"{path}?key=x").content.decode()
    assert f"?key=x&amp;execution={first}" in page
    before = reader.get(f"{path}?key=x&execution={first}").content.decode()
    assert "in the earlier execution" in before
    assert f"/executions/{run.head.public_id}/versions/" not in before
    assert "in the execution before" not in before
    gone = reader.get(f"{path}?key=old").content.decode()
    assert "No version of this execution wrote this key." in gone
    assert f"?key=old&amp;execution={first}" in gone
    assert reader.get(f"{path}?key=x&execution=exec_nothing").status_code == 404


def executions(*states: dict[str, JsonValue]) -> list[Execution]:
    """Executions of one conversation that follow each other, with these states."""
    run = Run.start(state=states[0])
    rows = [find_current(run.head.key)]
    for state in states[1:]:
        ok(run.post("cancel"))
        assert run.post("executions", {"state": state}).status_code == 201
        rows.append(find_current(run.head.key))
    return [row for row in rows if row is not None]


def test_each_write_of_a_key_says_what_it_wrote() -> None:
    run = Run.start(state={"x": "first <b>", "long": "y" * 5000, "none": ""})
    ok(run.save("one", state_data={"x": {"a": 1}}))
    ok(run.save("two", state_data={"x": {"$delete": True}}))
    reader, path = signed_in(Role.VIEWER), f"/executions/{run.head.public_id}/state/key/"

    def values(key: str) -> list[str]:
        page = reader.get(f"{path}?key={key}").content.decode()
        cells = re.findall(r'class="key-value"[^>]*>(.*?)</td>', page)
        return [unescape(re.sub(r"<[^>]+>", "", cell)) for cell in cells]

    assert values("x") == ["–", '{"a":1}', "first <b>"]
    assert values("long") == ["4.9\xa0KB"]
    assert values("none") == ["(empty)"]


def test_the_search_for_a_key_ends_at_the_latest_execution_that_wrote_it() -> None:
    rows = executions({"x": 1}, {"x": 2}, {"y": 1}, {"x": 3})
    with CaptureQueriesContext(connection) as asked:
        found = earlier_execution_of_key(rows[3], "x")
    assert found is not None
    assert found.public_id == rows[1].public_id
    assert len(asked) == 3  # two executions, and the one that is found
    assert not any("MAX(" in each["sql"].upper() for each in asked)
    assert earlier_execution_of_key(rows[0], "x") is None


def test_the_search_for_a_key_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = executions({"x": 1}, {"y": 1}, {"y": 2})
    assert earlier_execution_of_key(rows[2], "x") is not None
    monkeypatch.setattr(key_history, "_MOST_EXECUTIONS", 1)
    assert earlier_execution_of_key(rows[2], "x") is None
    assert earlier_execution_of_key(rows[2], "y") is not None
