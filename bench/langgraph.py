"""Measures puts of the client's saver as messages grow, compared with LangGraph's savers.

Ours sends HTTP to a server; the one for SQLite writes to a file in its process, the one for
PostgreSQL to its server. So the rows show how each grows, and the cost of a server in between.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bench.postgres import Postgres
from bench.savers import peer
from bench.table import Row
from scripts.environment import ENGINES, ROOT, python_of
from tests.live_server import LiveServer
from tests.servers import Missing

_FEW, _MANY = 10, 5_000
_MEASURE: Final = """
import json, statistics, sys, time
from ctxadmin_client import Client
from ctxadmin_client.calls import Call
from ctxadmin_client.langgraph import CtxAdminSaver
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.sqlite import SqliteSaver

url, token, path, lengths = sys.argv[1], sys.argv[2], sys.argv[3], json.loads(sys.argv[4])
text = "x" * 400

def settle(client):
    # The search index follows the first put, which has all messages: that is work of its own.
    for _ in range(600):
        if not client.transport.send(Call("GET", "/search", query={"q": "nothing"}))["behind"]:
            return
        time.sleep(0.1)

def measured(saver, length, settled=lambda: None):
    config = {"configurable": {"thread_id": f"t{length}", "checkpoint_ns": ""}}
    messages = [(HumanMessage, AIMessage)[n % 2](text, id=str(n)) for n in range(length)]
    times = []
    for step in range(25):
        checkpoint = empty_checkpoint()
        checkpoint["channel_values"] = {"messages": list(messages), "step": step}
        checkpoint["channel_versions"] = {"messages": step + 1, "step": step + 1}
        metadata = {"source": "loop", "step": step, "parents": {}}
        began = time.perf_counter()
        config = saver.put(config, checkpoint, metadata, checkpoint["channel_versions"])
        times.append(time.perf_counter() - began)
        if step == 0:
            settled()
        messages += [HumanMessage(text, id=f"u{step}"), AIMessage(text, id=f"a{step}")]
    return statistics.median(times[3:]) * 1e3

found = {"ours": {}, "theirs": {}}
with Client(url, token) as client, SqliteSaver.from_conn_string(path) as theirs:
    theirs.setup()
    for length in lengths:
        found["ours"][length] = measured(
            CtxAdminSaver(client), length, lambda: settle(client)
        )
        found["theirs"][length] = measured(theirs, length)
print(json.dumps(found))
"""


def rows() -> list[Row]:
    """Returns the rows of both savers at both lengths; none without the libraries of engines."""
    python = python_of(ENGINES)
    if not python.exists():
        print("The libraries of engines are not installed; left out.", file=sys.stderr)
        return []
    with tempfile.TemporaryDirectory() as name, LiveServer(Path(name), {}, "--no-demo") as live:
        live.make_people("engine")
        path = str(Path(name) / "peer.sqlite3")
        given = [live.url, live.token("engine"), path, json.dumps([_FEW, _MANY])]
        ran = subprocess.run(
            [str(python), "-c", _MEASURE, *given],
            env={**os.environ, "PYTHONPATH": str(ROOT / "sdk/python/src")},
            capture_output=True,
            text=True,
            check=True,
        )
    found = json.loads(ran.stdout)
    ours, theirs = found["ours"], found["theirs"]
    few, many = str(_FEW), str(_MANY)
    return [
        *_beside_postgres(ours),
        Row(f"LangGraph: put at {few}, beside its saver for SQLite", ours[few], "ms", theirs[few]),
        Row(
            f"LangGraph: put at {_MANY:,}, beside its saver for SQLite",
            ours[many],
            "ms",
            theirs[many],
        ),
        Row(f"LangGraph: put at {_MANY:,}, beside {few}", ours[many], "ms", ours[few], 1.5),
    ]


def _beside_postgres(ours: Mapping[str, float]) -> list[Row]:
    """Compares our saver at both lengths with the one for PostgreSQL, on a private server."""
    with tempfile.TemporaryDirectory() as name:
        try:
            with Postgres(Path(name) / "postgres") as server:
                theirs = peer("postgres", server.url, [_FEW, _MANY])
        except Missing as missing:
            print(f"PostgreSQL is left out: {missing}", file=sys.stderr)
            return []
    return [
        Row(
            f"LangGraph: put at {int(length):,}, beside its saver for PostgreSQL",
            *(ours[length], "ms", theirs[length]),
        )
        for length in theirs
    ]
