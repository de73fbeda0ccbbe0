"""The management commands as an operator runs them."""

import json
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import httpx
import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.test import override_settings

from checkpoints.management.commands import answer_overdue
from conversations.models import Conversation, Message
from ctxadmin.accounts.models import EngineToken, User
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Role
from demo import counter, seed
from demo.engine import Engine, ServerRefused
from demo.management.commands import demo_engine
from tests.factories import Api, conversation, person, user
from tests.shape_examples import example
from workflows.costs.versions import draft_beside
from workflows.domain.document.graph import read
from workflows.models import Workflow
from workflows.services.use_cases import import_document
from workflows.store.definitions import definition
from workflows.store.workflow import find_version

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=out)
    return out.getvalue()


def test_create_token_prints_the_token_and_nothing_else() -> None:
    out = run("create_token", "--name", "n", "--scopes", "engine,review", "--expires", "90d")
    assert out.startswith("ctxa_")
    assert out == out.strip() + "\n"
    token = EngineToken.objects.get()
    assert token.scopes == ["engine", "review"]
    assert token.expires_at is not None


@pytest.mark.parametrize(
    "wrong", [["--scopes", "root"], ["--expires", "soon"], ["--workspace", "x"]]
)
def test_create_token_refuses_what_it_does_not_know(wrong: list[str]) -> None:
    with pytest.raises(CommandError):
        run("create_token", "--name", "n", *wrong)
    assert not EngineToken.objects.exists()


def test_create_admin_makes_one_and_only_one() -> None:
    assert "password" in run("create_admin")
    assert "already" in run("create_admin")
    assert User.objects.filter(is_superuser=True).count() == 1


def test_an_address_is_set_and_removed_and_on_record_without_itself() -> None:
    run("create_admin")
    assert "anna@example.org" in run("set_address", "admin", "anna@example.org")
    assert User.objects.get().email == "anna@example.org"
    assert "anna@" not in repr(list(AuditEntry.objects.values()))
    run("set_address", "admin")
    assert User.objects.get().email == ""
    assert AuditEntry.objects.filter(action="member.manage").count() == 3


@pytest.mark.parametrize("wrong", [("nobody", "a@example.org"), ("ADMIN", ""), ("admin", "a@")])
def test_a_wrong_address_or_name_is_refused(wrong: tuple[str, str]) -> None:
    run("create_admin")
    with pytest.raises(CommandError):
        run("set_address", *wrong)
    assert not AuditEntry.objects.filter(actor_name="set_address").exists()


def chats(folder: Path, *lines: object) -> str:
    path = folder / "chats.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines))
    return str(path)


def test_import_takes_every_line_of_every_file(tmp_path: Path) -> None:
    path = chats(tmp_path, *({"id": f"c{n}", "messages": [user("hi")]} for n in range(3)))
    out = run("import_conversations", path)
    assert "3 of 3 conversations, 3 messages" in out
    assert Conversation.objects.count() == 3


def test_import_names_file_line_and_field_and_imports_nothing(tmp_path: Path) -> None:
    bad = {"messages": [{"role": "nobody", "content": "x"}]}
    path = chats(tmp_path, {"messages": [user("hi")]}, bad)
    with pytest.raises(CommandError) as refused:
        run("import_conversations", path)
    assert all(part in str(refused.value) for part in ("chats.jsonl", "ine 2", "role"))
    assert not Message.objects.exists()


def test_import_reports_the_format_and_what_was_left_out(tmp_path: Path) -> None:
    values = [example("anthropic", "request"), example("vercel_ui", "chat")]
    out = run("import_conversations", chats(tmp_path, *values))
    assert "Anthropic Messages: conversations: 1, messages: 6, calls: 1, results: 1" in out
    assert "  tool_use -> tool_calls: 1" in out
    assert "  left out: 2" in out
    place = "first at line 2, /messages/2/parts/0"
    assert f"    step-start: it only separates steps (2, {place})" in out
    assert Conversation.objects.count() == 2


def test_import_takes_the_shape_that_it_is_reported_and_exports(tmp_path: Path) -> None:
    path = chats(tmp_path, [user("hi")])
    assert "Anthropic Messages" in run("import_conversations", path, "--shape", "anthropic")
    with pytest.raises(CommandError, match="a run has a run_type"):
        run("import_conversations", path, "--shape", "langsmith")
    conversation(user("one"), public_id="mine")
    export = tmp_path / "export.json"
    export.write_bytes(Api().get("/conversations/mine/export").content)
    assert "ctxadmin export: conversations: 1, messages: 1" in run(
        "import_conversations", str(export)
    )


def test_import_says_when_a_file_is_not_there() -> None:
    with pytest.raises(CommandError, match="nowhere"):
        run("import_conversations", "nowhere.jsonl")


OLD = {
    "processorType": "transform",
    "rules": [{"sourcePath": "messages[-3:]", "targetPath": "messages"}],
}


def old_workflow() -> Workflow:
    document = {
        "name": "old",
        "nodes": [{"id": "cut", "type": "context_processor", "config": OLD}],
        "edges": [],
    }
    return import_document(person(Role.DESIGNER), read(document), "old", None).workflow


def test_migrating_configs_converts_drafts_and_tells_rule_by_rule() -> None:
    old_workflow()
    assert "converted" in run("migrate_processor_configs", "--dry-run")
    assert Workflow.objects.get().draft_version == 1
    run("migrate_processor_configs")
    row = Workflow.objects.get()
    assert row.draft_version == 2
    node = json.loads(bytes(row.draft))["nodes"][0]
    assert node["config"]["truncate"] == {"keep_last": 3}
    assert "No draft" in run("migrate_processor_configs")


def test_looking_for_overdue_pauses_continues_when_the_database_is_down(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: list[int | BaseException] = [OperationalError("away"), 2, KeyboardInterrupt()]
    looks = iter(found)

    def look() -> int:
        seen = next(looks)
        if isinstance(seen, BaseException):
            raise seen
        return seen

    monkeypatch.setattr(answer_overdue, "answer_overdue", look)
    out = StringIO()
    with pytest.raises(KeyboardInterrupt):
        call_command("answer_overdue", every=0.0, stdout=out)
    assert out.getvalue() == "2 answered\n"


@pytest.mark.django_db(transaction=True)
def test_seeding_the_demo_twice_makes_it_once() -> None:
    run("seed_demo")
    made = Conversation.objects.values_list("public_id", "change_seq")
    before = sorted(made)
    assert len(before) == 4 + counter.TALKS
    run("seed_demo")
    assert sorted(made.all()) == before
    paused = Conversation.objects.filter(status="PAUSED")
    assert sorted(paused.values_list("public_id", flat=True)) == ["demo-research", "demo-support"]


@pytest.mark.django_db(transaction=True)
def test_the_demo_engine_brings_its_workflow_to_an_empty_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def away(url: str, token: str) -> httpx.Client:
        def refuse(request: httpx.Request) -> httpx.Response:
            raise httpx.ConnectError("nobody there", request=request)

        return httpx.Client(transport=httpx.MockTransport(refuse), base_url=url)

    monkeypatch.setattr(demo_engine, "make_client", away)
    for _again in range(2):
        with pytest.raises(CommandError, match="No server answers"):
            run("demo_engine", "--workflow", "research-note")
    made = Workflow.objects.values_list("slug", "published_version")
    assert [*made] == [("research-note", 1)]


@pytest.mark.only("sqlite")
@pytest.mark.django_db(transaction=True)
def test_the_demo_has_a_draft_that_does_not_pay_and_its_repair_as_the_published_version() -> None:
    run("seed_demo")
    row = Workflow.objects.get(slug=counter.SLUG)
    published = find_version(row.key, row.published_version or 0)
    documents = [definition(bytes(data)).document for data in (row.draft, published.document)]
    found = draft_beside(person(Role.DESIGNER), counter.SLUG, *documents)
    (answer,) = found.elements
    assert found.costs.is_whole
    assert answer.draft.cost.raises_cost
    assert answer.draft.offer is not None
    assert (found.change or 0) > 0.5
    assert answer.published is not None
    assert (answer.published.cost_change or 0) < -0.05


@pytest.mark.only("sqlite")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("hosts", [["ctx.example.org"], [".example.org"], ["*"]])
def test_the_demo_is_seeded_under_the_settings_of_production(hosts: list[str]) -> None:
    with override_settings(
        ALLOWED_HOSTS=hosts, HTTPS_ONLY=True, CSRF_COOKIE_SECURE=True, SESSION_COOKIE_SECURE=True
    ):
        run("seed_demo")
    assert Conversation.objects.count() == 4 + counter.TALKS


@pytest.mark.django_db(transaction=True)
def test_a_demo_that_is_refused_half_way_is_continued_later() -> None:
    def refuse(engine: Engine, node: str) -> None:
        raise ServerRefused("unavailable: The database does not respond.")

    with (
        patch.object(Engine, "step", refuse),
        pytest.raises(CommandError, match="not complete: unavailable"),
    ):
        run("seed_demo")
    talks = {counter.talk_id(number) for number in range(counter.TALKS)}
    made = {each.public_id for each in Conversation.objects.all()}
    assert made == {"demo-workshop", *talks}
    assert not EngineToken.objects.filter(revoked_at=None).exists()
    Workflow.objects.all().delete()
    with (
        patch.object(seed, "publish", side_effect=OperationalError(2013, "gone")),
        pytest.raises(OperationalError),
    ):
        run("seed_demo")
    assert not Workflow.objects.exists()
    run("seed_demo")
    assert Conversation.objects.filter(status="PAUSED").count() == 2
