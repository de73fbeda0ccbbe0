"""One random seed for all workers of a run, which is told before anything happens."""

import os
import random

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Only where there are workers, whose output is not seen: else ``seed_is_told`` says it."""
    if not session.config.getoption("numprocesses", None):
        return
    seed = os.environ.get("FAULT_SEED") or str(random.SystemRandom().randrange(10**6))
    os.environ["FAULT_SEED"] = seed
    terminal = session.config.get_terminal_writer()
    terminal.line(f"The random seed of these faults: FAULT_SEED={seed}")
