"""Maintains the digests of all migrations, which never change once they are on main.

Adds the migrations that scripts/frozen_migrations.txt lacks, and refuses one that differs from its
line. ``--check`` writes nothing, and also fails on a migration without a line. The file has one
line per migration, as of ``sha256sum``: two branches that add some are merged by union.
"""

import hashlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "scripts" / "frozen_migrations.txt"
GLOBS = ("*/migrations/[0-9]*.py", "*/*/migrations/[0-9]*.py")
COMMAND = "python -m scripts.frozen_migrations"


def main(arguments: Sequence[str]) -> None:
    """Checks, or completes, the list; ends with a message that says what to do."""
    found = migrations(ROOT)
    try:
        frozen = parse(LIST.read_text(encoding="ascii"))
    except ValueError as error:
        sys.exit(str(error))
    if errors := changed(frozen, found):
        sys.exit("\n".join(errors))
    missing = sorted(found.keys() - frozen.keys())
    if "--check" not in arguments:
        LIST.write_text(render({**frozen, **found}), encoding="ascii")
        print(*(f"Frozen: {path}" for path in missing), sep="\n")
    elif missing:
        sys.exit(f"{LIST.name} does not have {', '.join(missing)}. Run: {COMMAND}")


def migrations(root: Path) -> dict[str, str]:
    """Returns the digest of each migration of the project, by its path."""
    paths = [path for glob in GLOBS for path in root.glob(glob)]
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in paths
    }


def parse(text: str) -> dict[str, str]:
    """Returns digests by path; refuses a path with two digests, as a merge may leave it."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        digest, _, path = line.partition("  ")
        if found.setdefault(path, digest) != digest:
            raise ValueError(
                f"{LIST.name} has two digests for {path}, because two branches added a migration "
                "with this name. Give yours the next number, and remove its old line."
            )
    return found


def changed(frozen: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """Returns the changed migrations that have a line, and what to do."""
    return [
        f"{path} was {'changed' if path in found else 'removed'}, but databases were created with "
        "it. Restore the file, and write a new migration. Only if it was never on main: remove its "
        f"line from {LIST.name}, and run {COMMAND}."
        for path, digest in sorted(frozen.items())
        if found.get(path) != digest
    ]


def render(frozen: Mapping[str, str]) -> str:
    """Returns the list as text, sorted by path."""
    return "".join(f"{digest}  {path}\n" for path, digest in sorted(frozen.items()))


if __name__ == "__main__":
    main(sys.argv[1:])
