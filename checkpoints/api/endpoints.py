"""What the execution endpoints share: ids in paths, expected versions, answers as bytes."""

from typing import Final, TypeVar

from django.http import HttpResponse

from checkpoints.domain.commands import MAX_NODE_ID, CompleteNode, SaveCheckpoint, UpdateSnapshot
from checkpoints.domain.move_commands import MoveExecution, RestoreCheckpoint
from checkpoints.reading.queries import snapshot_pieces
from checkpoints.store.snapshots import StoredSnapshot
from conversations.api.endpoints import ConversationEndpoint
from ctxadmin.http.endpoints import etags
from ctxadmin.http.requests.chunked_response import ChunkedResponse
from ctxadmin.lib.errors import NotFound
from ctxadmin.lib.ids import is_public_id, is_reserved
from ctxadmin.lib.sentence import say

JSON: Final = "application/json"
GuardedT = TypeVar(
    "GuardedT", CompleteNode, MoveExecution, RestoreCheckpoint, SaveCheckpoint, UpdateSnapshot
)


class ExecutionEndpoint(ConversationEndpoint):
    """An endpoint of the current execution of one conversation."""

    def command(self, model: type[GuardedT]) -> GuardedT:
        """Returns the body as a command; If-Match can replace its ``expected_version``."""
        command = self.body(model)
        expected = self.expected_version(command.expected_version)
        if expected == command.expected_version:
            return command
        return command.model_copy(update={"expected_version": expected})

    def whole_etag(self) -> str | None:
        """Returns If-Match if it is the ETag of a snapshot.

        A plain version does not cover the view.
        """
        given = self.request.headers.get("If-Match")
        return given if given is not None and given.count(".") == 2 else None


def version_in(path: str) -> int:
    """Returns the version number in a path; raises NotFound for any other text."""
    if not path.isascii() or not path.isdigit() or len(path) > 9:
        raise NotFound(say("There is no version {n}.", n=repr(path[:64])))
    return int(path)


def checkpoint_in(path: str) -> str:
    """Returns the checkpoint id in a path; raises NotFound if it is malformed."""
    if not is_public_id(path) or is_reserved(path):
        raise NotFound(say("{path} is not a checkpoint id.", path=repr(path[:64])))
    return path


def node_in(path: str) -> str:
    """Returns the node id in a path; a free execution accepts any id that is not too long."""
    if not 1 <= len(path) <= MAX_NODE_ID:
        raise NotFound(say("{path} is not a node id.", path=repr(path[:64])))
    return path


def etag_of(moment: StoredSnapshot) -> str:
    """Returns the ETag of a snapshot: version, revision and number of visible messages."""
    return etags.quoted(moment.version, moment.revision, moment.visible_count)


def snapshot_answer(moment: StoredSnapshot, keys: frozenset[str] | None = None) -> HttpResponse:
    """Returns the answer for a snapshot, with its ETag."""
    response = ChunkedResponse(snapshot_pieces(moment, keys))
    response["ETag"] = etag_of(moment)
    return response
