"""A token that is used from an address for the first time: once on record, and then no work."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ctxadmin.accounts import token_addresses
from ctxadmin.accounts.models import EngineToken
from ctxadmin.accounts.token_addresses import network_of
from ctxadmin.audit.models import AuditEntry
from ctxadmin.audit.verification import verify_stream
from tests.factories import Api

pytestmark = pytest.mark.django_db


def unused() -> Api:
    api = Api()
    EngineToken.objects.update(addresses="")
    return api


def use(api: Api, *addresses: str) -> None:
    for address in addresses:
        answer = api.client.get("/api/v1/conversations", REMOTE_ADDR=address)
        assert answer.status_code == 200


def on_record() -> list[str]:
    rows = AuditEntry.objects.filter(action="token.new_address").order_by("stream", "seq")
    assert not [problem for row in rows for problem in verify_stream(row.stream)]
    return [row.address for row in rows]


def test_each_address_of_a_token_is_on_record_once() -> None:
    api = unused()
    use(api, "203.0.113.5", "203.0.113.5", "203.0.113.6", "203.0.113.5")
    assert on_record() == ["203.0.113.5", "203.0.113.6"]
    entry = AuditEntry.objects.filter(action="token.new_address")[0]
    token = EngineToken.objects.get()
    assert (entry.actor_kind, entry.actor_name) == ("token", "test token")
    assert (entry.object_type, entry.object_id) == ("token", token.public_id)
    assert api.secret not in repr(list(AuditEntry.objects.values()))


def test_an_address_that_another_token_came_from_is_new_to_this_one() -> None:
    use(Api(), "203.0.113.5")
    use(Api(), "203.0.113.5")
    assert len(on_record()) == 2


def test_a_token_that_does_not_hold_leaves_no_trace() -> None:
    api = Api()
    EngineToken.objects.update(revoked_at="2026-01-01T00:00:00Z")
    assert api.get("/conversations").status_code == 401
    assert on_record() == []


def test_a_known_address_costs_no_query() -> None:
    api = unused()
    use(api, "203.0.113.5", "203.0.113.6")
    with CaptureQueriesContext(connection) as asked:
        use(api, "203.0.113.5")
    about_tokens = [each["sql"] for each in asked if "enginetoken" in each["sql"]]
    assert len(about_tokens) == 1
    assert not [each for each in asked if "audit_audit" in each["sql"]]


def test_of_many_changing_addresses_one_an_hour_is_on_record(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(token_addresses, "MOST", 3)
    api = unused()
    use(api, *(f"203.0.113.{n}" for n in range(10)))
    assert EngineToken.objects.get().addresses == "203.0.113.0 203.0.113.1 203.0.113.2"
    assert len(on_record()) == 3
    before = EngineToken.objects.get().address_added_at
    assert before is not None
    EngineToken.objects.update(address_added_at=before - timedelta(hours=1))
    use(api, "203.0.113.8", "203.0.113.9")
    assert EngineToken.objects.get().addresses == "203.0.113.1 203.0.113.2 203.0.113.8"
    assert on_record()[3:] == ["203.0.113.8"]


def test_the_longest_networks_fit() -> None:
    api = unused()
    use(api, *(f"fd12:3456:789a:b{n:03x}:1:2:3:4" for n in range(token_addresses.MOST)))
    assert len(EngineToken.objects.get().addresses.split()) == token_addresses.MOST


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.5", "203.0.113.5"),
        ("::ffff:203.0.113.5", "203.0.113.5"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2::9", "2001:db8:1:2::"),
        ("fe80::1%eth0", "fe80::"),
        ("", ""),
        ("unknown", ""),
    ],
)
def test_of_ipv6_the_network_counts(address: str, network: str) -> None:
    assert network_of(address) == network
