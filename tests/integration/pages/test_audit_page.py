"""The page of the audit: autosaves of drafts together, and names instead of ids."""

import csv
import io
import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from pydantic import JsonValue

from checkpoints.pages import audit_words
from checkpoints.services import annotations
from conversations.domain.configs import read_operation
from conversations.services import comments
from conversations.services.use_cases import apply_operation
from ctxadmin.accounts import people
from ctxadmin.accounts.access_log import record_access
from ctxadmin.accounts.services import create_token
from ctxadmin.audit.models import AuditEntry
from ctxadmin.audit.record import AuditChange
from ctxadmin.identity.roles import Action, Role, Scope
from tests.factories import Api, conversation, engine, person, signed_in, user
from tests.integration.checkpoints.flows import Run, edge, node, ok, publish
from tests.integration.live_copy import steps
from tests.integration.pages.execution_scenes import paused
from workflows.domain.document.graph import Document, read
from workflows.services import use_cases
from workflows.services.use_cases import NewWorkflow

pytestmark = pytest.mark.django_db

DRAFT: dict[str, JsonValue] = {"id": "draft", "type": "llm", "name": "Draft the answer"}
KEEP_LAST = read_operation({"operation": "truncate", "truncate": {"keep_last": 1}})
SEND: JsonValue = {"id": "send", "type": "tool", "name": "Send it"}


def document(*nodes: JsonValue) -> Document:
    return read({"name": "Support", "nodes": list(nodes), "edges": []})


def saved(*documents: Document) -> None:
    """Saves drafts one after the other, as the canvas does."""
    designer = person(Role.DESIGNER)
    use_cases.create(designer, NewWorkflow(slug="support", name="Support"))
    for version, each in enumerate(documents):
        use_cases.save_draft(designer, "support", each, version)


def rows(query: str = "", admin: Client | None = None) -> list[str]:
    page = (admin or signed_in(Role.ADMIN)).get(f"/audit/?{query}").content.decode()
    body = page.partition("<tbody>")[2].partition("</tbody>")[0]
    parts = [re.sub(r"<[^>]+>", " ", row) for row in body.split("<tr")[1:]]
    return [" ".join(part.split()) for part in parts]


def test_autosaves_of_a_draft_are_one_line_that_says_what_they_did_in_all() -> None:
    saved(document(DRAFT), document(DRAFT, SEND), document({"id": "draft", "type": "llm"}, SEND))
    (line, created) = rows("object_type=workflow")
    assert "Edited the draft 3 times" in line
    assert "Support" in line
    assert "Draft 0 → 3: added “draft”, “Send it”" in line
    assert "Draft 2 → 3: changed “draft” (name, formerly “Draft the answer”)" in line
    assert "created" in created


def test_a_change_keeps_the_names_of_its_time_when_a_node_is_renamed_later() -> None:
    saved(document(DRAFT), document(DRAFT, SEND))
    first = AuditEntry.objects.filter(action="workflow.change").order_by("seq")[1]
    AuditEntry.objects.filter(stream=first.stream, seq__lte=first.seq + 1).update(
        at=first.at - timedelta(hours=1)
    )
    designer = person(Role.DESIGNER)
    use_cases.save_draft(designer, "support", document({**DRAFT, "name": "Write"}, SEND), 2)
    renamed, earlier = (line for line in rows() if "Edited the draft" in line)
    assert "changed “Write” (name, formerly “Draft the answer”)" in renamed
    assert "added “Draft the answer”" in earlier


def test_an_entry_has_the_policies_before_and_after_in_words() -> None:
    last: JsonValue = {"messages": [{"operation": "truncate", "truncate": {"keep_last": 6}}]}
    saved(
        document(DRAFT),
        document({**DRAFT, "context_filter": last}),
        document({**DRAFT, "type": "tool"}),
    )
    entries = AuditEntry.objects.filter(object_type="workflow").order_by("seq")
    admin = signed_in(Role.ADMIN)
    added, taken = [entry_page(admin, each) for each in [*entries][-2:]]
    assert "“Draft the answer” input filters None last 6" in added
    assert "“Draft the answer” type Model Tool" in taken
    assert "“Draft the answer” input filters last 6 None" in taken


def test_an_entry_has_the_policies_of_what_was_added_or_removed() -> None:
    last: JsonValue = {"messages": [{"operation": "truncate", "truncate": {"keep_last": 6}}]}
    saved(document({**DRAFT, "context_filter": last}, SEND), document(SEND))
    entries = AuditEntry.objects.filter(object_type="workflow").order_by("seq")
    admin = signed_in(Role.ADMIN)
    added, removed = [entry_page(admin, each) for each in [*entries][-2:]]
    assert "“Draft the answer” input filters None last 6" in added
    assert "“Draft the answer” type Model None" in removed
    assert "“Draft the answer” input filters last 6 None" in removed


def entry_page(admin: Client, entry: AuditEntry) -> str:
    """The text of the values on the page of an entry."""
    page = admin.get(f"/audit/{entry.stream}/{entry.seq}/").content.decode()
    table = page.partition("audit-values")[2].partition("</table>")[0]
    return " ".join(re.sub(r"<[^>]+>", " ", table).split())


def test_a_renamed_workflow_says_its_former_name() -> None:
    saved()
    use_cases.change(person(Role.DESIGNER), "support", name="Help")
    assert "renamed, formerly “Support”" in rows("object_type=workflow")[0]


def test_a_name_with_hidden_signs_cannot_turn_a_line_around() -> None:
    saved(document({**DRAFT, "name": "\u202egpj.exe"}))
    page = signed_in(Role.ADMIN).get("/audit/").content.decode()
    assert "\u202e" not in page
    assert page.count("U+202E") >= 1


def test_a_pause_or_another_change_begins_a_new_line() -> None:
    saved(document(DRAFT), document(DRAFT, SEND))
    first = AuditEntry.objects.filter(action="workflow.change").order_by("seq")[1]
    AuditEntry.objects.filter(stream=first.stream, seq=first.seq).update(
        at=first.at - timedelta(hours=1)
    )
    assert len([line for line in rows() if "Edited the draft" in line]) == 2


def test_a_page_of_many_autosaves_goes_on_to_what_was_before_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ctxadmin.ui.audit.pages._LINES", 2)
    saved(*(document({"id": f"n{n}", "type": "llm"}) for n in range(7)))
    (line, created) = rows("object_type=workflow")
    assert "7 times" in line
    assert "created" in created


def test_a_long_reason_is_whole_on_the_page_of_its_entry_only() -> None:
    conversation(user("a"), user("b"), public_id="c", actor=engine())
    apply_operation(person(), "c", KEEP_LAST, reason="too long " * 100 + "the end")
    admin = signed_in(Role.ADMIN)
    listed = admin.get("/audit/").content.decode()
    assert "too long" in listed
    assert "the end" not in listed
    entry = re.search(r'href="(/audit/\d+/\d+/)"[^>]*>(?:(?!</tr>).)*too long', listed, re.S)
    assert entry is not None
    assert "the end" in admin.get(entry[1]).content.decode()


def test_objects_have_their_names_and_are_linked_while_they_exist() -> None:
    conversation(user("Where is my order?"), public_id="c1", actor=engine())
    saved(document(DRAFT))
    admin = signed_in(Role.ADMIN)
    page = admin.get("/audit/").content.decode()
    assert re.search(r'href="/conversations/c1/"[^>]*>Where is my order', page)
    assert re.search(r'href="/workflows/support/"[^>]*>Support<', page)
    use_cases.delete(person(Role.DESIGNER), "support")
    assert 'href="/workflows/support/"' not in admin.get("/audit/").content.decode()


def test_both_sides_of_a_fork_say_what_was_forked_into_what() -> None:
    run = paused()
    ok(run.post("checkpoints/1/fork", {"id": "forked", "title": "Second try"}))
    ok(run.api.patch(run.path, {"title": "Parcel"}))
    admin = signed_in(Role.ADMIN)
    page = admin.get("/audit/?action=checkpoint.fork").content.decode()
    assert re.search(r'href="/executions/forked/"[^>]*>Second try<', page)
    assert re.search(rf'href="/executions/{run.head.public_id}/"[^>]*>Parcel<', page)
    lines = rows("action=checkpoint.fork", admin)
    assert len(lines) == 2
    assert all("version 1 of “Parcel” into “Second try”" in line for line in lines)


def test_a_deleted_version_is_named_and_a_link_to_its_difference_says_that_it_is_gone() -> None:
    run = Run.start()
    admin = signed_in(Role.ADMIN)
    for number in range(1, 5):
        ok(run.save(f"c{number}", state_data={"plan": number}))
    deleted = Api([Scope.ADMIN]).delete(f"{run.path}/checkpoints/3")
    assert deleted.status_code in (200, 204), deleted.content
    (line,) = rows("action=checkpoint.delete", admin)
    assert "Deleted a version" in line
    assert "Version 3" in line
    gone = admin.get(f"/executions/{run.head.public_id}/diff/?from=2&to=3")
    assert gone.status_code == 404
    assert "Version 3 was deleted" in gone.content.decode()


def scene() -> None:
    """Two conversations with titles, one without, an execution, and a workflow."""
    conversation(user("a"), public_id="c1", title="Refund", actor=engine())
    conversation(user("a"), public_id="c2", title="Refund of an order", actor=engine())
    conversation(user("Where is my order?"), public_id="c3", actor=engine())
    steps.save("c2", "more", x=1)
    saved(document(DRAFT))
    use_cases.change(person(Role.DESIGNER), "support", name="Help desk")


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("object=refund", 1),  # a whole name, and not what only begins with it
        ("object=Refund of", 2),
        ("object=Refund of an order&object_type=conversation", 2),
        ("object=Refund of an order&object_type=execution", 1),
        ("object=Refund of an order&object_type=workflow", 0),
        ("object=c2&object_type=execution", 1),
        ("object=where is my order?", 1),  # from the first message
        ("object=help desk&object_type=workflow", 3),
        ("object=Help", 3),
        ("object=100%25", 0),
        ("object=R%25", 0),
    ],
)
def test_objects_are_found_by_the_names_that_the_list_shows(query: str, count: int) -> None:
    scene()
    assert len(rows(query)) == count


def test_an_id_finds_only_its_object_though_names_begin_with_it() -> None:
    admin = signed_in(Role.ADMIN)
    conversation(user("Hello"), public_id="refund", actor=engine())
    conversation(user("a"), public_id="c2", title="Refund of an order", actor=engine())
    (line,) = rows("object=refund", admin)
    assert "Hello" in line
    (line,) = rows("object=refun", admin)
    assert "Refund of an order" in line


def test_names_of_another_workspace_find_nothing() -> None:
    conversation(user("a"), public_id="c1", title="Theirs", actor=engine(slug="other"))
    assert rows("object=Theirs") == []


def test_people_are_found_as_objects_however_their_names_are_written() -> None:
    admin = signed_in(Role.ADMIN)
    record_access(
        person(Role.ADMIN), AuditChange(Action.SESSION_SIGN_IN, "person", "admin-default")
    )
    assert len(rows("object_type=person&object=ADMIN-Default", admin)) == 1
    assert len(rows("object=Admin-def", admin)) == 1


def test_tokens_and_webhooks_are_found_by_their_names() -> None:
    api = Api([Scope.ADMIN])  # makes "test token"
    sent = {"name": "Ops room", "url": "https://ops.example/hook", "kinds": ["execution.paused"]}
    made = api.post("/webhooks", sent)
    assert made.status_code == 201, made.content
    admin = signed_in(Role.ADMIN)
    assert len(rows("object_type=token&object=TEST token", admin)) == 1
    assert len(rows("object=ops", admin)) == 1


def test_an_export_has_the_entries_that_the_names_of_its_page_find() -> None:
    scene()
    admin = signed_in(Role.ADMIN)
    query = "object=Refund of&actor=test engine (token)"
    answer = admin.get(f"/audit/export/?format=csv&{query}")
    found = list(csv.DictReader(io.StringIO(b"".join(answer).decode())))
    assert {row["object_id"] for row in found if row["object_type"] == "conversation"} == {"c2"}
    assert len(found) == len(rows(query, admin)) == 2


def test_an_empty_list_says_what_only_ids_find() -> None:
    admin = signed_in(Role.ADMIN)
    hint = "found only by their ids"
    assert hint in admin.get("/audit/?object=nothing").content.decode()
    assert hint not in admin.get("/audit/?actor=nobody").content.decode()


@pytest.mark.parametrize("typed", ["{} (token)", "{}（令牌）", "{}", "token:{}"])
def test_an_author_is_found_as_the_list_shows_the_name(typed: str) -> None:
    conversation(user("a"), public_id="c1", actor=engine())
    assert len(rows(f"actor={typed.format(engine().name)}")) == 1


@pytest.mark.parametrize("typed", ["Engine 1", "ENGINE 1", "eng", "Eng"])
def test_an_author_is_found_however_the_name_is_written_and_by_its_beginning(typed: str) -> None:
    for name in ("engine 1", "other"):
        create_token(engine(Scope.ADMIN), name, [Scope.ENGINE])
        conversation(user("a"), public_id=name[0], actor=replace(engine(), name=name))
    (line,) = rows(f"action=conversation.create&actor={typed}")
    assert "engine 1 (token)" in line


def test_a_whole_name_of_an_author_finds_no_longer_ones() -> None:
    for name in ("engine 1", "engine 12"):
        create_token(engine(Scope.ADMIN), name, [Scope.ENGINE])
        conversation(user("a"), public_id=f"c{len(name)}", actor=replace(engine(), name=name))
    admin = signed_in(Role.ADMIN)
    assert len(rows("action=conversation.create&actor=Engine 1", admin)) == 1
    assert len(rows("action=conversation.create&actor=Engine", admin)) == 2


def test_people_and_tokens_are_suggested_as_authors() -> None:
    admin = signed_in(Role.ADMIN)
    create_token(engine(Scope.ADMIN), "engine 1", [Scope.ENGINE])
    page = admin.get("/audit/").content.decode()
    suggested = page.partition('<datalist id="authors">')[2].partition("</datalist>")[0]
    assert re.findall(r'value="([^"]+)"', suggested) == ["admin-default", "engine 1 (token)"]


def test_an_action_that_the_list_never_has_is_not_offered() -> None:
    page = signed_in(Role.ADMIN).get("/audit/").content.decode()
    assert 'value="session.sign_in"' in page
    assert 'value="session.fail"' not in page


def test_the_changes_of_each_row_lead_to_its_entry_or_to_a_difference() -> None:
    saved(document(DRAFT))
    page = signed_in(Role.ADMIN).get("/audit/?object_type=workflow").content.decode()
    assert re.search(r'<a href="/audit/\d+/2/">Draft 0 → 1: added “Draft the answer”</a>', page)


def test_rights_and_labels_are_said_in_their_rows_and_entries() -> None:
    admin = signed_in(Role.ADMIN)
    by = person(Role.ADMIN)
    people.add_person(by, "rita", Role.REVIEWER)
    people.change_role(by, "rita", Role.ADMIN, seen=Role.REVIEWER)
    create_token(by, "engine 1", [Scope.REVIEW, Scope.ENGINE])
    changed, added = rows("object=rita", admin)
    assert "Role: reviewer → admin" in changed
    assert "Role: reviewer" in added
    (made,) = rows("object=engine 1", admin)
    assert "Scopes: engine, review" in made
    page = admin.get("/audit/?object=rita").content.decode()
    entry = admin.get(re.findall(r'class="audit-time" href="([^"]+)"', page)[0]).content.decode()
    assert re.findall(r'<td dir="auto" translate="no">(.*?)</td>', entry) == ["reviewer", "admin"]
    run = paused()
    for name in ("first", "second"):
        annotations.set_label(person(), run.head.public_id, 1, name)
    second, first = rows("action=label.set", admin)
    assert "Version 1: label “second”" in second
    assert "Version 1: a label that was replaced or removed since" in first
    annotations.remove_label(person(), run.head.public_id, 1)
    assert "Version 1: label removed" in rows("action=label.set", admin)[0]


def test_a_comment_says_what_it_is_about_and_how_it_begins_as_long_as_it_is_there() -> None:
    run, admin, reader = paused(), signed_in(Role.ADMIN), person(Role.REVIEWER)
    name = run.head.public_id
    long = comments.comment(reader, name, comments.About(message=1), "“Late” again. " + "x" * 90)
    keyed = annotations.WriteComment(version=1, key="draft", text="Too curt")
    annotations.comment(reader, name, keyed)
    of_key, of_message = rows("action=comment.write", admin)
    assert "Message #1: “‘Late’ again. xxx" in of_message
    assert "x…”" in of_message
    assert "Key draft: “Too curt”" in of_key
    admin.cookies["language"] = "zh-hans"
    assert "键 draft：“Too curt”" in rows("action=comment.write", admin)[0]
    admin.cookies["language"] = "en"
    comments.remove_comment(reader, name, long.number)
    (removed,) = rows("action=comment.delete", admin)
    assert "Message #1" in removed
    assert "Late" not in removed + rows("action=comment.write", admin)[1]


def test_completions_name_their_nodes_with_at_most_two_more_queries(
    django_assert_max_num_queries: Any,
) -> None:
    nodes = [dict(DRAFT), node("send", name="Send it")]
    publish("support", nodes, [edge("draft", "send")])
    runs = [Run.start("support") for _number in range(3)]
    for run in runs:
        ok(run.complete("draft"))
        ok(run.complete("send"))
    shown = rows("action=node.complete")
    assert sum("“Draft the answer”" in row for row in shown) == 3
    assert sum("“Send it”" in row for row in shown) == 3
    entries = AuditEntry.objects.filter(action=Action.NODE_COMPLETE)
    with django_assert_max_num_queries(3):
        audit_words.words_of_runs([[entry] for entry in entries])


def test_both_sides_of_a_fork_with_the_same_title_have_their_ids_and_lead_to_each_other() -> None:
    run = paused()
    ok(run.api.patch(run.path, {"title": "Parcel"}))
    ok(run.post("checkpoints/1/fork", {"id": "forked"}))
    source = run.head.public_id
    admin = signed_in(Role.ADMIN)
    words = f"version 1 of “Parcel” ({source}) into “Parcel” (forked)"
    assert all(words in line for line in rows("action=checkpoint.fork", admin))
    page = admin.get("/audit/?action=checkpoint.fork").content.decode()
    assert f'<a href="/executions/forked/">{words}</a>' in page
    assert f'<a href="/executions/{source}/versions/1/">{words}</a>' in page


def test_the_label_of_a_system_is_not_that_of_a_token() -> None:
    conversation(user("a"), public_id="c1", actor=engine())
    assert rows(f"actor={engine().name} (system)") == []


def test_a_name_that_is_written_like_a_label_stays_itself() -> None:
    odd = replace(engine(), name="bot (token)")
    conversation(user("a"), public_id="c1", actor=odd)
    conversation(user("a"), public_id="c2", actor=replace(engine(), name="bot"))
    (line,) = rows("actor=bot (token)")
    assert "bot (token) (token)" in line


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("actor=" + "a" * 201, "Person or token: Enter at most 200 characters."),
        ("object=" + "a" * 201, "Id or name: Enter at most 200 characters."),
        ("object=a%00b", "Id or name: Remove the NUL character."),
        ("action=foo", "Action: There is no such action. Choose one from the list."),
        ("object_type=foo", "Object: There is no such type of object. Choose one from the list."),
    ],
)
def test_a_wrong_filter_is_named_as_the_form_calls_it(query: str, problem: str) -> None:
    answer = signed_in(Role.ADMIN).get(f"/audit/?{query}")
    assert answer.status_code == 422
    assert problem in answer.content.decode()
