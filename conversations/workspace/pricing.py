"""The prices of a workspace: those that its admins set, then the public ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import orjson
from django.db import IntegrityError, transaction

from conversations.domain.price_rules import PriceRule, PriceRules, set_price
from conversations.domain.price_table import public_price
from conversations.domain.prices import Price
from conversations.models import WorkspacePrices
from ctxadmin.accounts.services import record_change
from ctxadmin.audit.record import AuditChange
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib import clock
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import VersionConflict
from ctxadmin.lib.sentence import say


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of a workspace; ``version`` 0 means that it set none."""

    rules: Sequence[PriceRule] = ()
    version: int = 0
    author: str = ""
    changed_at: datetime | None = None

    def price_of(self, model: str | None) -> Price | None:
        """Returns the price of a model, None for an unknown or missing one."""
        if not model:
            return None
        own = set_price(self.rules, model)
        return public_price(model) if own is None else own

    def source_of(self, model: str) -> Literal["workspace", "public"] | None:
        """Returns the source of a model's price, None if it has none."""
        if set_price(self.rules, model) is not None:
            return "workspace"
        return "public" if public_price(model) is not None else None


def prices_of(workspace: int) -> Prices:
    """Returns the current prices of a workspace, with one query."""
    row = WorkspacePrices.objects.filter(workspace=workspace).first()
    if row is None:
        return Prices()
    rules = parse(PriceRules, orjson.loads(bytes(row.rules)))
    return Prices(rules.models, row.version, row.author, row.changed_at)


def set_prices(actor: Actor, rules: PriceRules, expected: int) -> Prices:
    """Replaces the prices of the actor's workspace; VersionConflict if they changed since.

    Past costs are calculated with the new prices too: none is stored.
    """
    actor.require(Action.PRICES_SET)
    now = clock.now()
    values = {
        "rules": rules.model_dump_json(exclude_none=True).encode(),
        "version": expected + 1,
        "author": actor.label,
        "changed_at": now,
    }
    rows = WorkspacePrices.objects.filter(workspace=actor.workspace)
    try:
        with transaction.atomic():
            if expected == 0:
                WorkspacePrices.objects.create(workspace=actor.workspace, **values)
            elif not rows.filter(version=expected).update(**values):
                raise _conflict(actor, expected)
            change = AuditChange(
                Action.PRICES_SET,
                "workspace",
                str(actor.workspace),
                before=str(expected),
                after=str(expected + 1),
                detail=rules.model_dump(exclude_none=True),
            )
            record_change(actor, change)
    except IntegrityError:
        raise _conflict(actor, expected) from None
    return Prices(rules.models, expected + 1, actor.label, now)


def _conflict(actor: Actor, expected: int) -> VersionConflict:
    message = say("The prices have changed.")
    return VersionConflict(message, expected=expected, actual=prices_of(actor.workspace).version)
