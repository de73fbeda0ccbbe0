"""Writes docs/explanation/layers.md: which packages import which.

The order is that of the first contract in pyproject.toml, which ``make check`` enforces.
"""

import ast
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import grimp

ROOT: Final = Path(__file__).resolve().parent.parent
FILE: Final = ROOT / "docs" / "explanation" / "layers.md"
HEAD: Final = """# Layers

A package imports only from packages below it in this table; import-linter holds the code to that
(`make check-layers`). Each package that it imports from is named with the number of imports, of
modules by modules. A package never calls those above it: they register callbacks with it, in their
`apps.py` when the program starts, or are named in the settings. This file is written by
`python -m scripts.layers`.
"""


def main() -> None:
    FILE.write_text(render(), encoding="utf-8")


def render() -> str:
    """Returns the whole file: one row for each package, from top to bottom."""
    order = layers()
    counts = imports(order)
    lines = [HEAD, "| Package | What it is | Modules | Imports from |", "|---|---|---:|---|"]
    for name in order:
        below = [
            f"{_short(other)} {counts.between[name, other]}"
            for other in order
            if counts.between[name, other] and other != name
        ]
        row = (f"`{name}`", _purpose(name), str(counts.modules[name]), ", ".join(below) or "-")
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def layers() -> Sequence[str]:
    """Returns the packages from top to bottom; independent ones in their order."""
    return [name.strip() for row in contract() for name in row.split("|")]


def contract() -> Sequence[str]:
    """Returns the rows of the first contract, as import-linter reads them."""
    rows: list[str] = _linter()["contracts"][0]["layers"]
    return rows


class Counts:
    """The number of modules of each package, and of imports from one package to another."""

    def __init__(self, modules: Mapping[str, int], between: Mapping[tuple[str, str], int]) -> None:
        self.modules = Counter(modules)
        self.between = Counter(between)


def imports(order: Sequence[str]) -> Counts:
    """Counts all imports of the code, also those within functions; not those without a layer."""
    graph = grimp.build_graph(*_linter()["root_packages"], cache_dir=None)
    modules: Counter[str] = Counter()
    between: Counter[tuple[str, str]] = Counter()
    for module in graph.modules:
        package = package_of(module, order)
        if package is None:
            continue
        modules[package] += 1
        for imported in graph.find_modules_directly_imported_by(module):
            other = package_of(imported, order)
            if other is not None:
                between[package, other] += 1
    return Counts(modules, between)


def package_of(module: str, order: Sequence[str]) -> str | None:
    """Returns the layer of a module; None if it has none."""
    found = (name for name in order if module == name or module.startswith(f"{name}."))
    return next(found, None)


def _linter() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        found: dict[str, Any] = tomllib.load(file)["tool"]["importlinter"]
    return found


def _purpose(name: str) -> str:
    """Returns the first line of its docstring, without the full stop."""
    path = ROOT / name.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0].removesuffix(".")


def _short(name: str) -> str:
    return name.removeprefix("ctxadmin.")


if __name__ == "__main__":
    main()
