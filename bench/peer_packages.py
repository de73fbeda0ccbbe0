"""Installs the packages of peers beside the project: they are no dependencies."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_FOLDER: Final = Path(".cache/bench").absolute()


def installed(name: str, *packages: str) -> Path | None:
    """Returns the folder with these packages, installed if missing; None if that fails."""
    folder = _FOLDER / name
    done = folder / ".installed"
    if done.is_file():
        return folder
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    options = ["--only-binary=:all:", "--upgrade", f"--target={folder}"]
    ran = subprocess.run(
        [*pip, *options, *packages], stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    if ran.returncode:
        print(f"{name} cannot be installed here; its rows are left out.", file=sys.stderr)
        return None
    done.touch()
    return folder


def run(folder: Path, script: str, arguments: Sequence[str] = (), given: str = "") -> str:
    """Runs a script with the packages of a folder and returns its output."""
    ran = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        input=given,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise RuntimeError(f"{folder.name} failed:\n{ran.stderr[-2000:]}")
    return ran.stdout
