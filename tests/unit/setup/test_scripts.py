"""The scripts behind make: what is installed when, how runs are counted, which licences pass."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from scripts import check_clients, debian, environment, licences, run_tests, system_packages
from scripts.run_tests import Counts, Group
from tests.conftest import LONGEST


class Calls:
    """Stands for ``subprocess.run``: notes the commands, all of which end with one exit code."""

    def __init__(self, code: int = 0) -> None:
        self.code = code
        self.commands: list[list[str]] = []

    def __call__(
        self, command: Sequence[str], **_options: object
    ) -> subprocess.CompletedProcess[str]:
        self.commands.append(list(command))
        return subprocess.CompletedProcess(command, self.code, stdout="")


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project folder with a .venv that works and one requirements file."""
    venv = tmp_path / ".venv"
    venv.mkdir()
    (venv / "pyvenv.cfg").write_text("version = 3.11.7\n")
    requirements = tmp_path / "embedded.txt"
    requirements.write_text("django==5.2.1\n")
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    monkeypatch.setattr(environment, "VENV", venv)
    monkeypatch.setattr(environment, "REQUIREMENTS", {"embedded": requirements})
    monkeypatch.setattr(environment, "works", lambda _: True)
    return requirements


def installations(calls: Calls) -> int:
    return sum("install" in command for command in calls.commands)


def test_packages_are_installed_once(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Calls()
    monkeypatch.setattr(subprocess, "run", calls)
    assert environment.install("embedded")
    assert environment.install("embedded")
    assert installations(calls) == 1
    assert "--require-hashes" in calls.commands[-1]
    assert "--only-binary=:all:" in calls.commands[-1]


def test_packages_are_installed_again_when_a_pin_changed(
    fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = Calls()
    monkeypatch.setattr(subprocess, "run", calls)
    environment.install("embedded")
    fresh.write_text("django==5.2.2\n")
    environment.install("embedded")
    assert installations(calls) == 2


def test_an_installation_that_failed_is_tried_again(
    fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = Calls(code=1)
    monkeypatch.setattr(subprocess, "run", calls)
    assert not environment.install("embedded")
    assert not environment.install("embedded")
    assert installations(calls) == 2


def test_a_person_without_root_is_told_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(debian, "administrator_prefix", lambda: None)
    lacking = system_packages.Need("MariaDB", lambda: False, ["mariadb-server-core"])
    monkeypatch.setattr(system_packages, "NEEDS", (lacking,))
    monkeypatch.setattr(system_packages, "CI_NEEDS", ())
    system_packages.main()
    said = capsys.readouterr().out
    assert "Not installed: MariaDB." in said
    assert "As root: apt-get install mariadb-server-core" in said


def test_what_is_there_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Calls()
    monkeypatch.setattr(subprocess, "run", calls)
    there = system_packages.Need("Redis", lambda: True, ["redis-tools"])
    monkeypatch.setattr(system_packages, "NEEDS", (there,))
    monkeypatch.setattr(system_packages, "CI_NEEDS", ())
    system_packages.main()
    assert not calls.commands


@pytest.mark.parametrize(("ci", "code"), [("", 0), ("true", 1)])
def test_a_generator_that_is_missing_is_left_out_but_fails_in_ci(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    ci: str,
    code: int,
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(check_clients, "GENERATOR", tmp_path / "none")
    monkeypatch.setattr(check_clients, "installed_types", lambda: False)
    assert check_clients.main() == code
    told = capsys.readouterr().err
    assert "openapi-python-client is not installed" in told
    assert "openapi-typescript is not installed" in told


def counts_of(folder: Path, text: str) -> Counts:
    """Run one group on a test file with this text, in a pytest that knows nothing of this one."""
    file = folder / "test_it.py"
    file.write_text(text)
    arguments = [str(file), "-p", "no:django", "-c", "/dev/null", f"--rootdir={folder}"]
    return run_tests.run(Group("trial", arguments, workers=0), [])


def test_counts_are_those_of_pytest(tmp_path: Path) -> None:
    text = """
import pytest
def test_good(): pass
def test_bad(): assert False
@pytest.fixture
def broken(): raise ValueError
def test_no_set_up(broken): pass
def test_other(): pytest.skip("elsewhere")
"""
    assert counts_of(tmp_path, text) == Counts(passed=1, failed=2, skipped=1)


def test_a_file_that_cannot_be_read_is_a_failure(tmp_path: Path) -> None:
    assert counts_of(tmp_path, "def") == Counts(failed=1)


def test_a_crash_is_a_failure(tmp_path: Path) -> None:
    text = "import os\ndef test_crash(): os._exit(3)\n"
    assert counts_of(tmp_path, text) == Counts(failed=1)


def test_a_test_that_hangs_is_ended_and_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_tests, "GROUP_SECONDS", 2)
    monkeypatch.setattr(run_tests, "END_SECONDS", 1)
    text = "import time\ndef test_hang(): time.sleep(60)\n"
    assert counts_of(tmp_path, text) == Counts(failed=1)


def test_the_files_that_come_first_are_there() -> None:
    assert [path for path in LONGEST if not path.is_file()] == []


def test_all_files_of_tests_run_and_those_that_others_disturb_are_looked_at_again() -> None:
    folders = {
        path.relative_to(run_tests.ROOT).parts[1]
        for path in (run_tests.ROOT / "tests").rglob("test_*.py")
    }
    ran = (*run_tests.OF_OTHERS, *run_tests.OF_OURS)
    assert sorted(ran) == sorted(f"tests/{folder}" for folder in folders)
    assert {*ran} <= {*run_tests.GROUPS[0].arguments}


def test_a_failure_is_looked_at_again_where_others_can_disturb(tmp_path: Path) -> None:
    for folder in ("tests/fault", "tests/unit"):
        (tmp_path / folder).mkdir(parents=True)
        text = "times = []\ndef test_it():\n    times.append(1)\n    assert len(times) > 1\n"
        (tmp_path / folder / f"test_{Path(folder).name}.py").write_text(text)
    arguments = [str(tmp_path), *run_tests.SECOND_LOOK, "-p", "no:django", "-c", "/dev/null"]
    counts = run_tests.run(Group("trial", [*arguments, f"--rootdir={tmp_path}"], workers=0), [])
    assert counts == Counts(passed=1, failed=1)


def test_files_of_tests_lie_in_the_folder_of_the_run_and_go_with_it(tmp_path: Path) -> None:
    told = tmp_path / "told"
    text = f"""
import pathlib, tempfile
def test_it(tmp_path):
    pathlib.Path({str(told)!r}).write_text(f"{{tmp_path}} {{tempfile.mkdtemp()}}")
"""
    assert counts_of(tmp_path, text) == Counts(passed=1)
    for folder in told.read_text().split():
        assert "/ctx-" in folder
        assert not Path(folder).exists()


def test_a_place_without_room_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_tests, "ROOM", 1)
    assert run_tests.has_room(tmp_path)
    assert not run_tests.has_room(tmp_path / "none")
    monkeypatch.setattr(run_tests, "ROOM", 2**60)
    assert not run_tests.has_room(tmp_path)


def test_a_group_without_tests_is_a_failure(tmp_path: Path) -> None:
    assert counts_of(tmp_path, "") == Counts(failed=1)


@pytest.mark.parametrize(
    ("ci", "code"), [("true", 1), ("1", 1), ("TRUE", 1), ("yes", 1), ("0", 0), ("", 0)]
)
def test_a_group_that_cannot_run_fails_in_ci_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], ci: str, code: int
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(run_tests, "run", lambda group, arguments: Counts(passed=1))
    first = run_tests.GROUPS[0]
    monkeypatch.setattr(
        run_tests, "missing_requirement", lambda group: "" if group is first else "No server."
    )
    monkeypatch.setattr(run_tests, "has_tests", lambda group: True)
    assert run_tests.main([]) == code
    last = capsys.readouterr().out.strip().splitlines()[-1]
    assert last.startswith("1 passed, 1 failed" if code else "1 passed, 0 failed, 1 skipped")


def test_a_run_without_any_test_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_tests, "has_tests", lambda group: False)
    assert run_tests.main([]) == 1


@pytest.mark.parametrize("expression", ["MIT", "MPL-2.0 AND (Apache-2.0 OR MIT)", "BSD-3-Clause"])
def test_known_licences_pass(expression: str) -> None:
    assert licences.Part("some", "1", expression).acceptable


@pytest.mark.parametrize("expression", ["", "Proprietary", "MIT AND Proprietary", "AGPL-3.0"])
def test_other_licences_do_not_pass(expression: str) -> None:
    assert not licences.Part("some", "1", expression).acceptable


def test_a_licence_exception_holds_for_the_licence_it_was_made_for() -> None:
    assert licences.Part("mysqlclient", "1", "GPL-2.0-or-later").acceptable
    assert not licences.Part("mysqlclient", "1", "AGPL-3.0").acceptable


def test_the_page_of_licences_is_up_to_date() -> None:
    subprocess.run(
        [sys.executable, "-m", "scripts.licences", "--check"], cwd=licences.ROOT, check=True
    )
