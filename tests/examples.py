"""How many examples a run looks at: a third, or the part that a test names, or all of them.

Which ones differs by run, so that runs see together what one would take three times as long for.
``CTXADMIN_TEST_EXAMPLES=all make test`` looks at all of them.
"""

import os
import random
from collections.abc import Sequence
from typing import Final, TypeVar

_ALL: Final = os.environ.get("CTXADMIN_TEST_EXAMPLES") == "all"
_SHARE: Final = 1 if _ALL else 3
USUAL: Final = 100  # as Hypothesis has it

_Case = TypeVar("_Case")


def examples(full: int = USUAL) -> int:
    """This run's part of a full number of examples."""
    return -(-full // _SHARE)


def share_of(cases: Sequence[_Case], parts: int = 3) -> list[_Case]:
    """One of so many parts of listed cases, in their order: every third, from a random one on."""
    step = 1 if _ALL else parts
    return list(cases[random.randrange(step) :: step])


def every_third(cases: Sequence[_Case]) -> list[_Case]:
    """A third of listed cases, the same in each run: all workers of a run need the same tests."""
    return list(cases[::_SHARE])
