"""Who opens the pages, and an execution that waits for them."""

import pytest
from django.test import Client

from ctxadmin.identity.roles import Role
from tests.factories import signed_in
from tests.integration.checkpoints.flows import Run
from tests.integration.pages.execution_scenes import paused


@pytest.fixture
def reviewer() -> Client:
    return signed_in(Role.REVIEWER)


@pytest.fixture
def designer() -> Client:
    return signed_in(Role.DESIGNER)


@pytest.fixture
def admin() -> Client:
    return signed_in(Role.ADMIN)


@pytest.fixture
def run() -> Run:
    """It is paused before its node ``review``, at version 1."""
    return paused()
