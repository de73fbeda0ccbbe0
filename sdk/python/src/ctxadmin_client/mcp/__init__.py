"""An MCP server for ctxadmin: ``pip install "./sdk/python[mcp]"``.

``python -m ctxadmin_client.mcp`` serves over stdio with ``CTXADMIN_URL`` and ``CTXADMIN_TOKEN``.
"""

from ctxadmin_client.mcp.server import build_server

__all__ = ["build_server"]
