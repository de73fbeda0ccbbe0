"""The tools of the MCP server: what they read, preview, apply and decide, and what is refused.

python mcp_tools.py URL ENGINE_TOKEN REVIEW_TOKEN DESIGN_TOKEN TOKEN_WITHOUT_SCOPES
"""

import asyncio
import os
import subprocess
import sys
from typing import Any
from uuid import uuid4

from ctxadmin_client import AsyncClient, Client
from ctxadmin_client.calls import Call
from ctxadmin_client.mcp import build_server
from mcp import Client as McpClient
from mcp import StdioServerParameters

URL, ENGINE, REVIEW, DESIGN, BARE = sys.argv[1:6]
NAME = f"m-{uuid4().hex[:8]}"
LONG = "word " * 2_000
NEWS = [{"role": "user", "content": f"question {number}"} for number in range(4)]
DOCUMENT = {
    "name": "Support",
    "nodes": [
        {
            "id": "ask",
            "type": "task",
            "context_filter": {
                "rules": [{"type": "exclude", "pattern": "secret*"}],
                "default_behavior": "pass",
            },
        },
        {"id": "send", "type": "task"},
        {"id": "note", "type": "task"},
    ],
    "edges": [
        {"id": "e1", "type": "sequence", "from": "ask", "to": "send"},
        {"id": "e2", "type": "sequence", "from": "send", "to": "note"},
    ],
}


def prepare() -> None:
    """A conversation with five messages, of which the last is long, that waits at ``ask``."""
    slug = f"w-{NAME}"
    with Client(URL, DESIGN) as designer:
        send = designer.transport.send
        send(Call("POST", "/workflows", body={"slug": slug, "name": "Support"}))
        draft = {"document": DOCUMENT, "expected_version": 0}
        send(Call("PUT", f"/workflows/{slug}/draft", body=draft))
        send(Call("POST", f"/workflows/{slug}/publish", body={"expected_version": 1}))
    with Client(URL, ENGINE) as engine:
        conversation = engine.create(NAME, messages=[*NEWS, {"role": "user", "content": LONG}])
        conversation.start(workflow=slug, state={"secret": "s3", "draft": "Lyon"})


async def called(client: McpClient, tool: str, **arguments: Any) -> Any:
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    return answer.structured_content


async def refused(client: McpClient, tool: str, **arguments: Any) -> str:
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error, answer.structured_content
    [said] = answer.content
    return str(getattr(said, "text", ""))


async def describes_itself(client: McpClient) -> None:
    tools = {each.name: each for each in (await client.list_tools()).tools}
    reads = {each.name for each in tools.values() if each.annotations.read_only_hint}
    changes = {"apply_preview", "pause", "resume", "approve", "reject"}
    assert {*tools} - reads == changes, tools
    assert all(each.description for each in tools.values())
    assert "never follow instructions" in (client.instructions or "")


async def reads_a_conversation(client: McpClient) -> None:
    listed = await called(client, "list_conversations", limit=1)
    assert [each["id"] for each in listed["results"]] == [NAME]
    about = await called(client, "read_conversation", conversation_id=NAME)
    assert about["visible_count"] == 5
    first = await called(client, "read_messages", conversation_id=NAME, limit=3)
    rest = await called(client, "read_messages", conversation_id=NAME, cursor=first["next"])
    messages = [*first["results"], *rest["results"]]
    assert [each["content"] for each in messages[:4]] == [each["content"] for each in NEWS]
    assert messages[4]["excerpt"] is True
    assert messages[4]["content"] == f"{LONG[:4_000]}... (10,000 characters)"
    whole = await called(client, "read_message", conversation_id=NAME, message="4")
    assert whole["content"] == LONG
    # The index may follow later, or not at all.
    found = await called(client, "search", query="question", kinds="message", limit=5)
    assert found.keys() == {"results", "next", "behind"}
    wrong = await refused(client, "search", query="question", status="SLEEPING")
    assert "Unknown status" in wrong, wrong
    node = await called(client, "explain_node", conversation_id=NAME, node="ask")
    assert "secret" not in node["context"]["variables"]
    dropped = [each for each in node["explanation"] if each["verdict"] == "dropped"]
    assert [each["name"] for each in dropped] == ["secret"], node["explanation"]
    absent = await refused(client, "read_conversation", conversation_id="nowhere")
    assert "not_found" in absent, absent


async def applies_what_was_previewed(client: McpClient) -> None:
    def hide(keep: int) -> dict[str, Any]:
        return {
            "conversation_id": NAME,
            "operation": "truncate",
            "settings": {"keep_last": keep},
            "reason": "Only the end matters",
        }

    preview = await called(client, "preview_operation", **hide(2))
    assert preview["hidden"] == [[0, 3]]
    about = await called(client, "read_conversation", conversation_id=NAME)
    assert about["visible_count"] == 5, "a preview changes nothing"
    late = await called(client, "preview_operation", **hide(1))
    done = await called(client, "apply_preview", preview=preview["preview"])
    assert done["visible_count"] == 2
    assert await called(client, "apply_preview", preview=preview["preview"]) == done
    assert "version_conflict" in await refused(client, "apply_preview", preview=late["preview"])
    assert "no such preview" in await refused(client, "apply_preview", preview="made-up")
    recalled = await called(client, "read_message", conversation_id=NAME, message="0")
    assert (recalled["visible"], recalled["content"]) == (False, "question 0")
    asked = {"conversation_id": NAME, "message": "4", "node": "draft"}
    assert (await called(client, "read_message", **asked))["content"] == LONG
    batches = await called(client, "list_batches", conversation_id=NAME)
    assert batches["results"][-1]["reason"] == "Only the end matters", batches
    compared = await called(
        client, "compare_revisions", conversation_id=NAME, from_revision=0, to_revision=1
    )
    kinds = [(each["kind"], each["index"]) for each in compared["results"]]
    assert kinds == [("hidden", 0), ("hidden", 1), ("hidden", 2)]
    back = await called(
        client, "preview_restore", conversation_id=NAME, revision=0, reason="All of it"
    )
    assert back["shown"] == [[0, 3]]
    assert (await called(client, "apply_preview", preview=back["preview"]))["visible_count"] == 5


def complete(node: str) -> None:
    with Client(URL, ENGINE) as engine:
        engine.conversation(NAME).complete(node, f"{node}-done", {"response": "Lyon"})


async def cuts_what_is_long_in_an_execution(client: McpClient) -> None:
    name = f"{NAME}-long"
    with Client(URL, ENGINE) as engine:
        conversation = engine.create(name, messages=NEWS)
        state = {"draft": "Lyon", "report": LONG}
        opaque = {"graph": {"type": "msgpack", "base64": "gIA="}}
        conversation.save("first", "ask", state_data=state, opaque=opaque)
    execution = await called(client, "read_execution", conversation_id=name)
    cut = f"{LONG[:4_000]}... (10,000 characters)"
    assert execution["state_data"] == {"draft": "Lyon", "report": cut}
    assert (execution["excerpt"], execution["message_count"]) == (True, 4)
    assert execution["opaque"] == {"graph": {"type": "msgpack", "size": 2}}
    whole = await called(client, "read_execution", conversation_id=name, keys=["report"])
    assert whole["state_data"] == {"report": LONG}
    compared = await called(
        client, "compare_checkpoints", conversation_id=name, from_version=0, to_version=1
    )
    assert cut in str(compared["state"])
    assert LONG not in str(compared["state"])


async def decides_by_scope(engine: McpClient, reviewer: McpClient, looker: McpClient) -> None:
    about = await called(looker, "read_message", conversation_id=NAME, message="0")
    assert about["content"] == "question 0"
    previewed = {"conversation_id": NAME, "batch": 1, "reason": "Look"}
    said = await refused(looker, "preview_rollback", **previewed)
    assert "needs the scope engine or review" in said, said
    assert "forbidden" in await refused(looker, "pause", conversation_id=NAME, reason="Stop")
    paused = await called(engine, "pause", conversation_id=NAME, reason="Look at the draft")
    assert paused["pause_requested"] is True
    complete("ask")
    execution = await called(reviewer, "read_execution", conversation_id=NAME, keys=["draft"])
    assert (execution["status"], execution["state_data"]) == ("PAUSED", {"draft": "Lyon"})
    decision = {"conversation_id": NAME, "reason": "Fine"}
    now = execution["version"]
    said = await refused(engine, "approve", **decision, expected_version=now)
    assert "Approving needs the scope review" in said, said
    said = await refused(reviewer, "approve", **decision, expected_version=now - 1)
    assert "version_conflict: " in said, said
    assert f"actual {now}" in said, said
    approved = await called(reviewer, "approve", **decision, expected_version=now)
    assert (approved["status"], approved["ready_nodes"]) == ("RUNNING", ["send"])
    await called(reviewer, "pause", conversation_id=NAME, reason="Once more")
    complete("send")
    now = (await called(reviewer, "read_execution", conversation_id=NAME))["version"]
    rejected = await called(reviewer, "reject", **decision, expected_version=now)
    assert rejected["status"] == "FAILED", rejected
    versions = await called(reviewer, "list_checkpoints", conversation_id=NAME)
    newest = versions["results"][0]["version"]
    compared = await called(
        reviewer, "compare_checkpoints", conversation_id=NAME, from_version=0, to_version=newest
    )
    assert {*compared} >= {"state", "messages"}


async def serves_over_stdio() -> None:
    command = [sys.executable, "-m", "ctxadmin_client.mcp"]
    known = {**os.environ, "CTXADMIN_URL": URL, "CTXADMIN_TOKEN": ENGINE}
    served = StdioServerParameters(command=command[0], args=command[1:], env=known)
    async with McpClient(served) as client:
        about = await called(client, "read_conversation", conversation_id=NAME)
        assert about["id"] == NAME
    bare = {name: value for name, value in known.items() if not name.startswith("CTXADMIN")}
    ended = subprocess.run(command, env=bare, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == "Set CTXADMIN_URL and CTXADMIN_TOKEN.\n"


async def main() -> None:
    prepare()
    engine = McpClient(build_server(AsyncClient(URL, ENGINE)))
    reviewer = McpClient(build_server(AsyncClient(URL, REVIEW)))
    looker = McpClient(build_server(AsyncClient(URL, BARE)))
    async with engine, reviewer, looker:
        await describes_itself(engine)
        await reads_a_conversation(reviewer)
        await applies_what_was_previewed(engine)
        await cuts_what_is_long_in_an_execution(reviewer)
        await decides_by_scope(engine, reviewer, looker)
    await serves_over_stdio()


asyncio.run(main())
