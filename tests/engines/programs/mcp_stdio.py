"""Starts an MCP server as a client does, from its settings: python mcp_stdio.py SETTINGS

Prints JSON: the names of its tools, and the title of the first conversation.
"""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters


async def main(settings: dict[str, object]) -> None:
    served = StdioServerParameters.model_validate(settings)
    served.env = {**os.environ, **(served.env or {})}
    async with Client(served) as client:
        tools = sorted(each.name for each in (await client.list_tools()).tools)
        listed = (await client.call_tool("list_conversations", {"limit": 1})).structured_content
        print(json.dumps([tools, (listed or {})["results"][0]["title"]]))


asyncio.run(main(json.loads(sys.argv[1])))
