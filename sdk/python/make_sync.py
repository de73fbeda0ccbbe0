"""Generates the client for threads from the asyncio client: ``python make_sync.py [--check]``."""

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
    "asyncio.Lock": "threading.Lock",
    # Methods that LangGraph has twice.
    "aget_tuple": "get_tuple",
    "alist": "list",
    "aput": "put",
    "aput_writes": "put_writes",
    "adelete_thread": "delete_thread",
    "adelete_for_runs": "delete_for_runs",
    "acopy_thread": "copy_thread",
    "aprune": "prune",
    "ainvoke": "invoke",
    "aget_state": "get_state",
    "astream": "stream",
    "aresume_decided": "resume_decided",
    "aresume_on_decision": "resume_on_decision",
}
FOLDERS = (PACKAGE, PACKAGE / "langgraph")
OF_NAMES = re.compile(r"\bAsync(?=[A-Z])")  # AsyncRun becomes Run


def sync(text: str) -> str:
    """Returns the source of an asyncio module as a module for threads."""
    for word, other in WORDS.items():
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", other, text)
    text = re.sub(r"\bawait ", "", text)
    text = OF_NAMES.sub("", text)
    needed = [name for name in ("threading", "time") if re.search(rf"(?<!\w){name}\.", text)]
    missing = [name for name in needed if not re.search(rf"^import {name}$", text, re.M)]
    imports = "".join(f"import {name}\n" for name in missing)
    if re.search(r"^import json$", text, re.M):  # isort's place: after json
        text = re.sub(r"^import asyncio\n", "", text, flags=re.M)
        return re.sub(r"^import json\n", f"import json\n{imports}", text, flags=re.M)
    return re.sub(r"^import asyncio\n", imports, text, flags=re.M)


def main() -> int:
    """Writes the modules; with ``--check`` names those that differ and returns 1 if any does."""
    differ = []
    sources = [each for folder in FOLDERS for each in sorted((folder / "_async").glob("*.py"))]
    for source in sources:
        target = source.parent.with_name("_sync") / source.name
        target.parent.mkdir(exist_ok=True)
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
