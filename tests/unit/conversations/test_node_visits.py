"""Rounds of a loop are told apart by how often a node had written since the user's message."""

from conversations.reading.node_visits import count_visits


def log(*rows: str) -> list[tuple[int, str, str]]:
    return [(at, *row.partition(" ")[::2]) for at, row in enumerate(rows)]


def test_each_round_of_a_loop_has_its_number() -> None:
    found = count_visits(
        log("user", "assistant draft", "assistant critic", "assistant draft", "assistant critic")
    )
    assert found == {1: 1, 2: 1, 3: 2, 4: 2}


def test_messages_of_a_node_in_a_row_are_of_one_round_with_what_tools_answered() -> None:
    found = count_visits(log("assistant plan", "tool", "assistant plan", "tool plan"))
    assert found == {0: 1, 2: 1, 3: 1}


def test_the_next_message_of_the_user_begins_anew() -> None:
    found = count_visits(log("assistant a", "assistant b", "assistant a", "user", "assistant a"))
    assert found == {0: 1, 1: 1, 2: 2, 4: 1}
