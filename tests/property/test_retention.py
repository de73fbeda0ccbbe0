"""Laws of retention: what thinning never takes, and that looking twice is looking once."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from checkpoints.domain.retention import (
    FRESH,
    Needs,
    RetainedVersion,
    RetentionPolicy,
    versions_to_thin,
)
from checkpoints.domain.thinning import KeyRow, rows_to_drop

START = datetime(2024, 2, 27, 22, 30, tzinfo=UTC)

policies = st.builds(
    RetentionPolicy,
    keep_last=st.integers(1, 30),
    hourly_days=st.integers(0, 5),
)
steps = st.lists(st.integers(0, 30 * 3600), max_size=60)
later = st.integers(0, 20 * 24).map(lambda hours: timedelta(hours=hours))


def versions_of(gaps: list[int]) -> list[RetainedVersion]:
    times = [START]
    for gap in gaps:
        times.append(times[-1] + timedelta(seconds=gap))
    return [
        RetainedVersion(number, at, until)
        for number, (at, until) in enumerate(zip(times, [*times[1:], None], strict=True))
    ]


@st.composite
def cases(draw: st.DrawFn) -> tuple[RetentionPolicy, list[RetainedVersion], Needs, datetime]:
    versions = versions_of(draw(steps))
    newest = versions[-1].number
    some = st.sets(st.integers(0, newest), max_size=3)
    needs = Needs(
        newest=newest,
        paused_from=draw(st.none() | st.integers(0, newest)),
        restored=draw(some),
        forked=draw(some),
        origin=draw(st.none() | st.integers(0, newest)),
    )
    return draw(policies), versions, needs, versions[-1].at + draw(later)


@given(cases())
def test_the_last_ones_stay(
    case: tuple[RetentionPolicy, list[RetainedVersion], Needs, datetime],
) -> None:
    policy, versions, needs, now = case
    assert policy.keep_last is not None
    last = {each.number for each in versions[-policy.keep_last :]}
    assert not last & set(versions_to_thin(policy, versions, needs, now))


@given(cases())
def test_what_is_needed_stays(
    case: tuple[RetentionPolicy, list[RetainedVersion], Needs, datetime],
) -> None:
    policy, versions, needs, now = case
    gone = set(versions_to_thin(policy, versions, needs, now))
    assert not gone & {0, needs.newest, *needs.restored, *needs.forked}
    assert needs.origin not in gone
    if needs.paused_from is not None:
        assert not gone & set(range(needs.paused_from, needs.newest + 1))


@given(cases())
def test_what_was_the_latest_within_a_day_stays(
    case: tuple[RetentionPolicy, list[RetainedVersion], Needs, datetime],
) -> None:
    policy, versions, needs, now = case
    fresh = {each.number for each in versions if each.until is None or each.until > now - FRESH}
    assert not fresh & set(versions_to_thin(policy, versions, needs, now))


@given(cases())
def test_every_day_and_every_hour_that_is_young_enough_has_its_last_version(
    case: tuple[RetentionPolicy, list[RetainedVersion], Needs, datetime],
) -> None:
    policy, versions, needs, now = case
    gone = set(versions_to_thin(policy, versions, needs, now))
    hourly_from = now - timedelta(days=policy.hourly_days)
    for version, following in pairwise([*versions, None]):
        assert version is not None
        at = version.at
        last_of_day = following is None or following.at.date() != at.date()
        last_of_hour = last_of_day or (following is not None and following.at.hour != at.hour)
        if last_of_day or (last_of_hour and at >= hourly_from):
            assert version.number not in gone


@given(cases(), later)
def test_looking_again_later_is_as_good_as_looking_once(
    case: tuple[RetentionPolicy, list[RetainedVersion], Needs, datetime], passed: timedelta
) -> None:
    """What went early would go later too, and what is kept does not depend on having looked."""
    policy, versions, needs, now = case
    early = set(versions_to_thin(policy, versions, needs, now))
    late = set(versions_to_thin(policy, versions, needs, now + passed))
    assert early <= late


@given(cases(), steps)
def test_new_versions_give_none_back(
    case: tuple[RetentionPolicy, list[RetainedVersion], Needs, datetime], more: list[int]
) -> None:
    policy, versions, needs, now = case
    gone = set(versions_to_thin(policy, versions, needs, now))
    at = now
    grown = list(versions)
    for gap in more:
        grown[-1] = RetainedVersion(grown[-1].number, grown[-1].at, at)
        grown.append(RetainedVersion(len(grown), at, None))
        at += timedelta(seconds=gap)
    moved = Needs(
        newest=grown[-1].number,
        paused_from=needs.paused_from,
        restored=needs.restored,
        forked=needs.forked,
        origin=needs.origin,
    )
    assert needs.paused_from is not None or gone <= set(versions_to_thin(policy, grown, moved, at))


def test_without_a_policy_nothing_goes() -> None:
    versions = versions_of([3600] * 500)
    now = START + timedelta(days=4000)
    assert versions_to_thin(RetentionPolicy(), versions, Needs(newest=500), now) == ()


def test_hours_then_days() -> None:
    """One version every ten minutes for ten days, looked at the day after."""
    versions = versions_of([600] * (10 * 24 * 6))
    policy = RetentionPolicy(keep_last=1, hourly_days=3)
    now = versions[-1].at + timedelta(days=1)
    gone = set(versions_to_thin(policy, versions, Needs(newest=versions[-1].number), now))
    left = [each for each in versions if each.number not in gone]
    hourly_from = (now - timedelta(days=3)).date()
    days = [each for each in left if each.at.date() < hourly_from]
    assert len(days) == len({each.at.date() for each in days}) + 1  # and version 0
    assert len(left) < 90


@st.composite
def histories(
    draw: st.DrawFn,
) -> tuple[list[KeyRow], list[int], list[int], list[int]]:
    """The rows of one key as a state writes them, and versions kept, going and gone before."""
    count = draw(st.integers(1, 25))
    rows: list[KeyRow] = []
    for version in range(count):
        kind = draw(st.sampled_from(["nothing", "set", "append", "same"]))
        if kind == "set" or (kind != "nothing" and not rows):
            rows.append(KeyRow(version, ((version, version),)))
        elif kind == "append":
            *others, (first, last) = rows[-1].spans
            if last == rows[-1].version:
                rows.append(KeyRow(version, (*others, (first, version))))
            else:
                rows.append(KeyRow(version, (*rows[-1].spans, (version, version))))
        elif kind == "same":
            rows.append(KeyRow(version, draw(st.sampled_from(rows)).spans))
    kinds = [draw(st.sampled_from(["kept", "going", "gone"])) for _ in range(count - 1)] + ["kept"]
    lists = {
        kind: [version for version, each in enumerate(kinds) if each == kind]
        for kind in ("kept", "going", "gone")
    }
    return rows, lists["kept"], lists["going"], lists["gone"]


def read(rows: list[KeyRow], version: int) -> list[int] | None:
    """The versions of the rows that make up what a version has of the key."""
    held = [row for row in rows if row.version <= version]
    if not held:
        return None
    spans = held[-1].spans
    return [row.version for row in rows if any(start <= row.version <= end for start, end in spans)]


@given(histories())
def test_after_each_stretch_what_is_left_reads_as_before(
    history: tuple[list[KeyRow], list[int], list[int], list[int]],
) -> None:
    rows, kept, going, _ = history
    drops = rows_to_drop(rows, kept, going)
    for end in [-1, *going]:
        left = [row for row in rows if (row.version, end) not in _dropped(drops, end)]
        for version in [*kept, *(each for each in going if each > end)]:
            assert read(left, version) == read(rows, version)


def _dropped(drops: list[tuple[int, int]], end: int) -> set[tuple[int, int]]:
    return {(version, end) for version, after in drops if after <= end}


@given(histories())
def test_nothing_is_left_that_no_kept_version_reads(
    history: tuple[list[KeyRow], list[int], list[int], list[int]],
) -> None:
    rows, kept, going, _ = history
    dropped = {version for version, _ in rows_to_drop(rows, kept, going)}
    needed: set[int] = set()
    for version in kept:
        held = [row.version for row in rows if row.version <= version]
        needed.update(held[-1:], read(rows, version) or ())
    assert {row.version for row in rows} - dropped == needed
