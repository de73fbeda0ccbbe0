"""The two workflows of the demo, which are also templates to start from."""

from typing import Final

from workflows.starters.research import RESEARCH
from workflows.starters.support import SUPPORT

WORKFLOWS: Final = {"support": SUPPORT, "research-note": RESEARCH}
