"""The one clock."""

from datetime import UTC, datetime, timedelta, timezone

from ctxadmin.lib.clock import iso, now


def test_now_is_aware_and_utc() -> None:
    assert now().tzinfo is UTC


def test_times_are_written_in_utc_with_a_z() -> None:
    shanghai = timezone(timedelta(hours=8))
    moment = datetime(2026, 1, 31, 17, 0, 0, 42, tzinfo=shanghai)
    assert iso(moment) == "2026-01-31T09:00:00.000042Z"


def test_a_written_time_reads_back_the_same() -> None:
    moment = now()
    assert datetime.fromisoformat(iso(moment)) == moment
