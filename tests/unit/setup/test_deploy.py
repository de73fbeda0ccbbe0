"""The files of ``deploy`` agree with the product: commands, variables, paths, limits."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from django.conf import settings
from django.core.management import get_commands
from django.core.management.base import CommandParser
from django.urls import URLPattern, URLResolver

from checkpoints.api.urls import urlpatterns
from ctxadmin.config.management.commands.serve import KEPT_OPEN_SECONDS
from ctxadmin.config.management.commands.serve import Command as Serve
from ctxadmin.http.described import description_of
from ctxadmin.http.problems import BASE_PATH
from tests.live_server import LiveServer
from tests.servers import ROOT, program

DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").iterdir())
MANAGE = DEPLOY / "manage"
FILES = [DEPLOY / "compose.yaml", DEPLOY / "Dockerfile", MANAGE, *UNITS]
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


def test_nginx_sends_every_stream_on_as_it_comes_and_leaves_it_open() -> None:
    text = (DEPLOY / "nginx" / "ctxadmin.conf").read_text()
    blocks = re.findall(r"location ~ (\S+) \{(.*?)\n    \}", text, re.DOTALL)
    (streams,) = [re.compile(path) for path, block in blocks if "proxy_buffering off" in block]
    (block,) = [block for path, block in blocks if path == streams.pattern]
    assert "proxy_read_timeout 1h" in block
    paths = [BASE_PATH + "/" + str(each.pattern) for each in urlpatterns if _is_stream(each)]
    assert len(paths) == 2
    for path in (re.sub(r"<[^>]+>", "an-id", each) for each in paths):
        assert streams.search(path), path
    assert streams.search("/ws/pages/")
    for path in ("/api/v1/conversations", "/api/v1/conversations/events/messages"):
        assert not streams.search(path), path


def _is_stream(pattern: URLPattern | URLResolver) -> bool:
    about = description_of(
        getattr(getattr(getattr(pattern, "callback", None), "cls", None), "get", None)
    )
    return about is not None and "text/event-stream" in about.answer_types


def test_the_proxy_gives_idle_connections_up_before_the_server_does() -> None:
    upstream = (DEPLOY / "nginx" / "ctxadmin.conf").read_text().partition("\n}\n")[0]
    (seconds,) = re.findall(r"keepalive_timeout (\d+)s;", upstream)
    assert int(seconds) < KEPT_OPEN_SECONDS


def test_nginx_reads_its_file(tmp_path: Path) -> None:
    nginx = program("nginx", "nginx")
    command = "req -x509 -newkey rsa:2048 -nodes -subj /CN=x -keyout server.key -out server.pem"
    subprocess.run(["openssl", *command.split()], cwd=tmp_path, check=True, capture_output=True)
    text = (DEPLOY / "nginx" / "ctxadmin.conf").read_text()
    text = text.replace("/etc/nginx/tls", str(tmp_path))
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


def test_compose_leads_nginx_to_its_server(compose: Any, tmp_path: Path) -> None:
    proxy = compose["services"]["proxy"]
    shell, option, script = shlex.split(proxy["command"])
    assert "./nginx/ctxadmin.conf:/ctxadmin.conf:ro" in proxy["volumes"]
    written = tmp_path / "written"
    script = script.replace("/ctxadmin.conf", str(DEPLOY / "nginx" / "ctxadmin.conf"))
    script = script.replace("/etc/nginx/conf.d/default.conf", str(written))
    say(tmp_path / "nginx", 'echo "$@"')
    assert run([shell, option, script], tmp_path) == "-g daemon off;\n"
    assert "server app:8000;" in written.read_text()
    assert "127.0.0.1:8000" not in written.read_text()


def test_the_server_is_where_nginx_looks_for_it() -> None:
    port = CommandParser()
    Serve().add_arguments(port)
    options = port.parse_args([])
    text = (DEPLOY / "nginx" / "ctxadmin.conf").read_text()
    assert f"server {options.host}:{options.port};" in text


def test_workers_of_the_image_count_together_in_a_new_folder(compose: Any, tmp_path: Path) -> None:
    (line,) = re.findall(r"^CMD (.*)$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    say(tmp_path / "python", 'echo "$PROMETHEUS_MULTIPROC_DIR" "$@"')
    folders = set()
    for _ in range(2):
        folder, *command = run(json.loads(line), tmp_path).split()
        assert Path(folder).parent == tmp_path
        assert not list(Path(folder).iterdir())
        folders.add(folder)
        assert command[:2] == ["manage.py", "serve"]
    assert len(folders) == 2
    app = compose["services"]["app"]
    assert "command" not in app
    assert app["tmpfs"] == ["/tmp"]


def test_workers_of_the_unit_count_together_in_a_folder_that_systemd_empties() -> None:
    text = (DEPLOY / "systemd" / "ctxadmin.service").read_text()
    (runtime,) = re.findall(r"^RuntimeDirectory=(\S+)$", text, re.MULTILINE)
    assert f"PROMETHEUS_MULTIPROC_DIR=/run/{runtime}/" in text
    assert "RuntimeDirectoryPreserve" not in text


def test_commands_run_as_the_units_do(tmp_path: Path) -> None:
    unit = (DEPLOY / "systemd" / "ctxadmin-maintain.service").read_text()
    say(tmp_path / "systemd-run", 'for each; do echo "$each"; done')
    told = run([str(MANAGE), "collectstatic", "--noinput"], tmp_path).splitlines()
    assert told[-4:] == [f"{ROOT}/.venv/bin/python", "manage.py", "collectstatic", "--noinput"]
    (user,) = re.findall("^User=(.*)$", unit, re.MULTILINE)
    assert f"--uid={user}" in told
    assert "--setenv=CTXADMIN_DATA_DIR=/var/lib/ctxadmin" in told
    for line in (
        "EnvironmentFile=/etc/ctxadmin/environment",
        "CTXADMIN_DATA_DIR=/var/lib/ctxadmin",
    ):
        assert line in unit
    assert "--property=EnvironmentFile=/etc/ctxadmin/environment" in told
    assert not [line for line in told if "/etc/ctxadmin/owner" in line]


def test_systemd_knows_what_commands_are_run_with(tmp_path: Path) -> None:
    analyze = program("systemd", "systemd-analyze")
    say(tmp_path / "systemd-run", 'for each; do echo "$each"; done')
    told = run([str(MANAGE), "migrate"], tmp_path).splitlines()
    given = [line.removeprefix("--property=") for line in told if line.startswith("--property=")]
    unit = tmp_path / "ctxadmin-command.service"
    unit.write_text("\n".join(["[Service]", f"ExecStart={sys.executable}", *given]))
    tested = subprocess.run(
        [analyze, "verify", "--man=no", unit], capture_output=True, text=True, check=False
    )
    assert "ctxadmin-command" not in tested.stderr


def test_only_migrating_is_done_as_the_owner_of_the_tables(tmp_path: Path) -> None:
    say(tmp_path / "systemd-run", 'for each; do echo "$each"; done')
    told = run([str(MANAGE), "migrate"], tmp_path).splitlines()
    files = [line for line in told if line.startswith("--property=EnvironmentFile=")]
    assert files == [  # the last one that names a variable decides
        "--property=EnvironmentFile=/etc/ctxadmin/environment",
        "--property=EnvironmentFile=-/etc/ctxadmin/owner",
    ]


def test_the_check_of_compose_passes_on_a_server_that_allows_only_its_public_name(
    compose: Any, tmp_path: Path
) -> None:
    app = compose["services"]["app"]
    values = {name: str(value) for name, value in app["environment"].items()}
    hosts = {
        name: value.replace("${CTXADMIN_HOST:?}", "ctx.example.org")
        for name, value in values.items()
        if name.startswith("CTXADMIN_") and not name.endswith("_FILE")
    }
    assert hosts["CTXADMIN_ALLOWED_HOSTS"] == "ctx.example.org"
    kind, python, *check = app["healthcheck"]["test"]
    assert (kind, python) == ("CMD", "python")
    with LiveServer(tmp_path, hosts, "--no-demo") as server:
        check[-1] = check[-1].replace("127.0.0.1:8000", f"127.0.0.1:{server.port}")
        subprocess.run([sys.executable, *check], check=True)
        other = httpx.get(f"{server.url}/sign-in/", timeout=60)
    assert other.status_code == 400


def test_the_check_of_a_deployment_has_nothing_to_say_of_the_documented_settings(
    tmp_path: Path,
) -> None:
    page = (ROOT / "docs" / "how-to" / "run-in-production.md").read_text(encoding="utf-8")
    block = next(each for each in page.split("```") if "CTXADMIN_HTTPS=1" in each)
    documented = dict(line.split("=", 1) for line in block.split())
    # Of the machine, and of no matter here.
    del documented["DATABASE_URL"], documented["CTXADMIN_SECRET_KEY_FILE"]
    said = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "CTXADMIN_DATA_DIR": str(tmp_path), **documented},
        check=True,
        capture_output=True,
        text=True,
    )
    assert said.stderr == ""
    assert "no issues" in said.stdout


def say(path: Path, script: str) -> None:
    """A program that stands in for the one of its name."""
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def run(command: Sequence[str], folder: Path) -> str:
    """What a command prints that finds the programs of ``folder`` first."""
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", "TMPDIR": str(folder)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout
