"""``DATABASE_URL``: what it may say, and the error of a wrong one."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from ctxadmin.storage.database.url import parse


@pytest.mark.parametrize("scheme", ["mysql", "mariadb"])
def test_a_url_names_user_password_host_port_and_database(scheme: str) -> None:
    found = parse(f"{scheme}://app:p%2Fw%40%23@db.example.org:3307/ctx_admin")
    assert found["ENGINE"] == "ctxadmin.storage.database.mysql"
    assert found["USER"] == "app"
    assert found["PASSWORD"] == "p/w@#"
    assert (found["HOST"], found["PORT"], found["NAME"]) == ("db.example.org", "3307", "ctx_admin")


def test_connections_last_are_checked_and_are_notified_of_an_outage_within_five_seconds() -> None:
    found = parse("mysql://app@host/name")
    assert found["CONN_MAX_AGE"] > 0
    assert found["CONN_HEALTH_CHECKS"] is True
    options = found["OPTIONS"]
    assert options["isolation_level"] == "read committed"
    assert options["connect_timeout"] == 2
    assert options["read_timeout"] == options["write_timeout"] == 4


def test_timeouts_can_be_chosen() -> None:
    options = parse("mysql://a@h/n?connect_timeout=1&read_timeout=9&write_timeout=8")["OPTIONS"]
    assert [options[f"{name}_timeout"] for name in ("connect", "read", "write")] == [1, 9, 8]


def test_a_unix_socket_takes_the_place_of_the_host() -> None:
    found = parse("mysql://app@/name?unix_socket=/run/mysqld/mysqld.sock")
    assert found["HOST"] == ""
    assert found["OPTIONS"]["unix_socket"] == "/run/mysqld/mysqld.sock"


def test_an_address_of_ipv6_is_a_host() -> None:
    assert parse("mysql://app@[::1]:3306/name")["HOST"] == "::1"


def test_a_ca_is_there_to_be_checked(tmp_path: Path) -> None:
    ca = tmp_path / "ca.pem"
    ca.touch()
    options = parse(f"mysql://a@h/n?ssl_ca={ca}")["OPTIONS"]
    assert options["ssl_mode"] == "VERIFY_IDENTITY"
    assert options["ssl"] == {"ca": str(ca)}


def test_a_certificate_of_our_own_is_never_shown_in_clear_text(tmp_path: Path) -> None:
    own = tmp_path / "own.pem"
    own.touch()
    options = parse(f"mysql://a@h/n?ssl_cert={own}&ssl_key={own}")["OPTIONS"]
    assert options["ssl_mode"] == "REQUIRED"


def test_a_sqlite_file_is_named_by_its_whole_path(tmp_path: Path) -> None:
    found = parse(f"sqlite:///{tmp_path / 'x.sqlite3'}")
    assert found["ENGINE"] == "django.db.backends.sqlite3"
    assert found["NAME"] == tmp_path / "x.sqlite3"
    assert found["CONN_MAX_AGE"] > 0
    assert "synchronous=FULL" in found["OPTIONS"]["init_command"]


def test_a_sqlite_file_that_cannot_be_made_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"DATABASE_URL .*/nowhere, .* exist; create"):
        parse(f"sqlite:///{tmp_path}/nowhere/x.sqlite3")
    with pytest.raises(ImproperlyConfigured, match="names the folder"):
        parse(f"sqlite:///{tmp_path}")
    monkeypatch.setattr("ctxadmin.storage.database.url.os.access", lambda path, mode: False)
    with pytest.raises(ImproperlyConfigured, match="cannot be written; give the folder"):
        parse(f"sqlite:///{tmp_path}/x.sqlite3")
    (tmp_path / "x.sqlite3").touch()
    assert parse(f"sqlite:///{tmp_path}/x.sqlite3")  # readers may have it; /readyz tells the rest


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("postgres://a@h/n", "must start with mysql://"),
        ("mysql", "must start with mysql://"),
        ("mysql://a:b@h:port/n", "cannot be read"),
        ("mysql://a:p/w@h/n", "cannot be read"),
        ("mysql://a:secret#1@h/n", "%23"),
        ("mysql://a@h", "name one database"),
        ("mysql://a@h/n/m", "name one database"),
        ("mysql:///n", "names no host"),
        ("mysql://a@h/n?unix_socket=/s", "remove one of them"),
        ("mysql:///n?unix_socket=s", "whole path as unix_socket"),
        ("mysql://a@h/n?charset=latin1", "unknown option 'charset'"),
        ("mysql://a@h/n?read_timeout=0", "read_timeout"),
        ("mysql://a@h/n?read_timeout=1.5", "read_timeout"),
        ("mysql://a@h/n?read_timeout=1&read_timeout=2", "read_timeout twice"),
        ("mysql://a@h/n?ssl_mode=on", "verify_identity as ssl_mode"),
        ("mysql://a@h/n?ssl_mode=verify_ca", "needs ssl_ca with the file"),
        ("mysql://a@h/n?ssl_ca=/not/there", "/not/there"),
        ("mysql://a@h/n?ssl_mode=disabled&ssl_ca=/etc/passwd", "ssl_mode=disabled"),
        ("mysql://a@h/n?ssl_cert=/etc/passwd", "ssl_cert and ssl_key together"),
        ("sqlite:///relative.sqlite3", "whole path"),
        ("sqlite://memory", "whole path"),
        ("sqlite:////x?timeout=3", "unknown option 'timeout'"),
    ],
)
def test_a_wrong_url_is_reported_and_its_secrets_are_not(url: str, told: str) -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        parse(url)
    text = str(refused.value)
    assert text.startswith("DATABASE_URL ")
    assert told in text
    assert "secret" not in text
