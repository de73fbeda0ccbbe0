"""The MCP server of the client, called by the official client of the protocol."""

from tests.engines.conftest import Engine
from tests.live_server import LiveServer


def test_tools_read_preview_apply_and_decide_as_far_as_the_token_allows(
    engine: Engine, server: LiveServer
) -> None:
    engine("mcp_tools", server.token("design"), server.token(""))
