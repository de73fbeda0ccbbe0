"""Who designs, and what."""

import pytest
from django.test import Client

from ctxadmin.accounts.roles import Role
from tests.factories import signed_in
from tests.integration.pages.workflows.designing import SMALL, made
from workflows.models import Workflow


@pytest.fixture
def designer() -> Client:
    return signed_in(Role.DESIGNER)


@pytest.fixture
def small() -> Workflow:
    return made("small", SMALL)
