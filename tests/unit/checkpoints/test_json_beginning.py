"""The beginning of a value is read wherever its JSON was cut."""

import json

import pytest

from checkpoints.domain.json_beginning import json_beginning

TEXT = 'Ü "quoted"\n\U0001f600 \\ end'


@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_cut_text_is_a_beginning_of_it(ascii_only: bool) -> None:
    value = json.dumps(TEXT, ensure_ascii=ascii_only).encode()
    assert json_beginning(value) == TEXT
    lengths = [len(json_beginning(value[:cut])) for cut in range(1, len(value) + 1)]
    assert all(TEXT.startswith(json_beginning(value[:cut])) for cut in range(1, len(value)))
    assert lengths == sorted(lengths)
    assert lengths[-1] == len(TEXT)


def test_other_values_are_their_json() -> None:
    assert json_beginning(b'{"a":1') == '{"a":1'
    assert json_beginning(b"") == ""
