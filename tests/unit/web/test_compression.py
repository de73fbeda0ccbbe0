"""Which answers are compressed, and for whom."""

import gzip

import pytest

from ctxadmin.http.requests.compression import accepts_gzip, gzipped, is_variable


@pytest.mark.parametrize(
    "header",
    [b"gzip", b"GZIP", b"br, gzip;q=0.1", b"deflate,gzip ; q=1.0", b"*", b"*;q=0.5", b"x-gzip"],
)
def test_gzip_is_for_who_asks_for_it(header: bytes) -> None:
    assert accepts_gzip(header)


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"identity",
        b"br",
        b"gzip;q=0",
        b"gzip;q=0.000, *",
        b"*;q=0",
        b"gzip;q=much",
        b"gzip;q=nan",
        b"ungzip",
        b"\xff",
        b";;,",
    ],
)
def test_and_for_no_one_else(header: bytes) -> None:
    assert not accepts_gzip(header)


def test_parts_are_one_stream_that_is_the_same_each_time() -> None:
    parts = [b"[", b"1," * 5000, b"", b"1]"]
    assert gzip.decompress(b"".join(gzipped(parts))) == b"".join(parts)
    assert gzipped(parts) == gzipped(parts)


@pytest.mark.parametrize(
    ("path", "kind", "size", "expected"),
    [
        ("/api/v1/conversations", "application/json", 1025, True),
        ("/api/v1/conversations", "application/json; charset=utf-8", 1025, True),
        ("/api/v1/conversations", "application/problem+json", 1025, True),
        ("/api/schema", "application/json", 9999, True),
        ("/api/v1/conversations", "application/json", 1024, False),
        ("/api/docs", "text/html; charset=utf-8", 9999, False),
        ("/api/v1/workflows/w/yaml", "application/yaml", 9999, False),
        ("/api/v1/events", "text/event-stream", 9999, False),
        ("/conversations/c", "text/html", 9999, False),
        ("/conversations/c/rows", "application/json", 9999, False),
    ],
)
def test_only_large_json_of_the_contract_is_compressed(
    path: str, kind: str, size: int, expected: bool
) -> None:
    assert is_variable(path, kind, size) == expected
