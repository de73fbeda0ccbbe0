"""Who designs, and what."""

import pytest

from conversations.models import Conversation
from tests.integration.pages.workflows.comparing import talk
from tests.integration.pages.workflows.designing import SMALL, made
from workflows.models import Workflow


@pytest.fixture
def small() -> Workflow:
    return made("small", SMALL)


@pytest.fixture
def talks(small: Workflow) -> list[Conversation]:
    return [talk(f"talk-{number}") for number in range(2)]
