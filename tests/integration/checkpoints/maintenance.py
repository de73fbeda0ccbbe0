"""What tests of maintenance do."""

from datetime import timedelta
from io import StringIO
from typing import Any

from django.core.management import call_command

from checkpoints.domain.retention import RetentionPolicy
from checkpoints.maintenance.retention_policies import policy_of, set_policy
from conversations.models import Conversation
from ctxadmin.identity.roles import Role
from ctxadmin.lib import clock
from tests.factories import person


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("maintain", *arguments, stdout=out, stderr=out)
    return out.getvalue()


def keep(slug: str = "default", **policy: Any) -> None:
    actor = person(Role.ADMIN, slug)
    set_policy(actor, RetentionPolicy(**policy), policy_of(actor.workspace).version)


def untouched(head: Conversation, days: float) -> None:
    then = clock.now() - timedelta(days=days)
    Conversation.objects.filter(key=head.key).update(updated_at=then)


def head_of(head: Conversation) -> Conversation:
    return Conversation.objects.get(key=head.key)
