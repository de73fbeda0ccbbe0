"""The audit over REST: filters, cursors, exports, and how they are found among many entries."""

import csv
import io
import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pydantic import JsonValue

from conversations.domain.configs import read_operation
from conversations.lifecycle.erasure import erase
from conversations.services.use_cases import apply_operation
from ctxadmin.accounts.access_log import record_access
from ctxadmin.audit.keys import current_key
from ctxadmin.audit.models import AuditEntry
from ctxadmin.audit.queries import AuditFilter, every_entry, find_entries
from ctxadmin.audit.record import AuditChange
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action, Role, Scope
from ctxadmin.lib.json_bytes import canonical
from ctxadmin.ui.audit.typed_filter import with_names
from tests.factories import Api, conversation, engine, person, signed_in, user
from tests.integration.checkpoints.flows import ok, refused
from tests.integration.live_copy import steps
from tests.integration.pages.execution_scenes import paused

pytestmark = pytest.mark.django_db


@pytest.fixture
def api() -> Api:
    return Api([Scope.ADMIN])


def listed(api: Api, query: str = "") -> list[tuple[str, str]]:
    found = ok(api.get(f"/audit?{query}"))
    return [(each["action"], each["object_id"]) for each in found["results"]]


def test_only_an_admin_reads_the_audit() -> None:
    assert refused(Api([Scope.ENGINE]).get("/audit"), 403, "forbidden")
    designer = signed_in(Role.DESIGNER)
    assert designer.get("/audit/").status_code == 403
    assert designer.get("/audit/export/").status_code == 403
    assert designer.post("/audit/verify/").status_code == 403
    assert 'href="/audit/"' not in designer.get("/").content.decode()


def test_filters_find_by_person_action_object_and_time(api: Api) -> None:
    conversation(user("a"), public_id="one", actor=engine())
    conversation(user("a"), public_id="two", actor=person(Role.ADMIN))
    made = ("conversation.create", "two")
    assert listed(api, "actor=some admin") == [made]
    assert listed(api, "actor=person:some admin&action=conversation.create") == [made]
    assert listed(api, "actor=token:some admin") == []
    assert listed(api, "object_type=conversation&object=one") == [("conversation.create", "one")]
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).date().isoformat()
    assert listed(api, f"since={tomorrow}") == []
    assert made in listed(api, f"until={tomorrow}")


def test_a_conversation_is_found_with_the_changes_of_its_executions(api: Api) -> None:
    conversation(user("a"), public_id="one", actor=engine())
    steps.save("one", "more", x=1)
    found = listed(api, "object=one")
    assert ("conversation.create", "one") in found
    assert "checkpoint.save" in {action for action, _ in found}


@pytest.mark.parametrize(
    "query", ["action=fly", "object_type=house", "since=soon", "until=9", "export=xml", "cursor=x"]
)
def test_what_is_no_filter_is_refused_with_its_name(api: Api, query: str) -> None:
    refusal = refused(api.get(f"/audit?{query}"), 422, "validation")
    assert refusal["errors"][0]["pointer"] == "?" + query.partition("=")[0]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("REFUND OF AN ORDER", ["refund-2"]),
        ("refund of", ["refund-2", "refund-3"]),
        ("退款", ["refund-4"]),
        ("Refund_of", []),
        ("令牌", []),
    ],
)
def test_objects_are_found_by_their_names(text: str, found: list[str]) -> None:
    titles = ["Refund", "Refund of an order", "Refund of a trip", "退款 4"]
    for n, title in enumerate(titles, start=1):
        conversation(user("a"), public_id=f"refund-{n}", title=title, actor=engine())
    conversation(user("a"), public_id="c1", title="Refund of", actor=engine(slug="other"))
    workspace = engine().workspace
    wanted = with_names(workspace, AuditFilter(object_id=text, actor="test engine（令牌）"))
    listed = [each.entry.object_id for each in find_entries(workspace, wanted, None, 50)]
    assert sorted(listed) == found


def test_names_find_as_much_with_as_many_statements_for_many_objects_as_for_few() -> None:
    workspace = engine().workspace
    counts = []
    for n in (1, 12):
        for each in range(n):
            conversation(user("a"), public_id=f"c{n}-{each}", title=f"Trip {n}", actor=engine())
        with CaptureQueriesContext(connection) as asked:
            wanted = with_names(workspace, AuditFilter(object_id=f"Trip {n}"))
            assert len(find_entries(workspace, wanted, None, 50)) == n
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 15


def test_pages_go_through_all_entries_once_also_at_one_moment(api: Api) -> None:
    for n in range(7):
        conversation(user("a"), public_id=f"c{n}", actor=engine())
    AuditEntry.objects.update(at=datetime(2026, 1, 1, tzinfo=UTC))
    seen: list[str] = []
    cursor = ""
    while True:
        part = ok(api.get(f"/audit?limit=2&action=conversation.create{cursor}"))
        seen += [each["object_id"] for each in part["results"]]
        if part["next"] is None:
            break
        cursor = f"&cursor={part['next']}"
    assert sorted(seen) == [f"c{n}" for n in range(7)]


def test_nothing_of_another_workspace_is_found(api: Api) -> None:
    conversation(user("a"), public_id="theirs", actor=engine(slug="other"))
    assert "theirs" not in {name for _, name in listed(api)}
    assert listed(api, "object=theirs") == []


def test_an_export_is_complete_and_itself_on_record() -> None:
    api = Api([Scope.ADMIN])
    conversation(user("a"), public_id="one", actor=engine())
    answer = api.get("/audit?export=jsonl&action=conversation.create")
    assert answer["Content-Type"] == "application/x-ndjson"
    (line,) = [json.loads(each) for each in b"".join(answer).splitlines()]
    stored = AuditEntry.objects.get(action="conversation.create")
    assert (line["object_id"], line["hash"]) == ("one", stored.hash)
    recorded = AuditEntry.objects.get(action="audit.export")
    assert json.loads(bytes(recorded.detail)) == {
        "format": "jsonl",
        "action": "conversation.create",
    }


def test_a_spreadsheet_runs_nothing_of_an_export() -> None:
    evil = Actor("person", "1", "=cmd|' /C calc'!A0", engine().workspace, frozenset())
    record_access(evil, AuditChange(Action.SESSION_SIGN_IN, "person", "@SUM(1)", reason="+1\n-2"))
    admin = signed_in(Role.ADMIN)
    answer = admin.get("/audit/export/?format=csv&action=session.sign_in&object=@SUM(1)")
    text = b"".join(answer).decode()
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["actor_name"] == "'=cmd|' /C calc'!A0"
    assert (row["object_id"], row["reason"]) == ("'@SUM(1)", "'+1\n-2")


def test_an_export_reads_page_by_page() -> None:
    for n in range(5):
        conversation(user("a"), public_id=f"c{n}", actor=engine())
    with CaptureQueriesContext(connection) as asked:
        found = list(every_entry(engine().workspace, AuditFilter(), most=2))
    assert len(found) == len({each.position for each in found}) == AuditEntry.objects.count()
    entries = [each for each in asked if "audit_auditentry" in each["sql"]]
    assert len(entries) == len(found) // 2 + 1


@pytest.mark.only("sqlite")
@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        (AuditFilter(), "audit_newest (workspace=?"),
        (AuditFilter(actor="anna"), "audit_by_actor (workspace=? AND actor_name=?"),
        (AuditFilter(action="batch.rollback"), "audit_by_action (workspace=? AND action=?"),
        (AuditFilter(object_id="one"), "audit_by_object (workspace=? AND object_id=?"),
    ],
)
@pytest.mark.parametrize("after", [None, (1, 2, 3)])
def test_entries_come_in_the_order_of_an_index(
    wanted: AuditFilter, index: str, after: tuple[int, int, int] | None
) -> None:
    with CaptureQueriesContext(connection) as asked:
        find_entries(1, wanted, after, 50)
    statement = next(each["sql"] for each in asked if "audit_auditentry" in each["sql"])
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN QUERY PLAN " + statement.replace("%", "%%"))
        plan = "\n".join(row[3] for row in cursor.fetchall())
    assert f"USING INDEX {index}" in plan
    assert "USE TEMP B-TREE FOR ORDER BY" not in plan  # of the last terms it is, at equal times


def test_the_page_shows_words_links_and_what_was_altered() -> None:
    conversation(user("a"), public_id="one", actor=engine())
    admin = signed_in(Role.ADMIN)
    page = admin.get("/audit/?object=one").content.decode()
    assert "Created a conversation" in page
    assert 'href="/conversations/one/"' in page
    assert "Altered" not in page
    entry = AuditEntry.objects.get(object_id="one")
    AuditEntry.objects.filter(pk=entry.pk).update(actor_name="nobody")
    page = admin.get("/audit/?object=one").content.decode()
    assert "1 entry on this page differs from its hash" in page
    shown = admin.get(f"/audit/{entry.stream}/{entry.seq}/").content.decode()
    assert "This entry differs from its hash" in shown
    assert admin.get(f"/audit/{entry.stream}/99/").status_code == 404


def test_a_batch_is_said_in_the_words_of_the_list_of_batches() -> None:
    conversation(user("one"), user("two"), user("three"), public_id="said")
    hide: JsonValue = {
        "operation": "truncate",
        "truncate": {"remove_ranges": [{"start": 0, "end": 2}]},
    }
    apply_operation(engine(), "said", read_operation(hide))
    page = signed_in(Role.ADMIN).get("/audit/?action=messages.operate").content.decode()
    assert "Batch 1: Hid #0–#1" in page


def test_objects_of_one_name_are_told_apart_by_their_ids() -> None:
    for public_id in ("first", "second"):
        conversation(user("Hello!"), public_id=public_id, actor=engine())
    conversation(user("Goodbye!"), public_id="third", actor=engine())
    steps.save("second", "more", x=1)
    page = signed_in(Role.ADMIN).get("/audit/").content.decode()
    assert 'Conversation · <code translate="no">first</code>' in page
    assert 'Execution · <code translate="no">second</code>' in page
    assert '<code translate="no">third</code>' not in page


def test_an_edit_of_a_state_names_its_first_keys() -> None:
    run = paused()
    for state in ({"draft": 1}, {"draft": 2, "a": 1, "b": 2, "c": 3, "d": 4}):
        sent = {"node_id": run.snapshot()["current_node_id"], "state_data": state}
        assert run.api.patch(f"{run.path}/snapshot", sent).status_code == 200
    page = signed_in(Role.ADMIN).get("/audit/?action=snapshot.update").content.decode()
    words = re.findall(r">(Version [^<]*)</a>", page)
    assert [each.partition(": ")[2] for each in words] == ["draft, a, b, 2 more", "draft"]


def test_what_was_erased_is_called_so_and_leads_nowhere() -> None:
    conversation(user("a"), public_id="gone", actor=engine())
    conversation(user("a"), public_id="kept", actor=engine())
    erase(person(Role.ADMIN), "gone")
    admin = signed_in(Role.ADMIN)
    page = admin.get("/audit/").content.decode()
    assert "Erased a conversation" in page
    assert page.count("Conversation · erased") == 2  # made, and erased
    assert 'href="/conversations/gone/"' not in page
    assert 'href="/conversations/kept/"' in page
    entry = AuditEntry.objects.filter(object_id="gone").order_by("seq")[0]
    shown = admin.get(f"/audit/{entry.stream}/{entry.seq}/").content.decode()
    assert "gone</span> · erased" in shown


def test_a_mistake_in_the_filter_stays_in_the_form() -> None:
    answer = signed_in(Role.ADMIN).get("/audit/?since=soon&actor=anna")
    assert answer.status_code == 422
    page = answer.content.decode()
    assert 'value="anna"' in page
    assert "From day (UTC): Enter a day such as 2026-11-24." in page


def test_a_first_day_after_the_last_one_is_said() -> None:
    admin = signed_in(Role.ADMIN)
    answer = admin.get("/audit/?since=2026-11-25&until=2026-11-24")
    assert answer.status_code == 422
    assert "The first day is after the last day." in answer.content.decode()
    assert admin.get("/audit/?since=2026-11-24&until=2026-11-24").status_code == 200


def test_the_list_asks_as_much_for_many_entries_as_for_few() -> None:
    admin = signed_in(Role.ADMIN)
    counts = []
    for n in (1, 12):
        for each in range(n):
            conversation(user("a"), public_id=f"c{n}-{each}", actor=engine())
        with CaptureQueriesContext(connection) as asked:
            assert admin.get("/audit/").status_code == 200
        counts.append(len(asked))
    assert counts[0] == counts[1]


def test_an_export_can_be_verified_with_the_key_alone(api: Api) -> None:
    for n in range(2):
        record_access(person(Role.ADMIN), AuditChange(Action.SESSION_SIGN_IN, "person", f"p{n}"))
    answer = api.get("/audit?export=jsonl&action=session.sign_in")
    lines = [json.loads(each) for each in b"".join(answer).splitlines()]
    later, earlier = lines
    content = {
        "before": earlier["hash"],
        "stream": int(later["stream"]),
        "seq": later["seq"],
        "workspace": person(Role.ADMIN).workspace,
        "at": later["at"],
        "actor": [later["actor_kind"], later["actor_id"], later["actor_name"]],
        "action": later["action"],
        "object": [later["object_type"], later["object_id"]],
        "versions": [later["before"], later["after"]],
        "detail": json.dumps(later["detail"], separators=(",", ":")),
        "request": [later["request_id"], later["address"]],
        "key": later["key_name"],
        "reason_digest": later["reason_digest"],
    }
    assert current_key().hash_of(canonical(content)) == later["hash"]
