"""What an engine may do to conversations that its own token created, and to no others."""

from typing import Any

import pytest

from conversations.models import Conversation
from ctxadmin.audit.models import AuditEntry
from ctxadmin.identity.roles import Scope
from tests.factories import Api, conversation, user
from tests.integration.checkpoints.flows import Run, everything, ok, refused

pytestmark = pytest.mark.django_db

NOT_THEIRS = (
    "The scope engine is enough for the creator of the conversation; this token did not create it."
)


def delete(run: Run, version: int) -> Any:
    return run.api.delete(f"{run.path}/checkpoints/{version}")


def run_of(api: Api) -> Run:
    made = ok(api.post("/conversations", {"messages": [user("hi")]}))
    run = Run(api, Conversation.objects.get(public_id=made["id"]))
    for number in (1, 2, 3):
        ok(run.save(f"c{number}"))
    return run


def test_an_engine_deletes_forks_and_erases_what_it_created() -> None:
    run = run_of(Api([Scope.ENGINE]))
    assert delete(run, 2).status_code == 204
    made = ok(run.post("checkpoints/3/fork", {"id": "copy"}))
    assert made["forked_from"]["version"] == 3
    assert run.api.delete("/conversations/copy").status_code == 204
    assert run.api.delete(run.path).status_code == 204
    assert run.get("snapshot").status_code == 404


def test_what_another_token_created_is_refused_as_before() -> None:
    theirs = run_of(Api([Scope.ENGINE]))
    mine = Run(Api([Scope.ENGINE]), theirs.head)
    before = everything()
    told = refused(delete(mine, 2), 403, "forbidden")["detail"]
    assert told == f"Deleting a checkpoint needs the scope admin. {NOT_THEIRS}"
    told = refused(mine.post("checkpoints/2/fork"), 403, "forbidden")["detail"]
    assert told == f"Forking a checkpoint needs the scope review or admin. {NOT_THEIRS}"
    told = refused(mine.api.delete(mine.path), 403, "forbidden")["detail"]
    assert told == f"Deleting a conversation needs the scope admin. {NOT_THEIRS}"
    assert everything() == before


def test_a_reviewer_neither_deletes_nor_erases() -> None:
    run = run_of(Api([Scope.ENGINE])).by(Scope.REVIEW)
    told = refused(delete(run, 2), 403, "forbidden")["detail"]
    assert told == "Deleting a checkpoint needs the scope admin."
    refused(run.api.delete(run.path), 403, "forbidden")
    ok(run.post("checkpoints/2/fork"))


def test_an_import_belongs_to_who_imported_it() -> None:
    api = Api([Scope.ENGINE])
    made = ok(api.post("/conversations/import", {"messages": [user("hi")]}))
    refused(Api([Scope.ENGINE]).delete(f"/conversations/{made['id']}"), 403, "forbidden")
    assert api.delete(f"/conversations/{made['id']}").status_code == 204


def test_one_that_no_one_is_known_to_have_created_is_an_admins() -> None:
    head = conversation()
    AuditEntry.objects.filter(stream=head.key, seq=1).update(actor_id="")
    path = f"/conversations/{head.public_id}"
    refused(Api([Scope.ENGINE]).delete(path), 403, "forbidden")
    assert Api([Scope.ADMIN]).delete(path).status_code == 204
