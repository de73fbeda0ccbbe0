"""What a database lacks of the tables that a program needs, in plain words."""

import pytest

from ctxadmin.storage.database.schema import (
    Column,
    ExpectedTable,
    Index,
    TableDifference,
    differences,
    summary,
)

KEY = Column("bigint", nullable=False, filled=False)
NAME = Column("varchar(9)", nullable=False, filled=False)
BY_NAME = Index(("name", "key"))
ONE_NAME = Index(("name",), unique=True)
EXPECTED = {"shop": ExpectedTable({"key": KEY, "name": NAME}, frozenset({BY_NAME, ONE_NAME}))}


def compared(columns: dict[str, Column], *indexes: Index) -> list[str]:
    found = {"shop": ExpectedTable({"key": KEY, "name": NAME} | columns, frozenset(indexes))}
    return [each.text for each in differences(EXPECTED, found)]


def test_what_is_as_expected_has_no_difference() -> None:
    assert compared({}, BY_NAME, ONE_NAME) == []


def test_what_rows_may_leave_out_and_other_tables_and_indexes_do_no_harm() -> None:
    later = Column("int", nullable=True)
    others = {"cart": ExpectedTable({})}
    found = EXPECTED | others
    assert differences(EXPECTED, found) == []
    assert compared({"later": later}, BY_NAME, ONE_NAME, Index(("key",))) == []


def test_a_missing_table_is_reported_once() -> None:
    assert [each.text for each in differences(EXPECTED, {})] == ["the table shop is missing"]


def test_a_missing_column_is_reported() -> None:
    found = {"shop": ExpectedTable({"key": KEY}, frozenset({BY_NAME, ONE_NAME}))}
    (difference,) = differences(EXPECTED, found)
    assert difference == TableDifference("the column shop.name is missing")


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        (
            {"name": Column("longtext", nullable=False)},
            "shop.name is longtext instead of varchar(9)",
        ),
        ({"name": Column("varchar(9)", nullable=True)}, "shop.name takes null"),
        (
            {"old": Column("int", nullable=False, filled=False)},
            "shop.old is unknown and has to be given",
        ),
    ],
)
def test_a_column_of_another_kind_is_reported(columns: dict[str, Column], told: str) -> None:
    assert compared(columns, BY_NAME, ONE_NAME) == [f"the column {told}"]


def test_a_column_may_be_of_any_kind_if_none_is_expected() -> None:
    expected = {"shop": ExpectedTable({"key": Column("", nullable=False)})}
    assert differences(expected, {"shop": ExpectedTable({"key": KEY})}) == []


def test_a_missing_index_is_slow_and_a_missing_unique_one_is_wrong() -> None:
    found = {"shop": ExpectedTable({"key": KEY, "name": NAME})}
    assert {(each.text, each.slow) for each in differences(EXPECTED, found)} == {
        ("the index of shop on name, key is missing", True),
        ("the unique index of shop on name is missing", False),
    }


def test_an_index_serves_that_has_more_columns_behind() -> None:
    assert compared({}, Index(("name", "key", "more")), ONE_NAME) == []
    assert compared({}, BY_NAME, Index(("name", "key"), unique=True)) != []


def test_of_many_differences_three_are_named() -> None:
    found = [TableDifference(str(number)) for number in range(5)]
    assert summary(found) == "0; 1; 2; and 2 more"
