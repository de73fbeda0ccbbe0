"""The channel layer of the settings: in memory, or Redis' pub/sub, with its options."""

from typing import Any, Final

from ctxadmin.storage.redis.address import RedisAddress, ServerKind

TIMEOUT: Final = 1.0  # seconds that Redis may take for a message


def channel_layers(address: RedisAddress | None) -> dict[str, Any]:
    """Returns Django's setting ``CHANNEL_LAYERS``."""
    if address is None:
        return {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
    config = {"hosts": [host_of(address)], "prefix": f"ctxadmin.{address.database}."}
    return {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": config,
        }
    }


def host_of(address: RedisAddress) -> dict[str, Any]:
    """Returns the hosts option of channels_redis for an address.

    It supports Sentinels. For a cluster it gets any host that answers: what is published there
    reaches all nodes.
    """
    from redis.asyncio.connection import SSLConnection, UnixDomainSocketConnection
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff

    options: dict[str, Any] = {
        "username": address.username,
        "password": address.password,
        "socket_connect_timeout": TIMEOUT,
        "socket_timeout": TIMEOUT,
        "retry": Retry(NoBackoff(), 0),
        "protocol": 2,
    }
    if address.path:
        options["connection_class"] = UnixDomainSocketConnection
        return {**options, "path": address.path, "db": address.database}
    if address.kind is ServerKind.SENTINEL:
        secure = {"ssl": True, **address.tls_files} if address.tls else {}
        times = {"socket_connect_timeout": TIMEOUT, "socket_timeout": TIMEOUT}
        return {
            **options,
            **secure,
            "sentinels": list(address.hosts),
            "sentinel_kwargs": {**times, **secure},
            "master_name": address.service,
            "db": address.database,
        }
    if address.kind is ServerKind.CLUSTER:
        from ctxadmin.realtime.any_host import AnyHostConnection, AnyHostTlsConnection

        one = AnyHostTlsConnection if address.tls else AnyHostConnection
        return {**options, **address.tls_files, "connection_class": one, "hosts": address.hosts}
    host, port = address.hosts[0]
    if address.tls:
        options |= {"connection_class": SSLConnection, **address.tls_files}
    return {**options, "host": host, "port": port, "db": address.database}
