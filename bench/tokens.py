"""Compares the estimate of tokens with real tokenizers, by kind of text, on project files."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from bench.table import Row
from conversations.domain.tokens import tokens_of_text

ROOT: Final = Path(__file__).resolve().parent.parent
COPY: Final = ROOT / ".cache" / "bpe-openai"
_TOKENIZERS: Final = ("o200k_base", "cl100k_base")  # gpt-4o to gpt-5; gpt-4
_PIECE: Final = 2_000  # characters, about a long message
_MOST: Final = 400_000  # characters of one kind


def rows() -> list[Row]:
    """Returns sums of the estimate with a tokenizer as anchor, and the errors of single texts.

    The tokenizer is no requirement: it has 75 MB and is installed into .cache for this only.
    """
    found: list[Row] = []
    encodings = _encodings()
    for kind, pieces in _texts().items():
        start = time.process_time()
        estimates = [tokens_of_text(piece) for piece in pieces]
        seconds = time.process_time() - start
        size = sum(len(piece.encode()) for piece in pieces)
        found.append(Row(f"tokens of {kind}, estimated", size / seconds / 1e6, "MB/s"))
        for name, encoding in encodings.items():
            true = [len(encoding.encode_ordinary(piece)) for piece in pieces]
            label = f"tokens of {kind} by {name}"
            found.append(Row(f"{label}, estimate", sum(estimates), "tokens", sum(true)))
            errors = sorted(
                abs(estimate / real - 1) for estimate, real in zip(estimates, true, strict=True)
            )
            worst = errors[int(len(errors) * 0.95)]
            found.append(Row(f"{label}, error of 95 % of the texts up to", worst * 100, "%"))
    return found


def _encodings() -> Mapping[str, Any]:
    if not (COPY / "bpe_openai").exists():
        command = [sys.executable, "-m", "uv", "pip", "install", "--quiet"]
        subprocess.run([*command, "--target", str(COPY), "bpe-openai"], check=True)
    sys.path.append(str(COPY))
    package = import_module("bpe_openai")
    return {name: package.get_encoding(name) for name in _TOKENIZERS}


def _texts() -> Mapping[str, list[str]]:
    """Returns texts of the project by kind, cut into pieces as long as messages."""
    english = [_prose(path.read_text()) for path in sorted(ROOT.glob("docs/**/*.md"))]
    catalogue = (ROOT / "locale/zh_Hans/LC_MESSAGES/django.po").read_text()
    chinese = re.findall(r'^msgstr(?:\[0\])? "(.+)"$', catalogue, re.MULTILINE)
    examples = json.loads((ROOT / "ctxadmin/http/examples.json").read_bytes())
    answers = [json.dumps(each.get("answer"), ensure_ascii=False) for each in examples]
    python = [path.read_text() for path in sorted(ROOT.glob("conversations/**/*.py"))]
    typescript = [path.read_text() for path in sorted(ROOT.glob("frontend/src/**/*.ts"))]
    return {
        "English": list(_pieces(english)),
        "Chinese": list(_pieces(["\n".join(chinese)])),
        "JSON": list(_pieces(answers)),
        "JSON, indented": list(_pieces([json.dumps(examples, indent=2)])),
        "Python": list(_pieces(python)),
        "TypeScript": list(_pieces(typescript)),
    }


def _prose(markdown: str) -> str:
    """Returns a text without tables and code, which are measured separately."""
    text = re.sub(r"```.*?```", "", markdown, flags=re.DOTALL)
    return "\n".join(line for line in text.splitlines() if not line.startswith("|"))


def _pieces(texts: Iterable[str]) -> Iterator[str]:
    left = _MOST
    for text in texts:
        for start in range(0, len(text), _PIECE):
            piece = text[start : start + _PIECE]
            if left <= 0:
                return
            if len(piece) > _PIECE // 10:
                left -= len(piece)
                yield piece
