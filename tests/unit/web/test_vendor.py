"""Vendored files are those of VENDOR.json, and templates use what was vendored."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from ctxadmin.ui.components import STATUSES
from ctxadmin.ui.navigation import MENU

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = [ROOT / "static" / "vendor", ROOT / "tests" / "assets" / "vendor"]
SPRITE = ROOT / "static" / "vendor" / "icons.svg"
APPS = ("ctxadmin", "conversations", "checkpoints", "notifications", "search", "workflows", "bulk")


def listed(folder: Path) -> list[dict[str, object]]:
    entries = json.loads((folder / "VENDOR.json").read_bytes())
    assert isinstance(entries, list)
    return entries


def checksums(folder: Path) -> dict[str, str]:
    result: dict[str, str] = {}
    for entry in listed(folder):
        sums = entry["sha256"]
        assert isinstance(sums, dict)
        result |= sums
    return result


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_every_vendored_file_has_the_checksum_that_is_listed(folder: Path) -> None:
    actual = {
        path: hashlib.sha256((folder / path).read_bytes()).hexdigest() for path in checksums(folder)
    }
    assert actual == checksums(folder)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_no_vendored_file_is_unlisted(folder: Path) -> None:
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert there - {"VENDOR.json"} == set(checksums(folder))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_every_vendored_package_names_version_and_licence_and_brings_its_text(folder: Path) -> None:
    for entry in listed(folder):
        assert re.fullmatch(r"\d+\.\d+\.\d+", str(entry["version"]))
        assert entry["licence"] in {"MIT", "0BSD", "MPL-2.0"}
        sums = entry["sha256"]
        assert isinstance(sums, dict)
        assert any(path.startswith("licences/") for path in sums)


def test_no_vendored_file_names_a_source_map_that_is_not_shipped() -> None:
    for path in checksums(FOLDERS[0]):
        assert b"sourceMappingURL" not in (FOLDERS[0] / path).read_bytes(), path


def test_the_icon_sprite_is_free_of_script_and_style() -> None:
    text = SPRITE.read_text()
    assert "<script" not in text
    assert "style=" not in text


def test_every_icon_that_a_template_names_is_in_the_sprite() -> None:
    known = set(re.findall(r'<symbol id="([^"]+)"', SPRITE.read_text()))
    used = {status.icon: "STATUSES" for status in STATUSES.values()}
    used |= {place.icon: "MENU" for place in MENU}
    for path in [*ROOT.glob("templates/**/*.html"), *ROOT.glob("*/templates/**/*.html")]:
        for name in re.findall(r"""\bicon(?:=| )["']([a-z0-9-]+)["']""", path.read_text()):
            used[name] = str(path.relative_to(ROOT))
    assert {name: where for name, where in used.items() if name not in known} == {}


def test_every_icon_of_the_sprite_is_named_somewhere() -> None:
    """A browser reads the whole sprite with its first page."""
    sources = [*ROOT.glob("templates/**/*.html"), *ROOT.glob("frontend/src/**/*.ts*")]
    sources += [path for app in APPS for path in (ROOT / app).rglob("*.py")]
    named = set(re.findall(r"""["']([a-z0-9-]+)["']""", "".join(map(Path.read_text, sources))))
    assert set(re.findall(r'<symbol id="([^"]+)"', SPRITE.read_text())) - named == set()
