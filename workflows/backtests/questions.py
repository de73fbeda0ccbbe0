"""The question of a backtest, stored until a process replays it."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Self

import orjson
from pydantic import JsonValue

from conversations.domain.prices import Price
from ctxadmin.lib.contract import parse
from ctxadmin.lib.json_bytes import dumps
from workflows.backtests.parts import ReplayRequest
from workflows.domain.backtests.policies import Policies, PolicyConfig
from workflows.domain.document.graph import Document, dump, read

# Work of one part, in units: up to 200 s of a processor, which only what reads all texts at each
# call takes.
_PART_WORK: Final = 600_000_000


@dataclass(frozen=True, slots=True)
class Question:
    """Policies over conversations, and how the answer is to be priced.

    ``policies`` are JSON, as given. ``conversations`` are keys of those to replay, ``long`` of
    those that are too long for it.
    ``document`` is the draft as it was, if a policy is one of its nodes; ``calls_of`` the node
    whose calls count, "" for all. ``tool_tokens`` are sent in front of each call. ``model`` is
    what ``price`` is of, ``ratio`` the name of prices in proportion; both "" for a price that was
    given. ``form`` is the query string of the page's form, "" if it was asked over REST.
    """

    policies: Sequence[JsonValue]
    conversations: Sequence[int]
    long: Sequence[int]
    price: Price
    document: Document | None = None
    calls_of: str = ""
    tool_tokens: int = 0
    model: str = ""
    ratio: str = ""
    form: str = ""
    work: int = 0

    def replay_request(self) -> ReplayRequest:
        """What processes have to know of it."""
        return ReplayRequest(self.configs(), self.document, self.calls_of, _PART_WORK)

    def configs(self) -> Sequence[PolicyConfig]:
        """The policies; ValidationFailed with pointers for those that are none."""
        return parse(Policies, self.policies, "/policies")

    def as_bytes(self) -> bytes:
        return dumps(
            {
                "policies": list(self.policies),
                "conversations": list(self.conversations),
                "long": list(self.long),
                "price": _price_as_json(self.price),
                "document": None if self.document is None else dump(self.document),
                "calls_of": self.calls_of,
                "tool_tokens": self.tool_tokens,
                "model": self.model,
                "ratio": self.ratio,
                "form": self.form,
                "work": self.work,
            }
        )

    @classmethod
    def read(cls, data: bytes) -> Self:
        """The question that ``as_bytes`` wrote."""
        fields: dict[str, Any] = orjson.loads(data)
        document = fields.pop("document")
        price = Price(**{name: Decimal(text) for name, text in fields.pop("price").items()})
        return cls(price=price, document=None if document is None else read(document), **fields)


def _price_as_json(price: Price) -> dict[str, JsonValue]:
    return {
        "input": str(price.input),
        "cached": str(price.cached),
        "cache_write": str(price.cache_write),
        "output": str(price.output),
    }
