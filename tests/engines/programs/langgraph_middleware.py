"""Agents of LangChain that ask before they call a tool, and people who decide."""

from collections.abc import Callable
from typing import Any

from ctxadmin_client.langgraph import Decision, human_in_the_loop, resume_decided
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph_lab import CLIENT, REVIEWER, app, contents, decide, new_thread


class Model(FakeMessagesListChatModel):
    """Calls the tool, then answers."""

    def bind_tools(self, tools: Any, **named: Any) -> Any:
        return self


def asked(work: Callable[[], None] = lambda: None) -> tuple[str, Any, list[int]]:
    """A thread that waits for a decision about a refund of 70, its agent, and what is refunded.

    The tool does ``work`` before it refunds.
    """
    refunded: list[int] = []

    @tool
    def refund(amount: int) -> str:
        """Refund money."""
        work()
        refunded.append(amount)
        return f"refunded {amount}"

    call = {"name": "refund", "args": {"amount": 70}, "id": "c1"}
    agent = create_agent(
        Model(responses=[AIMessage("", tool_calls=[call]), AIMessage("Done.")]),
        [refund],
        middleware=[
            HumanInTheLoopMiddleware(interrupt_on={"refund": True}, description_prefix="Refund?")
        ],
        checkpointer=app.saver,
    )
    name, config = new_thread()
    agent.invoke({"messages": [HumanMessage("I want my money back.")]}, config)
    pause = REVIEWER.conversation(name).snapshot().pause
    assert pause is not None
    assert pause["reason"].startswith("Refund?"), pause
    return name, agent, refunded


def goes_on(name: str, agent: Any) -> None:
    assert resume_decided(agent, CLIENT, answer=human_in_the_loop) == 1
    assert REVIEWER.conversation(name).snapshot().status == "COMPLETED"


def test_an_agent_calls_the_tool_that_a_person_approved() -> None:
    name, agent, refunded = asked()
    decide(name, "approve")
    goes_on(name, agent)
    assert refunded == [70]
    assert contents(name)[-2:] == ["refunded 70", "Done."]
    nodes = [each["node_id"] for each in REVIEWER.conversation(name).messages()]
    assert nodes == ["input", "model", "tools", "model"]


def test_an_agent_calls_the_tool_with_what_a_person_made_of_its_arguments() -> None:
    name, agent, refunded = asked()
    paused = REVIEWER.conversation(name)
    snapshot = paused.snapshot()
    question = snapshot.state_data["interrupt"]
    question["action_requests"][0]["args"]["amount"] = 7
    paused.change_state(str(snapshot.current_node_id), {"interrupt": question})
    decide(name, "approve")
    goes_on(name, agent)
    assert refunded == [7]


def test_an_agent_hears_why_a_person_rejected_its_tool() -> None:
    name, agent, refunded = asked()
    decide(name, "reject", "Not without the receipt.")
    goes_on(name, agent)
    assert refunded == []
    assert "Not without the receipt." in str(contents(name)[-2])


def test_an_agent_whose_tool_failed_calls_it_again_when_it_is_resumed() -> None:
    broken = [True]

    def work() -> None:
        if broken[0]:
            raise RuntimeError("the bank is closed")

    name, agent, refunded = asked(work)
    decide(name, "approve")
    assert resume_decided(agent, CLIENT, answer=human_in_the_loop) == 0
    assert REVIEWER.conversation(name).snapshot().status == "FAILED"
    broken[0] = False
    decide(name, "resume", "It is open again.")
    goes_on(name, agent)
    assert refunded == [70]


def test_a_decision_of_which_no_answer_can_be_made_pauses_again_with_the_reason() -> None:
    name, agent, refunded = asked()
    paused = REVIEWER.conversation(name)
    snapshot = paused.snapshot()
    question = snapshot.state_data["interrupt"]
    fewer = {**question, "action_requests": []}
    paused.change_state(str(snapshot.current_node_id), {"interrupt": fewer})
    decide(name, "approve")
    assert resume_decided(agent, CLIENT, answer=human_in_the_loop) == 0
    again = paused.snapshot()
    assert (again.status, again.pause and again.pause["reason"]) == (
        "PAUSED",
        "The graph cannot take this decision. Correct what it asks and decide again."
        " 1 calls of tools were asked about, now there are 0",
    )
    paused.change_state(str(again.current_node_id), {"interrupt": question})
    decide(name, "approve")
    goes_on(name, agent)
    assert refunded == [70]


def test_what_is_no_question_of_the_middleware_is_refused() -> None:
    one = {"action_requests": [{"name": "refund", "args": {}}]}
    for question, edited in (("Go?", None), (one, {"action_requests": []})):
        decision = Decision("approve", None, "person:rita", "n", 1, "RUNNING", edited, question)
        told = ""
        try:
            human_in_the_loop(decision)
        except ValueError as error:
            told = str(error)
        assert told
