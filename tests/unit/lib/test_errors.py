"""The named errors and what they carry."""

import pytest

from ctxadmin.lib import errors
from ctxadmin.lib.errors import (
    KINDS,
    ContextError,
    FieldProblem,
    IncompatibleContext,
    InvalidState,
    NotFound,
    TooLarge,
    TypeMismatch,
    Unavailable,
    ValidationFailed,
    VersionConflict,
)


def test_every_kind_has_exactly_one_error() -> None:
    classes = [
        each
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, ContextError) and each is not ContextError
    ]
    assert sorted(each.code for each in classes) == sorted(KINDS)


@pytest.mark.parametrize(
    ("error", "extra"),
    [
        (NotFound("no"), {}),
        (InvalidState("no"), {}),
        (InvalidState("no", status="PAUSED"), {"status_now": "PAUSED"}),
        (TypeMismatch("no", key="a"), {"key": "a"}),
        (TooLarge("no"), {}),
        (TooLarge("no", limit=5), {"limit": 5}),
        (
            VersionConflict("no", expected=1, actual=2, changed_keys=["a"]),
            {"expected": 1, "actual": 2, "changed_keys": ["a"]},
        ),
        (
            IncompatibleContext("no", missing=["tool"], indices=[3]),
            {"missing": ["tool"], "indices": [3]},
        ),
    ],
)
def test_an_error_carries_what_the_caller_needs_to_continue(
    error: ContextError, extra: dict[str, object]
) -> None:
    assert error.extra() == extra
    assert str(error) == error.detail == "no"


def test_an_error_can_say_where() -> None:
    error = ValidationFailed.at("/a/0", "wrong", code="out_of_range", line=3)
    assert error.problems == (FieldProblem("/a/0", "wrong", "out_of_range", (("line", 3),)),)
    assert error.problems[0].as_json() == {
        "pointer": "/a/0",
        "message": "wrong",
        "code": "out_of_range",
        "line": 3,
    }


def test_only_unreadable_text_is_malformed() -> None:
    assert not ValidationFailed.at("", "wrong").malformed
    assert ValidationFailed("wrong", malformed=True).malformed


def test_unavailable_says_when_to_try_again() -> None:
    assert Unavailable("gone").retry_after == 2
