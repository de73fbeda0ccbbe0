"""Runs the whole test suite, in groups with different needs, and sums up their counts.

Each group is one run of pytest. The stores are tested twice: on SQLite and on a private MariaDB.
Arguments go to every pytest: ``run_tests.py -k rollback``.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

from scripts.ci import runs_in_ci

ROOT = Path(__file__).resolve().parent.parent
BYTECODE = ROOT / ".cache" / "bytecode"
NO_TESTS = 5  # pytest's exit code when its arguments leave nothing to run
GROUP_SECONDS = 60 * 60  # far above what a group takes: a test that hangs must not hang CI
END_SECONDS = 30
# A file system that never waits for a disk: databases flush every commit, and 87 tests of stores on
# MariaDB took 53 s on a disk and 23 s here. A MariaDB server takes 0.3 GB.
MEMORY = Path("/dev/shm")
ROOM = 6 * 2**30  # bytes
# Browsers, threads of engines' libraries and killed servers can miss a moment on a busy machine.
# A few of their tests may fail once, and are reported with what they saw.
OF_OTHERS = ("tests/e2e", "tests/engines", "tests/fault")
OF_OURS = ("tests/integration", "tests/property", "tests/unit")
SECOND_LOOK = (
    "--reruns=1",
    "--max-suite-reruns=3",
    "--rerun-show-tracebacks",
    *(f"--rerun-exclude-path={folder}" for folder in OF_OURS),
)
# Files come in their order (tests/conftest.py), instead of those with few, long tests last.
IN_ORDER = "--no-loadscope-reorder"


@dataclass(frozen=True)
class Group:
    """One run of pytest; ``workers`` processes share its tests, 0 is the process itself.

    More than cores, because tests wait for servers, for pages and for the disk. What needs no
    other environment is one group: its last tests are short, so no core is idle while others end.
    A worker with its server and its browser takes 1 GB.
    """

    name: str
    arguments: Sequence[str]
    workers: int
    environment: Mapping[str, str] = field(default_factory=dict)


GROUPS = (
    Group(
        "pages, engines, faults, stores on SQLite and rules",
        [*OF_OTHERS, *OF_OURS, *SECOND_LOOK, IN_ORDER],
        workers=4,
    ),
    Group(
        "stores on MariaDB",
        ["tests/integration", IN_ORDER],
        workers=3,
        environment={"CTXADMIN_TEST_DATABASE": "mariadb"},
    ),
)


@dataclass(frozen=True)
class Counts:
    """The number of tests by result; an error in a set-up is a failure."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped
        )

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def main(arguments: Sequence[str]) -> int:
    """Runs all groups, prints their sum as the last line.

    Returns 0 if something ran and all passed.
    """
    total = Counts()
    for group in GROUPS:
        obstacle = missing_requirement(group)
        if obstacle:
            print(f"\n==> Skipped: {group.name}. {obstacle}", flush=True)
            total += Counts(failed=1) if runs_in_ci() else Counts(skipped=1)
        elif has_tests(group):
            print(f"\n==> Testing {group.name}", flush=True)
            total += run(group, arguments)
    print(f"\n{total}", flush=True)
    return 0 if total.passed and not total.failed else 1


def missing_requirement(group: Group) -> str:
    """Returns why this machine cannot run a group at all; empty when it can."""
    if "mariadb" in group.environment.values() and not find_spec("MySQLdb"):
        return "mysqlclient could not be installed. The lines above say what is missing."
    return ""


def has_tests(group: Group) -> bool:
    return any((ROOT / group.arguments[0]).rglob("test_*.py"))


def run(group: Group, arguments: Sequence[str]) -> Counts:
    """Runs one group; a crash, a hang or no test where there should be some counts as a failure."""
    place = MEMORY if has_room(MEMORY) else None
    with tempfile.TemporaryDirectory(
        prefix="ctx-",  # with --basetemp it keeps the paths of sockets within 107 characters
        dir=place,
        ignore_cleanup_errors=True,  # who keeps the servers of the run removes their files, too
    ) as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", *group.arguments, f"--junitxml={report}"]
        command += ["-p", "no:cacheprovider", "-o", "tmp_path_retention_policy=failed"]
        command += [f"--basetemp={folder}/t"]
        command += ["-q", *arguments]
        if group.workers:
            # A file stays with one worker, which makes its servers and its browser once.
            command += ["-n", str(group.workers), "--dist=loadfile"]
        own = {**environment(group), "TMPDIR": folder}
        started = subprocess.Popen(command, cwd=ROOT, env=own)
        code = _wait(started)
        if code == NO_TESTS and arguments:
            return Counts()
        counts = read(report) if report.exists() else Counts()
    if code and not counts.failed:
        print(f"pytest ended with {code}", flush=True)
        return counts + Counts(failed=1)
    return counts


def has_room(place: Path) -> bool:
    """Returns whether tests may keep their files there: programs can run, and memory is plenty.

    Containers have 64 MB there by default; then tests use the usual folder of temporary files.
    """
    try:
        file_system = os.statvfs(place)
        memory = Path("/proc/meminfo").read_text()
    except OSError:
        return False
    free = file_system.f_bavail * file_system.f_frsize
    available = next(line for line in memory.splitlines() if line.startswith("MemAvailable:"))
    return (
        os.access(place, os.W_OK)
        and not file_system.f_flag & os.ST_NOEXEC
        and min(free, int(available.split()[1]) * 1024 / 2) > ROOM
    )


def environment(group: Group) -> dict[str, str]:
    """Returns the environment of this process and of the group, with a cache of compiled code.

    Otherwise every worker and every server that a test starts would compile all of it again.
    """
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, "PYTHONPYCACHEPREFIX": str(BYTECODE), **group.environment}


def read(report: Path) -> Counts:
    """Returns the counts of a JUnit report as pytest writes it: one suite, its numbers as
    attributes.
    """
    suite = ElementTree.parse(report).getroot().find("testsuite")
    if suite is None:
        return Counts()
    total, failures, errors, skipped = (
        int(suite.get(name, "0")) for name in ("tests", "failures", "errors", "skipped")
    )
    failed = failures + errors
    return Counts(passed=total - failed - skipped, failed=failed, skipped=skipped)


def _wait(process: subprocess.Popen[bytes]) -> int:
    """Returns the exit code.

    After the time limit pytest is interrupted, as by Ctrl-C, then killed.
    """
    try:
        return process.wait(GROUP_SECONDS)
    except subprocess.TimeoutExpired:
        print(f"Stopped: not finished after {GROUP_SECONDS} s.", flush=True)
        process.send_signal(signal.SIGINT)
        return _end(process)
    except KeyboardInterrupt:
        _end(process)  # the terminal has told pytest, too
        raise


def _end(process: subprocess.Popen[bytes]) -> int:
    try:
        return process.wait(END_SECONDS) or 1
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
