"""Real-time order: nobody reads anything older than what was acknowledged before they asked."""

from collections.abc import Iterator, Mapping, Sequence

from tests.fault.history import MAY_CHANGE_NOTHING, Kind, Read, Seen, Write

Broken = tuple[str, str]  # a promise, and what broke it


def check(
    writes: Sequence[Write],
    reads: Sequence[Read],
    standings: Sequence[Seen],
    places: Mapping[str, int],
) -> Iterator[Broken]:
    """Breaches by the changes and the readings of one conversation.

    ``standings[n]`` is how it stood after change n, ``places`` says which change a write made.
    """
    yield from _order_of_writes(writes, places)
    yield from _order_of_reads([*reads, *_as_reads(writes, places)], writes, standings, places)


def _order_of_writes(writes: Sequence[Write], places: Mapping[str, int]) -> Iterator[Broken]:
    """A change that was sent after another was acknowledged comes after it."""
    made = sorted((write for write in writes if write.name in places), key=lambda w: w.first_sent)
    acknowledged = sorted(
        (first.ended, places[write.name], write.name)
        for write in made
        if (first := write.acknowledged) is not None
    )
    latest, known = (0, ""), 0
    for write in made:
        while known < len(acknowledged) and acknowledged[known][0] < write.first_sent:
            latest = max(latest, acknowledged[known][1:])
            known += 1
        if places[write.name] < latest[0]:
            what = f"{write.name} came before {latest[1]}, which was acknowledged before it"
            yield "changes keep their order in time", what


def _as_reads(writes: Sequence[Write], places: Mapping[str, int]) -> Iterator[Read]:
    """Acknowledgements of what changed nothing: they tell how things stood, as a reading does."""
    for write in writes:
        first = write.acknowledged
        if first is None or write.name in places or write.kind not in MAY_CHANGE_NOTHING:
            continue
        revision = first.answer.get("revision")
        seen = Seen(revision=revision if isinstance(revision, int) else None)
        if write.kind is Kind.PAUSE:
            seen = Seen(pause_requested=True)
        times = (write.first_sent, first.ended)
        yield Read(write.client, write.conversation, first.request, first.worker, *times, seen)


def _order_of_reads(
    reads: Sequence[Read],
    writes: Sequence[Write],
    standings: Sequence[Seen],
    places: Mapping[str, int],
) -> Iterator[Broken]:
    """Each reading shows one moment, between what was known before and what was sent by then.

    What one reading showed, a later one must know: two workers never tell different times.
    """
    acknowledged = sorted(
        (first.ended, places[write.name])
        for write in writes
        if write.name in places and (first := write.acknowledged) is not None
    )
    sent = sorted(
        (write.first_sent, places[write.name]) for write in writes if write.name in places
    )
    shown: list[tuple[float, int]] = []
    for read in sorted(reads, key=lambda each: each.sent):
        known = [place for ended, place in acknowledged if ended < read.sent]
        known += [place for ended, place in shown if ended < read.sent]
        least = max(known, default=0)
        most = max((place for when, place in sent if when <= read.ended), default=0)
        moment = _first_that_fits(read.seen, standings, least, most)
        if moment is None:
            yield _misread(read, standings, least, most)
        else:
            shown.append((read.ended, moment))


def _first_that_fits(seen: Seen, standings: Sequence[Seen], least: int, most: int) -> int | None:
    for place in range(least, most + 1):
        if seen.shows(standings[place]):
            return place
    return None


def _misread(read: Read, standings: Sequence[Seen], least: int, most: int) -> Broken:
    """Whether a reading that fits no moment it may show is old, or never was."""
    older = _first_that_fits(read.seen, standings, 0, least - 1)
    who = f"{read.client} ({read.request}, worker {read.worker})"
    if older is not None:
        what = f"{who} saw change {older} after change {least} was acknowledged"
        return "no reading is stale", what
    what = f"{who} saw what never was between changes {least} and {most}: {_brief(read.seen)}"
    return "a reading shows one moment", what


def _brief(seen: Seen) -> str:
    view = "" if seen.view is None else f" {len(seen.view)} visible"
    return (
        f"version {seen.version} {seen.status} revision {seen.revision}"
        f" of {seen.message_count}{view}"
    )
