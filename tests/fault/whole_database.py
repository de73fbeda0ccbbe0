"""Digests of everything in a database, made by the product's own code in another process."""

import json
from typing import Final

from tests.live_server import LiveServer

_PRINT_DIGESTS: Final = """
import hashlib, json
from django.apps import apps
from checkpoints.models import Checkpoint
from checkpoints.reading.queries import find_moment, snapshot_bytes
from conversations.models import Conversation
from ctxadmin.accounts.services import default_workspace, system_actor

def digest(data):
    return hashlib.sha256(data).hexdigest()

found = {}
for model in apps.get_models():
    rows = model.objects.order_by('pk').values_list()
    found[model._meta.label] = digest(repr(list(rows)).encode())
actor = system_actor(default_workspace(), 'digests')
for key, public_id in Conversation.objects.values_list('key', 'public_id'):
    versions = Checkpoint.objects.filter(conversation=key).values_list('version', flat=True)
    for version in [None, *versions]:
        snapshot = snapshot_bytes(find_moment(actor, public_id, version))
        found[f'{public_id} at {version}'] = digest(snapshot)
print(json.dumps(found))
"""
_FILL: Final = """
from django.core.management import call_command
from conversations.services.use_cases import NewConversation, create
from conversations.domain.message import read_messages
from ctxadmin.accounts.services import default_workspace, system_actor
call_command('migrate', verbosity=0)
call_command('seed_demo')
text = 'quotes \\'"` \\\\ slash, NUL \\x00, \\U0001f600, \\u202e, line\\r\\n, %s ;-- DROP'
messages = [{'role': 'user', 'content': text * 100}]
actor = system_actor(default_workspace(), 'digests')
create(actor, NewConversation(drafts=read_messages(messages), title=text[:40].replace(chr(0), '')))
"""


def fill(server: LiveServer) -> None:
    """The demo data, and a text with whatever a dump could stumble over."""
    server.manage("shell", "-v", "0", "-c", _FILL)


def digests(server: LiveServer) -> dict[str, str]:
    """By table, and by conversation and version: every snapshot is read as engines read it."""
    found: dict[str, str] = json.loads(server.manage("shell", "-v", "0", "-c", _PRINT_DIGESTS))
    return found
