"""What is logged when the connection to the channel layer is lost."""

from collections.abc import Iterator

import pytest
from channels_redis import pubsub
from redis.exceptions import AuthenticationError, ResponseError
from redis.exceptions import ConnectionError as NotConnected

from ctxadmin.realtime import losses
from ctxadmin.realtime.losses import Losses
from tests.unit.observe.test_logs import Lines


@pytest.fixture
def lines() -> Iterator[Lines]:
    handler, losing = Lines(), Losses()
    pubsub.logger.addHandler(handler)
    pubsub.logger.addFilter(losing)
    yield handler
    pubsub.logger.removeFilter(losing)
    pubsub.logger.removeHandler(handler)


def fail(error: Exception) -> None:
    """As channels_redis logs it."""
    try:
        raise error
    except Exception:  # noqa: BLE001 - any
        pubsub.logger.exception("Unexpected exception in receive task")


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (NotConnected("redis://:secret@host"), "ConnectionError"),
        (ConnectionResetError(), "ConnectionResetError"),
    ],
)
def test_a_lost_connection_is_a_warning_in_words(lines: Lines, error: Exception, name: str) -> None:
    fail(error)
    (told,) = lines.json
    assert told["level"] == "WARNING"
    assert told["event"] == (
        f"The connection to the channel layer was lost ({name}); reconnecting."
    )
    assert "errors" not in told
    assert "secret" not in "".join(lines.texts)


def test_a_loss_is_reported_once_and_the_next_again(
    lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        fail(NotConnected())
    assert len(lines.json) == 1
    monkeypatch.setattr(losses, "PAUSE", 0.0)
    fail(NotConnected())
    assert len(lines.json) == 2


@pytest.mark.parametrize("error", [AuthenticationError(), ResponseError(), KeyError("name")])
def test_what_trying_again_does_not_fix_stays_an_error(lines: Lines, error: Exception) -> None:
    fail(error)
    assert lines.json[0]["level"] == "ERROR"
    assert lines.json[0]["errors"][0]["stack"]
