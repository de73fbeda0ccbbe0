"""LangGraph with ctxadmin: ``pip install "./sdk/python[langgraph]"``.

    graph = builder.compile(checkpointer=CtxAdminSaver(Client(url, token)))

``resume_on_decision(graph, client)`` continues it when people have decided.
"""

from ctxadmin_client.langgraph._async.saver import AsyncCtxAdminSaver
from ctxadmin_client.langgraph._async.worker import aresume_decided, aresume_on_decision
from ctxadmin_client.langgraph._sync.saver import CtxAdminSaver
from ctxadmin_client.langgraph._sync.worker import resume_decided, resume_on_decision
from ctxadmin_client.langgraph.decisions import Decision, human_in_the_loop
from ctxadmin_client.langgraph.threads import Stopped

__all__ = [
    "AsyncCtxAdminSaver",
    "CtxAdminSaver",
    "Decision",
    "Stopped",
    "aresume_decided",
    "aresume_on_decision",
    "human_in_the_loop",
    "resume_decided",
    "resume_on_decision",
]
