"""A graph that drafts an answer, asks whether it may be sent, and sends it."""

import operator
from typing import Annotated, Any

from ctxadmin_client.langgraph import CtxAdminSaver
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt

QUESTION = "Where is my parcel?"
DRAFT = "It is in Lyon."


class Support(MessagesState):
    draft: str
    sent: str
    drafted: Annotated[int, operator.add]


def draft(state: Support) -> dict[str, Any]:
    call = {"name": "find", "args": {"id": 7}, "id": f"call-{len(state['messages'])}"}
    return {
        "draft": DRAFT,
        "drafted": 1,
        "messages": [
            AIMessage("I look it up.", tool_calls=[call]),
            ToolMessage("in Lyon", tool_call_id=call["id"]),
        ],
    }


def review(state: Support) -> dict[str, Any]:
    answer = interrupt({"question": "Send this answer?", "draft": state["draft"]})
    if isinstance(answer, dict) and answer["decision"] == "reject":
        return {"sent": f"not sent: {answer['reason']}"}
    return {"sent": state["draft"], "messages": [AIMessage(state["draft"])]}


def support(saver: CtxAdminSaver, review: Any = review) -> Any:
    builder = StateGraph(Support)
    builder.add_node("draft", draft)
    builder.add_node("review", review)
    builder.add_edge(START, "draft")
    builder.add_edge("draft", "review")
    builder.add_edge("review", END)
    return builder.compile(checkpointer=saver)
