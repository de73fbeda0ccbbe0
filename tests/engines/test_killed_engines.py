"""Engines that die as by ``kill -9`` between any two of their calls, with each adapter.

    CTXADMIN_TEST_EXAMPLES=all .venv/bin/python -m pytest -s tests/engines/test_killed_engines.py

prints the table of docs/reference/faults.md at its end. A usual run lets them die at every third
moment, another third each time (``tests/examples.py``).
"""

import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Final

import pytest
from ctxadmin_client import Client

from tests.engines.conftest import engine_command, engine_environment
from tests.engines.test_plain_loops import Model, programs
from tests.examples import share_of
from tests.live_server import LiveServer
from tests.servers import ROOT

QUESTION, SECOND, ANSWER = "Where is my parcel?", "And now?", "It is in Lyon."
CHAT: Final = [("user", QUESTION), ("assistant", ANSWER), ("user", SECOND), ("assistant", ANSWER)]
WITH_TOOLS: Final = [
    *(("user", QUESTION), ("assistant", ""), ("tool", "in Lyon"), ("assistant", ANSWER)),
    *(("user", SECOND), ("assistant", ""), ("tool", "in Lyon"), ("assistant", ANSWER)),
]
GRAPH: Final = [("user", QUESTION), ("assistant", "I look it up."), ("tool", "in Lyon")]
LOOP: Final = [
    *(("user", QUESTION), ("assistant", ""), ("tool", "p-1 is in Lyon")),
    *(("assistant", "3: p-1 is in Lyon"), ("user", SECOND), ("assistant", "")),
    *(("tool", "p-1 is in Lyon"), ("assistant", "7: p-1 is in Lyon")),
]


@dataclass(frozen=True)
class Case:
    """An adapter: its program, what the log has in the end, and how the execution ends."""

    name: str
    program: str
    arguments: Sequence[str]
    most: int  # moments that are tried; the last ones are behind the end
    log: Sequence[tuple[str, str]]
    status: str = "IDLE"
    database: str = "sqlite"

    def __str__(self) -> str:
        return f"{self.name} on {self.database}"


CASES: Final = (
    Case("saver", "kill_langgraph", ["saver"], 33, [*GRAPH, ("assistant", ANSWER)], "COMPLETED"),
    Case("resume_on_decision, rejected", "kill_langgraph", ["rejected"], 24, GRAPH, "COMPLETED"),
    Case("OpenAI Agents session", "kill_histories", ["openai_agents"], 18, WITH_TOOLS),
    Case("LangChain history", "kill_histories", ["langchain"], 14, CHAT),
    Case("Pydantic AI history", "kill_histories", ["pydantic_ai"], 12, WITH_TOOLS),
    Case("plain loop, OpenAI", "kill_histories", ["openai_loop"], 22, LOOP),
    Case("plain loop, Anthropic", "kill_histories", ["anthropic_loop"], 22, LOOP),
    Case(
        "MCP, operation and decision",
        *("kill_mcp", [], 12),
        [("user", f"question {number}") for number in range(1, 4)],
        "RUNNING",
    ),
    Case(
        "resume_on_decision, approved",
        *("kill_langgraph", ["approved"], 24, [*GRAPH, ("assistant", ANSWER)], "COMPLETED"),
        "mariadb",
    ),
)


@pytest.fixture(scope="module")
def on_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    with LiveServer(tmp_path_factory.mktemp("deaths"), {}, "--no-demo") as live:
        live.make_people("engine")
        yield live


@pytest.fixture(scope="module")
def on_mariadb(
    tmp_path_factory: pytest.TempPathFactory, mariadb_of_module: str
) -> Iterator[LiveServer]:
    settings = {"DATABASE_URL": mariadb_of_module}
    with LiveServer(tmp_path_factory.mktemp("deaths"), settings, "--no-demo") as live:
        live.make_people("engine")
        yield live


@pytest.fixture(scope="module")
def table() -> Iterator[list[str]]:
    """Rows of the closing table."""
    rows: list[str] = []
    yield rows
    head = ["", "| adapter | database | deaths | lost | twice |", "|---|---|---|---|---|"]
    sys.stdout.write("\n".join([*head, *rows, ""]))


@pytest.fixture(scope="module")
def loops(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """The folder of the plain loops, and the address of their model."""
    folder = tmp_path_factory.mktemp("loops")
    for name, text in programs().items():
        (folder / name).write_text(text)
    with ThreadingHTTPServer(("127.0.0.1", 0), Model) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_engine_that_dies_between_any_two_calls_loses_nothing_and_does_nothing_twice(
    case: Case, loops: tuple[Path, str], table: list[str], request: pytest.FixtureRequest
) -> None:
    command = engine_command(case.program)
    server: LiveServer = request.getfixturevalue(f"on_{case.database}")
    token, name = server.token("engine"), f"{case.arguments[0] if case.arguments else 'mcp'}"
    folder, model = loops
    adapter = [
        str(folder / each) if (folder / each).exists() else each
        for each in (f"{each}.py" if "loop" in each else each for each in case.arguments)
    ]
    moments = share_of(range(case.most))
    of_loops = {"BASE_URL": model, "API_KEY": "k", "MODEL": "m", "CTXADMIN": server.url}
    ran = subprocess.run(
        [*command, server.url, token, server.token("review"), *adapter, name, *map(str, moments)],
        env={**engine_environment(), **of_loops, "TOKEN": token},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-8_000:]
    died = sorted(int(word) for word in ran.stdout.split())
    assert died == moments[: len(died)]
    assert len(died) > 1
    assert case.most - 1 not in died, "the last moments are behind the end"
    with Client(server.url, token) as client:
        for moment in moments:
            conversation = client.conversation(f"{name}-{moment}")
            snapshot = conversation.snapshot()
            shown = [(each["role"], _text(each["content"])) for each in conversation.messages()]
            logged = len(list(conversation.messages("all")))
            assert (moment, snapshot.status, shown) == (moment, case.status, [*case.log])
            assert (moment, logged) == (moment, len(case.log) + (case.program == "kill_mcp"))
            if case.program == "kill_langgraph":
                assert (moment, snapshot.state_data["drafted"]) == (moment, 1)
            if case.program == "kill_mcp":
                kinds = [each["move"] for each in conversation.checkpoints()]
                batches = list(client.listed(f"/conversations/{conversation.id}/batches", {}))
                assert (moment, kinds.count("approve"), len(batches)) == (moment, 1, 2)
    table.append(f"| {case.name} | {case.database} | {len(died)} | 0 | 0 |")


def _text(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part["text"]) for part in content)
    return str(content or "")


def test_the_table_in_the_documentation_has_every_adapter() -> None:
    page = (ROOT / "docs" / "reference" / "faults.md").read_text()
    rows = re.findall(r"^\| (.+) \| (sqlite|mariadb) \| \d+ \| 0 \| 0 \|$", page, re.M)
    assert [*rows] == [(case.name, case.database) for case in CASES]
