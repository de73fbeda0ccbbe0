"""Cookies, headers, files and deployed services are closed to everyone else."""

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.exceptions import ImproperlyConfigured

from ctxadmin.config import environment
from tests.servers import ROOT

DEPLOY = ROOT / "deploy"
SERVICES = sorted((DEPLOY / "systemd").glob("*.service"))
_SHOWN = """
import json
from ctxadmin.config import settings
names = ("CSRF_COOKIE_NAME", "SESSION_COOKIE_NAME", "CSRF_COOKIE_SECURE",
         "SECURE_HSTS_INCLUDE_SUBDOMAINS", "SECURE_HSTS_SECONDS")
print(json.dumps({name: getattr(settings, name) for name in names}))
"""


def settings_with(folder: Path, **given: str) -> Any:
    given |= {"CTXADMIN_DATA_DIR": str(folder), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-B", "-c", _SHOWN]
    shown = subprocess.run(command, env=given, cwd=ROOT, capture_output=True, check=True)
    return json.loads(shown.stdout)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_behind_tls_cookies_are_bound_to_the_host_and_subdomains_are_included(
    tmp_path: Path,
) -> None:
    found = settings_with(tmp_path, CTXADMIN_HTTPS="1")
    assert found["CSRF_COOKIE_NAME"] == "__Host-csrftoken"
    assert found["SESSION_COOKIE_NAME"].startswith("__Host-")
    assert found["CSRF_COOKIE_SECURE"]
    assert found["SECURE_HSTS_INCLUDE_SUBDOMAINS"]
    assert found["SECURE_HSTS_SECONDS"] == 31_536_000
    without = settings_with(tmp_path, CTXADMIN_HTTPS="1", CTXADMIN_HSTS_SUBDOMAINS="0")
    assert not without["SECURE_HSTS_INCLUDE_SUBDOMAINS"]


def test_the_data_folder_and_its_files_are_closed_to_others(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    database = folder / "ctxadmin.sqlite3"
    files = [database, folder / "ctxadmin.sqlite3-wal", folder / "secret_key"]
    for file in files:
        file.write_text("")
        file.chmod(0o644)
    environment.make_private(folder, database)
    assert mode(folder) == 0o700
    assert [mode(file) for file in files] == [0o600] * 3
    database.unlink()
    before = os.umask(0)
    try:
        environment.make_private(folder, database)
    finally:
        os.umask(before)
    assert mode(database) == 0o600


def test_a_folder_that_all_share_stays_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    environment.make_private(tmp_path, None)
    assert mode(tmp_path) == 0o1777


@pytest.mark.parametrize("unit", SERVICES, ids=lambda path: path.name)
def test_units_have_no_capabilities_and_few_system_calls(unit: Path) -> None:
    lines = unit.read_text().splitlines()
    for line in (
        "NoNewPrivileges=yes",
        "CapabilityBoundingSet=",
        "ProtectSystem=strict",
        "PrivateDevices=yes",
        "SystemCallFilter=@system-service",
        "RestrictNamespaces=yes",
        "UMask=0077",
    ):
        assert line in lines


def in_bytes(size: str) -> int:
    """A size as systemd and compose write it."""
    return int(size[:-1]) * {"m": 1 << 20, "g": 1 << 30}[size[-1].lower()]


@pytest.mark.parametrize("unit", SERVICES, ids=lambda path: path.name)
def test_units_are_slowed_before_they_meet_their_limit_of_memory(unit: Path) -> None:
    lines = dict(line.partition("=")[::2] for line in unit.read_text().splitlines())
    assert in_bytes(lines["MemoryHigh"]) < in_bytes(lines["MemoryMax"])


def test_containers_have_the_limits_of_memory_that_units_and_settings_ask_for() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    limits = {name: in_bytes(service["mem_limit"]) for name, service in services.items()}
    for name, unit in (("app", ""), ("deliver", "-deliver"), ("maintain", "-maintain")):
        text = (DEPLOY / "systemd" / f"ctxadmin{unit}.service").read_text()
        (most,) = re.findall(r"^MemoryMax=(\w+)$", text, re.MULTILINE)
        assert limits[name] == in_bytes(most)
    (pool,) = re.findall(
        r"^innodb_buffer_pool_size = (\w+)$", (DEPLOY / "mariadb.cnf").read_text(), re.MULTILINE
    )
    assert limits["database"] >= 2 * in_bytes(pool)
    (copied,) = re.findall(r"--maxmemory (\d+m)b ", services["copy"]["command"])
    assert limits["copy"] >= 1.5 * in_bytes(copied)


def test_containers_have_no_capabilities_and_write_only_to_what_is_mounted() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    for service in compose["services"].values():
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["read_only"] is True
    assert "--requirepass" in compose["services"]["copy"]["command"]
    assert "REDIS_URL_FILE" in compose["services"]["app"]["environment"]


def test_the_admin_of_the_operator_is_not_public_in_nginx() -> None:
    text = (DEPLOY / "nginx" / "ctxadmin.conf").read_text()
    block = text.partition("location ^~ /operator/ {")[2].partition("}")[0]
    assert "deny all;" in block
    assert block.index("allow 127.0.0.1;") < block.index("deny all;")


@pytest.mark.parametrize("left", ["", "short"])
def test_a_secret_key_that_was_cut_off_is_named(
    tmp_path: Path, left: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that was full leaves such a file; a key made again would lose what hangs on it."""
    monkeypatch.delenv("CTXADMIN_SECRET_KEY", raising=False)
    (tmp_path / "secret_key").write_text(left)
    with pytest.raises(ImproperlyConfigured, match="secret_key is empty or cut off"):
        environment.secret_key(tmp_path)
    assert (tmp_path / "secret_key").read_text() == left


def test_a_secret_key_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CTXADMIN_SECRET_KEY", raising=False)
    key = environment.secret_key(tmp_path)
    assert environment.secret_key(tmp_path) == key
    assert [each.name for each in tmp_path.iterdir()] == ["secret_key"]
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600
