"""The audit finds nothing wrong with an honest store, and every lie of the others."""

import random
import threading
from collections.abc import Callable

import pytest

from tests.fault.actors import Scene
from tests.fault.audit import audit, promises
from tests.fault.broken_stores import LIES
from tests.fault.collect import collect
from tests.fault.history import History
from tests.fault.ledger import Ledger
from tests.fault.product_state import Violation
from tests.fault.roles import (
    NODES,
    Appender,
    Engine,
    Opener,
    Reader,
    Reviewer,
    Walker,
    cast,
)

STEPS = 250
ROLES = (Appender, Appender, Engine, Engine, Engine, Walker, Reviewer, Reviewer, Reader)


class NeverOver(threading.Event):
    """Time does not pass while a client waits."""

    def wait(self, timeout: float | None = None) -> bool:
        return False


def audited(ledger: Ledger, seed: str) -> tuple[History, list[Violation]]:
    """Clients work with a store in turns that the seed decides; then it is audited."""
    history, scene = History(), Scene.of("lies")
    clients = cast(scene, seed, history, ledger.connect, roles=(Opener, *ROLES))
    for client in clients:
        client.over = NeverOver()
    opener, *others = clients
    opener.wire = reliable = ledger.connect("opener", random.Random(0))
    reliable.reliable = True
    opener.step()
    ledger.steps = {client.name: client.step for client in others}
    turns = random.Random(f"turns {seed}")
    for _ in range(STEPS):
        ledger.step(turns.choice(others).name)
    ledger.crash()
    names = sorted({write.conversation for write in history.writes})
    found = collect(names, scene.name, reliable, ledger.manage).found
    return history, audit(history, found, NODES)


@pytest.mark.parametrize("seed", ["one", "two", "three"])
def test_nothing_is_wrong_with_an_honest_store(seed: str) -> None:
    history, violations = audited(Ledger(seed), seed)
    assert violations == []
    assert sum(write.acknowledged is not None for write in history.writes) > STEPS / 4
    assert any(not write.acknowledged and write.can_have_happened for write in history.writes)


@pytest.mark.parametrize(
    ("liar", "promise"), LIES.items(), ids=lambda each: getattr(each, "__name__", "")
)
def test_a_lying_store_is_found_out(liar: Callable[[str], Ledger], promise: str) -> None:
    _, violations = audited(liar("one"), "one")
    assert promise in promises(violations), promises(violations)
