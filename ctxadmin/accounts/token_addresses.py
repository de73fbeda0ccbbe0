"""From where a token is used: an address that is new to it is put on record.

Of IPv6 the network counts: whoever has one address of it has all.
"""

from datetime import datetime, timedelta
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Final

from django.db import transaction

from ctxadmin.accounts.access_log import record_access
from ctxadmin.accounts.models import EngineToken
from ctxadmin.audit.record import Change
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import Action

MOST: Final = 16  # known at a time
_AFTER_THAT: Final = timedelta(hours=1)  # so that changing addresses do not fill the audit


def is_new(token: EngineToken, address: str, now: datetime) -> bool:
    """True if a use from there is to be put on record; asks no database.

    Beyond ``MOST`` addresses the one that is known longest is forgotten for another, once an hour.
    """
    known = token.addresses.split()
    network = network_of(address)
    if not network or network in known:
        return False
    at = token.address_added_at
    return len(known) < MOST or at is None or now - at >= _AFTER_THAT


@transaction.atomic
def note_address(actor: Actor, now: datetime) -> None:
    """Keep the actor's address with its token and put it on record, unless a call just did."""
    token = EngineToken.objects.select_for_update().filter(pk=actor.id).first()
    if token is None or not is_new(token, actor.address, now):
        return
    known = [*token.addresses.split(), network_of(actor.address)][-MOST:]
    row = EngineToken.objects.filter(pk=token.pk)
    row.update(addresses=" ".join(known), address_added_at=now)
    record_access(actor, Change(Action.TOKEN_NEW_ADDRESS, "token", actor.id))


@lru_cache(maxsize=4096)
def network_of(address: str) -> str:
    """An address of IPv4, the network of one of IPv6 (its first 64 bits), "" for anything else."""
    try:
        found = ip_address(address)
    except ValueError:
        return ""
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(IPv6Address(int(found) >> 64 << 64))
    return str(found)
