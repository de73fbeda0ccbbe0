"""Makes the calls of ctxadmin/http/examples.json and writes their answers into it.

``python -m scripts.openapi_examples``, after a call or an answer has changed; a new call is first
added to the file by hand, without an answer.
"""

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import django
import httpx
import orjson

from ctxadmin.http.openapi_examples import FILE

_MOST_ITEMS: Final = 3  # of a list, so that the document stays readable
_SECRET: Final = "whsec_" + "MDEyMzQ1Njc4OWFiY2RlZg=="  # of nobody


def main() -> int:
    """Writes the file again; the exit code says whether every call succeeded."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ctxadmin.config.settings")
    django.setup()
    from tests.live_server import LiveServer
    from tests.openapi_story import story

    steps, failed = [], 0
    with tempfile.TemporaryDirectory() as folder, LiveServer(Path(folder), {}, "--no-demo") as own:
        token = own.token("admin", "engine", "review", "design")
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        with httpx.Client(base_url=f"{own.url}/api/v1", headers=headers) as client:

            def send(method: str, path: str, body: object) -> tuple[int, Any]:
                answer = client.request(method, path, json=body)
                while path.startswith("/search") and answer.json()["behind"]:
                    time.sleep(0.2)  # the index follows
                    answer = client.request(method, path, json=body)
                is_json = "json" in answer.headers.get("Content-Type", "")
                return answer.status_code, answer.json() if is_json else None

            for step, status, answer in story(send):
                if status >= 300:
                    failed += 1
                    print(step["call"], status, answer)
                kept = {key: step[key] for key in step if key not in ("status", "answer")}
                steps.append(kept | {"status": status, "answer": _shortened_answer(answer)})
    FILE.write_bytes(orjson.dumps(steps, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return 1 if failed else 0


def _shortened_answer(value: Any) -> Any:
    """Returns an answer with short lists, and without real secrets."""
    if isinstance(value, list):
        return [_shortened_answer(each) for each in value[:_MOST_ITEMS]]
    if isinstance(value, dict):
        return {
            key: _SECRET if key == "secret" and each else _shortened_answer(each)
            for key, each in value.items()
        }
    return value


if __name__ == "__main__":
    sys.exit(main())
