"""Writes the client for threads from the one for asyncio: ``python make_sync.py [--check]``."""

import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent / "src" / "ctxadmin_client"
WORDS = {
    "async def": "def",
    "async with": "with",
    "async for": "for",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "AsyncIterator": "Iterator",
    "asyncio.sleep": "time.sleep",
    "aclose": "close",
    "aread": "read",
    "aiter_lines": "iter_lines",
    "httpx.AsyncClient": "httpx.Client",
    "_async": "_sync",
}
OF_NAMES = re.compile(r"\bAsync(?=[A-Z])")  # AsyncRun becomes Run


def sync(text: str) -> str:
    """A module for asyncio as one for threads."""
    for word, other in WORDS.items():
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", other, text)
    text = re.sub(r"\bawait ", "", text)
    text = OF_NAMES.sub("", text)
    needs_time = "time.sleep" in text and not re.search(r"^import time$", text, re.M)
    return re.sub(r"^import asyncio\n", "import time\n" if needs_time else "", text, flags=re.M)


def main() -> int:
    """Write the modules; with ``--check`` only say which differ, 1 if any does."""
    differ = []
    for source in sorted((PACKAGE / "_async").glob("*.py")):
        target = PACKAGE / "_sync" / source.name
        text = sync(source.read_text(encoding="utf-8"))
        if source.name == "__init__.py":
            text = '"""The client for threads, written by make_sync.py from ``_async``."""\n'
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            differ.append(target.name)
            if "--check" not in sys.argv:
                target.write_text(text, encoding="utf-8")
    if "--check" in sys.argv and differ:
        print("not written from _async, run make_sync.py:", ", ".join(differ))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
