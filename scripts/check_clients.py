"""Generates a client in Python and types in TypeScript from the OpenAPI document.

``python -m scripts.check_clients`` fails if a generator warns, if a module of the Python client
cannot be imported, or if sdk/typescript is not strict TypeScript with the types of the document as
it is now. A generator that is not installed is left out with a word, but fails in CI.
``python -m scripts.environment clients`` installs one, npm the other.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from scripts.ci import runs_in_ci
from scripts.environment import CLIENTS, ROOT, python_of

SETTINGS: Final = Path(__file__).with_name("clients")
GENERATOR: Final = CLIENTS / "bin" / "openapi-python-client"
TYPESCRIPT: Final = ROOT / "sdk" / "typescript"
_NODE: Final = TYPESCRIPT / "node_modules"
_IMPORT_ALL: Final = """
import importlib, pkgutil, client
for module in pkgutil.walk_packages(client.__path__, "client."):
    importlib.import_module(module.name)
"""


class Failed(Exception):
    """A fault of a generator or of its output; the text says which."""


def python_client(document: Path, folder: Path) -> None:
    """Generates the package ``client`` in a folder; raises Failed at a warning of the generator."""
    options = ["--meta", "none", "--fail-on-warning", "--config", str(SETTINGS / "python.yaml")]
    where = ["--path", str(document), "--output-path", str(folder / "client")]
    _run([str(GENERATOR), "generate", *options, *where])


def typescript_client(
    document: Path, folder: Path, programs: Mapping[str, str] | None = None
) -> None:
    """Builds sdk/typescript with the types of a document in a folder; Failed at a warning or error.

    ``programs`` are modules that are built beside it, by the names of their files.
    """
    for name in ("src", "package.json", "tsconfig.json"):
        source = TYPESCRIPT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    for name, program in (programs or {}).items():
        (folder / "src" / name).write_text(program)
    target = folder / "src" / "contract.ts"
    options = ["--default-non-nullable", "false", "--output", str(target)]
    output = _run([str(_NODE / ".bin" / "openapi-typescript"), str(document), *options])
    if "warn" in output.lower() or "⚠" in output:
        raise Failed(output)
    _run([str(_NODE / ".bin" / "tsc"), "-p", str(folder)])


def installed_types() -> bool:
    """Whether npm installed what package-lock.json pins, now or before."""
    npm = shutil.which("npm")
    stamp, pinned = _NODE / ".package-lock.json", TYPESCRIPT / "package-lock.json"
    if stamp.exists() and stamp.stat().st_mtime >= pinned.stat().st_mtime:
        return True
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    if npm is None:
        return False
    return subprocess.run([npm, "--prefix", str(TYPESCRIPT), "ci", *options]).returncode == 0


def _run(command: Sequence[str], folder: Path | None = None) -> str:
    """Returns the output of a command; raises Failed with it if the command failed."""
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    output = ended.stdout + ended.stderr
    if ended.returncode:
        raise Failed(f"{Path(command[0]).name} ended with {ended.returncode}:\n{output}")
    return output


def openapi_document() -> bytes:
    """The document of the code as it is."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ctxadmin.config.settings")
    import django

    django.setup()
    from ctxadmin.http.openapi import document

    return document()


def _check(folder: Path) -> list[str]:
    """Generates both; returns the names of the generators that are not installed."""
    document = folder / "openapi.json"
    document.write_bytes(openapi_document())
    missing = []
    if GENERATOR.exists():
        python_client(document, folder)
        _run([str(python_of(CLIENTS)), "-c", _IMPORT_ALL], folder)
    else:
        missing.append("openapi-python-client")
    if installed_types():
        typescript_client(document, folder)
    else:
        missing.append("openapi-typescript")
    return missing


def main() -> int:
    """Checks with what is installed; returns the exit code."""
    print("Generating clients from the OpenAPI document", flush=True)
    try:
        with tempfile.TemporaryDirectory() as folder:
            missing = _check(Path(folder))
    except Failed as fault:
        print(fault, file=sys.stderr)
        return 1
    for name in missing:
        print(f"{name} is not installed: nothing was generated with it", file=sys.stderr)
    return 1 if missing and runs_in_ci() else 0


if __name__ == "__main__":
    sys.exit(main())
