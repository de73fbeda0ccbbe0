"""Ends subscriptions whose rights are no longer valid."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ctxadmin.realtime.callers import Caller, with_current_rights
from ctxadmin.realtime.listeners import Listener
from ctxadmin.realtime.protocol import RIGHTS_CHANGED, SIGNED_OUT

if TYPE_CHECKING:
    from ctxadmin.realtime.hub import Hub


async def recheck(hub: "Hub", kind: str, name: str) -> None:
    """Checks those again whose rights may have changed."""
    await _check(hub, [each for each in hub.listeners() if each.caller.is_affected(kind, name)])


async def recheck_all(hub: "Hub") -> None:
    """Checks everyone again: sessions and tokens expire, and rows can be changed by hand."""
    await _check(hub, hub.listeners())


async def _check(hub: "Hub", listeners: Iterable[Listener]) -> None:
    """Makes one check for each token and session, however many pages are open."""
    by_caller: dict[tuple[bool, str], list[Listener]] = {}
    for listener in listeners:
        caller = listener.caller
        by_caller.setdefault((caller.by_token, caller.secret), []).append(listener)
    for found in by_caller.values():
        now = await hub.query(with_current_rights, found[0].caller)
        for listener in found:
            code = _code(listener.caller, now)
            if code:
                listener.end(code)


def _code(before: Caller, now: Caller | None) -> int:
    """Returns the code with which a listener ends; 0 if it can stay."""
    if now is None:
        return SIGNED_OUT
    same = (before.actor.workspace, before.actor.scopes) == (now.actor.workspace, now.actor.scopes)
    return 0 if same else RIGHTS_CHANGED
