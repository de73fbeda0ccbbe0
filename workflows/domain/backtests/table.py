"""A comparison of policies as rows of text: for a terminal and for a CSV file."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Final

from workflows.domain.backtests.replay import CallOfAll
from workflows.domain.backtests.sums import Comparison, PolicySums

_HEADS: Final = ("Policy", "Tokens", "", "Fresh", "Cost", "", "Invalid", "Unseen", "")
_COLUMNS: Final = (
    "policy",
    "calls",
    "sent_tokens",
    "cached_tokens",
    "fresh_tokens",
    "cost",
    "sent_change",
    "cost_change",
    "invalid_calls",
    "empty_calls",
    "failed_calls",
    "unreached_calls",
    "unseen_messages",
    "raises_cost",
    "best",
    "problem",
)
_CALL_COLUMNS: Final = (
    "conversation",
    "call",
    "message",
    "node",
    "policy",
    "sent_tokens",
    "cached_tokens",
    "lost_tokens",
    "messages",
    "invalid",
    "problem",
)


def table_lines(compared: Sequence[Comparison]) -> list[str]:
    """Returns the comparison as aligned lines."""
    rows = [list(_HEADS), *map(_line, compared)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(_HEADS))]
    return ["  ".join(map(_aligned, row, range(len(row)), widths)).rstrip() for row in rows]


def _aligned(cell: str, place: int, width: int) -> str:
    return cell.ljust(width) if place in (0, len(_HEADS) - 1) else cell.rjust(width)


def _line(each: Comparison) -> list[str]:
    sums = each.sums
    return [
        sums.title,
        f"{sums.sent:,}",
        _signed(each.sent_change),
        "" if each.fresh_times is None else f"{each.fresh_times:.2f}x",
        f"{each.cost:.4f}",
        _signed(each.cost_change),
        f"{sums.split_calls:,}",
        f"{sums.unseen:,}",
        _remark(each),
    ]


def _remark(each: Comparison) -> str:
    sums = each.sums
    words = ["raises the cost"] if each.raises_cost else []
    words += ["best"] if each.is_best else []
    if sums.empty_calls:
        words.append(f"{sums.empty_calls} calls see nothing")
    if sums.failed_calls:
        words.append(f"{sums.failed_calls} calls fail: {sums.problem}")
    if sums.unreached_calls:
        words.append(f"{sums.unreached_calls} calls as if a false condition were true")
    return ", ".join(words)


def _signed(share: float | None) -> str:
    return "" if share is None else f"{shown_percent(share):+} %"


def shown_percent(share: float) -> int | float:
    """Returns a change in percent as it is shown.

    It is whole, but -99.9 for nearly everything: -100 says that nothing is left.
    """
    whole = round(share * 100)
    return -99.9 if whole == -100 and share > -1 else whole


def csv_text(compared: Iterable[Comparison]) -> str:
    """Returns the comparison as CSV: shares as numbers, empty where there is nothing to compare."""
    return _csv(_COLUMNS, (_values(each) for each in compared))


def calls_csv(
    conversations: Iterable[tuple[str, Iterable[CallOfAll]]], policies: Sequence[PolicySums]
) -> str:
    """Returns each call of each conversation by each policy as CSV."""
    rows = (
        (
            _safe(name),
            call.number,
            call.index,
            _safe(call.node),
            _safe(policy.title),
            each.sent,
            each.cached,
            each.lost,
            each.messages,
            each.split,
            _safe(each.problem),
        )
        for name, calls in conversations
        for call in calls
        for policy, each in zip(policies, call.by_policy, strict=True)
    )
    return _csv(_CALL_COLUMNS, rows)


def _values(each: Comparison) -> Sequence[object]:
    sums = each.sums
    return (
        _safe(sums.title),
        sums.calls,
        sums.sent,
        sums.cached,
        sums.fresh,
        each.cost,
        each.sent_change,
        each.cost_change,
        sums.split_calls,
        sums.empty_calls,
        sums.failed_calls,
        sums.unreached_calls,
        sums.unseen,
        each.raises_cost,
        each.is_best,
        _safe(sums.problem),
    )


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _safe(text: str) -> str:
    """Returns text that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
