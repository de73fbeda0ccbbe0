"""The islands in static/build are those that were built, with the licences of what is in them."""

import hashlib
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
BUILT = ROOT / "static" / "build"
SOURCES = sorted((ROOT / "frontend" / "src").rglob("*.ts*"))
SPRITE = ROOT / "static" / "vendor" / "icons.svg"


@pytest.fixture(scope="module")
def sums() -> dict[str, str]:
    found = json.loads((BUILT / "BUILD.json").read_bytes())["sha256"]
    assert isinstance(found, dict)
    return found


@pytest.fixture(scope="module")
def packages() -> list[dict[str, str]]:
    found = json.loads((BUILT / "BUILD.json").read_bytes())["packages"]
    assert isinstance(found, list)
    return found


def test_every_built_file_has_the_checksum_that_is_listed(sums: dict[str, str]) -> None:
    actual = {path: hashlib.sha256((BUILT / path).read_bytes()).hexdigest() for path in sums}
    assert actual == sums


def test_no_built_file_is_unlisted(sums: dict[str, str]) -> None:
    there = {str(path.relative_to(BUILT)) for path in BUILT.rglob("*") if path.is_file()}
    assert there - {"BUILD.json"} == set(sums)


def test_every_bundled_package_brings_its_licence(
    packages: list[dict[str, str]], sums: dict[str, str]
) -> None:
    assert {"react", "react-dom", "@xyflow/react", "@dagrejs/dagre", "zustand"} <= {
        each["name"] for each in packages
    }
    for each in packages:
        assert each["licence"] in {"MIT", "ISC", "BSD-3-Clause"}
        assert each["text"] in sums


def test_bundled_packages_are_those_of_the_lock_file(packages: list[dict[str, str]]) -> None:
    lock = json.loads((ROOT / "frontend" / "package-lock.json").read_bytes())["packages"]
    locked = {
        (path.rpartition("node_modules/")[2], each["version"])
        for path, each in lock.items()
        if path
    }
    assert {(each["name"], each["version"]) for each in packages} <= locked


def test_the_lock_file_names_no_host_of_a_registry() -> None:
    lock = json.loads((ROOT / "frontend" / "package-lock.json").read_bytes())["packages"]
    assert [path for path, each in lock.items() if "resolved" in each] == []


def test_no_built_file_names_a_source_map_or_makes_code_of_texts(sums: dict[str, str]) -> None:
    for path in sums:
        if path.endswith((".js", ".css")):
            text = (BUILT / path).read_text(encoding="utf-8")
            assert "sourceMappingURL" not in text
            assert not re.search(r"\beval\(|new Function\(", text), path


def test_every_icon_that_an_island_draws_is_in_the_sprite() -> None:
    known = set(re.findall(r'<symbol id="([^"]+)"', SPRITE.read_text()))
    used = {
        name: path.name
        for path in SOURCES
        for name in re.findall(r'(?:<Icon name=|\bicon(?:=|: ))"([a-z0-9-]+)"', path.read_text())
    }
    assert len(used) > 10
    assert {name: where for name, where in used.items() if name not in known} == {}
