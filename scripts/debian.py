"""Installs Debian packages when this user may do so without being asked for a password."""

import os
import shutil
import subprocess
from collections.abc import Sequence


def install(packages: Sequence[str]) -> bool:
    """Install them with apt-get and show it; False when this machine or user cannot."""
    prefix = _administrator()
    if prefix is None or not shutil.which("apt-get"):
        return False
    command = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet", "--yes"]
    command += ["-o", "DPkg::Lock::Timeout=300"]
    wanted = [*command, "install", "--no-install-recommends", *packages]
    # The lists of a fresh machine are empty, and those of an old one name files that are gone.
    return _shown(wanted) or (_shown([*command, "update"]) and _shown(wanted))


def advice(packages: Sequence[str]) -> str:
    """The command that a person with the right to do so has to run."""
    return "apt-get install " + " ".join(packages)


def _administrator() -> list[str] | None:
    """What to put before a command that needs root; None when that would ask for a password."""
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if (
        sudo
        and subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode == 0
    ):
        return [sudo, "-n"]
    return None


def _shown(command: Sequence[str]) -> bool:
    """Show the command, and what it says only if it fails: apt-get says a line per file."""
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
