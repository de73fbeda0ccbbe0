"""One round: clients work, faults strike, everything is healed, and then it is all looked at."""

import random
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tests.fault.actors import Client, Scene
from tests.fault.audit import audit
from tests.fault.cluster import Cluster
from tests.fault.collect import Unreadable, collect
from tests.fault.copies import copies_used, since
from tests.fault.fault_injection import Striker
from tests.fault.history import History, Json, Kind, Outcome, Write
from tests.fault.plan import Fault, Planned, plan
from tests.fault.product_state import Found, Violation
from tests.fault.roles import CAST, NODES, Opener, cast
from tests.fault.wire import Sender, Wire
from tests.servers import COMMAND_SECONDS

_CALM_SECONDS: Final = 0.5  # work goes on for a while after the last fault
_RECOVERY_SECONDS: Final = 30.0
_READABLE: Final = "everything can be read afterwards"
_END_SECONDS: Final = 120.0


@dataclass(frozen=True)
class Result:
    """What came of a round.

    ``recovery`` is how long the slowest worker took to serve again, ``copies`` what became of
    readings by the live copy.
    """

    seed: str
    scene: str
    planned: Sequence[Planned]
    history: History
    violations: Sequence[Violation]
    recovery: float
    copies: Counter[str]
    found: Mapping[str, Found]
    seconds: float


def open_stage(cluster: Cluster) -> None:
    """Publish the workflow that some clients walk through; once for a cluster."""
    wire = Wire(cluster.ports, cluster.token, "stage", random.Random(0))
    document: Json = {
        "name": "relay",
        "nodes": [{"id": node, "type": "task"} for node in NODES],
        "edges": [
            {"id": f"{one}-{other}", "type": "sequence", "from": one, "to": other}
            for one, other in pairwise(NODES)
        ],
    }
    calls: list[tuple[str, str, Json]] = [
        ("POST", "/workflows", {"slug": "relay", "name": "relay"}),
        ("PUT", "/workflows/relay/draft", {"document": document, "expected_version": 0}),
        ("POST", "/workflows/relay/publish", {"expected_version": 1}),
    ]
    for method, path, body in calls:
        attempt = wire.send(method, path, body)
        if attempt.outcome is not Outcome.ACKNOWLEDGED:
            raise RuntimeError(f"{path} got {attempt.status} {attempt.answer}")
    wire.close()


def play(
    cluster: Cluster, seed: str, seconds: float, faults: Sequence[Fault] | None = None
) -> Result:
    """One round of so many seconds of faults, all that this cluster knows unless some are named."""
    began = time.monotonic()
    history, scene = History(), Scene.of(_scene_name(cluster, seed))

    def connect(name: str, chance: random.Random) -> Sender:
        return Wire(cluster.ports, cluster.token, name, chance)

    opener = cast(scene, seed, history, connect, roles=[Opener])[0]
    opener.step()
    clients = cast(scene, seed, history, connect, roles=CAST)
    chosen = cluster.faults if faults is None else faults
    planned = plan(seed, seconds, chosen, workers=len(cluster.workers))
    copies = copies_used(cluster.ports)
    _work(cluster, history, clients, planned, seconds)
    violations: list[Violation] = []
    recovery = _recover(cluster, history, scene, violations)
    used = since(copies, copies_used(cluster.ports))
    names = sorted({write.conversation for write in history.writes})
    wire = Wire(cluster.ports, cluster.token, "audit", random.Random(seed))
    found: Mapping[str, Found] = {}
    try:
        collected = collect(names, scene.name, wire, cluster.commands.manage)
    except Unreadable as error:
        violations.append(Violation(_READABLE, "any", str(error)))
    else:
        found = collected.found
        violations += audit(history, found, NODES)
        if collected.broken_chain:
            promise = "the chains of the audit hold"
            violations.append(Violation(promise, "any", collected.broken_chain))
    wire.close()
    opener.wire.close()
    took = time.monotonic() - began
    return Result(seed, scene.name, planned, history, violations, recovery, used, found, took)


def look_again(cluster: Cluster, results: Sequence[Result]) -> list[Violation]:
    """What former rounds left must be as it was found then."""
    violations: list[Violation] = []
    wire = Wire(cluster.ports, cluster.token, "again", random.Random(0))
    for result in results:
        try:
            again = collect(list(result.found), result.scene, wire, cluster.commands.manage).found
        except Unreadable as error:
            violations.append(Violation(_READABLE, result.scene, str(error)))
            continue
        for name, then in result.found.items():
            if again.get(name) != then:
                promise = "what was there stays as it was"
                violations.append(Violation(promise, name, "it reads otherwise in the end"))
    wire.close()
    return violations


def _work(
    cluster: Cluster,
    history: History,
    clients: Sequence[Client],
    planned: Sequence[Planned],
    seconds: float,
) -> None:
    """Clients and faults, until all are done; a fault that cannot be done or healed raises."""
    threads = [threading.Thread(target=client.run, name=client.name) for client in clients]
    for thread in threads:
        thread.start()
    striker = Striker(cluster, history)
    strikes = striker.start(planned, seconds)
    try:
        time.sleep(seconds + _CALM_SECONDS)
        for strike in strikes:
            strike.result(_END_SECONDS)
    finally:
        striker.over.set()
        for client in clients:
            client.over.set()
        for thread in threads:
            thread.join(_END_SECONDS)
    if history.faults_of_the_suite:
        raise RuntimeError("; ".join(history.faults_of_the_suite))


def _recover(
    cluster: Cluster, history: History, scene: Scene, violations: list[Violation]
) -> float:
    """Have each worker acknowledge a write, as it is: nothing is started again for that."""
    slowest = 0.0
    for number, worker in enumerate(cluster.workers):
        promise = "it serves again without a restart"
        if worker.has_ended:
            violations.append(Violation(promise, "any", f"worker {number} ended by itself"))
            worker.kill()
            cluster.start(worker.start_again).result(COMMAND_SECONDS)
        wire = Wire(cluster.ports, cluster.token, f"{scene.name}.probe-{number}", random.Random(0))
        began = time.monotonic()
        name, chat = f"{scene.name}-probe-{number}", scene.chats[0]
        body: Json = {"messages": [{"role": "user", "content": f"are you there, {number}?"}]}
        write = Write(name, "probe", Kind.APPEND, chat, body)
        history.add(write)
        while write.acknowledged is None and time.monotonic() - began < _RECOVERY_SECONDS:
            path = f"/conversations/{chat}/messages"
            write.attempts.append(wire.send_to(number, "POST", path, body, key=name))
            time.sleep(0.0 if write.acknowledged else 0.1)
        slowest = max(slowest, time.monotonic() - began)
        if write.acknowledged is None:
            last = write.attempts[-1]
            what = f"worker {number} still answers {last.outcome} {last.answer}{last.why}"
            violations.append(Violation(promise, chat, what))
        wire.close()
    return slowest


def _scene_name(cluster: Cluster, seed: str) -> str:
    """Another one each time that a seed is played: conversations of before are left as they are."""
    cluster.played[seed] += 1
    times = cluster.played[seed]
    return f"round-{seed}" if times == 1 else f"round-{seed}-{times}"
