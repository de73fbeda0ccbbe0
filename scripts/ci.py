"""Says whether this runs in CI, where what a machine lacks is a failure."""

import os


def runs_in_ci() -> bool:
    """By the variable CI, which services set to true or 1."""
    return os.environ.get("CI", "").lower() in {"1", "true", "yes"}
