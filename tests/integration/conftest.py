"""What holds for all tests of stores, services, REST and pages."""

from collections.abc import Iterator

import pytest
from django.db import connection

from tests.integration import sharding


@pytest.fixture(autouse=True)
def _statements_name_their_conversation() -> Iterator[None]:
    """Run-time statements are about one conversation, but for those that are listed with a reason.

    So conversations can be spread over machines (docs/explanation/sharding.md). Other threads of
    a test ask by connections of their own, which are not watched.
    """
    found: dict[str, str] = {}
    with connection.execute_wrapper(sharding.watch(found)):
        yield
    if found:
        told = "\n".join(f"{function}: {sql}" for function, sql in found.items())
        pytest.fail(f"Name the conversation, or list the function in sharding.py:\n{told}")
