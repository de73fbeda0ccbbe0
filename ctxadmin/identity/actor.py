"""The caller: a person in a browser or an engine with a token."""

from dataclasses import dataclass
from typing import Literal

from ctxadmin.identity.roles import Action, Scope, allows, allows_to_own, refusal
from ctxadmin.lib.errors import Forbidden


@dataclass(frozen=True, slots=True)
class Actor:
    """One caller in one workspace, as every service and every query takes it.

    ``id`` is the key of the user or of the token, ``name`` what the pages and the audit show.
    """

    kind: Literal["person", "token", "system"]
    id: str
    name: str
    workspace: int
    scopes: frozenset[Scope]
    request_id: str = ""
    address: str = ""

    @property
    def is_engine(self) -> bool:
        """Returns True for tokens with the scope ``engine``: they operate at any time (rule
        1.16).
        """
        return self.kind != "person" and Scope.ENGINE in self.scopes

    @property
    def label(self) -> str:
        """Returns the recorded form of an author: ``person:anna``, ``token:engine-1``."""
        return f"{self.kind}:{self.name}"

    def may(self, action: Action) -> bool:
        return allows(self.scopes, action)

    def may_to_own(self, action: Action) -> bool:
        return allows_to_own(self.scopes, action)

    def require(self, action: Action) -> None:
        """Raises Forbidden, naming the sufficient scopes, unless the actor has the right to
        ``action``.
        """
        if not self.may(action):
            raise Forbidden(refusal(action))

    def require_to_own(self, action: Action) -> None:
        """Raises Forbidden, as ``require`` does, unless the actor may do ``action`` to its own.

        Whether the actor created the object remains to be checked.
        """
        if not self.may_to_own(action):
            self.require(action)
