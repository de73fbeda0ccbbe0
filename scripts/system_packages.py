"""Installs the Debian packages that the tests use, or says which are missing.

They are programs and headers only; in CI also packages that bring a system service.
"""

import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts import debian
from scripts.ci import runs_in_ci


@dataclass(frozen=True)
class Need:
    """Something that tests use, how to detect it, and which packages bring it."""

    what: str
    there: Callable[[], bool]
    packages: Sequence[str]


def on_path(*names: str) -> bool:
    """Returns whether one of these programs is installed, also where Debian puts servers."""
    return any(shutil.which(name) or shutil.which(name, path="/usr/sbin") for name in names)


def mariadb() -> bool:
    return (
        on_path("mariadbd", "mysqld")
        and on_path("mariadb-install-db", "mysql_install_db")
        and on_path("my_print_defaults")
    )


def python_headers() -> bool:
    return (Path(sysconfig.get_paths()["include"]) / "Python.h").is_file()


def client_headers() -> bool:
    return on_path("pkg-config") and any(
        subprocess.run(["pkg-config", "--exists", name], check=False).returncode == 0
        for name in ("mysqlclient", "libmariadb", "mariadb")
    )


def chinese_font() -> bool:
    listed = shutil.which("fc-list") and subprocess.check_output(["fc-list", ":lang=zh"])
    return bool(listed)


NEEDS = (
    Need("MariaDB", mariadb, ["mariadb-server-core", "mariadb-client-core"]),
    Need("a dump of MariaDB", lambda: on_path("mariadb-dump", "mysqldump"), ["mariadb-client"]),
    Need(
        "Redis",
        lambda: on_path("redis-server", "valkey-server", "redis-check-rdb"),
        ["redis-tools"],
    ),
    Need(
        "the headers of the MySQL client",
        client_headers,
        ["default-libmysqlclient-dev", "pkg-config"],
    ),
    Need("a C compiler", lambda: on_path("cc"), ["gcc", "libc6-dev"]),
    Need(
        "the headers of Python",
        python_headers,
        [f"python{sys.version_info.major}.{sys.version_info.minor}-dev"],
    ),
    Need(
        "Chromium",
        lambda: on_path("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"),
        ["chromium-headless-shell"],
    ),
    Need("a font with Chinese", chinese_font, ["fontconfig", "fonts-noto-core", "fonts-noto-cjk"]),
)


# What is there on a person's machine or not: nginx would serve port 80 once installed.
CI_NEEDS = (
    Need("nginx", lambda: on_path("nginx"), ["nginx"]),
    Need("systemd", lambda: on_path("systemd-analyze"), ["systemd"]),
    Need("npm", lambda: on_path("npm"), ["nodejs", "npm"]),
)


def missing() -> list[Need]:
    """Returns what is missing on this machine."""
    wanted = NEEDS + CI_NEEDS if runs_in_ci() else NEEDS
    return [need for need in wanted if not need.there()]


def main() -> None:
    """Installs what is missing, together or else one by one, and names what still is."""
    if not missing():
        return
    if not debian.install([package for need in missing() for package in need.packages]):
        for need in missing():
            debian.install(need.packages)
    if missing():
        names = ", ".join(need.what for need in missing())
        packages = [package for need in missing() for package in need.packages]
        print(f"==> Not installed: {names}. Tests that need it are skipped.")
        print(f"==> As root: {debian.advice(packages)}", flush=True)


if __name__ == "__main__":
    main()
