"""What events that are logged within a request tell of it."""

import logging
from typing import Any

import pytest

from conversations.store import conversation as store
from tests.factories import Api, conversation, user
from tests.unit.observe.test_logs import Lines

pytestmark = pytest.mark.django_db


def test_an_event_on_the_way_names_the_conversation(monkeypatch: pytest.MonkeyPatch) -> None:
    conversation(user("hello"), public_id="c0")
    lines, logger = Lines(), logging.getLogger("ctxadmin.tests")
    monkeypatch.setattr(logger, "handlers", [lines])
    asked = store.find_with_details

    def noticing(*args: Any, **more: Any) -> Any:
        logger.warning("something is odd")
        return asked(*args, **more)

    monkeypatch.setattr("conversations.api.views.find_with_details", noticing)
    assert Api().get("/conversations/c0").status_code == 200
    assert lines.json[0]["conversation"] == "c0"
    assert lines.json[0]["actor"].startswith("token:")
