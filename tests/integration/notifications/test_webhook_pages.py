"""The settings pages of webhooks: made, shown once, tried, paused, removed; by designers only."""

import html
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from ctxadmin.identity.roles import Role
from notifications.models import Delivery, Webhook
from tests.factories import signed_in
from tests.integration.checkpoints.flows import Run
from tests.integration.notifications.conftest import send_all
from tests.integration.notifications.receiver import Receiver

pytestmark = pytest.mark.django_db

WANTED = {"name": "engine", "url": "https://e.example.org/", "kinds": ["execution.paused"]}


@pytest.fixture
def designer() -> Client:
    return signed_in(Role.DESIGNER)


def text(answer: Any) -> str:
    return html.unescape(answer.content.decode())


def made(client: Client, **fields: Any) -> Webhook:
    assert client.post("/settings/webhooks/new/", WANTED | fields).status_code == 200
    return Webhook.objects.latest("since")


def act(client: Client, hook: Webhook, do: str, **fields: str) -> str:
    path = f"/settings/webhooks/{hook.public_id}/act/"
    return text(client.post(path, {"do": do, **fields}, follow=True))


def test_the_secret_is_shown_once(designer: Client) -> None:
    answer = designer.post("/settings/webhooks/new/", WANTED)
    assert "no-store" in answer["Cache-Control"]
    found = re.search(r"whsec_[\w+/=]{44}", text(answer))
    assert found is not None
    hook = Webhook.objects.get()
    pages = (
        designer.get("/settings/webhooks/"),
        designer.get(f"/settings/webhooks/{hook.public_id}/"),
    )
    for page in pages:
        assert "engine" in text(page)
        assert found[0] not in text(page)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"url": "http://192.168.0.1/"}, "private network"),
        ({"url": "nonsense"}, "complete URL"),
        ({"kinds": []}, "Events"),
        ({"name": ""}, "Name"),
    ],
)
def test_what_is_wrong_is_reported_at_its_field(
    designer: Client, wrong: dict[str, Any], said: str
) -> None:
    answer = designer.post("/settings/webhooks/new/", WANTED | wrong)
    assert answer.status_code == 422
    assert said in text(answer)
    assert not Webhook.objects.exists()


def test_a_test_is_sent_and_its_result_is_in_the_list(designer: Client, receiver: Receiver) -> None:
    hook = made(designer, url=receiver.url)
    assert "Test queued" in act(designer, hook, "test")
    receiver.status = 500
    send_all()
    page = text(designer.get(f"/settings/webhooks/{hook.public_id}/"))
    assert "<code>500</code> response was not 2xx" in page
    receiver.status = 204
    row = Delivery.objects.get()
    assert "Queued for delivery again" in act(designer, hook, "resend", delivery=row.id)
    send_all()
    assert "delivered" in text(designer.get(f"/settings/webhooks/{hook.public_id}/?state=sent"))
    assert receiver.got[0].id == receiver.got[1].id


def test_a_paused_webhook_says_so_and_continues(designer: Client, receiver: Receiver) -> None:
    hook = made(designer, url=receiver.url)
    assert "Paused: deliveries are queued" in act(designer, hook, "pause")
    assert "This webhook is paused; nothing is sent." in act(designer, hook, "test")
    Run.start().pause_now()
    send_all()
    assert receiver.got == []
    act(designer, hook, "go-on")
    send_all()
    assert receiver.kinds == ["execution.paused"]


def test_what_someone_else_saved_meanwhile_is_not_overwritten(designer: Client) -> None:
    hook = made(designer)
    path = f"/settings/webhooks/{hook.public_id}/"
    assert designer.post(path, WANTED | {"name": "theirs", "version": "0"}).status_code == 302
    answer = designer.post(path, WANTED | {"name": "mine", "version": "0"})
    assert answer.status_code == 409
    assert "Someone else changed this webhook" in text(answer)
    assert 'value="mine"' in text(answer)
    again = re.search(r'name="version" value="(\d+)"', text(answer))
    assert again is not None
    saved = designer.post(path, WANTED | {"name": "mine", "version": again[1]})
    assert saved.status_code == 302
    assert Webhook.objects.get().name == "mine"
    assert designer.post(path, WANTED | {"version": "x"}).status_code == 422


def test_an_emptied_workflow_is_all_of_them(designer: Client) -> None:
    hook = made(designer, workflow="support")
    assert Webhook.objects.get().workflow == "support"
    path = f"/settings/webhooks/{hook.public_id}/"
    designer.post(path, WANTED | {"workflow": "", "version": "0"})
    assert Webhook.objects.get().workflow == ""


def test_removing_and_renewing_ask_first(designer: Client) -> None:
    hook = made(designer)
    path = f"/settings/webhooks/{hook.public_id}"
    assert "update the receiver" in text(designer.get(f"{path}/secret/"))
    assert "whsec_" in text(designer.post(f"{path}/secret/"))
    assert "including queued deliveries" in text(designer.get(f"{path}/remove/"))
    assert designer.post(f"{path}/remove/").status_code == 302
    assert designer.get(f"{path}/").status_code == 404


@pytest.mark.parametrize("role", [Role.VIEWER, Role.REVIEWER])
def test_others_neither_see_nor_make_them(designer: Client, role: Role) -> None:
    hook, client = made(designer), signed_in(role)
    path = f"/settings/webhooks/{hook.public_id}/"
    for page in ("/settings/webhooks/", "/settings/webhooks/new/", path, f"{path}remove/"):
        assert client.get(page).status_code == 403
    assert client.post("/settings/webhooks/new/", WANTED).status_code == 403
    assert client.post(f"{path}act/", {"do": "test"}).status_code == 403
    assert not Delivery.objects.exists()


def test_another_workspace_and_unknown_buttons_find_nothing(designer: Client) -> None:
    hook = made(designer)
    path = f"/settings/webhooks/{hook.public_id}/"
    assert signed_in(Role.ADMIN, "elsewhere").get(path).status_code == 404
    assert designer.post(f"{path}act/", {"do": "dance"}).status_code == 422
    assert designer.post(f"{path}act/", {"do": "resend", "delivery": "x"}).status_code == 404
    assert designer.get(f"{path}?state=lost").status_code == 422
    assert designer.get("/settings/webhooks/中文/").status_code == 404


def test_a_hostile_name_stays_a_text(designer: Client) -> None:
    made(designer, name="<script>alert(1)</script>")
    page = designer.get("/settings/webhooks/").content.decode()
    assert "<script>alert" not in page


def test_the_pages_cost_few_queries(designer: Client, receiver: Receiver) -> None:
    hook = made(designer, url=receiver.url)
    for _ in range(4):
        Run.start().pause_now()
    send_all()
    for path in ("/settings/webhooks/", f"/settings/webhooks/{hook.public_id}/", "/notifications/"):
        with CaptureQueriesContext(connection) as queries:
            assert designer.get(path).status_code == 200
        assert len(queries) <= 8, path
