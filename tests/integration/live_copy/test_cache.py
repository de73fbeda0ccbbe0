"""Django's cache in the Redis of the live copy, as workers share it."""

from pathlib import Path
from time import monotonic

import pytest
from django.core.cache import CacheHandler
from django.core.cache.backends.base import BaseCache

from ctxadmin.storage.redis.address import read_address
from ctxadmin.storage.redis.cache import caches
from tests.redis_servers import SecureNode, guarded_in, make_certificate
from tests.servers import free_port


def cache_of(url: str) -> BaseCache:
    """The cache as a process of its own has it."""
    return CacheHandler(caches(read_address(url)))["default"]


def test_processes_share_values_and_counts(redis_url: str) -> None:
    first, second = cache_of(redis_url), cache_of(redis_url)
    first.set("n", {"of": [1, "x"]})
    first.add("count", 1)
    assert second.incr("count") == 2
    assert second.get("n") == {"of": [1, "x"]}


def test_only_json_is_stored(redis_url: str) -> None:
    with pytest.raises(TypeError):
        cache_of(redis_url).set("n", object())


def test_a_redis_that_is_down_holds_nothing_and_stops_no_one() -> None:
    cache = cache_of(f"redis://127.0.0.1:{free_port()}/0")
    began = monotonic()
    cache.set("n", 1)
    assert cache.get("n", "none") == "none"
    assert monotonic() - began < 5


def test_the_primary_that_sentinels_know_is_used(tmp_path: Path) -> None:
    with guarded_in(tmp_path) as (primary, _, guard):
        cache_of(f"redis+sentinel://127.0.0.1:{guard.port}/copies").set("n", 1)
        assert primary.call("DBSIZE") == 1


@pytest.mark.parametrize("trusted", [True, False])
def test_the_certificate_of_a_redis_is_checked(tmp_path: Path, trusted: bool) -> None:
    certificate = make_certificate(tmp_path)
    with SecureNode(tmp_path, certificate) as node:
        url = f"rediss://127.0.0.1:{node.tls_port}/0"
        cache_of(f"{url}?ssl_ca_certs={certificate}" if trusted else url).set("n", 1)
        assert node.call("DBSIZE") == int(trusted)


@pytest.mark.parametrize(
    "url", ["redis+cluster://127.0.0.1:1", "redis+sentinel://127.0.0.1:1/Copies"]
)
def test_what_django_redis_cannot_reach_leaves_the_cache_in_memory(url: str) -> None:
    assert "locmem" in caches(read_address(url))["default"]["BACKEND"]
