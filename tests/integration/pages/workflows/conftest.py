"""Who designs, and what."""

import pytest

from tests.integration.pages.workflows.designing import SMALL, made
from workflows.models import Workflow


@pytest.fixture
def small() -> Workflow:
    return made("small", SMALL)
