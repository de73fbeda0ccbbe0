"""The sections of a form with many keys."""

from checkpoints.editing.key_sections import (
    KeySection,
    in_form_order,
    natural_order,
    place_keys,
    sections_by_key,
    sections_in_order,
)

MANY = [f"plain_{each}" for each in range(12)]


def test_keys_that_begin_alike_are_a_section_of_a_long_form() -> None:
    names = [*MANY, "customer.city", "customer.name", "fact.1", ".dot", ".other"]
    assert sections_by_key(names) == {"customer.city": "customer", "customer.name": "customer"}


def test_a_short_form_has_no_sections() -> None:
    assert sections_by_key(["customer.city", "customer.name"]) == {}


def test_sections_are_counted_in_the_order_of_the_form() -> None:
    sections = {"plain": ""} | {name: name.partition(".")[0] for name in CUSTOMER + FACTS}
    found = sections_in_order(sections, [*CUSTOMER, FACTS[0]])
    assert found == [KeySection("customer", 15), KeySection("fact", 3, whole=False)]
    assert found[1].prefix == "fact."


def test_numbers_in_names_are_sorted_as_numbers() -> None:
    names = ["line14", "line2", "7", "line", "a", "line2b"]
    assert sorted(names, key=natural_order) == ["7", "a", "line", "line2", "line2b", "line14"]


OTHERS = "others"
CUSTOMER = [f"customer.{each}" for each in range(15)]
FACTS = [f"fact.{each}" for each in range(3)]


def test_few_proposed_keys_lead_without_a_section() -> None:
    found = place_keys([*MANY, *CUSTOMER], {"customer.7", "gone"}, OTHERS)
    assert list(found)[:2] == ["customer.7", "plain_0"]
    assert [found["customer.7"], found["customer.8"], found["plain_0"]] == ["", "customer", ""]


def test_many_proposed_keys_lead_with_their_sections() -> None:
    found = place_keys([*MANY, *CUSTOMER, "zip", "a.1", "a.2"], {*CUSTOMER[1:], "zip"}, OTHERS)
    assert list(found)[:3] == ["zip", "customer.1", "customer.2"]
    in_order = [(each.name, each.count) for each in sections_in_order(found, found)]
    assert in_order == [("customer", 15), ("a", 2), (OTHERS, 12)]
    assert list(found)[15] == "customer.0"  # nobody reviews it


def test_proposed_keys_without_sections_are_followed_by_the_others() -> None:
    found = place_keys([*MANY, *CUSTOMER], {f"plain_{each}" for each in range(12)}, OTHERS)
    assert list(found)[:2] == ["plain_0", "plain_1"]
    assert set(place_keys(CUSTOMER, CUSTOMER, OTHERS).values()) == {"customer"}


def test_new_keys_follow_those_that_are_there_in_the_order_of_the_form() -> None:
    names = {"new10", "line14", "line2", "new2", "answer"}
    found = in_form_order(names, ["line14", "line2", "gone", "answer"], {"line2"}, OTHERS)
    assert found == ["answer", "line2", "line14", "new2", "new10"]
