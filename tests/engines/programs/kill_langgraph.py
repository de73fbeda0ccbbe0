"""A graph whose process ends as by ``kill -9`` before or after one of its calls, and starts again.

python kill_langgraph.py URL ENGINE_TOKEN REVIEW_TOKEN THREAD MOMENT ...

Moments count from 0: the even ones are before a call, the odd ones behind its answer. Each has a
thread of its own, THREAD-MOMENT, and processes that go on after the first until the graph has
ended; a reviewer approves in between. Prints the moments at which a process died.
"""

import os
import signal
import sys
import threading
import traceback
from uuid import uuid4

import httpx
from ctxadmin_client import Client
from ctxadmin_client.calls import Call
from ctxadmin_client.langgraph import CtxAdminSaver
from langchain_core.messages import HumanMessage
from langgraph.types import Command
from support import QUESTION, support

URL, ENGINE, REVIEW = sys.argv[1:4]
NOBODY = -1
TIRED = 4  # processes of one thread


class Mortal(httpx.HTTPTransport):
    """Passes calls on until its moment comes; LangGraph makes them from several threads."""

    def __init__(self, moment: int) -> None:
        super().__init__()
        self._left = moment
        self._lock = threading.Lock()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self._pass()
        response = super().handle_request(request)
        response.read()
        self._pass()
        return response

    def _pass(self) -> None:
        with self._lock:
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            self._left -= 1


def approve(thread: str) -> None:
    with Client(URL, REVIEW) as reviewer:
        if reviewer.conversation(thread).snapshot(state=False).status == "PAUSED":
            where = f"/conversations/{thread}/approve"
            reviewer.transport.send(Call("POST", where, body={}, key=uuid4().hex))


def work(thread: str, moment: int) -> None:
    """What an application does when it starts: go on where the thread stands, until its end."""
    config = {"configurable": {"thread_id": thread}}
    with Client(URL, ENGINE, http=httpx.Client(transport=Mortal(moment))) as client:
        graph = support(CtxAdminSaver(client))
        while True:
            state = graph.get_state(config)
            if not state.values and not state.tasks:
                graph.invoke({"messages": [HumanMessage(QUESTION)]}, config)
            elif state.interrupts:
                approve(thread)
                graph.invoke(Command(resume="yes"), config)
            elif state.tasks:
                graph.invoke(None, config)
            else:
                return


def in_a_child(thread: str, moment: int) -> int:
    """``work`` in a process of its own; the signal that ended it, 0 if it came to its end."""
    child = os.fork()  # nothing has made threads yet
    if child == 0:
        try:
            work(thread, moment)
        except Exception:  # noqa: BLE001 - told, and the process ends
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def main(name: str, *moments: str) -> int:
    died = []
    for moment in moments:
        ended = in_a_child(f"{name}-{moment}", int(moment))
        if ended == -signal.SIGKILL:
            died.append(moment)
        for _ in range(TIRED):
            if ended == 0:
                break
            ended = in_a_child(f"{name}-{moment}", NOBODY)
        else:
            return 1
    print(*died)
    return 0


sys.exit(main(*sys.argv[4:]))
