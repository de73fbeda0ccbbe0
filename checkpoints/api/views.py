"""The endpoints of executions, snapshots and checkpoints."""

from typing import Final

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from checkpoints.api.answers import (
    SavedAnswer,
    SnapshotAnswer,
    UpdatedAnswer,
)
from checkpoints.api.checkpoint_answers import (
    ComparedAnswer,
    ForkedAnswer,
    ListedCheckpointAnswer,
    PutWritesAnswer,
    RestoredAnswer,
    WritesAnswer,
)
from checkpoints.api.endpoints import (
    ExecutionEndpoint,
    checkpoint_in,
    etag_of,
    snapshot_answer,
    version_in,
)
from checkpoints.domain.commands import SaveCheckpoint, UpdateSnapshot
from checkpoints.domain.details import MAX_NAMESPACE, DetailsFilter, value_spelled
from checkpoints.domain.move_commands import ForkCheckpoint, RestoreCheckpoint
from checkpoints.domain.task_writes import PutWrites
from checkpoints.reading import queries
from checkpoints.reading.checkpoint_list import CheckpointQuery, checkpoints_page
from checkpoints.services import (
    checkpoint_saves,
    deletions,
    forks,
    restores,
    state_updates,
    task_write_batches,
)
from conversations.api.endpoints import json_answer
from conversations.domain.revisions import Seen
from conversations.reading.queries import change_json, conversation_json
from ctxadmin.http.described import (
    FROM_ZERO,
    IF_MATCH,
    NAME,
    PAGE,
    ListOf,
    Parameter,
    described,
    one_or_more_of,
)
from ctxadmin.http.endpoints import etags
from ctxadmin.http.endpoints.pagination import PageRequest
from ctxadmin.http.requests.chunked_response import ChunkedResponse
from ctxadmin.identity.roles import Action
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say

_KEYS: Final = Parameter("keys", "The keys of state_data to return, separated by commas.")
_FROM: Final = Parameter("from", "The earlier version.", int, True, limits=FROM_ZERO)
_TO: Final = Parameter("to", "The later version.", int, True, limits=FROM_ZERO)
_IF_NONE_MATCH: Final = Parameter(
    "If-None-Match",
    "The ETag of an earlier answer; 304 if nothing has changed since.",
    place="header",
)
_ID: Final = Parameter("id", "Only the checkpoint that was saved under this id.", limits=NAME)
_NAMESPACE: Final = Parameter(
    "namespace",
    "Only checkpoints of this namespace; an empty value is the top one.",
    limits={"maxLength": MAX_NAMESPACE},
)
_METADATA: Final = Parameter(
    "metadata",
    "Only checkpoints whose metadata have these values: `metadata.KEY=VALUE`, one per key.",
    dict,
)
_IN_METADATA: Final = "metadata."
_BEFORE: Final = Parameter(
    "before",
    "Only versions before this one; a checkpoint id, or the number of a version.",
    limits=NAME,
)
_EXECUTION: Final = Parameter(
    "execution",
    "The execution whose checkpoints are listed, by default the current one; `any` with `id` finds "
    "the checkpoint in whichever it is.",
    limits=NAME,
)
_EXECUTION_OF_VERSION: Final = Parameter(
    "execution",
    "The execution whose version is deleted, by default the current one.",
    limits=NAME,
)
_INCLUDED: Final = ("state", "writes", "deleted")
_INCLUDE: Final = Parameter(
    "include",
    "`state` adds `state_data` and `opaque` to each result, `writes` those of tasks, `deleted` the "
    "deleted versions; or several, with commas between.",
    limits=one_or_more_of(_INCLUDED),
)
_WRITE_ERRORS: Final = ("invalid_state", "version_conflict")
_DATA_ERRORS: Final = (*_WRITE_ERRORS, "duplicate", "type_mismatch", "out_of_range")


class Snapshot(ExecutionEndpoint):
    @described(
        "Get the snapshot",
        answer=SnapshotAnswer,
        also=(304,),
        query=(_KEYS,),
        headers=(_IF_NONE_MATCH,),
        answer_headers=("ETag",),
    )
    def get(self, request: Request, conversation_id: str) -> HttpResponse:
        """Returns the latest version; a conversation without an execution is `IDLE`."""
        moment = queries.find_moment(self.actor, conversation_id)
        known = request.headers.get("If-None-Match", "")
        # The version does not tell that a pause was asked for: that answer is always whole.
        if not moment.pause_requested and etag_of(moment) in map(str.strip, known.split(",")):
            return HttpResponse(status=304, headers={"ETag": etag_of(moment)})
        return snapshot_answer(moment, self._keys(request))

    def _keys(self, request: Request) -> frozenset[str] | None:
        given = request.query_params.getlist("keys")
        return frozenset(",".join(given).split(",")) if given else None

    @described(
        "Update the snapshot",
        body=UpdateSnapshot,
        answer=UpdatedAnswer,
        headers=(IF_MATCH,),
        errors=_DATA_ERRORS,
        needs=Action.SNAPSHOT_UPDATE,
    )
    def patch(self, request: Request, conversation_id: str) -> Response:
        """Changes state keys and messages in one transaction, only at the node of a paused
        execution.
        """
        command = self.command(UpdateSnapshot)
        seen = Seen(*etags.expected_view(self.whole_etag(), None, None))
        updated = state_updates.update(self.actor, conversation_id, command, seen=seen)
        return UpdatedAnswer.of(updated).response()


class Checkpoints(ExecutionEndpoint):
    @described(
        "List checkpoints",
        answer=ListOf[ListedCheckpointAnswer],
        query=(*PAGE, _ID, _EXECUTION, _NAMESPACE, _METADATA, _BEFORE, _INCLUDE),
    )
    def get(self, request: Request, conversation_id: str) -> HttpResponse:
        """Lists versions, latest first.

        A page can have fewer results than `limit`: follow `next`.

        `metadata.KEY=VALUE` finds the checkpoints whose metadata have this value under this key. A
        value that is JSON is compared as JSON, any other as text: `metadata.step=3` is the number,
        `metadata.step="3"` the text. All given filters must match.
        """
        query = request.query_params
        include = [part for part in query.get("include", "").split(",") if part]
        if wrong := sorted({*include} - {*_INCLUDED}):
            raise ValidationFailed.at(
                "?include",
                say("{wrong} is unknown; known: state, writes, deleted", wrong=repr(wrong[0][:64])),
            )
        metadata = {
            name.removeprefix(_IN_METADATA): value_spelled(str(value))
            for name, value in query.items()
            if name.startswith(_IN_METADATA)
        }
        wanted = CheckpointQuery(
            query.get("id"),
            query.get("before"),
            "deleted" in include,
            DetailsFilter(query.get("namespace"), metadata),
            query.get("execution"),
        )
        asked = PageRequest.of(query)
        return ChunkedResponse(
            checkpoints_page(self.actor, conversation_id, wanted, asked, include=frozenset(include))
        )


class CheckpointDiff(ExecutionEndpoint):
    @described("Compare checkpoints", answer=ComparedAnswer, query=(_FROM, _TO))
    def get(self, request: Request, conversation_id: str) -> Response:
        """Compares two versions: state keys as JSON pointers, messages as in the diff of two
        revisions.
        """
        before, after = self.query_int("from"), self.query_int("to")
        if before is None or after is None:
            missing = "from" if before is None else "to"
            raise ValidationFailed.at(
                f"?{missing}", say("from and to must be the numbers of versions.")
            )
        found = queries.compare(self.actor, conversation_id, before, after)
        state = [difference.as_json() for difference in found.state]
        messages = [change_json(change) for change in found.messages]
        return Response({"state": state, "messages": messages})


class OneCheckpoint(ExecutionEndpoint):
    @described("Get a checkpoint", answer=SnapshotAnswer, query=(_KEYS,), answer_headers=("ETag",))
    def get(self, request: Request, conversation_id: str, checkpoint_id: str) -> HttpResponse:
        """Returns the snapshot of a version, by its number."""
        version = version_in(checkpoint_id)
        moment = queries.find_moment(self.actor, conversation_id, version)
        given = request.query_params.getlist("keys")
        return snapshot_answer(moment, frozenset(",".join(given).split(",")) if given else None)

    @described(
        "Save a checkpoint",
        body=SaveCheckpoint,
        answer=SavedAnswer,
        status=201,
        also=(200,),
        headers=(IF_MATCH,),
        errors=_DATA_ERRORS,
        needs=Action.CHECKPOINT_SAVE,
    )
    def put(self, request: Request, conversation_id: str, checkpoint_id: str) -> HttpResponse:
        """Saves a checkpoint. A repeat with the same id and body gets the same answer, with 200."""
        command = self.command(SaveCheckpoint)
        saved = checkpoint_saves.save(
            self.actor, conversation_id, checkpoint_in(checkpoint_id), command
        )
        return json_answer(saved.answer, 200 if saved.again else 201)

    @described(
        "Delete a checkpoint",
        query=(_EXECUTION_OF_VERSION,),
        errors=("invalid_state",),
        needs=Action.CHECKPOINT_DELETE,
    )
    def delete(self, request: Request, conversation_id: str, checkpoint_id: str) -> HttpResponse:
        """Deletes the state, metadata and pending writes of a version, by its number,
        permanently.

        Its number, its author and what others refer to remain, and so do messages. The latest
        version of the current execution and version 0 cannot be deleted, nor one with a label, one
        with unsaved edits, or one that a paused execution proposes: `invalid_state`. With
        `execution` it is a version of a former execution, where the latest can be deleted, too. A
        repeat changes nothing.
        """
        deletions.delete(
            self.actor,
            conversation_id,
            version_in(checkpoint_id),
            execution=request.query_params.get("execution"),
        )
        return HttpResponse(status=204)


class Writes(ExecutionEndpoint):
    @described("Get the writes of a task", answer=WritesAnswer)
    def get(
        self, request: Request, conversation_id: str, checkpoint_id: str, task_id: str
    ) -> HttpResponse:
        """Returns the writes of a task.

        The list of checkpoints has those of all tasks with `include=writes`.
        """
        checkpoint, task = checkpoint_in(checkpoint_id), checkpoint_in(task_id)
        found = task_write_batches.get(self.actor, conversation_id, checkpoint, task)
        return json_answer(b'{"writes":' + found + b"}")

    @described(
        "Put the writes of a task",
        body=PutWrites,
        answer=PutWritesAnswer,
        status=201,
        also=(200,),
        needs=Action.CHECKPOINT_WRITES,
    )
    def put(
        self, request: Request, conversation_id: str, checkpoint_id: str, task_id: str
    ) -> Response:
        """Stores the writes of a task for a checkpoint, which may be saved later.

        Writes no version.

        They replace the earlier ones of the task, with 200.
        """
        command = self.body(PutWrites)
        checkpoint, task = checkpoint_in(checkpoint_id), checkpoint_in(task_id)
        is_new = task_write_batches.store_writes(
            self.actor, conversation_id, checkpoint, task, command
        )
        return PutWritesAnswer(count=len(command.writes)).response(201 if is_new else 200)


class RestoreVersion(ExecutionEndpoint):
    @described(
        "Restore a checkpoint",
        body=RestoreCheckpoint,
        answer=RestoredAnswer,
        headers=(IF_MATCH,),
        errors=_WRITE_ERRORS,
        needs=Action.CHECKPOINT_RESTORE,
    )
    def post(self, request: Request, conversation_id: str, version: str) -> Response:
        """Restores a version as a new, paused version; the view is restored too."""
        command = self.command(RestoreCheckpoint)
        number = version_in(version)
        restored = restores.restore(self.actor, conversation_id, number, command)
        return RestoredAnswer.of(restored).response()


class ForkVersion(ExecutionEndpoint):
    @described(
        "Fork a checkpoint",
        body=ForkCheckpoint,
        answer=ForkedAnswer,
        status=201,
        errors=("duplicate",),
        needs=Action.CHECKPOINT_FORK,
        answer_headers=("ETag", "Location"),
    )
    def post(self, request: Request, conversation_id: str, version: str) -> Response:
        """Creates a conversation with the history up to this version, paused at its node."""
        command = self.body(ForkCheckpoint)
        forked = forks.fork(self.actor, conversation_id, version_in(version), command)
        head, row = forked.head, forked.row
        self.made_conversation = head.key
        origin = {
            "conversation": row.origin_conversation,
            "execution": row.origin_execution,
            "version": row.origin_version,
        }
        answer = conversation_json(head) | {
            "execution": row.public_id,
            "version": row.version,
            "forked_from": origin,
        }
        headers = {
            "ETag": etags.quoted(head.current_revision, head.visible_count),
            "Location": f"/api/v1/conversations/{head.public_id}",
        }
        return Response(answer, status=201, headers=headers)
