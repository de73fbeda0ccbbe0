"""What tests need again and again: workspaces, actors, clients, messages."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.test import Client
from pydantic import JsonValue
from rest_framework.test import APIClient

from conversations.domain.message import MessageDraft, read_messages
from conversations.models import Conversation
from conversations.services.use_cases import NewConversation, create
from ctxadmin.accounts.models import EngineToken, Membership, User, Workspace
from ctxadmin.accounts.services import create_token, default_workspace, system_actor
from ctxadmin.identity.actor import Actor
from ctxadmin.identity.roles import ROLE_SCOPES, Role, Scope
from ctxadmin.lib.json_bytes import dumps

ALL_SCOPES = tuple(Scope)


def workspace(slug: str = "default") -> Workspace:
    """A workspace by its slug, made if it is not there."""
    if slug == "default":
        return default_workspace()
    return Workspace.objects.get_or_create(slug=slug, defaults={"name": slug})[0]


def engine(*scopes: Scope, slug: str = "default") -> Actor:
    """A token's actor; with the scope ``engine`` if none is named."""
    return Actor(
        kind="token",
        id="token_test",
        name="test engine",
        workspace=workspace(slug).key,
        scopes=frozenset(scopes or (Scope.ENGINE,)),
    )


def person(role: Role = Role.REVIEWER, slug: str = "default") -> Actor:
    """A person's actor."""
    return Actor(
        kind="person",
        id="1",
        name=f"some {role.value}",
        workspace=workspace(slug).key,
        scopes=ROLE_SCOPES[role],
    )


def member(name: str, role: Role, slug: str = "default") -> User:
    """A user who can sign in, with a role in a workspace."""
    user = User.objects.create_user(username=name, password="a long password")
    Membership.objects.create(workspace=workspace(slug), user=user, role=role.value)
    return user


def browser(role: Role = Role.REVIEWER, slug: str = "default") -> Client:
    """A signed-in browser that enforces CSRF as a real one meets it."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(
        member(f"{role.value}-{slug}", role, slug), "django.contrib.auth.backends.ModelBackend"
    )
    return client


def signed_in(role: Role, slug: str = "default") -> Client:
    """A signed-in browser for tests of pages, which need not carry the CSRF token."""
    client = browser(role, slug)
    client.handler.enforce_csrf_checks = False
    return client


class Api:
    """A REST client with a token: ``api.post("/conversations", {...})`` under ``/api/v1``.

    The token was used from the same address before, as most are.
    """

    def __init__(self, scopes: Iterable[Scope] = ALL_SCOPES, slug: str = "default") -> None:
        actor = system_actor(workspace(slug), "tests")
        made = create_token(actor, "test token", scopes)
        EngineToken.objects.filter(pk=made.token.pk).update(addresses="127.0.0.1")
        self.secret = made.secret
        self.client = APIClient()
        self.client.credentials(HTTP_AUTHORIZATION=f"Bearer {self.secret}")

    def get(self, path: str, **headers: str) -> Any:
        return self.client.get(f"/api/v1{path}", headers=headers)

    def post(self, path: str, body: object = None, **headers: str) -> Any:
        return self.send("post", path, body, **headers)

    def put(self, path: str, body: object = None, **headers: str) -> Any:
        return self.send("put", path, body, **headers)

    def patch(self, path: str, body: object = None, **headers: str) -> Any:
        return self.send("patch", path, body, **headers)

    def delete(self, path: str, **headers: str) -> Any:
        return self.client.delete(f"/api/v1{path}", headers=headers)

    def send(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        """``body`` as JSON, or as it is if it is bytes."""
        data = body if isinstance(body, bytes) else dumps({} if body is None else body)
        call: Any = self.client.generic  # whose stub knows texts only
        path = f"/api/v1{path}"
        return call(method.upper(), path, data, content_type="application/json", headers=headers)


def user(text: str) -> dict[str, JsonValue]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, JsonValue]:
    return {"role": "assistant", "content": text}


def system(text: str) -> dict[str, JsonValue]:
    return {"role": "system", "content": text}


def calls(*call_ids: str) -> dict[str, JsonValue]:
    """An assistant message with tool calls."""
    made: list[JsonValue] = [
        {"id": call_id, "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
        for call_id in call_ids
    ]
    return {"role": "assistant", "content": None, "tool_calls": made}


def result(call_id: str, text: str = "found") -> dict[str, JsonValue]:
    """A tool message that answers a call."""
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def drafts(*messages: dict[str, JsonValue]) -> tuple[MessageDraft, ...]:
    return read_messages(list(messages))


def conversation(
    *messages: dict[str, JsonValue], actor: Actor | None = None, **fields: Any
) -> Conversation:
    """A conversation with these messages."""
    made = drafts(*messages) if messages else ()
    return create(actor or engine(), NewConversation(drafts=made, **fields))


def texts_of(answer: Any) -> Sequence[str]:
    """The contents of a page of messages."""
    return [message["content"] for message in answer.json()["results"]]
