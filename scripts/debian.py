"""Installs Debian packages if that needs no password."""

import os
import shutil
import subprocess
from collections.abc import Sequence


def install(packages: Sequence[str]) -> bool:
    """Installs them with apt-get and shows it; returns False if this machine or user cannot."""
    prefix = administrator_prefix()
    if prefix is None or not shutil.which("apt-get"):
        return False
    command = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet", "--yes"]
    command += ["-o", "DPkg::Lock::Timeout=300"]
    wanted = [*command, "install", "--no-install-recommends", *packages]
    # The lists of a fresh machine are empty, and those of an old one name files that are gone.
    return _run_and_show(wanted) or (_run_and_show([*command, "update"]) and _run_and_show(wanted))


def advice(packages: Sequence[str]) -> str:
    """Returns the command for a person with the right to install."""
    return "apt-get install " + " ".join(packages)


def administrator_prefix() -> list[str] | None:
    """Returns the prefix of a command that needs root; None if that would ask for a password."""
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if (
        sudo
        and subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode == 0
    ):
        return [sudo, "-n"]
    return None


def _run_and_show(command: Sequence[str]) -> bool:
    """Shows the command, and its output only if it fails: apt-get prints a line per file."""
    print("==> " + " ".join(command), flush=True)
    finished = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if finished.returncode:
        print(finished.stdout[-2000:], flush=True)
    return finished.returncode == 0
