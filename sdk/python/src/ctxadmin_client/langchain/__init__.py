"""LangChain with ctxadmin: ``pip install "./sdk/python[langchain]"``.

history = CtxAdminChatHistory("support-42", client)
"""

from ctxadmin_client.langchain.history import CtxAdminChatHistory

__all__ = ["CtxAdminChatHistory"]
