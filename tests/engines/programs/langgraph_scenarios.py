"""What graphs and people do to each other: each function is a test, with its name as sentence.

python langgraph_scenarios.py URL ENGINE_TOKEN REVIEW_TOKEN [NAME ...]

Prints JSON: by name the traceback of a failure, or null.
"""

import json
import sys
import traceback
from types import ModuleType

import langgraph_history
import langgraph_middleware
import langgraph_reviews
import langgraph_storage
import langgraph_workers
from langgraph_lab import start_application

MODULES: tuple[ModuleType, ...] = (
    langgraph_reviews,
    langgraph_history,
    langgraph_storage,
    langgraph_workers,
    langgraph_middleware,
)


def main(names: list[str]) -> None:
    results = {}
    tests = [(name, test) for module in MODULES for name, test in vars(module).items()]
    for name, test in tests:
        if name.startswith("test_") and (not names or name in names):
            start_application(name)
            try:
                test()
            except Exception:  # noqa: BLE001 - it is printed, and the others run
                results[name] = traceback.format_exc()
            else:
                results[name] = None
    print(json.dumps(results))


main(sys.argv[4:])
