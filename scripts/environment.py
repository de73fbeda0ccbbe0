"""Installs the packages that a requirements file pins into .venv, unless they are installed.

It runs on a bare Python 3.11 or later, before anything is installed: ``python3 -m
scripts.environment embedded``. The generators of clients and the libraries of engines have
environments of their own, because ctxadmin never imports them.
"""

import hashlib
import importlib.util
import subprocess
import sys
from pathlib import Path

from scripts import debian

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
CLIENTS = ROOT / ".cache" / "clients"
ENGINES = ROOT / ".cache" / "engines"
REQUIREMENTS = {
    "embedded": ROOT / "requirements" / "embedded.txt",
    "production": ROOT / "requirements.txt",
    "test": ROOT / "requirements" / "test.txt",
    "clients": ROOT / "requirements" / "clients.txt",
    "engines": ROOT / "requirements" / "engines.txt",
}
OWN = {"clients": CLIENTS, "engines": ENGINES}  # the environments beside VENV

# Only wheels, so that no compiler is needed; but there is none of mysqlclient for Linux, and of
# the test's JavaScript engine there is none for every Python.
FORMATS = {
    "embedded": ["--only-binary=:all:"],
    "production": ["--only-binary=:all:", "--no-binary=mysqlclient"],
    "test": [],
    "clients": ["--only-binary=:all:"],
    "engines": ["--only-binary=:all:"],
}


def install(name: str) -> bool:
    """Installs a set unless it is unchanged since the last time; returns False when pip fails."""
    venv = OWN.get(name, VENV)
    ensure_venv(venv)
    requirements = REQUIREMENTS[name]
    pinned = requirements.read_bytes()
    # Another Python or other pins: another fingerprint.
    fingerprint = hashlib.sha256(pinned + (venv / "pyvenv.cfg").read_bytes()).hexdigest()
    stamp = venv / f".installed-{name}"
    if stamp.is_file() and stamp.read_text() == fingerprint:
        return True
    what = f"{pinned.count(b'==')} packages of {requirements.relative_to(ROOT)}"
    print(f"==> Installing the {what} in {venv.relative_to(ROOT)}", flush=True)
    finished = subprocess.run(
        [
            *_pip(venv),
            "install",
            "--quiet",
            "--no-input",
            "--disable-pip-version-check",
            "--require-hashes",
            *FORMATS[name],
            f"--requirement={requirements}",
        ],
        check=False,
    )
    if finished.returncode:
        return False
    stamp.write_text(fingerprint)
    return True


def ensure_venv(venv: Path) -> None:
    """Creates the environment, again if the Python that it was created with is gone or changed."""
    if works(venv):
        return
    missing = not _can_bring_pip() and not importlib.util.find_spec("pip")
    package = f"python{_version(sys.executable)}-venv"
    if missing and not debian.install([package]):
        sys.exit(
            "This Python has neither pip nor a venv with pip, so nothing can be installed.\n"
            f"As root: {debian.advice([package])}"
        )
    importlib.invalidate_caches()
    print(
        f"==> Creating {venv.relative_to(ROOT)} with Python {_version(sys.executable)}", flush=True
    )
    options = [] if _can_bring_pip() else ["--without-pip"]
    subprocess.run([sys.executable, "-m", "venv", "--clear", *options, str(venv)], check=True)


def python_of(venv: Path) -> Path:
    return venv / "bin" / "python"


def works(venv: Path) -> bool:
    python = python_of(venv)
    return python.exists() and (venv / "lib" / f"python{_version(str(python))}").is_dir()


def _can_bring_pip() -> bool:
    """Returns whether ensurepip is there, which Debian has in a package of its own."""
    return importlib.util.find_spec("ensurepip") is not None


def _pip(venv: Path) -> list[str]:
    """Returns the pip of the environment, else this machine's, set to work on it."""
    python = str(python_of(venv))
    has_own = subprocess.run([python, "-c", "import pip"], capture_output=True, check=False)
    if has_own.returncode == 0:
        return [python, "-m", "pip"]
    return [sys.executable, "-m", "pip", "--python", python]


def _version(python: str) -> str:
    script = "import sys; print('%d.%d' % sys.version_info[:2])"
    answer = subprocess.run([python, "-c", script], capture_output=True, text=True, check=False)
    return answer.stdout.strip()


if __name__ == "__main__":
    for wanted in sys.argv[1:]:
        if not install(wanted):
            sys.exit(f"The {wanted} packages could not be installed. The lines above say why.")
