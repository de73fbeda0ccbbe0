"""Which SQLite files can be trusted, and the findings about others."""

from dataclasses import replace
from pathlib import Path

import pytest

from ctxadmin.storage.database.sqlite_rules import SqliteFile, file_system_of, findings_of

RIGHT = SqliteFile(journal="wal", synchronous=2, kind="ext4", writable=True, free_bytes=2**40)


def levels(file: SqliteFile) -> dict[str, str]:
    return {each.check: each.level for each in findings_of(file) if each.level != "ok"}


def test_a_file_that_is_set_up_right_has_no_fault() -> None:
    assert levels(RIGHT) == {}
    assert levels(replace(RIGHT, synchronous=3, kind="")) == {}


@pytest.mark.parametrize(
    ("file", "check", "level"),
    [
        (replace(RIGHT, synchronous=1), "database.commit", "error"),
        (replace(RIGHT, journal="delete"), "database.journal", "error"),
        (replace(RIGHT, kind="nfs4"), "database.disk", "error"),
        (replace(RIGHT, kind="tmpfs"), "database.disk", "warning"),
        (replace(RIGHT, writable=False), "database.writable", "error"),
        (replace(RIGHT, free_bytes=2**20), "database.writable", "warning"),
        (replace(RIGHT, free_bytes=2**20 - 1), "database.writable", "error"),
    ],
)
def test_what_breaks_a_promise_is_reported(file: SqliteFile, check: str, level: str) -> None:
    assert levels(file) == {check: level}


MOUNTS = [
    "22 1 0:20 / / rw shared:1 - ext4 /dev/sda1 rw",
    "30 22 0:40 / /home rw shared:2 - ext4 /dev/sda2 rw",
    "31 30 0:41 / /home/us/my\\040data rw - nfs4 server:/export rw",
    "32 22 0:42 / /home2 rw - tmpfs tmpfs rw",
]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/x.sqlite3", "ext4"),
        ("/home/us/x.sqlite3", "ext4"),
        ("/home/us/my data/x.sqlite3", "nfs4"),
        ("/home2/x", "tmpfs"),
    ],
)
def test_the_file_system_of_a_path_is_the_one_mounted_nearest(path: str, kind: str) -> None:
    assert file_system_of(Path(path), MOUNTS) == kind
