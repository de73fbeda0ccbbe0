"""The addresses of a Redis that may be given."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from ctxadmin.config import environment
from ctxadmin.storage.redis.address import RedisAddress, ServerKind, read_address

KNOWN = {
    "redis://localhost": RedisAddress(ServerKind.SINGLE, (("localhost", 6379),)),
    "redis://10.0.0.1:7000/3": RedisAddress(ServerKind.SINGLE, (("10.0.0.1", 7000),), database=3),
    "redis://[::1]:7000/": RedisAddress(ServerKind.SINGLE, (("::1", 7000),)),
    "rediss://me:p%40ss@redis.example.org": RedisAddress(
        ServerKind.SINGLE,
        (("redis.example.org", 6379),),
        username="me",
        password="p@ss",
        tls=True,
    ),
    "rediss://:secret@r/?ssl_ca_certs=/etc/ca.pem": RedisAddress(
        ServerKind.SINGLE,
        (("r", 6379),),
        password="secret",
        tls=True,
        tls_files={"ssl_ca_certs": "/etc/ca.pem"},
    ),
    "unix:///run/redis.sock?db=2": RedisAddress(
        ServerKind.SINGLE, path="/run/redis.sock", database=2
    ),
    "redis+cluster://a:7000,b:7001,c": RedisAddress(
        ServerKind.CLUSTER, (("a", 7000), ("b", 7001), ("c", 6379))
    ),
    "rediss+cluster://:pw@a": RedisAddress(
        ServerKind.CLUSTER, (("a", 6379),), password="pw", tls=True
    ),
    "redis+sentinel://a,b:26380/primary/1": RedisAddress(
        ServerKind.SENTINEL, (("a", 26379), ("b", 26380)), service="primary", database=1
    ),
}
WRONG = [
    ("localhost:6379", "not a URL"),
    ("http://localhost", "'http' is not known"),
    ("redis+other://a", "is not known"),
    ("redis://a,b", "several hosts"),
    ("redis://", "host:port"),
    ("redis://a:99999", "host:port"),
    ("redis://a/one", "not a number"),
    ("redis://a?timeout=5", "'timeout' is not known"),
    ("redis://a?ssl_ca_certs=/x", "'ssl_ca_certs' is not known"),
    ("unix://", "whole path"),
    ("unix://host/run/redis.sock", "whole path"),
    ("redis+cluster://a/1", "no databases but 0"),
    ("redis+sentinel://a:26379", "service"),
]


@pytest.mark.parametrize("url", KNOWN)
def test_an_address_is_read(url: str) -> None:
    assert read_address(url) == KNOWN[url]


@pytest.mark.parametrize(("url", "why"), WRONG)
def test_a_wrong_one_is_refused_with_the_reason_and_the_forms(url: str, why: str) -> None:
    with pytest.raises(ValueError, match=r"It may be redis://") as refused:
        read_address(url)
    assert why in str(refused.value)


def test_no_refusal_and_no_address_shows_a_password() -> None:
    with pytest.raises(ValueError) as refused:
        read_address("redis://me:hunter2@a,b")
    assert "hunter2" not in str(refused.value)
    assert "hunter2" not in repr(read_address("redis://me:hunter2@a"))


def test_a_start_with_a_wrong_one_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://a,b")
    with pytest.raises(ImproperlyConfigured, match="REDIS_URL cannot be read: several hosts"):
        environment.redis("REDIS_URL")


def test_a_start_without_a_file_of_tls_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", "rediss://me:hunter2@a?ssl_ca_certs=/nope")
    with pytest.raises(ImproperlyConfigured) as refused:
        environment.redis("REDIS_URL")
    assert str(refused.value) == (
        "REDIS_URL names a file as ssl_ca_certs that does not exist: /nope."
    )


def test_without_one_nothing_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REDIS_URL", raising=False)
    assert environment.redis("REDIS_URL") is None


def test_a_start_without_the_package_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://a")
    monkeypatch.setattr(environment, "find_spec", lambda name: None)
    with pytest.raises(ImproperlyConfigured, match=r"pip install -r requirements\.txt"):
        environment.redis("REDIS_URL")
