"""Pydantic AI with ctxadmin: ``pip install "./sdk/python[pydantic-ai]"``.

history = CtxAdminMessageHistory("support-42", client)
result = await agent.run("Where is my parcel?", message_history=await history.load())
await history.add(result.new_messages())
"""

from ctxadmin_client.pydantic_ai.history import CtxAdminMessageHistory

__all__ = ["CtxAdminMessageHistory"]
