"""The pure rules: which version tells what, waits, signatures, addresses."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address, ip_network
from itertools import pairwise

import pytest

from checkpoints.domain.status import Status
from checkpoints.domain.timeline import WriteKind
from notifications.domain import signing
from notifications.domain.addresses import is_allowed, read_address
from notifications.domain.kinds import TIME_KEEPER, Kind, VersionRecord, kinds_of
from notifications.domain.retry_policy import LEASE, MOST_ATTEMPTS, wait_after
from notifications.sending import http


def told(
    kind: WriteKind, status: Status, *, move: str = "", author: str = "person:a", asks: bool = False
) -> tuple[Kind, ...]:
    return kinds_of(VersionRecord(3, kind, move, status, author, asks))


def test_a_node_that_asks_for_a_review_is_reported_as_that_first() -> None:
    saved = WriteKind.COMPLETION
    assert told(saved, Status.PAUSED, asks=True) == (Kind.REVIEW_ASKED, Kind.PAUSED)
    assert told(saved, Status.PAUSED) == (Kind.PAUSED,)


def test_a_step_of_a_running_execution_tells_nothing() -> None:
    for kind in (WriteKind.START, WriteKind.CHECKPOINT, WriteKind.COMPLETION):
        assert told(kind, Status.RUNNING) == ()
    assert told(WriteKind.UPDATE, Status.PAUSED) == ()


def test_an_approval_behind_the_last_node_is_also_the_end() -> None:
    assert told(WriteKind.MOVE, Status.COMPLETED, move="approve") == (
        Kind.APPROVED,
        Kind.COMPLETED,
    )


def test_what_happened_by_itself_says_so_first() -> None:
    found = told(WriteKind.MOVE, Status.RUNNING, move="approve", author=TIME_KEEPER)
    assert found == (Kind.TIMED_OUT, Kind.APPROVED)


def test_the_waits_grow_and_end() -> None:
    waits = [wait_after(attempts, 0.5) for attempts in range(1, MOST_ATTEMPTS)]
    assert all(a is not None and b is not None and a < b for a, b in pairwise(waits))
    assert wait_after(MOST_ATTEMPTS, 0.5) is None
    whole = sum((wait for wait in waits if wait), timedelta())
    assert timedelta(days=2) < whole < timedelta(days=3)


def test_the_waits_are_scattered_by_a_fifth() -> None:
    early, late = wait_after(3, 0.0), wait_after(3, 1.0)
    assert (early, late) == (timedelta(minutes=4), timedelta(minutes=6))


def test_an_attempt_ends_before_its_lease_does() -> None:
    attempts = http._MOST_TRIED * (http.CONNECT_SECONDS + http.ANSWER_SECONDS)
    assert attempts * 2 < LEASE.total_seconds()


def test_signatures_are_those_of_the_published_example() -> None:
    found = signing.signature(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        datetime.fromtimestamp(1614265330, UTC),
        b'{"test": 2432232314}',
    )
    assert found == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_secret_differs_by_key_webhook_and_nonce() -> None:
    parts = [("k", "w", "n"), ("l", "w", "n"), ("k", "x", "n"), ("k", "w", "m"), ("k", "wn", "")]
    found = {signing.derive_secret(*each) for each in parts}
    assert len(found) == len(parts)
    assert signing.derive_secret("k", "w", "n") in found


def test_the_name_of_a_key_does_not_tell_it() -> None:
    assert signing.name_of("a") != signing.name_of("b")
    assert "secret-key" not in signing.name_of("secret-key")


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/",
        "example.org/hook",
        "//example.org/",
        "file:///etc/passwd",
        "http://",
        "http://:80/",
        "https://user:password@example.org/",
        "https://example.org/#part",
        "https://example.org/#",
        "https://example.org:99999/",
        "https://example.org:0/",
        "https://exa mple.org/",
        "https://example.org/\r\nX: y",
        "https://пример.рф/",
        "https://[::1/",
        "http://[fe80::1%25eth0]/",
        "http://[fe80::1%eth0]/",
        "http://127.0.0%2e1/",
        "https://example.org/" + "x" * 2000,
        "",
    ],
)
def test_what_is_no_plain_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_address(url)


def test_an_address_is_taken_apart() -> None:
    address = read_address("https://Example.org:8443/a%20b?c=d")
    assert (address.tls, address.host, address.port) == (True, "example.org", 8443)
    assert address.path == "/a%20b?c=d"
    assert read_address("http://example.org").port == 80


def test_public_addresses_may_be_gone_to() -> None:
    for ip in ("93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"):
        assert is_allowed(ip_address(ip), ())


@pytest.mark.parametrize(
    "ip",
    [
        "192.0.0.8",
        "192.0.0.192",
        "168.63.129.16",
        "192.88.99.1",
        "100.100.100.200",
        "3fff::1",
        "192.31.196.1",
        "192.52.193.1",
        "192.175.48.1",
        "2620:4f:8000::1",
    ],
)
def test_addresses_of_clouds_and_protocols_are_not_public(ip: str) -> None:
    assert not is_allowed(ip_address(ip), ())
    assert is_allowed(ip_address(ip), [ip_network(ip)])


def test_an_allowed_network_counts_for_mapped_addresses_too() -> None:
    allowed = [ip_network("10.0.0.0/8")]
    assert is_allowed(ip_address("::ffff:10.0.0.1"), allowed)
    assert not is_allowed(ip_address("::ffff:192.168.0.1"), allowed)
