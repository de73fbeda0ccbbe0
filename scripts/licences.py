"""Lists the license of every pinned package and vendored file in docs/licences.md.

Fails on a package whose license is not known to be compatible with this project. ``--check`` writes
nothing and fails when the page is outdated. Run it in an environment with all packages.
"""

import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "licences.md"

# Licences that ask for no more than naming them, or only of changes to the package itself.
KNOWN = frozenset(
    {"0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "CNRI-Python", "ISC", "MIT"}
    | {"MIT-0", "MPL-2.0", "PSF-2.0"}
)
# Packages under other licences, and why they may be there.
EXCEPTIONS = {
    ("mysqlclient", "GPL-2.0-or-later"): "installed by operators who use MySQL",
    ("djlint", "GPL-3.0-or-later"): "a tool of development, run as a program",
}
# What packages write for the names that SPDX gives.
SPELLINGS = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 2-Clause License": "BSD-2-Clause",
    "BSD 3-Clause OR Apache-2.0": "BSD-3-Clause OR Apache-2.0",
    "BSD License": "BSD",
    "MIT License": "MIT",
    "MIT license": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "pytest-django is released under the BSD (3-clause) license": "BSD-3-Clause",
}
# Read in the source: metadata that says nothing, and what not every machine can build.
READ = {"mysqlclient": "GPL-2.0-or-later", "quickjs": "MIT"}
# The page is the same on every machine: that of a usual server.
PLATFORM = {
    "sys_platform": "linux",
    "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
    "python_version": "3.12",
    "python_full_version": "3.12.0",
}


@dataclass(frozen=True)
class Part:
    """A package or file of others, with its license as an SPDX expression."""

    name: str
    version: str
    licence: str

    @property
    def acceptable(self) -> bool:
        words = set(re.split(r"[\s()]+", self.licence)) - {"AND", "OR", ""}
        return bool(self.reason) or (bool(words) and words <= KNOWN)

    @property
    def reason(self) -> str:
        return EXCEPTIONS.get((self.name, self.licence), "")


def main(arguments: Sequence[str]) -> None:
    """Writes or checks the page; ends with a message when a decision is needed."""
    sections = all_parts()
    strange = [part for _, parts in sections for part in parts if not part.acceptable]
    if strange:
        names = ", ".join(f"{part.name} ({part.licence or 'none'})" for part in strange)
        sys.exit(f"Check these licenses and add a decision to scripts/licences.py: {names}")
    page = render(sections)
    if "--check" not in arguments:
        PAGE.write_text(page, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page:
        sys.exit("docs/licences.md is out of date. Run: python -m scripts.licences")


def all_parts() -> list[tuple[str, list[Part]]]:
    """Returns the sections of the page; a package is in the first that needs it."""
    embedded = pinned("requirements/embedded.txt")
    production = pinned("requirements.txt")
    test = pinned("requirements/test.txt")
    return [
        ("Every installation", packages(embedded)),
        ("Installations with MySQL, in addition", packages(production - embedded)),
        ("Pages, in static/vendor", vendored("static/vendor/VENDOR.json")),
        ("Pages, in static/build", built("static/build/BUILD.json")),
        ("Data, in conversations/domain/prices.json", data("conversations/domain/prices.json")),
        ("Tests and development only", packages(test - production)),
        ("Browser tests only", vendored("tests/assets/vendor/VENDOR.json")),
    ]


def pinned(file: str) -> set[tuple[str, str]]:
    """Returns the names and versions that a requirements file pins for PLATFORM."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    requirements = [
        Requirement(line.rstrip("\\ ")) for line in lines if re.match(r"[A-Za-z0-9]", line)
    ]
    return {
        (canonicalize_name(each.name), str(each.specifier).removeprefix("=="))
        for each in requirements
        if each.marker is None or each.marker.evaluate(PLATFORM)
    }


def packages(pins: Iterable[tuple[str, str]]) -> list[Part]:
    return [Part(name, version, licence(name)) for name, version in sorted(pins)]


def licence(name: str) -> str:
    """Returns the license of a package: the expression, else the field, else the classifiers."""
    if name in READ:
        return READ[name]
    said = metadata(name)
    field = " ".join(said.get_all("License", [])).strip().split("\n")[0]
    classifiers = [
        line.rpartition(" :: ")[2]
        for line in said.get_all("Classifier", [])
        if line.startswith("License ::")
    ]
    expression = " ".join(said.get_all("License-Expression", []))
    found = expression or field or " OR ".join(classifiers)
    return SPELLINGS.get(found, found)


def vendored(file: str) -> list[Part]:
    entries = json.loads((ROOT / file).read_text(encoding="utf-8"))
    return [Part(each["name"], each["version"], each["licence"]) for each in entries]


def data(file: str) -> list[Part]:
    """Returns a data file of others, with its license beside it as a file."""
    document = json.loads((ROOT / file).read_text(encoding="utf-8"))
    return [Part(document["source"], document["version"], document["license"])]


def built(file: str) -> list[Part]:
    entries = json.loads((ROOT / file).read_text(encoding="utf-8"))["packages"]
    return [Part(each["name"], each["version"], each["licence"]) for each in entries]


def render(sections: list[tuple[str, list[Part]]]) -> str:
    lines = [
        "# Licenses",
        "",
        "The software that ctxadmin uses, with the pinned versions. This file is written by",
        "`python -m scripts.licences`; `make check` compares.",
    ]
    for title, parts in sections:
        lines += ["", f"## {title}", "", "| package | version | license |", "|---|---|---|"]
        lines += [
            f"| {part.name} | {part.version} | {part.licence}{part.reason and ': ' + part.reason} |"
            for part in parts
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
