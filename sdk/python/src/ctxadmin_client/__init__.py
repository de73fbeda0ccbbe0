"""The Python client of ctxadmin: ``Client`` for threads, ``AsyncClient`` for asyncio.

with Client("http://127.0.0.1:8000", token) as client:
    with client.execution("support-42", workflow="support", provider="openai") as run:
        for node in run.ready():
            with node.claim() as step:
                step.complete(model(step.messages))
"""

from ctxadmin_client._async.client import AsyncClient
from ctxadmin_client._async.conversation import AsyncConversation
from ctxadmin_client._async.run import AsyncRun, AsyncStep
from ctxadmin_client._sync.client import Client
from ctxadmin_client._sync.conversation import Conversation
from ctxadmin_client._sync.run import Run, Step
from ctxadmin_client.calls import Retries
from ctxadmin_client.errors import (
    Busy,
    CtxAdminError,
    Damaged,
    Duplicate,
    Fault,
    Forbidden,
    IncompatibleContext,
    Invalid,
    InvalidState,
    NoAnswer,
    NotFound,
    OtherWorkflow,
    Refused,
    TooLarge,
    Unauthenticated,
    VersionConflict,
)

__all__ = [
    "AsyncClient",
    "AsyncConversation",
    "AsyncRun",
    "AsyncStep",
    "Busy",
    "Client",
    "Conversation",
    "CtxAdminError",
    "Damaged",
    "Duplicate",
    "Fault",
    "Forbidden",
    "IncompatibleContext",
    "Invalid",
    "InvalidState",
    "NoAnswer",
    "NotFound",
    "OtherWorkflow",
    "Refused",
    "Retries",
    "Run",
    "Step",
    "TooLarge",
    "Unauthenticated",
    "VersionConflict",
]
