"""What a refusal of the REST interface must say."""

from typing import Any


def assert_problem(answer: Any, status: int, code: str, pointer: str | None = None) -> Any:
    """The problem of an answer, or what it says of the place that the pointer names."""
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (status, code), problem
    assert answer["Content-Type"] == "application/problem+json"
    if pointer is None:
        return problem
    assert pointer in [error["pointer"] for error in problem["errors"]], problem
    return next(error for error in problem["errors"] if error["pointer"] == pointer)
