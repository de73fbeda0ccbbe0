"""Engines whose model gets what filters of ctxadmin let through."""

from tests.engines.conftest import Engine
from tests.live_server import LiveServer


def test_an_agent_of_langchain_gets_filtered_messages_and_keeps_all(
    engine: Engine, server: LiveServer
) -> None:
    engine("langchain_filters", server.token("design"))
