"""The Makefile tells what it does, and CI calls targets that exist."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):(?!=)", MAKEFILE, flags=re.MULTILINE))
CI = ROOT / ".ci" / "run"


def make(*arguments: str) -> str:
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    finished = subprocess.run(
        ["make", "-C", str(ROOT), *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    return finished.stdout


def test_make_alone_lists_what_there_is() -> None:
    listed = set(re.findall(r"^  make ([a-z-]+) ", make(), flags=re.MULTILINE))
    wanted = "help run test check format catalogues bench soak lock clean"
    assert listed == set(wanted.split())


def test_every_target_is_phony() -> None:
    assert re.findall(r"^\.PHONY: ([a-z-]+)", MAKEFILE, flags=re.MULTILINE)
    for target in TARGETS - {"run", "bench"}:  # "bench" is a folder, too
        assert f".PHONY: {target}" in MAKEFILE or target.startswith("check-")


def test_run_takes_a_port_and_a_folder_with_spaces() -> None:
    assert '--port "8123"' in make("--dry-run", "run", "PORT=8123", "DATA_DIR=/a folder")


def test_ci_runs_the_checks_and_the_tests_and_nothing_unknown() -> None:
    called = set(re.findall(r"^make (?:--\S+ )*([a-z-]+)", CI.read_text(), flags=re.MULTILINE))
    assert {"check", "test"} <= called <= TARGETS
    assert os.access(CI, os.X_OK)


def test_ci_ends_with_the_tests_so_that_their_sum_is_read_last() -> None:
    assert CI.read_text().rstrip().splitlines()[-2:] == ["make test || failed=1", 'exit "$failed"']


@pytest.mark.parametrize("script", sorted((ROOT / "scripts").glob("*.sh")), ids=lambda it: it.name)
def test_shell_scripts_can_be_run(script: Path) -> None:
    assert os.access(script, os.X_OK)
    subprocess.run(["sh", "-n", str(script)], check=True)


@pytest.mark.parametrize(
    ("ci", "code"), [("true", 1), ("1", 1), ("TRUE", 1), ("yes", 1), ("0", 0), ("", 0)]
)
def test_without_npm_the_front_end_is_left_unchecked_but_not_in_ci(
    tmp_path: Path, ci: str, code: int
) -> None:
    shell = shutil.which("sh")
    assert shell
    finished = subprocess.run(
        [shell, str(ROOT / "scripts" / "check_built.sh")],
        env={"PATH": str(tmp_path), "CI": ci},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == code
    assert "npm is not installed" in finished.stdout + finished.stderr


def test_a_machine_with_an_old_python_only_is_told_what_to_install(tmp_path: Path) -> None:
    for name in ("python3", "python3.11"):
        old = tmp_path / name
        old.write_text("#!/bin/sh\nexit 1\n")
        old.chmod(0o755)
    shell = shutil.which("sh")
    assert shell
    finished = subprocess.run(
        [shell, str(ROOT / "scripts" / "find_python.sh")],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 1
    assert "needs Python 3.11 or newer" in finished.stderr
    assert "apt-get install python3 python3-venv" in finished.stderr
