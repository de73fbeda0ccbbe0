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
    *("ctxadmin", "frontend/src", "static/js", "static/css", "templates", "scripts", "bench"),
    *("tests", "sdk", "docs"),
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
    rest, count = _git("cat-file", "--batch", stdin=objects.encode()), 0
    while rest:
        head, _, rest = rest.partition(b"\n")
        size = int(head.split()[-1])
        count += sum(1 for line in rest[:size].splitlines() if line.strip())
        rest = rest[size + 1 :]
    return count


def table(commits: Sequence[str]) -> str:
    """Returns a table in Markdown: a row for each folder, the sum, a column for each commit."""
    counts = {folder: [lines(commit, folder) for commit in commits] for folder in FOLDERS}
    sums = [sum(column) for column in zip(*counts.values(), strict=True)]
    return "\n".join(
        [
            f"| | {' | '.join(f'`{commit}`' for commit in commits)} |",
            "|---" * len(commits) + "|---|",
            *(_row(f"`{folder}`", numbers) for folder, numbers in counts.items()),
            _row("all", sums),
        ]
    )


def _row(name: str, numbers: Sequence[int]) -> str:
    return f"| {name} | {' | '.join(f'{n:,}' if n else '-' for n in numbers)} |"


def _git(*arguments: str, stdin: bytes | None = None) -> bytes:
    return subprocess.run(["git", *arguments], input=stdin, capture_output=True, check=True).stdout


if __name__ == "__main__":
    print(table(sys.argv[1:]))
