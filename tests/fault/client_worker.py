"""An engine by the Python client, which ends as by ``kill -9`` before or after one of its calls.

    python -m tests.fault.client_worker URL TOKEN WORKFLOW CONVERSATION [MOMENT ...]

Moments count from 0: the even ones are before a call, the odd ones behind its answer. Each has a
conversation of its own, CONVERSATION-MOMENT, and a second worker that goes on after the first,
all at once. Without moments one worker runs CONVERSATION to its end. Prints the moments at which
a worker died; ends with 1 if any that should live did not.
"""

import os
import signal
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

import httpx
from ctxadmin_client import Client

_LONGEST_SECONDS = 120  # for one worker


class Mortal(httpx.HTTPTransport):
    """Passes calls on until its moment comes."""

    def __init__(self, moment: int) -> None:
        super().__init__()
        self._left = moment

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self._pass()
        response = super().handle_request(request)
        response.read()
        self._pass()
        return response

    def _pass(self) -> None:
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self._left -= 1


def work(url: str, token: str, conversation: str, workflow: str, moment: int) -> None:
    """Run the workflow to its end; each node says its name and how often it was there."""
    http = httpx.Client(transport=Mortal(moment))
    question = {"role": "user", "content": "Where is my parcel?"}
    with (
        Client(url, token, http=http) as client,
        client.execution(
            conversation, workflow=workflow, ttl=1, wait=False, messages=[question]
        ) as run,
    ):
        for node in run.ready():
            with node.claim() as step:
                said = {"role": "assistant", "content": f"{node.id} at {step.version}"}
                step.complete(said["content"], state={node.id: step.version}, messages=[said])


def in_a_child(url: str, token: str, conversation: str, workflow: str, moment: int) -> int:
    """``work`` in a process of its own; the signal that ended it, 0 if it came to its end."""
    child = os.fork()
    if child == 0:
        signal.alarm(
            _LONGEST_SECONDS
        )  # beside threads a fork can find a lock that is never released
        try:
            work(url, token, conversation, workflow, moment)
        except Exception:  # noqa: BLE001 - told, and the process ends
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def main(url: str, token: str, workflow: str, conversation: str, *moments: str) -> int:
    if not moments:
        return in_a_child(url, token, conversation, workflow, -1)

    def die_and_go_on(moment: str) -> tuple[int, int]:
        name = f"{conversation}-{moment}"
        first = in_a_child(url, token, name, workflow, int(moment))
        return first, in_a_child(url, token, name, workflow, -1) if first else 0

    with ThreadPoolExecutor(8) as pool:
        ended = list(pool.map(die_and_go_on, moments))
    died = [when for when, (first, _) in zip(moments, ended, strict=True) if first]
    sys.stdout.write(" ".join(died))
    killed = {first for first, _ in ended} <= {0, -signal.SIGKILL}
    return 0 if killed and not any(second for _, second in ended) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
