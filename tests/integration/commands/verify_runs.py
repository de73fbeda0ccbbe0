"""Runs of verify, with what they find."""

import io

from django.core.management import CommandError, call_command

from tests.factories import assistant, conversation, user
from tests.integration.checkpoints.flows import Run


def run_with_history() -> Run:
    """An execution with former versions, a restore, two revisions, beside another conversation."""
    conversation(user("hello"), assistant("hi"), public_id="other")
    run = Run.start(state={"facts": ["one"], "plan": "a"}, reducers={"facts": "append"})
    sent = {"messages": [user("hello"), assistant("hi"), user("and?")]}
    assert run.post("messages", sent).status_code == 201
    for number in (1, 2, 3):
        state = {"facts": [f"fact {number}"], "plan": f"plan {number}"}
        result = {"response": f"r{number}"}
        done = run.complete("a", f"c{number}", result=result, state_data=state)
        assert done.status_code == 201, done.content
    assert run.post("pause", {}).status_code == 200
    assert run.complete("a", "c4", result={}).status_code == 201
    assert run.post("checkpoints/2/restore", {}).status_code == 200
    assert run.post("resume", {}).status_code == 200
    done = run.complete("a", "c5", result={}, state_data={"facts": ["last"]})
    assert done.status_code == 201
    assert run.post("checkpoints/3/fork", {"id": "forked"}).status_code == 201
    cut = {"operation": "truncate", "truncate": {"keep_last": 2}}
    assert run.post("operations", cut).status_code == 200
    assert run.post("messages", {"messages": [user("more")]}).status_code == 201
    return run


def verify(*args: str) -> tuple[str, str, bool]:
    """What was said, what was found, and if all is well."""
    out, found = io.StringIO(), io.StringIO()
    try:
        call_command("verify", *args, stdout=out, stderr=found)
    except CommandError:
        return out.getvalue(), found.getvalue(), False
    return out.getvalue(), found.getvalue(), True
