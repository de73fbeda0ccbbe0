"""The OpenAI Agents SDK with ctxadmin: ``pip install "./sdk/python[openai-agents]"``.

session = CtxAdminSession("support-42", client)
await Runner.run(agent, "Where is my parcel?", session=session)
"""

from ctxadmin_client.openai_agents.session import CtxAdminSession

__all__ = ["CtxAdminSession"]
