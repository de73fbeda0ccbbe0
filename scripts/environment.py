"""Installs the packages that a requirements file pins into .venv, unless they are installed.

It runs on a bare Python 3.11 or later, before anything is installed:
``python3 -m scripts.environment embedded``.
"""

import hashlib
import importlib.util
import subprocess
import sys
from pathlib import Path

from scripts import debian

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
REQUIREMENTS = {
    "embedded": ROOT / "requirements" / "embedded.txt",
    "production": ROOT / "requirements.txt",
    "test": ROOT / "requirements" / "test.txt",
}
# Only wheels, so that no compiler is needed; but there is none of mysqlclient for Linux, and of
# the test's JavaScript engine there is none for every Python.
FORMATS = {
    "embedded": ["--only-binary=:all:"],
    "production": ["--only-binary=:all:", "--no-binary=mysqlclient"],
    "test": [],
}


def install(name: str) -> bool:
    """Install a set unless nothing changed since its last installation; False when pip fails."""
    ensure_venv()
    requirements = REQUIREMENTS[name]
    pinned = requirements.read_bytes()
    # Another Python or other pins: another fingerprint.
    fingerprint = hashlib.sha256(pinned + (VENV / "pyvenv.cfg").read_bytes()).hexdigest()
    stamp = VENV / f".installed-{name}"
    if stamp.is_file() and stamp.read_text() == fingerprint:
        return True
    where = requirements.relative_to(ROOT)
    print(f"==> Installing the {pinned.count(b'==')} packages of {where} in .venv", flush=True)
    finished = subprocess.run(
        [
            *_pip(),
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


def ensure_venv() -> None:
    """Make .venv, or make it again when the Python that it was made with has gone or changed."""
    if _works():
        return
    missing = not _can_bring_pip() and not importlib.util.find_spec("pip")
    package = f"python{_version(sys.executable)}-venv"
    if missing and not debian.install([package]):
        sys.exit(
            "This Python has neither pip nor a venv with pip, so nothing can be installed.\n"
            f"As root: {debian.advice([package])}"
        )
    importlib.invalidate_caches()
    print(f"==> Creating .venv with Python {_version(sys.executable)}", flush=True)
    options = [] if _can_bring_pip() else ["--without-pip"]
    subprocess.run([sys.executable, "-m", "venv", "--clear", *options, str(VENV)], check=True)


def _works() -> bool:
    return PYTHON.exists() and (VENV / "lib" / f"python{_version(str(PYTHON))}").is_dir()


def _can_bring_pip() -> bool:
    """Debian keeps ensurepip, which puts pip into a new environment, in a package of its own."""
    return importlib.util.find_spec("ensurepip") is not None


def _pip() -> list[str]:
    """The pip of .venv, else this machine's, told to work on .venv."""
    has_own = subprocess.run([str(PYTHON), "-c", "import pip"], capture_output=True, check=False)
    if has_own.returncode == 0:
        return [str(PYTHON), "-m", "pip"]
    return [sys.executable, "-m", "pip", "--python", str(PYTHON)]


def _version(python: str) -> str:
    script = "import sys; print('%d.%d' % sys.version_info[:2])"
    answer = subprocess.run([python, "-c", script], capture_output=True, text=True, check=False)
    return answer.stdout.strip()


if __name__ == "__main__":
    for wanted in sys.argv[1:]:
        if not install(wanted):
            sys.exit(f"The {wanted} packages could not be installed. The lines above say why.")
