"""The figures of docs/explanation/what-context-costs.md that everyone can reproduce."""

import re
from pathlib import Path
from typing import Final

from bench import policies
from workflows.backtests.replaying import ReplayRequest, replay_all
from workflows.domain.backtests.policies import PolicyConfig
from workflows.domain.backtests.presets import RATIOS
from workflows.domain.backtests.sums import PolicySums, compare
from workflows.domain.backtests.table import shown_percent

PAGE: Final = Path("docs/explanation/what-context-costs.md")
LONG: Final = {
    "trimmed at each call": "Trim to 8,000 at each call",
    "budget to 6,000": "Budget 8,000 to 6,000",
    "budget to 4,000": "Budget 8,000 to 4,000",
}


def changes(sums: list[PolicySums], prices: str) -> dict[str, tuple[str, str]]:
    """The changes of tokens and cost by policy, as the page writes them."""
    return {
        each.sums.title: (written(each.sent_change), written(each.cost_change))
        for each in compare(sums, RATIOS[prices])
    }


def written(share: float | None) -> str:
    return f"{shown_percent(share or 0):+} %"


def test_the_table_of_long_sessions_has_the_figures_of_the_command() -> None:
    made = list(policies.generated_conversations())
    asked = ReplayRequest([policies.long_budget(title) for title in LONG.values()])
    sums = list(replay_all(asked, policies.joined(made)))
    surcharge, half = changes(sums, "write_surcharge"), changes(sums, "half_price_cache")
    lines = PAGE.read_text().replace("*", "").splitlines()
    for name, title in LONG.items():
        row = next(line for line in lines if line.startswith(f"| {name} |"))
        assert row.strip("| ").split(" | ")[-3:] == [*surcharge[title], half[title][1]]


def test_the_document_has_the_figures_of_the_command() -> None:
    sums = list(
        replay_all(
            ReplayRequest(
                [PolicyConfig(preset=name) for name in ("last_6", "budget", "deep_budget", "trim")]
            ),
            policies.generated_conversations(),
        )
    )
    surcharge, half = changes(sums, "write_surcharge"), changes(sums, "half_price_cache")
    text = " ".join(PAGE.read_text().split())
    calls, sent = sums[0].calls, sums[0].sent
    assert f"60 generated conversations, {calls} calls" in text
    assert f"({round(sent / calls, -2):,.0f} tokens at a call in the mean)" in text
    cost = {title: each[1] for title, each in surcharge.items()}
    deep, usual = cost["Budget 2,500 to 1,600"], cost["Budget 2,500 to 1,900"]
    assert f"{deep} with a target of 1,600, {usual} with 1,900." in text
    (last,) = re.findall(r"Last 6 costs (\d+ %) more", text)
    assert cost["Last 6, keep system"] == f"+{last}"
    (trimmed,) = re.findall(r"trimming the generated conversations costs (\d+ %) more", text)
    assert half["Trim to 2,500 at each call"][1] == f"+{trimmed}"
    window, budget = half["Last 6, keep system"][1], half["Budget 2,500 to 1,600"][1]
    assert f"wins on the generated ones ({window} against {budget})" in text
