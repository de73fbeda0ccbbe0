"""A conversation to select messages of, and the boxes by which they are."""

from typing import Any
from uuid import uuid4

import httpx
from playwright.sync_api import Page


def made(api: httpx.Client, name: str, count: int) -> str:
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": f"number {n}"} for n in range(count)
    ]
    messages[1] = {"role": "assistant", "content": None, "tool_calls": [call]}
    messages[2] = {"role": "tool", "tool_call_id": "c1", "content": "found"}
    name = f"{name}-{uuid4().hex[:6]}"  # a second look makes another one
    assert api.post("conversations", json={"id": name, "messages": messages}).status_code == 201
    return name


def box(page: Page, index: int) -> Any:
    return page.get_by_label(f"Select message #{index}", exact=True)
