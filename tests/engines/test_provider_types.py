"""Messages that the libraries of providers make are given back as they made them."""

from tests.engines.conftest import Engine


def test_messages_of_the_libraries_own_types_come_back_as_they_were(engine: Engine) -> None:
    engine("provider_types")
