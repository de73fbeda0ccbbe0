"""An MCP host that hides a message and approves, whose process dies between any two calls.

python kill_mcp.py URL ENGINE_TOKEN REVIEW_TOKEN NAME MOMENT ...
"""

import asyncio
import sys
from typing import Any

import httpx
from ctxadmin_client import AsyncClient, Client
from ctxadmin_client.mcp import build_server
from kills import AsyncMortal, Death, die_at_all
from mcp import Client as McpClient

URL, ENGINE, REVIEW = sys.argv[1:4]
REASON = "The first question is answered"


async def called(client: McpClient, tool: str, **arguments: Any) -> Any:
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    return answer.structured_content


def prepared(name: str, _: Death) -> None:
    """Four messages, and an execution that waits before its node."""
    questions = [{"role": "user", "content": f"question {number}"} for number in range(4)]
    with Client(URL, ENGINE) as engine:
        conversation = engine.create(name, messages=questions)
        conversation.save("asks", "send", pause_before="send", pause_reason="Send it?")


def work(name: str, death: Death) -> None:
    """Look what was done before, then do the rest: hide the first message, once, and approve."""

    async def run() -> None:
        http = httpx.AsyncClient(transport=AsyncMortal(death))
        server = build_server(AsyncClient(URL, REVIEW, http=http))
        async with McpClient(server) as client:
            batches = await called(client, "list_batches", conversation_id=name)
            if REASON not in [each["reason"] for each in batches["results"]]:
                preview = await called(
                    client,
                    "preview_operation",
                    conversation_id=name,
                    operation="truncate",
                    settings={"remove_first": 1},
                    reason=REASON,
                )
                await called(client, "apply_preview", preview=preview["preview"])
            execution = await called(client, "read_execution", conversation_id=name)
            if execution["status"] == "PAUSED":
                decided = {"expected_version": execution["version"], "reason": REASON}
                await called(client, "approve", conversation_id=name, **decided)

    asyncio.run(run())


sys.exit(die_at_all(work, sys.argv[4], sys.argv[5:], before=prepared))
