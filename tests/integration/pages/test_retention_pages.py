"""The pages of retention: its settings, archived conversations, thinned versions, sizes."""

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from checkpoints.domain.retention import RetentionPolicy
from checkpoints.maintenance import thinning
from checkpoints.maintenance.retention_policies import policy_of
from checkpoints.models import Checkpoint, Execution, Retention
from conversations.models import Conversation
from ctxadmin.accounts.services import system_actor
from ctxadmin.identity.roles import Role
from ctxadmin.lib import clock
from tests.factories import conversation, signed_in, user, workspace
from tests.integration.checkpoints.flows import Run, ok

pytestmark = pytest.mark.django_db

FILLED = {
    "keep_last": "50",
    "hourly_days": "2",
    "archive_after_days": "30",
    "erase_after_days": "",
    "remove_tokens_after_days": "",
}


def text(answer: Any) -> str:
    return str(answer.content.decode())


def test_an_admin_says_what_is_kept(admin: Client) -> None:
    assert 'href="/settings/retention/"' in text(admin.get("/settings/"))
    html = text(admin.get("/settings/retention/"))
    assert "keep everything" in html
    assert "has not run yet" in html
    answer = admin.post("/settings/retention/", {**FILLED, "version": "0"})
    assert answer.status_code == 302, text(answer)
    expected = RetentionPolicy(keep_last=50, hourly_days=2, archive_after_days=30)
    assert policy_of(workspace().key).policy == expected
    call_command("maintain", stdout=StringIO())
    html = text(admin.get("/settings/retention/"))
    assert 'value="50"' in html
    assert "has not run yet" not in html


@pytest.mark.parametrize("wrong", [{"keep_last": "0"}, {"keep_last": "x"}, {"hourly_days": "-1"}])
def test_a_wrong_wish_changes_nothing(admin: Client, wrong: dict[str, str]) -> None:
    answer = admin.post("/settings/retention/", {**FILLED, "version": "0", **wrong})
    assert answer.status_code == 422
    assert not Retention.objects.exists()


def test_of_two_admins_the_second_is_reported(admin: Client) -> None:
    admin.post("/settings/retention/", {**FILLED, "version": "0"})
    answer = admin.post("/settings/retention/", {**FILLED, "keep_last": "7", "version": "0"})
    assert answer.status_code == 409
    assert "Someone else changed the retention policy" in text(answer)
    assert policy_of(workspace().key).policy.keep_last == 50
    assert admin.post("/settings/retention/", {**FILLED, "version": ""}).status_code == 422


@pytest.mark.parametrize("role", [Role.VIEWER, Role.REVIEWER, Role.DESIGNER])
def test_only_admins_see_and_set_it(role: Role) -> None:
    client = signed_in(role)
    assert client.get("/settings/retention/").status_code == 403
    assert client.post("/settings/retention/", {**FILLED, "version": "0"}).status_code == 403
    assert "/settings/retention/" not in text(client.get("/"))
    assert not Retention.objects.exists()


def test_a_reviewer_archives_and_brings_back() -> None:
    head, client = conversation(user("hello"), title="Findable"), signed_in(Role.REVIEWER)
    path = f"/conversations/{head.public_id}"
    assert "Findable" in text(client.get("/conversations/"))
    assert "nothing is lost" in text(client.get(f"{path}/archive/"))
    assert client.post(f"{path}/archive/", {"reason": "done"}).status_code == 302
    assert "Findable" not in text(client.get("/conversations/"))
    assert "Findable" in text(client.get("/conversations/?archived=true"))
    assert "This conversation is archived" in text(client.get(f"{path}/"))
    assert client.get(f"{path}/unarchive/").status_code == 200
    assert client.post(f"{path}/unarchive/").status_code == 302
    assert "Findable" in text(client.get("/conversations/"))


def test_a_viewer_archives_nothing() -> None:
    head, client = conversation(user("hello")), signed_in(Role.VIEWER)
    assert "/archive/" not in text(client.get(f"/conversations/{head.public_id}/"))
    for verb in ("archive", "unarchive"):
        assert client.post(f"/conversations/{head.public_id}/{verb}/").status_code == 403
    assert not Conversation.objects.get().archived


def test_a_running_one_cannot_be_archived() -> None:
    made, client = Run.start(), signed_in(Role.REVIEWER)
    path = f"/conversations/{made.head.public_id}"
    assert f"{path}/archive/" not in text(client.get(f"{path}/"))
    assert client.post(f"{path}/archive/").status_code == 409


def test_sizes_are_shown(admin: Client) -> None:
    made = Run.start()
    ok(made.save("c1", state_data={"k": "x" * 3000}))
    path = f"/conversations/{made.head.public_id}/"
    size = "2.9\xa0KB"
    assert all(size in text(admin.get(url)) for url in (path, "/conversations/", "/"))
    assert size in text(admin.get("/settings/retention/"))


def test_the_timeline_says_what_was_thinned_and_leads_around_it(admin: Client) -> None:
    made = Run.start()
    for number in range(6):
        ok(made.save(f"c{number}", state_data={"k": number}))
    noon = clock.now().replace(hour=12) - timedelta(days=4)
    Checkpoint.objects.update(created_at=noon)
    row = Execution.objects.get()
    policy = RetentionPolicy(keep_last=2, hourly_days=0)
    thinning.thin(system_actor(workspace(), "maintain"), made.head.public_id, row, policy)
    base = f"/executions/{made.head.public_id}"
    html = text(admin.get(f"{base}/timeline/"))
    assert "version 3, state removed" in html
    assert f"{base}/versions/3/" not in html
    assert admin.get(f"{base}/versions/3/").status_code == 404
    html = text(admin.get(f"{base}/versions/5/"))
    assert f'href="{base}/versions/0/"' in html
    assert f'href="{base}/versions/6/"' in html
    assert "Changes from version 0 to 5" in text(admin.get(f"{base}/diff/?from=4&to=5"))


def test_the_page_of_settings_costs_few_queries(
    admin: Client, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(8):
        admin.get("/settings/retention/")
