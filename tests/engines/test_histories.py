"""The OpenAI Agents SDK, LangChain and Pydantic AI keep the histories of their chats here."""

from tests.engines.conftest import Engine


def test_a_session_of_agents_keeps_every_item_and_gives_what_people_made(engine: Engine) -> None:
    engine("agents_session")


def test_a_history_of_langchain_keeps_every_message_and_gives_what_people_made(
    engine: Engine,
) -> None:
    engine("langchain_history")


def test_a_history_of_pydantic_ai_keeps_every_message_and_gives_what_people_made(
    engine: Engine,
) -> None:
    engine("pydantic_ai_history")
