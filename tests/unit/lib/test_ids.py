"""Ids and keys."""

import re
import threading

import pytest

from ctxadmin.lib import ids


@pytest.mark.parametrize("text", ["a", "A-z_0", "x" * 64, "-", "_"])
def test_a_public_id_has_1_to_64_plain_characters(text: str) -> None:
    assert ids.is_public_id(text)


@pytest.mark.parametrize("text", ["", "x" * 65, "a b", "a.b", "é", "中", "a\n", "\na", "a/b", "٣"])
def test_anything_else_is_none(text: str) -> None:
    assert not ids.is_public_id(text)


def test_the_words_of_the_paths_are_reserved() -> None:
    assert ids.is_reserved("import")
    assert ids.is_reserved("diff")
    assert not ids.is_reserved("imports")


def test_a_new_public_id_is_one() -> None:
    found = {ids.new_public_id("conv") for _ in range(1000)}
    assert len(found) == 1000
    assert all(ids.is_public_id(each) for each in found)
    assert all(re.fullmatch(r"conv_[0-9a-z]{16}", each) for each in found)


def test_keys_fit_into_63_bits_and_rise() -> None:
    keys = [ids.new_key() for _ in range(10_000)]
    assert keys == sorted(set(keys))
    assert 0 < keys[0] <= keys[-1] < 2**63


def test_keys_rise_when_the_clock_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    before = ids.new_key()
    monkeypatch.setattr("time.time_ns", lambda: 1_704_067_200_000_000_000)
    assert ids.new_key() > before


def test_threads_never_get_the_same_key() -> None:
    keys: list[int] = []
    threads = [
        threading.Thread(target=lambda: keys.extend(ids.new_key() for _ in range(2000)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(keys)) == 8000
