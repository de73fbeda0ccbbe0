"""The texts that all examples of shapes share, and how an example is written."""

# mypy: ignore-errors

import base64
import json
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
SYSTEM = "You answer questions about the weather."
QUESTION = "What is the weather in Oslo?\nAnd tomorrow?"
ANSWER = "It is 15 degrees in Oslo."
RESULT = '{"degrees": 15}'
CITY = {"city": "Oslo"}
PIXEL = base64.b64encode(b"\x89PNG not a picture").decode()


def write(shape: str, libraries: tuple[str, ...], examples: dict[str, object]) -> None:
    made_by = {name: version(name) for name in libraries}
    document = {"made_by": made_by, "examples": examples}
    text = json.dumps(document, indent=1, ensure_ascii=False)
    (HERE / f"{shape}.json").write_text(text + "\n", encoding="utf-8")
