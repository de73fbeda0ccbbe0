"""Says whether this runs in CI, where a missing tool is a failure."""

import os


def runs_in_ci() -> bool:
    """Returns whether the variable CI is set to true or 1, as services do."""
    return os.environ.get("CI", "").lower() in {"1", "true", "yes"}
