"""The sections of a form with many keys."""

from checkpoints.editing.key_sections import (
    KeySection,
    natural_order,
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
    found = sections_in_order(["customer", "customer", "fact", "fact", "fact"])
    assert found == [KeySection("customer", 2), KeySection("fact", 3)]


def test_numbers_in_names_are_sorted_as_numbers() -> None:
    names = ["line14", "line2", "7", "line", "a", "line2b"]
    assert sorted(names, key=natural_order) == ["7", "a", "line", "line2", "line2b", "line14"]
