"""The pins agree with each other and with what the code imports."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PRODUCT = PROJECT["tool"]["importlinter"]["root_packages"]
EMBEDDED = ROOT / "requirements" / "embedded.txt"
PRODUCTION = ROOT / "requirements.txt"
TEST = ROOT / "requirements" / "test.txt"
LOCKS = (EMBEDDED, PRODUCTION, TEST)
# Modules that are loaded only where a setting asks for what they need.
ON_SERVERS = {
    ROOT / "checkpoints/live_copy/checksums.py",
    ROOT / "ctxadmin/storage/redis/link.py",
    ROOT / "ctxadmin/storage/redis/redis_errors.py",
    ROOT / "ctxadmin/storage/database/mysql/base.py",
    ROOT / "ctxadmin/realtime/any_host.py",
    ROOT / "ctxadmin/realtime/losses.py",
}


def entries(lock: Path) -> list[str]:
    """The requirements of a lock, each with its continuation lines in one string."""
    text = re.sub(r"^\s*#.*\n", "", lock.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return text.replace("\\\n", " ").strip().split("\n")


def pins(lock: Path) -> dict[str, str]:
    requirements = [Requirement(entry.partition(" --hash")[0]) for entry in entries(lock)]
    return {canonicalize_name(each.name): str(each.specifier) for each in requirements}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_requirement_is_pinned_with_a_hash(lock: Path) -> None:
    for entry in entries(lock):
        assert re.match(r"[a-z0-9-]+==\S+", entry), entry
        assert "--hash=sha256:" in entry, entry


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_no_requirement_names_where_to_load_it_from(lock: Path) -> None:
    assert "://" not in lock.read_text(encoding="utf-8")


def test_all_sets_pin_the_same_versions() -> None:
    production = pins(PRODUCTION)
    assert pins(EMBEDDED).items() <= production.items()
    shared = {name: version for name, version in pins(TEST).items() if name in production}
    assert shared.items() <= production.items()


def test_the_embedded_set_is_part_of_the_test_set() -> None:
    assert pins(EMBEDDED).items() <= pins(TEST).items()


def test_the_embedded_set_has_no_database_server_or_redis() -> None:
    assert not pins(EMBEDDED).keys() & {"mysqlclient", "redis"}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_direct_requirement_is_in_its_lock(lock: Path) -> None:
    name = "production.in" if lock == PRODUCTION else f"{lock.stem}.in"
    source = ROOT / "requirements" / name
    for line in source.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith(("#", "-")):
            assert canonicalize_name(Requirement(line).name) in pins(lock)


@pytest.mark.parametrize("name", ["embedded.in", "production.in", "test.in"])
def test_the_page_of_dependencies_names_every_direct_requirement(name: str) -> None:
    page = (ROOT / "docs" / "adr" / "0006-dependencies.md").read_text(encoding="utf-8").lower()
    for line in (ROOT / "requirements" / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith(("#", "-")):
            package = Requirement(line).name.lower()
            is_types = package.startswith("types-") or package.endswith("-stubs")
            full = package.replace("opentelemetry-exporter", "-exporter")
            assert is_types or full in page, package


def imports(code: ast.AST) -> Iterator[str]:
    """The top packages that a module imports when it is loaded, not inside of functions."""
    for node in ast.iter_child_nodes(code):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from imports(node)


@pytest.mark.parametrize("package", PRODUCT)
def test_the_product_imports_only_what_the_embedded_set_installs(package: str) -> None:
    distributions = packages_distributions()
    for path in (ROOT / package).rglob("*.py"):
        installs = pins(PRODUCTION if path in ON_SERVERS else EMBEDDED)
        for name in imports(ast.parse(path.read_text(encoding="utf-8"))):
            if name in PRODUCT or name in sys.stdlib_module_names:
                continue
            brought_by = {canonicalize_name(each) for each in distributions.get(name, [])}
            assert brought_by & installs.keys(), f"{path} imports {name}"


def test_the_embedded_server_loads_no_module_of_servers() -> None:
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in ON_SERVERS]
    code = (
        "import django, sys; django.setup(); import ctxadmin.config.urls;"
        f"print([name for name in {['redis', 'opentelemetry', *names]} if name in sys.modules])"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, check=True
    )
    assert done.stdout.decode().strip() == "[]"
