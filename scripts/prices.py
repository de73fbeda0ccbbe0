"""Extracts the prices of models from the package genai-prices, as
conversations/domain/prices.json.

The package itself brings a second HTTP client and keeps 24 MB in memory, so it is not a
requirement: a private copy is installed into .cache, read and never imported by the product (ADR
43).
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from importlib import import_module
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "conversations" / "domain" / "prices.json"
COPY = ROOT / ".cache" / "genai-prices"
_TESTS = {"equals": "is", "starts_with": "starts", "ends_with": "ends", "contains": "has"}


def main() -> None:
    """Writes the file from the latest version of the package."""
    install = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--upgrade"]
    subprocess.run([*install, "--target", str(COPY), "genai-prices"], check=True)
    sys.path.insert(0, str(COPY))
    now = datetime.now(UTC)
    snapshot = import_module("genai_prices.data_snapshot").get_snapshot()
    providers = [_provider(each, now) for each in snapshot.providers]
    found = next(each for each in distributions(path=[str(COPY)]) if each.name == "genai-prices")
    document = {
        "source": "genai-prices",
        "version": found.version,
        "license": "MIT",
        "date": now.date().isoformat(),
    }
    license_file = next(COPY.glob("genai_prices-*/licenses/LICENSE"))
    FILE.with_suffix(".LICENSE.txt").write_bytes(license_file.read_bytes())
    lines = ",\n".join(json.dumps(each, separators=(",", ":")) for each in providers)
    head = json.dumps(document)[:-1]
    FILE.write_text(f'{head}, "providers": [\n{lines}\n]}}\n', encoding="utf-8")
    print(f"{sum(len(each['models']) for each in providers)} models, {FILE.stat().st_size} bytes")


def _provider(provider: Any, now: datetime) -> dict[str, Any]:
    match = provider.model_match
    return {
        "id": provider.id,
        "names": None if match is None else _test(match),
        "models": [each for model in provider.models for each in _model(model, now)],
    }


def _model(model: Any, now: datetime) -> Iterator[list[Any]]:
    """Returns a model's prices.

    Leaves out models not paid by token, and prices above a threshold.
    """
    prices = model.get_prices(now)
    fresh, output = _base(prices.input_mtok), _base(prices.output_mtok)
    if fresh is None or fresh < 0 or (output or 0) < 0:
        return
    cached = _base(prices.cache_read_mtok)
    write = _base(prices.cache_write_mtok)
    numbers = [
        fresh,
        fresh if cached is None else cached,
        fresh if write is None else write,
        output or Decimal(0),
    ]
    yield [_test(model.match), *(format(each.normalize(), "f") for each in numbers)]


def _base(price: Any) -> Decimal | None:
    found = getattr(price, "base", price)
    return None if found is None else Decimal(found)


def _test(clause: Any) -> list[Any]:
    for many, name in (("or_", "any"), ("and_", "all")):
        if hasattr(clause, many):
            return [name, *map(_test, getattr(clause, many))]
    for field, name in _TESTS.items():
        if hasattr(clause, field):
            return [name, getattr(clause, field).lower()]
    return ["like", clause.regex]


if __name__ == "__main__":
    main()
