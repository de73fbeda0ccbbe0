"""The outcome of one attempt to deliver."""

from dataclasses import dataclass
from enum import StrEnum


class Problem(StrEnum):
    """Why an attempt failed, as a stored word; never the answer of a receiver."""

    NAME = "name"  # the host is not known
    PRIVATE = "private"  # it is in a network that deliveries may not go to
    CONNECTION = "connection"
    TLS = "tls"
    TIMEOUT = "timeout"
    ANSWER = "answer"  # another status than 2xx
    REDIRECT = "redirect"  # not followed: it could lead anywhere
    GONE = "gone"  # 410: nobody is there any more
    RIGHTS = "rights"  # who asked for it may not see it any more
    SECRET = "secret"  # the key that it is signed by is not there
    UNWANTED = "unwanted"  # not asked for any more
    MAIL = "mail"  # the mail server refused it


@dataclass(frozen=True, slots=True)
class DeliveryOutcome:
    """Delivered if there is no problem; ``final`` means that a retry is useless."""

    problem: Problem | None = None
    answered: int | None = None
    final: bool = False
