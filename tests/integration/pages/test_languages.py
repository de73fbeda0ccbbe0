"""Pages in the reader's language; programs and storage in English."""

import html
import re
from typing import Any, get_args

import pytest
from django.apps import apps
from django.core.management import call_command
from django.test import Client

from conversations.models import Revision
from ctxadmin.http import openapi
from ctxadmin.identity.roles import Role
from notifications.models import Delivery, Webhook
from tests.factories import conversation, signed_in, user
from tests.integration.checkpoints.flows import Run
from tests.integration.pages import state_edits
from tests.integration.pages.execution_scenes import hidden, move, paused, text, url
from tests.integration.pages.workflows.designing import SMALL, made
from tests.integration.pages.workflows.unsaved import START, ask, document, read, typed
from workflows.starters import StarterName

pytestmark = pytest.mark.django_db

CHINESE = {"accept-language": "zh-CN,zh;q=0.9,en;q=0.5"}
SIGN_IN = "/sign-in/"
HAN = re.compile(r"[\u3000-\u9fff\uff00-\uffef]")


def language_of(answer: Any) -> str:
    found = re.search(r'<html lang="([^"]+)"', text(answer))
    assert found is not None
    return found[1]


@pytest.fixture
def reader() -> Client:
    """An admin whose browser asks for Chinese."""
    client = signed_in(Role.ADMIN)
    client.cookies["language"] = "zh-hans"
    return client


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.5", "zh-hans"),
        ("zh", "zh-hans"),
        ("zh-TW", "zh-hans"),
        ("en-GB,zh;q=0.5", "en"),
        ("de,fr;q=0.5", "en"),
        ("", "en"),
        ("*;;q=x", "en"),
    ],
)
def test_the_browser_chooses_the_language_at_first(
    client: Client, asked: str, answered: str
) -> None:
    answer = client.get(SIGN_IN, headers={"accept-language": asked})
    assert language_of(answer) == answered
    assert ("登录" in text(answer)) == (answered == "zh-hans")


def test_who_is_not_signed_in_can_choose_and_stays_where_they_are(client: Client) -> None:
    assert 'name="language" value="zh-hans"' in text(client.get(SIGN_IN))
    answer = client.post("/language/", {"language": "zh-hans", "next": SIGN_IN})
    assert (answer.status_code, answer["Location"]) == (302, SIGN_IN)
    assert language_of(client.get(SIGN_IN, headers={"accept-language": "en"})) == "zh-hans"


def test_the_choice_is_a_cookie_for_a_year_that_no_script_and_no_other_site_gets(
    client: Client,
) -> None:
    cookie = client.post("/language/", {"language": "zh-hans"}).cookies["language"]
    assert (cookie["max-age"], cookie["samesite"], cookie["httponly"]) == (31_536_000, "Lax", True)


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "\\\\evil"]
)
def test_the_choice_leads_to_no_other_site(client: Client, target: str) -> None:
    body = {"language": "zh-hans", "next": target}
    assert client.post("/language/", body)["Location"] == "/"


def test_a_link_changes_no_language(client: Client) -> None:
    assert "language" not in client.get("/language/?language=zh-hans&next=/").cookies


def test_a_choice_without_the_token_of_the_form_is_refused() -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post("/language/", {"language": "zh-hans"}).status_code == 403


@pytest.mark.parametrize("chosen", ["de", "klingon", "../../etc", ""])
def test_a_language_that_is_not_offered_changes_nothing(client: Client, chosen: str) -> None:
    client.post("/language/", {"language": chosen})
    assert language_of(client.get(SIGN_IN)) == "en"


def test_a_cache_keeps_the_languages_apart(reader: Client, client: Client) -> None:
    for answer in (reader.get("/"), client.get(SIGN_IN), reader.get("/nowhere/")):
        varies = {each.strip() for each in answer["Vary"].split(",")}
        assert {"Cookie", "Accept-Language"} <= varies


def test_numbers_are_grouped_as_the_scripts_of_the_page_group_them(reader: Client) -> None:
    conversation(user("word " * 400), public_id="long")
    assert "2,000 个字符" in text(reader.get("/conversations/long/"))


def test_an_error_page_speaks_the_language_of_the_reader(reader: Client) -> None:
    answer = reader.get("/conversations/nowhere/")
    assert (answer.status_code, language_of(answer)) == (404, "zh-hans")
    assert "未找到" in text(answer)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("get", "/conversations/nowhere", None),
        ("post", "/conversations", b"{"),
        ("post", "/conversations", b'{"id": 5, "odd": 1}'),
        ("delete", "/conversations", None),
        ("put", "/workflows/nowhere/draft", b'{"document": []}'),
        ("get", "/nowhere", None),
    ],
)
def test_the_contract_speaks_english_to_a_browser_with_a_chinese_reader(
    reader: Client, method: str, path: str, body: bytes | None
) -> None:
    send: Any = reader.generic
    answer = send(
        method.upper(), f"/api/v1{path}", body or b"", "application/json", headers=CHINESE
    )
    assert answer.status_code >= 400
    assert not HAN.search(text(answer))
    assert "Accept-Language" not in answer.get("Vary", "")
    plain: Any = signed_in(Role.ADMIN, "other").generic
    english = plain(method.upper(), f"/api/v1{path}", body or b"", "application/json")
    assert answer.json() == english.json()


def test_the_openapi_document_is_english_after_a_chinese_reader(reader: Client) -> None:
    openapi.document.cache_clear()
    assert not HAN.search(text(reader.get("/api/schema")))


@pytest.mark.django_db(transaction=True)
def test_the_words_of_islands_come_as_a_script_that_browsers_keep(reader: Client) -> None:
    call_command("seed_demo")
    found = re.search(
        r'src="(/language/zh-hans\.[0-9a-f]+\.js)"',
        text(reader.get("/workflows/support/editor/")),
    )
    assert found is not None
    words = reader.get(found[1])
    assert words["Content-Type"] == "text/javascript; charset=utf-8"
    assert "immutable" in words["Cache-Control"]
    assert "\\u53d1\\u5e03" in text(words) or "发布" in text(words)
    stale = reader.get("/language/zh-hans.0.js")
    assert (stale.content, stale["Cache-Control"]) == (words.content, "no-store")
    assert reader.get("/language/de.0.js").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_who_reads_english_loads_no_words(designer: Client) -> None:
    call_command("seed_demo")
    assert "/language/en" not in text(designer.get("/workflows/support/editor/"))


def stored() -> list[str]:
    """Every text in Chinese in the database, with where it is."""
    found = []
    for model in apps.get_models():
        for row in model._default_manager.all().values():
            for name, value in row.items():
                raw = bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode()
                if HAN.search(raw.decode("utf-8", "replace").replace("\ufffd", "")):
                    found.append(f"{model._meta.label}.{name}: {value!r:.200}")
    return found


def sent(reader: Client, *posts: tuple[str, dict[str, Any]]) -> None:
    """Forms that were taken; what they left in the database is of no reader's language."""
    for path, body in posts:
        answer = reader.post(path, body)
        assert answer.status_code in (200, 302), (path, text(answer))
    assert stored() == []


def test_operations_and_rollbacks_are_stored_without_words_of_the_reader(reader: Client) -> None:
    conversation(user("a"), user("b"), public_id="chat")
    keep = {"operation": "truncate", "truncate-keep_last": "1", "pairing": "keep"}
    at = "/conversations/chat/"
    shown = {"expected_revision": "0", "expected_count": "2", "preview": "1"}
    preview = text(reader.post(f"{at}operate/", keep | shown))
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', preview))
    sent(
        reader,
        (f"{at}operate/", keep | fields | {"apply": "1"}),
        (f"{at}rollback/0/", {"expected_revision": "1", "expected_count": "1"}),
        (f"{at}restore/1/", {"expected_revision": "0", "expected_count": "2"}),
        (f"{at}archive/", {}),
        (f"{at}unarchive/", {}),
    )
    assert Revision.objects.count() == 2


def test_decisions_on_an_execution_are_stored_without_words_of_the_reader(
    reader: Client, run: Run
) -> None:
    fields = state_edits.typed(state_edits.opened(reader, run), draft="Dear you")
    assert state_edits.apply(reader, run, state_edits.send(reader, run, fields)).status_code == 302
    assert move(reader, run, "approve", expected_version="2").status_code == 302
    execution = hidden(text(reader.get(url(run, "versions/1/fork/"))), "execution")
    sent(
        reader,
        (url(run, "comment/?version=1"), {"text": "fine"}),
        (url(run, "versions/1/label/"), {"text": "good"}),
        (url(run, "versions/1/fork/"), {"execution": execution, "title": "Another"}),
        (url(run, "cancel/"), {"execution": execution}),
    )


@pytest.mark.parametrize("name", get_args(StarterName))
def test_a_workflow_of_a_template_is_stored_and_exported_in_english(
    reader: Client, name: str
) -> None:
    sent(reader, ("/workflows/+new/", {"slug": "made", "name": "Made", "start_with": name}))
    assert not HAN.search(text(reader.get("/workflows/made/yaml/")))
    assert not HAN.search(text(reader.get("/workflows/made/json/")))


def test_tokens_and_webhooks_are_stored_without_words_of_the_reader(reader: Client) -> None:
    hook = {"name": "h", "url": "https://e.example.org/", "kinds": ["execution.paused"]}
    token = {"name": "runner", "scopes": ["engine"], "expires": "30d"}
    sent(reader, ("/settings/tokens/new/", token), ("/settings/webhooks/new/", hook))
    made = Webhook.objects.get()
    sent(reader, (f"/settings/webhooks/{made.public_id}/act/", {"do": "test"}))
    assert Delivery.objects.exists()


def test_the_choices_of_the_forms_of_a_workflow_are_translated(reader: Client) -> None:
    assert reader.get("/workflows/+new/").status_code == 200
    reader.post("/workflows/+new/", {"slug": "w", "name": "W", "start_with": "support"})
    node = text(reader.get("/workflows/w/nodes/review/"))
    assert "仅过滤器放入的内容 (filter_in)" in node
    assert "append – 将列表追加到已有的列表" in text(reader.get("/workflows/w/reducers/"))


def test_what_is_wrong_with_a_key_of_a_state_is_reported_in_the_readers_language(
    reader: Client,
) -> None:
    run = paused("tallies", reducers={"facts": "merge"})
    form = state_edits.opened(reader, run)
    page = text(state_edits.send(reader, run, state_edits.typed(form, facts="[1]")))
    assert "is reduced by merge" not in page
    assert "键 'facts' 使用 merge 归约，需要对象；而它的值是列表" in html.unescape(page)
    page = text(state_edits.send(reader, run, state_edits.typed(form, facts='{"a": }')))
    assert "第 1 行，第 7 列：缺少值" in page


def test_a_workflow_that_cannot_be_imported_is_refused_in_the_readers_language(
    reader: Client,
) -> None:
    for yaml in ("name: [", "x: 1", "- a"):
        page = text(reader.post("/workflows/import/", {"slug": "w", "yaml": yaml}))
        told = re.search(r'<div class="note note-error"[^>]*>.*?</div>', page, re.S)
        assert told is not None
        said = re.sub(r"<[^>]+>", " ", told[0]).replace("什么也没有更改", "")
        assert HAN.search(said), said


def test_the_test_of_a_paused_webhook_is_refused_in_the_readers_language(reader: Client) -> None:
    hook = {"name": "h", "url": "https://e.example.org/", "kinds": ["execution.paused"]}
    sent(reader, ("/settings/webhooks/new/", hook))
    made = Webhook.objects.get()
    sent(reader, (f"/settings/webhooks/{made.public_id}/act/", {"do": "pause"}))
    path = f"/settings/webhooks/{made.public_id}/act/"
    page = text(reader.post(path, {"do": "test"}, follow=True))
    assert "此 Webhook 已暂停；不会发送任何内容。" in page


def test_a_call_of_the_editor_is_refused_in_the_readers_language(reader: Client) -> None:
    made("small", SMALL)
    rule = {"type": "exclude", "pattern": "x", "condition": "context.x ==="}
    node = {"id": "answer", "type": "llm", "context_filter": {"rules": [rule]}}
    given = {"document": document(START, node), "node": "answer", "messages": []}
    said = ask(reader, "preview", given).json()
    assert "此处应为名称或值" in said["detail"]
    assert "此处应为名称或值" in said["errors"][0]["message"]
    for context, why in (({"odd": 1}, "未知字段"), ({"variables": 3}, "这里应为对象")):
        given = {"document": document(), "node": "answer", "context": context}
        assert why in ask(reader, "preview", given).json()["errors"][0]["message"]


def test_json_in_a_form_is_refused_wholly_in_the_readers_language(reader: Client) -> None:
    made("small", SMALL)
    sent = typed(reader, "node", "answer") | {"node-config": '{"a":'}
    (error,) = read(reader, sent)["errors"]
    assert error["message"] == "这不是 JSON：第 1 行第 6 列（第 5 个字符）：文本提前结束。"
