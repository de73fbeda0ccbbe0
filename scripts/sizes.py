"""Counts the lines of folders at commits: ``python -m scripts.sizes COMMIT...``.

It prints the table of docs/explanation/size-and-removals.md: non-blank lines of code, templates,
styles and documents, without migrations and built files.
"""

import subprocess
import sys
from collections.abc import Sequence
from typing import Final

FOLDERS: Final = (
    *("checkpoints", "workflows", "conversations", "notifications", "search", "bulk", "demo"),
    *("ctxadmin", "frontend/src", "static/js", "templates", "scripts", "tests", "sdk", "docs"),
)
_ENDINGS: Final = (".py", ".ts", ".tsx", ".js", ".html", ".md", ".css")


def files(commit: str, folder: str) -> list[str]:
    """Returns the paths of the counted files of a folder."""
    listed = _git("ls-tree", "-r", "--name-only", commit, "--", folder).decode().splitlines()
    return [
        each for each in listed if each.endswith(_ENDINGS) and "migrations" not in each.split("/")
    ]


def lines(commit: str, folder: str) -> int:
    """Returns the number of non-blank lines of the counted files of a folder."""
    objects = "".join(f"{commit}:{path}\n" for path in files(commit, folder))
    rest, count = _git("cat-file", "--batch", given=objects.encode()), 0
    while rest:
        head, _, rest = rest.partition(b"\n")
        size = int(head.split()[-1])
        count += sum(1 for line in rest[:size].splitlines() if line.strip())
        rest = rest[size + 1 :]
    return count


def table(commits: Sequence[str]) -> str:
    """Returns a row of Markdown for each folder and a column for each commit."""
    rows = [
        f"| | {' | '.join(f'`{commit}`' for commit in commits)} |",
        "|---" * len(commits) + "|---|",
    ]
    for folder in FOLDERS:
        counts = [lines(commit, folder) for commit in commits]
        rows.append(f"| `{folder}` | {' | '.join(f'{n:,}' if n else '-' for n in counts)} |")
    return "\n".join(rows)


def _git(*arguments: str, given: bytes | None = None) -> bytes:
    return subprocess.run(["git", *arguments], input=given, capture_output=True, check=True).stdout


if __name__ == "__main__":
    print(table(sys.argv[1:]))
