"""The answers of the backtest endpoints."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Self

from pydantic import Field

from ctxadmin.http.described import Answer, FromZero, Time
from ctxadmin.lib import clock
from workflows.backtests.questions import Question
from workflows.backtests.store import KEPT_FOR, BacktestProblem
from workflows.backtests.use_cases import Result, names_of
from workflows.domain.backtests.spread import changes_of, spread_of
from workflows.domain.backtests.sums import Comparison, Position, compare
from workflows.models import Backtest


class CallSumsAnswer(Answer):
    """The sums over all calls with one number in their conversation."""

    calls: FromZero = Field(description="Conversations that have such a call.", examples=[60])
    sent_tokens: FromZero = Field(description="Tokens sent.", examples=[84_000])
    cached_tokens: FromZero = Field(
        description="Of these, tokens that the call before sent first.", examples=[61_000]
    )
    lost_tokens: FromZero = Field(
        description="Tokens of the call before that could not be reused.", examples=[900]
    )

    @classmethod
    def of(cls, place: Position) -> "CallSumsAnswer":
        return CallSumsAnswer(
            calls=place.calls,
            sent_tokens=place.sent,
            cached_tokens=place.cached,
            lost_tokens=place.lost,
        )


class SpreadAnswer(Answer):
    """How the cost of single conversations changes, as shares: -0.1 is 10 % less."""

    least: float = Field(description="The lowest change.", examples=[-0.4])
    low: float = Field(description="A tenth is below this.", examples=[-0.32])
    median: float = Field(description="Half is below this.", examples=[-0.15])
    high: float = Field(description="A tenth is above this.", examples=[0.0])
    most: float = Field(description="The highest change.", examples=[0.08])
    cheaper: FromZero = Field(description="Conversations that cost less.", examples=[41])
    dearer: FromZero = Field(description="Conversations that cost more.", examples=[3])


class ComparedPolicyAnswer(Answer):
    """What one policy would have sent and cost; changes are against the full history, as shares."""

    policy: str = Field(description="Name of the row.", examples=["Budget 2,500 to 1,900"])
    key: str = Field(
        description="`full`, `recorded`, or the place of the policy in the request, from 0.",
        examples=["0"],
    )
    calls: FromZero = Field(description="Model calls that were replayed.", examples=[760])
    sent_tokens: FromZero = Field(description="Tokens of all inputs.", examples=[1_430_000])
    cached_tokens: FromZero = Field(
        description="Of these, the prefix that the call before had sent.", examples=[1_240_000]
    )
    fresh_tokens: FromZero = Field(description="The other tokens sent.", examples=[190_000])
    cost: float = Field(
        description="Cost of the inputs: US dollars, or the input price as 1 per million tokens.",
        examples=[0.362],
    )
    sent_change: float | None = Field(description="Change of the tokens.", examples=[-0.35])
    cost_change: float | None = Field(description="Change of the cost.", examples=[-0.15])
    fresh_times: float | None = Field(
        description="Fresh tokens as a multiple of those of the full history.", examples=[1.06]
    )
    invalid_calls: FromZero = Field(
        description="Calls that a provider would reject: a split tool pair.", examples=[0]
    )
    empty_calls: FromZero = Field(description="Calls that see no message.", examples=[0])
    failed_calls: FromZero = Field(description="Calls at which the policy fails.", examples=[0])
    unreached_calls: FromZero = Field(
        description="Calls at which conditions leave no way to the node: "
        "they count as if these were true.",
        examples=[0],
    )
    unseen_messages: FromZero = Field(
        description="Messages that the last call of their conversation does not see.",
        examples=[310],
    )
    raises_cost: bool = Field(description="Whether it costs more than the full history.")
    best: bool = Field(
        description="Whether it has the lowest cost of those without more invalid calls."
    )
    problem: str = Field(description="Why the first failed call failed, or empty.", examples=[""])
    per_call: list[CallSumsAnswer] = Field(
        description="Sums by the number of the call in its conversation, for the first 60."
    )
    spread: SpreadAnswer | None = Field(
        description="Change of the cost over conversations; null without any."
    )


class BacktestResultAnswer(Answer):
    """What the policies would have sent and cost."""

    conversations: FromZero = Field(description="Conversations replayed.", examples=[60])
    calls: FromZero = Field(description="Their model calls.", examples=[760])
    policies: list[ComparedPolicyAnswer] = Field(
        description="The full history, what was seen, then the policies of the request."
    )

    @classmethod
    def of(cls, result: Result, question: Question) -> Self:
        sums = result.sums
        return cls(
            conversations=len(sums[0].conversations),
            calls=sums[0].calls,
            policies=[_compared(each, result, question) for each in compare(sums, question.price)],
        )


def _compared(each: Comparison, result: Result, question: Question) -> ComparedPolicyAnswer:
    sums = each.sums
    spread = spread_of(changes_of(sums, result.sums[0], question.price))
    return ComparedPolicyAnswer(
        policy=sums.title,
        key=sums.key,
        calls=sums.calls,
        sent_tokens=sums.sent,
        cached_tokens=sums.cached,
        fresh_tokens=sums.fresh,
        cost=float(each.cost),
        sent_change=each.sent_change,
        cost_change=each.cost_change,
        fresh_times=each.fresh_times,
        invalid_calls=sums.split_calls,
        empty_calls=sums.empty_calls,
        failed_calls=sums.failed_calls,
        unreached_calls=sums.unreached_calls,
        unseen_messages=sums.unseen,
        raises_cost=each.raises_cost,
        best=each.is_best,
        problem=sums.problem,
        per_call=[CallSumsAnswer.of(place) for place in sums.positions],
        spread=None if spread is None else SpreadAnswer(**asdict(spread)),
    )


class BacktestAnswer(Answer):
    """A backtest; its ``result`` is there when it is done."""

    id: str = Field(description="Id of the backtest.", examples=["backtest_5t0z8m3rk2q9w7xa"])
    status: str = Field(
        description="`queued`, `running`, `done` or `failed`; only the last two are final.",
        examples=["done"],
    )
    workflow: str | None = Field(description="Slug of its workflow, if any.", examples=["support"])
    total: FromZero = Field(description="Conversations to replay.", examples=[60])
    done: FromZero = Field(description="Conversations replayed so far.", examples=[60])
    left_out: list[str] = Field(
        description="Ids of conversations that are too long.", examples=[["support-7"]]
    )
    problem: str | None = Field(
        description="Why it failed, null unless it did.",
        examples=["A process ended too early, perhaps for lack of memory."],
    )
    attempts: FromZero = Field(
        description="How often a server began it; more than 1 if one stopped.", examples=[1]
    )
    author: str = Field(
        description="Who did it: a token, a person or the system.", examples=["token:engine"]
    )
    created_at: Time = Field(description="When it was created (ISO 8601, UTC).")
    ended_at: Time | None = Field(description="When it ended (ISO 8601, UTC); null before.")
    expires_at: Time = Field(description="When it is removed, at the earliest (ISO 8601, UTC).")
    result: BacktestResultAnswer | None = Field(description="The result; null before it is done.")

    @classmethod
    def of(cls, row: Backtest) -> Self:
        question = Question.read(bytes(row.question))
        result = None
        if row.status == Backtest.Status.DONE:
            result = BacktestResultAnswer.of(Result.read(bytes(row.result)), question)
        return cls(
            id=row.public_id,
            status=row.status,
            workflow=row.workflow or None,
            total=row.total,
            done=row.done,
            left_out=_names(question.long),
            problem=BacktestProblem(row.problem).sentence if row.problem else None,
            attempts=row.attempts,
            author=row.author,
            created_at=clock.iso(row.created_at),
            ended_at=None if row.ended_at is None else clock.iso(row.ended_at),
            expires_at=clock.iso(row.created_at + KEPT_FOR),
            result=result,
        )


def _names(keys: Sequence[int]) -> list[str]:
    found = names_of(keys)
    return [found[key] for key in keys if key in found]
