"""The retention policy of a workspace: that of its admins, else the server's."""

from dataclasses import dataclass

import orjson
from django.conf import settings
from django.db import IntegrityError, transaction

from checkpoints.domain.retention import RetentionPolicy
from checkpoints.models import Retention
from ctxadmin.accounts.services import record_change
from ctxadmin.audit.record import AuditChange
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action
from ctxadmin.lib import clock
from ctxadmin.lib.contract import parse
from ctxadmin.lib.errors import VersionConflict
from ctxadmin.lib.sentence import say


@dataclass(frozen=True, slots=True)
class EffectivePolicy:
    """A policy with its version; version 0 is the server's policy."""

    policy: RetentionPolicy
    version: int = 0


def policy_of(workspace: int) -> EffectivePolicy:
    """Returns the policy that applies in a workspace."""
    row = Retention.objects.filter(workspace=workspace).first()
    if row is None:
        return EffectivePolicy(parse(RetentionPolicy, dict(settings.RETENTION)))
    return EffectivePolicy(parse(RetentionPolicy, orjson.loads(bytes(row.policy))), row.version)


def set_policy(actor: Actor, policy: RetentionPolicy, expected: int) -> EffectivePolicy:
    """Sets the policy of the actor's workspace; raises VersionConflict if it changed since.

    Deletes nothing itself: the next maintenance run does.
    """
    actor.require(Action.RETENTION_SET)
    values = {
        "policy": policy.model_dump_json(exclude_none=True).encode(),
        "version": expected + 1,
        "author": actor.label,
        "changed_at": clock.now(),
    }
    rows = Retention.objects.filter(workspace=actor.workspace)
    try:
        with transaction.atomic():
            if expected == 0:
                Retention.objects.create(workspace=actor.workspace, **values)
            elif not rows.filter(version=expected).update(**values):
                raise _conflict(actor, expected)
            detail = policy.model_dump(exclude_none=True)
            change = AuditChange(
                Action.RETENTION_SET,
                "workspace",
                str(actor.workspace),
                before=str(expected),
                after=str(expected + 1),
                detail=detail,
            )
            record_change(actor, change)
    except IntegrityError:
        raise _conflict(actor, expected) from None
    return EffectivePolicy(policy, expected + 1)


def _conflict(actor: Actor, expected: int) -> VersionConflict:
    message = say("The retention policy has changed.")
    return VersionConflict(message, expected=expected, actual=policy_of(actor.workspace).version)
