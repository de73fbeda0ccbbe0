"""Checks the types of the Python client's engine integrations, with the engines' libraries.

``python -m scripts.check_engines``. Without the libraries it says so and checks nothing, but fails
in CI. ``python -m scripts.environment engines`` installs them.
"""

import subprocess
import sys
from typing import Final

from scripts.ci import runs_in_ci
from scripts.environment import ENGINES, ROOT, python_of

NAMES: Final = ("langchain", "langgraph", "mcp", "openai_agents", "pydantic_ai")
FOLDERS: Final = tuple(f"src/ctxadmin_client/{name}" for name in NAMES)


def main() -> int:
    """Checks them; returns the exit code."""
    if not python_of(ENGINES).exists():
        print("the libraries of engines are not installed: nothing was checked", file=sys.stderr)
        return 1 if runs_in_ci() else 0
    options = ["--no-error-summary", "--strict", "--config-file="]
    python = ["--python-executable", str(python_of(ENGINES))]
    command = [sys.executable, "-m", "mypy", *options, *python, *FOLDERS]
    return subprocess.run(command, cwd=ROOT / "sdk/python", check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
