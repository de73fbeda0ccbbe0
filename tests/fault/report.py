"""What rounds came to, in one table."""

from collections import Counter
from collections.abc import Iterator, Sequence

from tests.fault.history import Attempt, Outcome
from tests.fault.plan import Fault
from tests.fault.rounds import Result


class Sum:
    """Adds up rounds without keeping them."""

    def __init__(self) -> None:
        self.rounds = 0
        self.faults: Counter[Fault] = Counter()
        self.outcomes: Counter[Outcome] = Counter()
        self.acknowledged = 0
        self.after_repeats = 0
        self.reads = 0
        self.copies: Counter[str] = Counter()
        self.made_unheard: Counter[Outcome] = Counter()
        self.conversations = 0
        self.longest_wait = 0.0
        self.longest_recovery = 0.0
        self.violations: list[str] = []
        self.failed_seeds: list[str] = []

    def add(self, result: Result) -> None:
        history = result.history
        self.rounds += 1
        self.faults.update(strike.fault for strike in history.strikes)
        self.outcomes.update(attempt.outcome for attempt in history.attempts())
        self.made_unheard.update(_unheard(result))
        self.reads += len(history.reads)
        self.copies += result.copies
        self.conversations += len(result.found)
        for write in history.writes:
            first = write.acknowledged
            if first is not None:
                self.acknowledged += 1
                self.after_repeats += first is not write.attempts[0]
        self.longest_wait = max([self.longest_wait, *map(_wait_of_caller, history.attempts())])
        self.longest_recovery = max(self.longest_recovery, result.recovery)
        self.violations += [f"seed {result.seed}: {violation}" for violation in result.violations]
        if result.violations:
            self.failed_seeds.append(result.seed)

    def lines(self) -> Iterator[str]:
        """A table in Markdown."""
        yield "| what | count |"
        yield "|---|---:|"
        yield f"| rounds | {self.rounds} |"
        for fault in Fault:
            if self.faults[fault]:
                yield f"| {fault} | {self.faults[fault]} |"
        yield f"| faults in all | {self.faults.total()} |"
        yield f"| acknowledged writes | {self.acknowledged:,} |"
        yield f"| of them only when repeated | {self.after_repeats:,} |"
        unheard = self.made_unheard
        yield f"| changes made whose answer was lost | {unheard[Outcome.UNKNOWN]:,} |"
        yield f"| changes made and told as `unavailable` | {unheard[Outcome.UNAVAILABLE]:,} |"
        yield f"| conversations audited | {self.conversations:,} |"
        yield f"| readings checked | {self.reads:,} |"
        yield f"| readings by the live copy, at least | {self.copies['hits']:,} |"
        yield f"| readings that doubted it, at least | {self.copies['doubts']:,} |"
        yield f"| answers `unavailable` | {self.outcomes[Outcome.UNAVAILABLE]:,} |"
        yield f"| requests without an answer | {self.outcomes[Outcome.UNKNOWN]:,} |"
        yield f"| longest wait for `unavailable` | {self.longest_wait:.1f} s |"
        yield f"| longest until a worker served again | {self.longest_recovery:.1f} s |"
        yield f"| violations | {len(self.violations)} |"


def line(result: Result) -> str:
    """One round in one line, for a running report."""
    history = result.history
    acknowledged = sum(write.acknowledged is not None for write in history.writes)
    kinds = Counter(strike.fault.name.lower() for strike in history.strikes)
    struck = " ".join(f"{name}:{count}" for name, count in sorted(kinds.items()))
    return (
        f"seed {result.seed}: {len(history.strikes)} faults, {acknowledged} writes acknowledged,"
        f" {len(history.reads)} readings, {len(result.violations)} violations,"
        f" {result.seconds:.0f} s [{struck}]"
    )


def telling(violations: Sequence[str], most: int = 20) -> str:
    """The first violations, a line each."""
    more = len(violations) - most
    return "\n".join([*violations[:most], *([f"... and {more} more"] if more > 0 else [])])


def _unheard(result: Result) -> Iterator[Outcome]:
    """What the caller heard of each change that was made by a request without a success."""
    outcomes = {each.request: each.outcome for each in result.history.attempts()}
    for found in result.found.values():
        for change in found.changes:
            outcome = outcomes.get(change.request)
            if outcome is not None and outcome is not Outcome.ACKNOWLEDGED:
                yield outcome


def _wait_of_caller(attempt: Attempt) -> float:
    return attempt.waited if attempt.outcome is Outcome.UNAVAILABLE else 0.0
