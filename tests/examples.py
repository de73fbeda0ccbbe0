"""How many examples the tests of properties look at: a third in a run, or all of them.

Which ones differs by run, so that runs see together what one would take three times as long for.
``CTXADMIN_TEST_EXAMPLES=all make test`` looks at all of them.
"""

import os
from typing import Final

_SHARE: Final = 1 if os.environ.get("CTXADMIN_TEST_EXAMPLES") == "all" else 3
USUAL: Final = 100  # as Hypothesis has it


def examples(full: int = USUAL) -> int:
    """This run's part of a full number of examples."""
    return -(-full // _SHARE)
