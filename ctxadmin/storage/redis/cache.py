"""Django's cache of the settings: in the Redis of the live copy, or in the process's memory."""

from typing import Any, Final

from ctxadmin.storage.redis.address import RedisAddress, ServerKind

TIMEOUT: Final = 0.25  # seconds that Redis may take for a call
_IN_MEMORY: Final = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}


def caches(address: RedisAddress | None) -> dict[str, Any]:
    """Returns Django's setting ``CACHES``.

    Values are stored as JSON, because reading a pickle can execute code. An unavailable Redis is an
    empty cache. django-redis has no client for a cluster, and asks Sentinels for a service by its
    name in lower case.
    """
    if address is None or address.kind is ServerKind.CLUSTER or not _is_small(address.service):
        return {"default": _IN_MEMORY}
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    options: dict[str, Any] = {
        "USERNAME": address.username,
        "PASSWORD": address.password,
        "SOCKET_TIMEOUT": TIMEOUT,
        "SOCKET_CONNECT_TIMEOUT": TIMEOUT,
        "SERIALIZER": "django_redis.serializers.json.JSONSerializer",
        "IGNORE_EXCEPTIONS": True,
        "CONNECTION_POOL_KWARGS": {
            "retry": Retry(NoBackoff(), 0),
            "protocol": 2,
            **address.tls_files,
        },
    }
    if address.kind is ServerKind.SENTINEL:
        secure = {"ssl": True, **address.tls_files} if address.tls else {}
        options |= {
            "CONNECTION_FACTORY": "django_redis.pool.SentinelConnectionFactory",
            "SENTINELS": list(address.hosts),
            "SENTINEL_KWARGS": {
                "socket_timeout": TIMEOUT,
                "socket_connect_timeout": TIMEOUT,
                **secure,
            },
        }
    return {
        "default": {
            "BACKEND": "django_redis.cache.RedisCache",
            "LOCATION": _location(address),
            "KEY_PREFIX": "ctxadmin:cache",
            "OPTIONS": options,
        }
    }


def _is_small(service: str) -> bool:
    return service == service.lower()


def _location(address: RedisAddress) -> str:
    if address.path:
        return f"unix://{address.path}?db={address.database}"
    scheme = "rediss" if address.tls else "redis"
    if address.kind is ServerKind.SENTINEL:
        return f"{scheme}://{address.service}/{address.database}"
    host, port = address.hosts[0]
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}/{address.database}"
