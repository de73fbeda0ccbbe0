"""The settings page: engine tokens made, shown once and revoked by admins only."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from ctxadmin.accounts.models import EngineToken
from ctxadmin.accounts.services import create_token, system_actor
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Role, Scope
from ctxadmin.lib import clock
from tests.factories import signed_in, workspace

pytestmark = pytest.mark.django_db

WANTED = {"name": "runner", "scopes": ["engine", "review"], "expires": "30d"}


def text(answer: Any) -> str:
    return str(answer.content.decode())


def secret_in(answer: Any) -> str:
    found = re.search(r"ctxa_[\w-]{40,}", text(answer))
    assert found is not None
    return found[0]


def test_the_menu_leads_admins_to_the_settings(admin: Client) -> None:
    html = text(admin.get("/settings/"))
    assert 'href="/settings/" aria-current="page"' in html
    assert "No tokens yet" in html


def test_the_settings_lead_designers_to_webhooks() -> None:
    designer = signed_in(Role.DESIGNER)
    assert 'href="/settings/"' in text(designer.get("/workflows/"))
    answer = designer.get("/settings/")
    assert answer["Location"] == "/settings/webhooks/"
    assert 'href="/settings/" aria-current="page"' in text(designer.get(answer["Location"]))
    reviewer = signed_in(Role.REVIEWER)
    assert 'href="/settings/"' not in text(reviewer.get("/workflows/"))
    assert reviewer.get("/settings/").status_code == 403


def test_a_token_is_shown_once_and_works(admin: Client) -> None:
    made = admin.post("/settings/tokens/new/", WANTED)
    assert made.status_code == 200
    assert "no-store" in made["Cache-Control"]
    secret = secret_in(made)
    answer = Client().get("/api/v1/conversations", headers={"Authorization": f"Bearer {secret}"})
    assert answer.status_code == 200
    listed = text(admin.get("/settings/"))
    assert "runner" in listed
    assert secret not in listed
    token = EngineToken.objects.get()
    assert token.scopes == ["engine", "review"]
    assert token.expires_at is not None
    assert timedelta(days=29) < token.expires_at - clock.now() <= timedelta(days=30)


def test_a_token_may_hold_until_it_is_revoked(admin: Client) -> None:
    admin.post("/settings/tokens/new/", WANTED | {"expires": "never"})
    assert EngineToken.objects.get().expires_at is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": "  "},
        {"name": "x" * 101},
        {"scopes": []},
        {"scopes": ["root"]},
        {"expires": "5y"},
    ],
)
def test_a_wrong_wish_makes_no_token(admin: Client, wrong: dict[str, Any]) -> None:
    answer = admin.post("/settings/tokens/new/", WANTED | wrong)
    assert answer.status_code == 422
    assert EngineToken.objects.count() == 0


def test_a_revoked_token_is_refused_at_once(admin: Client) -> None:
    secret = secret_in(admin.post("/settings/tokens/new/", WANTED))
    path = f"/settings/tokens/{EngineToken.objects.get().public_id}/revoke/"
    assert "cannot be undone" in text(admin.get(path))
    assert admin.post(path).status_code == 302
    answer = Client().get("/api/v1/conversations", headers={"Authorization": f"Bearer {secret}"})
    assert answer.status_code == 401
    assert "revoked" in text(admin.get("/settings/"))
    assert admin.post(path).status_code == 404


def test_what_is_done_with_tokens_is_audited_without_the_secret(admin: Client) -> None:
    secret = secret_in(admin.post("/settings/tokens/new/", WANTED))
    rows = AuditEntry.objects.filter(action="token.manage").values()
    assert len(rows) == 1
    assert secret not in repr(rows)


@pytest.mark.parametrize("role", [Role.VIEWER, Role.REVIEWER, Role.DESIGNER])
def test_only_admins_manage_tokens(role: Role) -> None:
    client = signed_in(role)
    assert client.get("/settings/").status_code == (302 if role is Role.DESIGNER else 403)
    assert client.get("/settings/tokens/new/").status_code == 403
    assert client.post("/settings/tokens/new/", WANTED).status_code == 403
    assert EngineToken.objects.count() == 0


def test_tokens_of_another_workspace_are_not_there(admin: Client) -> None:
    elsewhere = system_actor(workspace("elsewhere"), "tests")
    made = create_token(elsewhere, "theirs", [Scope.ENGINE])
    assert "theirs" not in text(admin.get("/settings/"))
    path = f"/settings/tokens/{made.token.public_id}/revoke/"
    assert admin.get(path).status_code == 404
    assert admin.post(path).status_code == 404
    assert admin.get("/settings/tokens/中文/revoke/").status_code == 404


def test_expired_tokens_are_named_so_and_hostile_names_stay_texts(admin: Client) -> None:
    actor = system_actor(workspace(), "tests")
    create_token(actor, "<script>alert(1)</script>", [Scope.ENGINE], lifetime=timedelta(days=-1))
    html = text(admin.get("/settings/"))
    assert "expired" in html
    assert "<script>alert" not in html


def test_the_list_costs_as_many_queries_for_many_as_for_few(
    admin: Client, django_assert_max_num_queries: Any
) -> None:
    actor = system_actor(workspace(), "tests")
    for number in range(20):
        create_token(actor, f"token {number}", [Scope.ENGINE])
    with django_assert_max_num_queries(6):
        admin.get("/settings/")
