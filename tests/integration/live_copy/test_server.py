"""A server of its own with ``REDIS_URL``, seen through HTTP."""

from pathlib import Path

import httpx
import pytest
import redis

from tests.live_server import LiveServer


@pytest.mark.parametrize("url", ["redis", "nobody"])
def test_a_server_answers_the_same_with_redis_and_with_one_that_is_not_there(
    tmp_path: Path, redis_url: str, url: str
) -> None:
    address = redis_url if url == "redis" else "redis://127.0.0.1:1/0"
    with LiveServer(tmp_path, {"REDIS_URL": address}, "--no-demo") as server:
        headers = {"Authorization": f"Bearer {server.make_token('engine', 'admin')}"}
        with httpx.Client(base_url=f"{server.url}/api/v1", headers=headers, timeout=60) as api:
            body = {"id": "c", "messages": [{"role": "user", "content": "hello"}]}
            assert api.post("/conversations", json=body).status_code == 201
            first = api.get("/conversations/c/snapshot").content
            assert api.get("/conversations/c/snapshot").content == first
        with redis.Redis.from_url(redis_url) as copies:
            assert bool(list(copies.scan_iter("context:state:*"))) is (url == "redis")
        shown = httpx.get(f"{server.url}/metrics", timeout=60).text
        assert ('ctxadmin_live_copy_total{event="hits"} 1.0' in shown) is (url == "redis")
