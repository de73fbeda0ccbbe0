"""Logs lost connections of channels_redis in words, instead of as unexpected errors."""

import logging
import time
from typing import Final

from redis.exceptions import AuthenticationError, AuthorizationError
from redis.exceptions import ConnectionError as NotConnected
from redis.exceptions import TimeoutError as TooSlow

PAUSE: Final = 60.0  # seconds without a failure, after which the next is another loss


class Losses(logging.Filter):
    """A filter of the logger ``channels_redis.pubsub``: a lost connection is one warning.

    channels_redis tries again after a second, and logs each failure with its stack. A failure that
    a retry cannot fix, such as a refused password, stays an error.
    """

    def __init__(self) -> None:
        super().__init__()
        self._last = float("-inf")

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, NotConnected | TooSlow | OSError) or isinstance(
            error, AuthenticationError | AuthorizationError
        ):
            return True
        since, self._last = time.monotonic() - self._last, time.monotonic()
        record.name = __name__
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        record.msg = "The connection to the channel layer was lost (%s); reconnecting."
        record.args = (type(error).__name__,)  # its text may hold an address with a password
        record.exc_info = record.exc_text = None
        return since > PAUSE
