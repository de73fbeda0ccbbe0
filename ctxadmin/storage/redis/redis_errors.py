"""Classifies the failures of Redis by redis-py's errors."""

import ssl
from collections.abc import Callable, Iterator
from socket import gaierror
from typing import Final

from redis.exceptions import AuthenticationError, InvalidResponse, NoPermissionError

from ctxadmin.storage.redis.client import NO_ANSWER, RedisFailure

# The first that an error, or what caused it, fits.
_FAILURES: Final[tuple[tuple[Callable[[BaseException], bool], RedisFailure], ...]] = (
    (
        lambda error: isinstance(error, AuthenticationError),
        RedisFailure(
            "Redis refuses the name or the password", "Correct the name and password in REDIS_URL."
        ),
    ),
    (
        lambda error: isinstance(error, NoPermissionError),
        RedisFailure(
            "The user of REDIS_URL lacks rights",
            "Give the user of REDIS_URL all commands and keys with ACL SETUSER.",
        ),
    ),
    (
        lambda error: "DB index is out of range" in str(error),
        RedisFailure("Redis has no database of this number", "Correct the number in REDIS_URL."),
    ),
    (
        lambda error: "SELECT is not allowed in cluster mode" in str(error),
        RedisFailure(
            "This Redis is a cluster, which has no databases but 0",
            "Write redis+cluster:// in REDIS_URL, without a database.",
        ),
    ),
    (
        lambda error: "cluster support disabled" in str(error),
        RedisFailure("This Redis is not a cluster", "Write redis:// in REDIS_URL."),
    ),
    (
        lambda error: "unknown command 'SENTINEL'" in str(error),
        RedisFailure(
            "What answers is not a Sentinel", "Write the Sentinels in REDIS_URL, or redis://."
        ),
    ),
    (
        lambda error: isinstance(error, InvalidResponse),
        RedisFailure("What answers is not a Redis", "Correct the host and port in REDIS_URL."),
    ),
    (
        lambda error: isinstance(error, ssl.SSLCertVerificationError),
        RedisFailure(
            "The certificate of Redis is not trusted",
            "Name the authority of its certificate by ssl_ca_certs in REDIS_URL.",
        ),
    ),
    (
        lambda error: isinstance(error, ssl.SSLError) or "handshake" in str(error),
        RedisFailure(
            "Redis does not respond over TLS",
            "Check Redis; if its port speaks no TLS, write redis:// in REDIS_URL.",
        ),
    ),
    (
        lambda error: isinstance(error, gaierror),
        RedisFailure("The host of Redis is not known", "Correct the host in REDIS_URL."),
    ),
    (
        lambda error: isinstance(error, ConnectionResetError),
        RedisFailure(
            "Redis closes the connection",
            "Check Redis; if its port speaks TLS, write rediss:// in REDIS_URL.",
        ),
    ),
)


def describe_failure(error: BaseException) -> RedisFailure:
    """Returns a failure in own words, because those of the error may contain secrets."""
    causes = list(_causes(error))
    return next(
        (failure for fits, failure in _FAILURES if any(map(fits, causes))),
        NO_ANSWER,
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
