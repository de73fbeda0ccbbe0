"""Records new addresses from which a token is used.

Of IPv6 the network counts, because its owner has all of its addresses.
"""

from datetime import datetime, timedelta
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Final

from django.db import transaction

from ctxadmin.accounts.access_log import record_access
from ctxadmin.accounts.models import EngineToken
from ctxadmin.audit.record import AuditChange
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action

MOST: Final = 16  # known at a time
_AFTER_THAT: Final = timedelta(hours=1)  # so that changing addresses do not fill the audit


def is_new(token: EngineToken, address: str, now: datetime) -> bool:
    """Returns True if a use from there is to be recorded; makes no query.

    Beyond ``MOST`` addresses the oldest one is replaced, once an hour.
    """
    known = token.addresses.split()
    network = network_of(address)
    if not network or network in known:
        return False
    at = token.address_added_at
    return len(known) < MOST or at is None or now - at >= _AFTER_THAT


@transaction.atomic
def note_address(actor: Actor, now: datetime) -> None:
    """Stores the actor's address with its token and audits it, unless another call just did."""
    token = EngineToken.objects.select_for_update().filter(pk=actor.id).first()
    if token is None or not is_new(token, actor.address, now):
        return
    known = [*token.addresses.split(), network_of(actor.address)][-MOST:]
    row = EngineToken.objects.filter(pk=token.pk)
    row.update(addresses=" ".join(known), address_added_at=now)
    record_access(actor, AuditChange(Action.TOKEN_NEW_ADDRESS, "token", actor.id))


@lru_cache(maxsize=4096)
def network_of(address: str) -> str:
    """Returns an IPv4 address, the network of an IPv6 one (its first 64 bits), "" for anything
    else.
    """
    try:
        found = ip_address(address)
    except ValueError:
        return ""
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(IPv6Address(int(found) >> 64 << 64))
    return str(found)
