"""Every write of an execution names the version that its writer saw."""

from collections.abc import Callable, Sequence

from checkpoints.domain.execution import Execution
from ctxadmin.lib.errors import VersionConflict
from ctxadmin.lib.sentence import say


def require_version(
    execution: Execution,
    expected: int | None,
    changed_since: Callable[[int], Sequence[str]],
) -> None:
    """Raises VersionConflict, with the keys changed since, for a writer who saw another version.

    ``changed_since(version)`` is called only in that case.
    """
    if expected is None or expected == execution.version:
        return
    keys = changed_since(expected) if expected < execution.version else ()
    raise VersionConflict(
        say(
            "The execution is at version {current}, not {expected}.",
            current=execution.version,
            expected=expected,
        ),
        expected=expected,
        actual=execution.version,
        changed_keys=keys,
    )
