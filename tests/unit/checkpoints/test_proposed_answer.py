"""Which text is the proposed answer, and where it stands among the keys that a node wrote."""

from checkpoints.domain.proposed_answer import keys_in_order, proposed_answer


def test_only_an_assistant_who_spoke_last_proposes_an_answer() -> None:
    assert proposed_answer("assistant", "It left on Friday.") == "It left on Friday."
    assert proposed_answer("user", "Where is it?") == ""
    assert proposed_answer("tool", "{}") == ""


def test_the_output_of_a_node_comes_before_edited_keys_and_others() -> None:
    sizes = {"a": 1, "z": 1, "draft_output": 90, "b": 1}
    found = keys_in_order("draft", sizes, edited=["z"], answers=[])
    assert found == ["draft_output", "z", "a", "b"]


def test_a_key_that_says_what_a_message_says_is_an_answer_too() -> None:
    found = keys_in_order("draft", {"a": 1, "reply": 40, "z": 2}, edited=["z"], answers=[40])
    assert found == ["reply", "z", "a"]
