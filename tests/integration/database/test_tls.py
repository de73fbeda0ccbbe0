"""Connections to a MariaDB that speaks TLS, by the options of ``DATABASE_URL``."""

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from django.db import OperationalError
from pytest_django import DjangoDbBlocker

from ctxadmin.storage.database import url
from ctxadmin.storage.database.errors import as_unavailable
from ctxadmin.storage.database.mysql.base import DatabaseWrapper
from tests.servers import MariaDB, program

pytestmark = pytest.mark.only("mysql")


class MariaDBWithTls(MariaDB):
    """It shows the certificate ``server.pem`` of its folder and takes no connection without TLS."""

    def command(self) -> Sequence[str]:
        return [
            *super().command(),
            f"--ssl-cert={self.folder / 'server.pem'}",
            f"--ssl-key={self.folder / 'server.key'}",
            "--require-secure-transport=ON",
        ]


class MariaDBWithoutTls(MariaDB):
    def command(self) -> Sequence[str]:
        return [*super().command(), "--skip-ssl"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MariaDB]:
    folder = tmp_path_factory.mktemp("tls")
    for name in ("server", "other"):
        make_certificate(folder, name)
    with MariaDBWithTls(folder) as started:
        yield started


def make_certificate(folder: Path, name: str) -> None:
    """A certificate for 127.0.0.1 that is its own ca."""
    command = f"req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN={name}"
    subprocess.run(
        [
            program("openssl", "openssl"),
            *command.split(),
            "-addext",
            "subjectAltName=IP:127.0.0.1",
            "-keyout",
            folder / f"{name}.key",
            "-out",
            folder / f"{name}.pem",
        ],
        check=True,
        capture_output=True,
    )


def cipher(server: MariaDB, options: str, blocker: DjangoDbBlocker) -> str:
    """The cipher of a connection with these options."""
    connection = DatabaseWrapper(
        {
            "TIME_ZONE": None,
            "AUTOCOMMIT": True,
            **url.parse(f"{server.url}mysql?{options}"),
        },
        "tls",
    )
    with blocker.unblock():
        try:
            with connection.cursor() as cursor:
                cursor.execute("SHOW SESSION STATUS LIKE 'Ssl_cipher'")
                return str(cursor.fetchone()[1])
        finally:
            connection.close()


@pytest.mark.parametrize("mode", ["", "&ssl_mode=verify_identity", "&ssl_mode=verify_ca"])
def test_a_server_with_the_right_certificate_is_trusted(
    server: MariaDB, django_db_blocker: DjangoDbBlocker, mode: str
) -> None:
    options = f"ssl_ca={server.folder / 'server.pem'}{mode}"
    assert cipher(server, options, django_db_blocker).startswith("TLS")


@pytest.mark.parametrize("mode", ["", "&ssl_mode=verify_ca"])
def test_a_server_with_another_certificate_is_not_trusted(
    server: MariaDB, django_db_blocker: DjangoDbBlocker, mode: str
) -> None:
    with pytest.raises(OperationalError, match=r"(?i)certificate"):
        cipher(server, f"ssl_ca={server.folder / 'other.pem'}{mode}", django_db_blocker)


def test_a_connection_is_secret_without_a_ca_when_it_is_required(
    server: MariaDB, django_db_blocker: DjangoDbBlocker
) -> None:
    assert cipher(server, "ssl_mode=required", django_db_blocker).startswith("TLS")


def test_a_server_without_tls_is_refused_when_it_is_required(
    tmp_path: Path, django_db_blocker: DjangoDbBlocker
) -> None:
    ca = tmp_path / "ca.pem"
    make_certificate(tmp_path, "ca")
    with MariaDBWithoutTls(tmp_path / "plain") as plain:
        for options in ("ssl_mode=required", f"ssl_ca={ca}", f"ssl_mode=verify_ca&ssl_ca={ca}"):
            with pytest.raises(OperationalError) as refused:
                cipher(plain, options, django_db_blocker)
            assert refused.value.args[0] == 2026
            assert "cannot be encrypted" in str(as_unavailable(refused.value))
        for options in ("", "ssl_mode=preferred", "ssl_mode=disabled"):
            assert cipher(plain, options, django_db_blocker) == ""


def test_no_connection_continues_in_clear_text_after_tls_was_taken_off(
    tmp_path: Path, django_db_blocker: DjangoDbBlocker
) -> None:
    """The first connection was secret, and the server is another one then."""
    connection = DatabaseWrapper(
        {
            "TIME_ZONE": None,
            "AUTOCOMMIT": True,
            **url.parse("mysql://root@127.0.0.1:1/mysql?ssl_mode=required"),
        },
        "tls",
    )
    secret, plain = MariaDBWithTls(tmp_path), MariaDBWithoutTls(tmp_path)
    make_certificate(tmp_path, "server")
    with django_db_blocker.unblock(), secret:
        connection.settings_dict["PORT"] = plain.port = secret.port
        connection.ensure_connection()
        secret.stop()
        connection.close()
        with plain, pytest.raises(OperationalError, match="no TLS"):
            connection.ensure_connection()
