"""What a form leaves unchanged stays as the document has it."""

from pydantic import JsonValue

from workflows.pages.elements.unchanged_values import with_unchanged


def _rule(pattern: str, **more: JsonValue) -> JsonValue:
    return {"type": "include", "pattern": pattern, **more}


def _rules(*rules: JsonValue) -> dict[str, JsonValue]:
    return {"context_filter": {"rules": list(rules)}}


WRITTEN = [_rule(name, target="variables") for name in "abc"]
SHOWN = [_rule(name) for name in "abc"]


def _read(*sent: JsonValue) -> JsonValue:
    made = with_unchanged(_rules(*WRITTEN), _rules(*SHOWN), _rules(*sent))["context_filter"]
    assert isinstance(made, dict)
    return made["rules"]


def test_items_stay_as_written_beside_one_that_is_changed() -> None:
    assert _read(SHOWN[0], _rule("other"), SHOWN[2]) == [WRITTEN[0], _rule("other"), WRITTEN[2]]


def test_items_stay_as_written_when_one_is_added() -> None:
    assert _read(*SHOWN, _rule("d")) == [*WRITTEN, _rule("d")]
    assert _read(_rule("d"), *SHOWN) == [_rule("d"), *WRITTEN]


def test_items_stay_as_written_when_one_is_removed() -> None:
    assert _read(SHOWN[0], SHOWN[2]) == [WRITTEN[0], WRITTEN[2]]
    assert _read(*SHOWN[1:]) == WRITTEN[1:]
    assert _read() == []


def test_an_item_that_is_there_twice_is_counted_once() -> None:
    assert _read(SHOWN[0], SHOWN[0], *SHOWN[1:]) == [WRITTEN[0], SHOWN[0], *WRITTEN[1:]]
