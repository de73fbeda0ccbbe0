"""Judges settings of a SQLite file: which of them guarantee the promises."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from ctxadmin.lib.finding import Finding

_FULL: Final = 2
_ROOM: Final = 512 * 1024**2
_NO_ROOM: Final = 1024**2
# File systems whose locks and shared memory do not reach other machines, or not reliably.
_REMOTE: Final = frozenset(
    {
        *("9p", "afs", "beegfs", "ceph", "cifs", "fuse.glusterfs", "fuse.s3fs", "fuse.sshfs"),
        *("gfs2", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "smb3", "smbfs"),
    }
)
_GONE_WITH_POWER: Final = frozenset({"ramfs", "tmpfs"})


@dataclass(frozen=True, slots=True)
class SqliteFile:
    """What the rules need of a file; ``kind`` is the name of its file system, "" if unknown."""

    journal: str
    synchronous: int
    kind: str
    writable: bool
    free_bytes: int


def findings_of(file: SqliteFile) -> Iterator[Finding]:
    """Returns the findings about the file of the embedded database."""
    if file.synchronous >= _FULL:
        yield Finding("database.commit", "ok", "Every commit is flushed to the disk.")
    else:
        yield Finding(
            "database.commit",
            "error",
            "Commits are not flushed to the disk: a power failure loses acknowledged changes.",
            "Start ctxadmin with its own settings of SQLite: synchronous must be FULL.",
            excusable=True,
        )
    if file.journal == "wal":
        yield Finding("database.journal", "ok", "Readers do not wait for the writer.")
    else:
        yield Finding(
            "database.journal",
            "error",
            "Readers wait for the writer: the journal is not in WAL mode.",
            "Move the file to a local disk, where SQLite can use WAL.",
        )
    yield _file_system(file.kind)
    yield _writable(file)


def _file_system(kind: str) -> Finding:
    if kind in _REMOTE:
        return Finding(
            "database.disk",
            "error",
            f"The file is on a network file system ({kind}), where locks are unreliable.",
            "Move the data folder to a local disk, or use MySQL.",
            excusable=True,
        )
    if kind in _GONE_WITH_POWER:
        return Finding(
            "database.disk",
            "warning",
            f"The file is in memory ({kind}): it is lost when the power fails.",
            "Move the data folder to a disk.",
        )
    return Finding("database.disk", "ok", "The file is on a local disk.")


def _writable(file: SqliteFile) -> Finding:
    if not file.writable:
        return Finding(
            "database.writable",
            "error",
            "The file or its folder cannot be written.",
            "Give both to the user that runs ctxadmin.",
        )
    if (full := full_disk(file.free_bytes)) is not None:
        return full
    if file.free_bytes < _ROOM:
        return Finding(
            "database.writable",
            "warning",
            f"The disk has {file.free_bytes // 1024**2} MiB left.",
            "Free space: when the disk is full, writes are refused.",
        )
    return Finding("database.writable", "ok", "The file can be written.")


def full_disk(free_bytes: int) -> Finding | None:
    """Returns the error about a disk with so many bytes left; None if they are enough."""
    if free_bytes >= _NO_ROOM:
        return None
    return Finding(
        "database.writable",
        "error",
        f"The disk is full: it has {free_bytes // 1024} KiB left, and writes are refused.",
        "Free space on the disk of the data folder.",
    )


def file_system_of(path: Path, mounts: Iterable[str]) -> str:
    """Returns the kind of file system of a path, by the lines of ``/proc/self/mountinfo``."""
    found, longest = "", -1
    whole = PurePosixPath(path)
    for line in mounts:
        before, _, after = line.partition(" - ")
        place = PurePosixPath(before.split()[4].replace("\\040", " "))
        if whole.is_relative_to(place) and len(place.parts) >= longest:
            found, longest = after.split()[0], len(place.parts)
    return found
