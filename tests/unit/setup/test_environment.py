"""The values that environment variables can have, and the errors for wrong ones."""

import os
import re
import subprocess
import sys
from ipaddress import ip_network
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from ctxadmin.config import environment, mail_url
from tests.servers import ROOT

FROM = "?from=ctxadmin@example.org"


def test_a_mail_server_is_read_with_how_to_reach_it() -> None:
    found = mail_url.parse(f"smtp+tls://user:p%2Fw%40@mail.example.org{FROM}")
    assert (found["EMAIL_HOST"], found["EMAIL_PORT"]) == ("mail.example.org", 587)
    assert (found["EMAIL_HOST_USER"], found["EMAIL_HOST_PASSWORD"]) == ("user", "p/w@")
    assert (found["EMAIL_USE_TLS"], found["EMAIL_USE_SSL"]) == (True, False)
    assert found["DEFAULT_FROM_EMAIL"] == "ctxadmin@example.org"


@pytest.mark.parametrize(
    ("scheme", "port", "tls", "ssl"),
    [("smtp", 25, False, False), ("smtp+tls", 587, True, False), ("smtps", 465, False, True)],
)
def test_each_scheme_has_its_port_and_its_tls(scheme: str, port: int, tls: bool, ssl: bool) -> None:
    found = mail_url.parse(f"{scheme}://host{FROM}")
    assert (found["EMAIL_PORT"], found["EMAIL_USE_TLS"], found["EMAIL_USE_SSL"]) == (port, tls, ssl)
    assert mail_url.parse(f"{scheme}://host:2525{FROM}")["EMAIL_PORT"] == 2525


@pytest.mark.parametrize(
    "url",
    [
        "mail.example.org",
        f"imap://host{FROM}",
        "smtp://host",
        "smtp://host?from=nobody",
        f"smtp://host{FROM}&tls=1",
        f"smtp://{FROM}",
        f"smtp://host/path{FROM}",
        f"smtp://host:port{FROM}",
    ],
)
def test_a_wrong_mail_url_is_reported_without_its_password(url: str) -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        mail_url.parse(url.replace("://", "://user:s3cr3t@", 1))
    assert "s3cr3t" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("mail://h?from=a@b", "must start with smtp"),
        ("smtp://h?from=a@b", "no complete email address"),
        ("smtp://h", "needs [?]from="),
    ],
)
def test_what_is_wrong_with_a_mail_url_is_what_is_reported(url: str, told: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=told):
        mail_url.parse(url)


def test_networks_are_listed_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CTXADMIN_WEBHOOK_NETWORKS", "10.1.0.0/16, fd00::/8")
    found = environment.networks("CTXADMIN_WEBHOOK_NETWORKS")
    assert found == [ip_network("10.1.0.0/16"), ip_network("fd00::/8")]
    monkeypatch.setenv("CTXADMIN_WEBHOOK_NETWORKS", "10.1.2.3/16")
    with pytest.raises(ImproperlyConfigured, match="CTXADMIN_WEBHOOK_NETWORKS"):
        environment.networks("CTXADMIN_WEBHOOK_NETWORKS")


def test_the_address_of_the_server_is_the_first_origin_unless_it_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("CTXADMIN_PUBLIC_URL", "CTXADMIN_TRUSTED_ORIGINS"):
        monkeypatch.delenv(name, raising=False)
    assert environment.public_url() == ""
    monkeypatch.setenv("CTXADMIN_TRUSTED_ORIGINS", "https://*.example.org,https://a.example.org")
    assert environment.public_url() == "https://a.example.org"
    monkeypatch.setenv("CTXADMIN_PUBLIC_URL", "https://b.example.org/")
    assert environment.public_url() == "https://b.example.org"


@pytest.mark.parametrize("url", ["b.example.org", "ftp://b.example.org", "https://b.example.org/x"])
def test_an_address_that_is_no_origin_is_refused(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("CTXADMIN_PUBLIC_URL", url)
    with pytest.raises(ImproperlyConfigured, match="CTXADMIN_PUBLIC_URL"):
        environment.public_url()


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("CTXADMIN_SECRET_KEY", "short", "at least 32 characters"),
        ("CTXADMIN_SECRET_KEY_FILE", "/nowhere/key", "CTXADMIN_SECRET_KEY_FILE .*/nowhere/key"),
        ("CTXADMIN_SECRET_KEY_FILE", "/bin/sh", "it is not text"),
        (
            "CTXADMIN_DATA_DIR",
            "/proc/nowhere",
            "CTXADMIN_DATA_DIR cannot be created: /proc/nowhere",
        ),
        ("CTXADMIN_TRUSTED_ORIGINS", "ctx.example.org", "like https://ctx.example.org"),
        ("CTXADMIN_TRUSTED_ORIGINS", "https://ctx.example.org/", "without a path"),
        ("CTXADMIN_TRUSTED_PROXIES", "proxy.internal", "'proxy.internal'"),
        ("CTXADMIN_TRUSTED_PROXIES", "*", "CTXADMIN_TRUSTED_PROXIES"),
        ("CTXADMIN_CHECKPOINT_EXPIRY", "9" * 20, "CTXADMIN_CHECKPOINT_EXPIRY .* to 315360000, not"),
        ("CTXADMIN_EXECUTION_EXPIRY", "315360001", "CTXADMIN_EXECUTION_EXPIRY .* to 315360000"),
        ("CTXADMIN_THREADS", "\u00b2", "CTXADMIN_THREADS must be a whole number"),
        ("CTXADMIN_HTTPS", "2", "CTXADMIN_HTTPS must be 1, true, yes or on, or 0"),
        ("CTXADMIN_DEBUG", "2", "CTXADMIN_DEBUG must be 1, true, yes or on, or 0"),
        ("PROMETHEUS_MULTIPROC_DIR", "/proc/nowhere", "PROMETHEUS_MULTIPROC_DIR cannot be created"),
    ],
)
def test_a_wrong_setting_stops_the_start_with_one_sentence_that_names_it(
    tmp_path: Path, name: str, value: str, told: str
) -> None:
    done = start(tmp_path, {name: value})
    assert done.returncode == 1
    assert re.fullmatch(f"ctxadmin cannot start: .*{told}.*", done.stderr.strip()), done.stderr


def test_a_misspelt_setting_is_reported_with_what_may_be_meant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [name for name in os.environ if name.startswith("CTXADMIN_")]:
        monkeypatch.delenv(name)
    assert environment.unknown() == []
    monkeypatch.setenv("CTXADMIN_THREDS", "4")
    monkeypatch.setenv("CTXADMIN_THREADS", "4")
    (told,) = environment.unknown()
    assert "CTXADMIN_THREDS is set" in told
    assert "Did you mean CTXADMIN_THREADS?" in told


def test_the_former_names_of_the_settings_and_the_application_hold(tmp_path: Path) -> None:
    """Environments and units of before have them."""
    shown = (
        "from ctxadmin.asgi import application; from django.conf import settings;"
        " print(settings.SETTINGS_MODULE, settings.ROOT_URLCONF, callable(application))"
    )
    own = {"CTXADMIN_DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "ctxadmin.settings"}
    found = subprocess.run(
        [sys.executable, "-c", shown],
        cwd=ROOT,
        env=os.environ | own,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stdout == "ctxadmin.settings ctxadmin.config.urls True\n", found.stderr


def test_a_command_whose_output_nobody_reads_ends_quietly() -> None:
    """As ``manage.py live_copy show ID | head`` does."""
    unread, output = os.pipe()
    os.close(unread)
    ended = subprocess.run(
        [sys.executable, "manage.py", "help"],
        cwd=ROOT,
        stdout=output,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(output)
    assert (ended.returncode, ended.stderr) == (141, b"")


def start(folder: Path, settings: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    """A command that reads the settings and ends."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CTXADMIN_")}
    own = {"CTXADMIN_DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "ctxadmin.config.settings"}
    return subprocess.run(
        [sys.executable, "manage.py", "diffsettings"],
        cwd=ROOT,
        env=kept | own | settings,
        capture_output=True,
        text=True,
        check=False,
    )
