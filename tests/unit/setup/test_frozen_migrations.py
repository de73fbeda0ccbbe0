"""Migrations that databases were made with stay as they are."""

from pathlib import Path

import pytest

from scripts import frozen_migrations

FIRST = "shop/migrations/0001_initial.py"
SECOND = "shop/migrations/0002_more.py"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one migration, frozen."""
    monkeypatch.setattr(frozen_migrations, "ROOT", tmp_path)
    monkeypatch.setattr(frozen_migrations, "LIST", tmp_path / "frozen.txt")
    (tmp_path / "frozen.txt").touch()
    (tmp_path / FIRST).parent.mkdir(parents=True)
    (tmp_path / FIRST).write_text("first")
    (tmp_path / "shop/migrations/__init__.py").touch()
    frozen_migrations.main([])
    return tmp_path


def refusal(*arguments: str) -> str:
    with pytest.raises(SystemExit) as refused:
        frozen_migrations.main(arguments)
    return str(refused.value)


def test_the_migrations_of_this_project_are_frozen() -> None:
    frozen_migrations.main(["--check"])


def test_a_new_migration_is_asked_for_by_the_command_that_adds_it(project: Path) -> None:
    (project / SECOND).write_text("second")
    assert SECOND in refusal("--check")
    assert "python -m scripts.frozen_migrations" in refusal("--check")
    frozen_migrations.main([])
    frozen_migrations.main(["--check"])
    lines = (project / "frozen.txt").read_text().splitlines()
    assert [line.split()[1] for line in lines] == [FIRST, SECOND]


@pytest.mark.parametrize("arguments", [(), ("--check",)])
def test_a_changed_migration_is_refused(project: Path, arguments: tuple[str, ...]) -> None:
    before = (project / "frozen.txt").read_text()
    (project / FIRST).write_text("changed")
    assert f"{FIRST} was changed" in refusal(*arguments)
    assert (project / "frozen.txt").read_text() == before


def test_a_removed_migration_is_refused(project: Path) -> None:
    (project / FIRST).unlink()
    assert f"{FIRST} was removed" in refusal("--check")


def test_lines_merged_by_union_are_accepted_in_any_order(project: Path) -> None:
    (project / SECOND).write_text("second")
    frozen_migrations.main([])
    lines = (project / "frozen.txt").read_text().splitlines(keepends=True)
    (project / "frozen.txt").write_text("".join([*lines[::-1], lines[0]]))
    frozen_migrations.main(["--check"])


def test_two_migrations_of_one_name_are_distinguished(project: Path) -> None:
    with (project / "frozen.txt").open("a") as file:
        file.write(f"{'0' * 64}  {FIRST}\n")
    assert "two digests" in refusal("--check")
