"""The files of ``deploy`` say what the product knows: commands, variables, paths, limits."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.core.management import get_commands

from ctxadmin.web.management.commands.serve import KEPT_OPEN_SECONDS
from tests.servers import ROOT, program

DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").iterdir())
FILES = [DEPLOY / "compose.yaml", DEPLOY / "Dockerfile", *UNITS]
DOCUMENTED = (ROOT / "docs" / "reference" / "configuration.md").read_text()


@pytest.fixture
def compose() -> Any:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_commands_and_variables_are_those_of_the_product(path: Path) -> None:
    text = path.read_text()
    commands = re.findall(r"manage\.py[\", ]+([a-z_]+)", text)
    assert set(commands) <= set(get_commands())
    names = set(re.findall(r"\b(CTXADMIN_[A-Z_]+|DATABASE_URL|REDIS_URL)\b", text))
    for name in names - {"CTXADMIN_HOST"}:
        assert f"`{name.removesuffix('_FILE')}`" in DOCUMENTED


def test_what_compose_mounts_is_there(compose: Any) -> None:
    for service in compose["services"].values():
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            if source.startswith("./") and source != "./tls":
                assert (DEPLOY / source).is_file()
            elif not source.startswith("."):
                assert source in compose["volumes"]
        for secret in service.get("secrets", ()):
            assert secret in compose["secrets"]


def test_the_proxy_that_is_believed_is_the_one_of_compose(compose: Any) -> None:
    address = compose["services"]["proxy"]["networks"]["inside"]["ipv4_address"]
    assert compose["services"]["app"]["environment"]["CTXADMIN_TRUSTED_PROXIES"] == address


def test_nginx_takes_the_largest_body_that_we_take() -> None:
    text = (DEPLOY / "nginx" / "ctxadmin.conf").read_text()
    (limit,) = re.findall(r"client_max_body_size (\d+)m;", text)
    assert int(limit) * 1024**2 > settings.MAX_IMPORT_BYTES


def test_the_proxy_gives_idle_connections_up_before_the_server_does() -> None:
    upstream = (DEPLOY / "nginx" / "ctxadmin.conf").read_text().partition("\n}\n")[0]
    (seconds,) = re.findall(r"keepalive_timeout (\d+)s;", upstream)
    assert int(seconds) < KEPT_OPEN_SECONDS


def test_nginx_reads_its_file(tmp_path: Path) -> None:
    nginx = program("nginx", "nginx")
    command = "req -x509 -newkey rsa:2048 -nodes -subj /CN=x -keyout server.key -out server.pem"
    subprocess.run(["openssl", *command.split()], cwd=tmp_path, check=True, capture_output=True)
    text = (DEPLOY / "nginx" / "ctxadmin.conf").read_text()
    text = text.replace("app:8000", "127.0.0.1:8000").replace("/etc/nginx/tls", str(tmp_path))
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    folders = "".join(f"{kind}_temp_path {tmp_path};\n" for kind in kinds)
    whole = tmp_path / "nginx.conf"
    folders += f"access_log {tmp_path}/access;\n"
    whole.write_text(f"pid {tmp_path}/pid;\nevents {{}}\nhttp {{\n{folders}{text}\n}}\n")
    tested = subprocess.run(
        [nginx, "-t", "-q", "-c", whole, "-e", tmp_path / "log"], capture_output=True, check=False
    )
    assert (tested.returncode, tested.stderr.decode()) == (0, "")


def test_systemd_reads_its_units(tmp_path: Path) -> None:
    analyze = program("systemd", "systemd-analyze")
    for unit in UNITS:
        text = unit.read_text().replace("/opt/ctxadmin/.venv/bin/python", sys.executable)
        (tmp_path / unit.name).write_text(text)
    tested = subprocess.run(
        [analyze, "verify", "--man=no", *sorted(tmp_path.iterdir())],
        capture_output=True,
        text=True,
        check=False,
    )
    ours = [line for line in tested.stderr.splitlines() if "ctxadmin" in line]
    assert ours == []
