"""What a start and a migration say whose disk is full: the truth, and nothing of migrations."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fault.disk import Disk
from tests.live_server import LiveServer

pytestmark = pytest.mark.only("sqlite")
FULL = "The disk is full: it has 0 KiB left, and writes are refused. Free space on the disk"
MEGABYTES = 12


class OnDisk(LiveServer):
    """A server whose data folder is on a disk of its own."""

    def __init__(self, folder: Path, disk: Disk) -> None:
        super().__init__(folder, {"CTXADMIN_DATA_DIR": str(disk.folder / "data")}, "--no-demo")
        self.entered = disk.entered

    def said(self) -> str:
        """Why a start is refused."""
        with pytest.raises(RuntimeError) as refused:
            self.manage("serve", "--port", str(self.port), "--no-demo")
        return str(refused.value)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    with Disk(tmp_path / "disk", MEGABYTES) as made:
        yield made


def test_a_full_disk_is_reported_whether_a_migration_is_pending_or_not(
    tmp_path: Path, disk: Disk
) -> None:
    server = OnDisk(tmp_path / "server", disk)
    server.manage("migrate", "-v", "0")
    disk.fill()
    said = server.said()
    assert FULL in said
    assert "rolled back" not in said
    disk.free()
    server.manage("migrate", "-v", "0", "conversations", "zero")
    disk.fill()
    said = server.said()
    assert FULL in said
    assert "rolled back" not in said
