"""Webhooks by REST: who may, what is refused, what is on record."""

from typing import Any

import pytest

from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Scope
from notifications.models import Delivery, Webhook
from notifications.services import webhooks
from tests.factories import Api
from tests.integration.checkpoints.flows import Run, ok, refused
from tests.integration.notifications.conftest import send_all
from tests.integration.notifications.receiver import Receiver

pytestmark = pytest.mark.django_db

URL = "https://engine.example.org/hook?token=s3cr3t"


def wanted(**fields: Any) -> dict[str, Any]:
    return {"name": "engine", "url": URL, "kinds": ["execution.paused"], **fields}


def made(api: Api, **fields: Any) -> Any:
    return ok(api.post("/webhooks", wanted(**fields)))


@pytest.mark.parametrize(
    "host", ["192.0.0.8", "168.63.129.16", "localhost", "2130706433", "0x7f.1", "[::ffff:10.0.0.1]"]
)
def test_an_address_that_leads_inside_is_refused_when_it_is_saved(host: str) -> None:
    api = Api([Scope.DESIGN])
    answer = api.post("/webhooks", wanted(url=f"http://{host}/hook"))
    problem = refused(answer, 422, "validation", "/url")
    assert "private network" in str(problem)


def test_a_webhook_is_made_changed_and_removed() -> None:
    api = Api([Scope.DESIGN])
    first = made(api, workflow="support")
    path = f"/webhooks/{first['id']}"
    assert {**first, "secret": None} == {
        **ok(api.get(path)),
        "secret": None,
        "url": URL,
        "workflow": "support",
        "paused": False,
        "version": 0,
        "owner": "token:test token",
    }
    assert ok(api.get("/webhooks"))["results"] == [ok(api.get(path))]
    changed = ok(api.patch(path, {"paused": True, "workflow": "", "expected_version": 0}))
    assert (changed["paused"], changed["workflow"], changed["version"]) == (True, None, 1)
    assert changed["url"] == URL
    assert api.delete(path).status_code == 204
    refused(api.get(path), 404, "not_found")


def test_who_saw_another_version_changes_nothing() -> None:
    api = Api()
    path = f"/webhooks/{made(api)['id']}"
    answer = api.patch(path, {"name": "first"}, **{"If-Match": '"0"'})
    assert ok(answer)["version"] == 1
    assert answer["ETag"] == '"1"'
    problem = refused(
        api.patch(path, {"name": "x", "expected_version": 0}), 409, "version_conflict"
    )
    assert (problem["expected"], problem["actual"]) == (0, 1)
    refused(api.delete(path, **{"If-Match": '"0"'}), 409, "version_conflict")
    assert ok(api.get(path))["name"] == "first"


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"url": "ftp://example.org/"}, "/url"),
        ({"url": "http://127.0.0.1/"}, "/url"),
        ({"url": "http://[::ffff:10.0.0.1]/"}, "/url"),
        ({"url": "http://169.254.169.254/latest/meta-data/"}, "/url"),
        ({"url": "https://example.org/" + "x" * 2000}, "/url"),
        ({"kinds": []}, "/kinds"),
        ({"kinds": ["execution.dreamt"]}, "/kinds/0"),
        ({"kinds": ["webhook.test"]}, "/kinds/0"),
        ({"name": "  "}, "/name"),
        ({"workflow": "a b"}, "/workflow"),
        ({"secret": "mine"}, "/secret"),
    ],
)
def test_what_is_wrong_is_named(fields: dict[str, Any], pointer: str) -> None:
    refused(Api().post("/webhooks", wanted(**fields)), 422, "validation", pointer)
    assert not Webhook.objects.exists()


@pytest.mark.parametrize("scope", [Scope.ENGINE, Scope.REVIEW])
def test_only_designers_and_admins_see_or_make_webhooks(scope: Scope) -> None:
    hook, api = made(Api())["id"], Api([scope])
    for answer in (
        api.get("/webhooks"),
        api.post("/webhooks", wanted()),
        api.get(f"/webhooks/{hook}"),
        api.patch(f"/webhooks/{hook}", {"paused": True}),
        api.delete(f"/webhooks/{hook}"),
        api.post(f"/webhooks/{hook}/secret"),
        api.post(f"/webhooks/{hook}/test"),
        api.get(f"/webhooks/{hook}/deliveries"),
        api.post(f"/webhooks/{hook}/deliveries/dlv_1/resend"),
    ):
        refused(answer, 403, "forbidden")
    assert not Delivery.objects.exists()


def test_webhooks_of_another_workspace_are_not_there() -> None:
    hook, api = made(Api())["id"], Api(slug="elsewhere")
    refused(api.get(f"/webhooks/{hook}"), 404, "not_found")
    refused(api.post(f"/webhooks/{hook}/test"), 404, "not_found")
    refused(api.get("/webhooks/中文"), 404, "not_found")
    assert ok(api.get("/webhooks"))["results"] == []


def test_a_workspace_has_a_bounded_number_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhooks, "MOST", 1)
    api = Api()
    made(api)
    refused(api.post("/webhooks", wanted()), 409, "invalid_state")


def test_each_change_is_on_record_without_secret_and_address(receiver: Receiver) -> None:
    api = Api()
    hook = made(api, url=receiver.url)
    path = f"/webhooks/{hook['id']}"
    ok(api.patch(path, {"paused": True}))
    refused(api.post(f"{path}/test"), 409, "invalid_state")
    ok(api.patch(path, {"paused": False}))
    sent = ok(api.post(f"{path}/test"))
    ok(api.post(f"{path}/deliveries/{sent['id']}/resend"))  # it waits anyway
    send_all()
    ok(api.post(f"{path}/deliveries/{sent['id']}/resend"))
    ok(api.post(f"{path}/secret"))
    api.delete(path)
    entries = AuditEntry.objects.filter(action="webhook.manage").order_by("seq")
    assert len(entries) == 7
    record = repr(list(entries.values()))
    assert hook["secret"] not in record
    assert "127.0.0.1:" not in record


def test_deliveries_are_listed_by_page_and_state(receiver: Receiver) -> None:
    api = Api()
    path = f"/webhooks/{made(api, url=receiver.url)['id']}"
    for _ in range(3):
        Run.start().pause_now()
    send_all()
    receiver.status = 410
    Run.start().pause_now()
    send_all()
    first = ok(api.get(f"{path}/deliveries?limit=3"))
    rest = ok(api.get(f"{path}/deliveries?limit=3&cursor={first['next']}"))
    found = first["results"] + rest["results"]
    assert [each["state"] for each in found] == ["dead", "sent", "sent", "sent"]
    assert (found[0]["answered"], found[0]["problem"]) == (410, "gone")
    assert rest["next"] is None
    (dead,) = ok(api.get(f"{path}/deliveries?state=dead"))["results"]
    receiver.status = 200
    again = ok(api.post(f"{path}/deliveries/{dead['id']}/resend"))
    assert (again["state"], again["attempts"]) == ("waiting", 0)
    refused(api.get(f"{path}/deliveries?state=lost"), 422, "validation")
    refused(api.get(f"{path}/deliveries?cursor=WzEsMl0"), 422, "validation")
    refused(api.post(f"{path}/deliveries/dlv_none/resend"), 404, "not_found")
