"""An engine by the Python client, which ends as by ``kill -9`` before or after one of its calls.

    python -m tests.fault.client_worker URL TOKEN WORKFLOW CONVERSATION [MOMENT ...]

Moments count from 0: the even ones are before a call, the odd ones behind its answer. Each has a
conversation of its own, CONVERSATION-MOMENT, and a second worker that continues after the first,
eight moments at a time. Without moments one worker runs CONVERSATION to its end. Prints the
moments at which a worker died; ends with 1 if any that should live did not.

Every process forks while it has one thread: a lock that another thread holds at that moment would
never be free in the child.
"""

import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence

import httpx
from ctxadmin_client import Client

LANES = 8


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


def forked(do: Callable[..., None], *arguments: object) -> int:
    """The id of a child that does something and ends: with 0, or 1 if it raised."""
    child = os.fork()
    if child:
        return child
    try:
        do(*arguments)
    except Exception:  # noqa: BLE001 - told, and the process ends
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def end_of(child: int) -> int:
    """0 if a child came to its end, 1 if it raised, or the negative signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def die_and_go_on(
    url: str, token: str, workflow: str, conversation: str, moments: Sequence[str]
) -> None:
    """For each moment a worker that dies then, and one that continues; print when one died."""
    for moment in moments:
        name = f"{conversation}-{moment}"
        first = end_of(forked(work, url, token, name, workflow, int(moment)))
        if first == 0:
            continue
        os.write(sys.stdout.fileno(), f"{moment} ".encode())
        second = end_of(forked(work, url, token, name, workflow, -1))
        if first != -signal.SIGKILL or second:
            raise RuntimeError(f"at {moment} the workers ended with {first} and {second}")


def main(url: str, token: str, workflow: str, conversation: str, *moments: str) -> int:
    if not moments:
        return end_of(forked(work, url, token, conversation, workflow, -1))
    lanes = [moments[lane::LANES] for lane in range(LANES)]
    children = [forked(die_and_go_on, url, token, workflow, conversation, lane) for lane in lanes]
    ended = [end_of(child) for child in children]
    return int(any(ended))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
