"""Pins requirements with hashes for Python 3.11 and later, all except OWN to the same versions.

Arguments go to ``uv pip compile``: ``--upgrade`` takes the latest versions; without it only changes
of the ``.in`` files are resolved again.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The widest set first: the others take their versions from it.
FILES = (
    ("requirements/production.in", "requirements.txt"),
    ("requirements/embedded.in", "requirements/embedded.txt"),
    ("requirements/test.in", "requirements/test.txt"),
    ("requirements/clients.in", "requirements/clients.txt"),
    ("requirements/engines.in", "requirements/engines.txt"),
)
OWN = "requirements/engines.txt"  # which no process has together with the others


def main(arguments: Sequence[str]) -> None:
    """Writes the files; the first that cannot be resolved ends it."""
    environment = {**os.environ, "UV_CUSTOM_COMPILE_COMMAND": "make lock"}
    for source, target in FILES:
        print(f"==> {source} -> {target}", flush=True)
        command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--universal"]
        command += ["--python-version", "3.11", "--generate-hashes", "--no-annotate"]
        if target not in (FILES[0][1], OWN):
            command += ["--constraints", FILES[0][1]]
        command += [source, "--output-file", target, *arguments]
        subprocess.run(command, cwd=ROOT, env=environment, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
