"""The one table of rights."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from ctxadmin.lib.sentence import Sentence, say


class Scope(StrEnum):
    """The scopes of a token (rest.md, "Scopes"); every token can read."""

    ENGINE = "engine"
    REVIEW = "review"
    DESIGN = "design"
    ADMIN = "admin"


class Role(StrEnum):
    """The role of a person in a workspace; each includes the ones before."""

    VIEWER = "viewer"
    REVIEWER = "reviewer"
    DESIGNER = "designer"
    ADMIN = "admin"


class Action(StrEnum):
    """Every action of a service that needs a right, by its name in the audit."""

    READ = "read"
    CONVERSATION_CREATE = "conversation.create"
    CONVERSATION_UPDATE = "conversation.update"
    CONVERSATION_IMPORT = "conversation.import"
    CONVERSATION_ARCHIVE = "conversation.archive"
    CONVERSATION_UNARCHIVE = "conversation.unarchive"
    CONVERSATION_ERASE = "conversation.erase"
    MESSAGES_APPEND = "messages.append"
    MESSAGES_OPERATE = "messages.operate"
    MESSAGES_PIN = "messages.pin"
    BATCH_OPEN = "batch.open"
    BATCH_ROLLBACK = "batch.rollback"
    REVISION_RESTORE = "revision.restore"
    WORKFLOW_CHANGE = "workflow.change"
    WORKFLOW_PUBLISH = "workflow.publish"
    PREVIEW = "preview"
    EXECUTION_START = "execution.start"
    CHECKPOINT_SAVE = "checkpoint.save"
    CHECKPOINT_WRITES = "checkpoint.writes"
    NODE_COMPLETE = "node.complete"
    NODE_FORCE = "node.force"
    NODE_CLAIM = "node.claim"
    NODE_RELEASE = "node.release"
    SNAPSHOT_UPDATE = "snapshot.update"
    EXECUTION_PAUSE = "execution.pause"
    EXECUTION_RESUME = "execution.resume"
    EXECUTION_CANCEL = "execution.cancel"
    EXECUTION_APPROVE = "execution.approve"
    EXECUTION_REJECT = "execution.reject"
    CHECKPOINT_RESTORE = "checkpoint.restore"
    CHECKPOINT_FORK = "checkpoint.fork"
    CHECKPOINT_DELETE = "checkpoint.delete"
    CHECKPOINT_THIN = "checkpoint.thin"
    RETENTION_SET = "retention.set"
    PRICES_SET = "prices.set"
    COMMENT_WRITE = "comment.write"
    COMMENT_DELETE = "comment.delete"
    LABEL_SET = "label.set"
    REVIEW_CLAIM = "review.claim"
    REVIEW_RELEASE = "review.release"
    TOKEN_MANAGE = "token.manage"
    MEMBER_MANAGE = "member.manage"
    WEBHOOK_MANAGE = "webhook.manage"
    NOTIFICATION_CHOOSE = "notification.choose"
    SESSION_SIGN_IN = "session.sign_in"
    SESSION_FAIL = "session.fail"
    SESSION_SIGN_OUT = "session.sign_out"
    SESSION_END = "session.end"
    TOKEN_NEW_ADDRESS = "token.new_address"
    CONVERSATION_EXPORT = "conversation.export"
    WORKFLOW_EXPORT = "workflow.export"
    AUDIT_READ = "audit.read"
    AUDIT_EXPORT = "audit.export"


_E, _R, _D = Scope.ENGINE, Scope.REVIEW, Scope.DESIGN

# What everyone may: to look, and to say what one wants to learn of oneself.
_EVERYBODYS: Final = frozenset(
    {
        *(Action.READ, Action.CONVERSATION_EXPORT, Action.WORKFLOW_EXPORT),
        *(Action.NOTIFICATION_CHOOSE, Action.TOKEN_NEW_ADDRESS),
        *(Action.SESSION_SIGN_IN, Action.SESSION_FAIL, Action.SESSION_SIGN_OUT, Action.SESSION_END),
    }
)
# Who may do it, beside admin, who may do everything.
_ALLOWED: Final[dict[Action, frozenset[Scope]]] = {
    Action.CONVERSATION_CREATE: frozenset({_E}),
    Action.CONVERSATION_UPDATE: frozenset({_E}),
    Action.CONVERSATION_IMPORT: frozenset({_E}),
    Action.CONVERSATION_ARCHIVE: frozenset({_E, _R}),
    Action.CONVERSATION_UNARCHIVE: frozenset({_E, _R}),
    Action.CONVERSATION_ERASE: frozenset(),
    Action.MESSAGES_APPEND: frozenset({_E}),
    Action.MESSAGES_OPERATE: frozenset({_E, _R}),
    Action.MESSAGES_PIN: frozenset({_E, _R}),
    Action.BATCH_OPEN: frozenset({_E, _R}),
    Action.BATCH_ROLLBACK: frozenset({_E, _R}),
    Action.REVISION_RESTORE: frozenset({_E, _R}),
    Action.WORKFLOW_CHANGE: frozenset({_D}),
    Action.WORKFLOW_PUBLISH: frozenset({_D}),
    Action.PREVIEW: frozenset({_D, _R}),
    Action.EXECUTION_START: frozenset({_E}),
    Action.CHECKPOINT_SAVE: frozenset({_E}),
    Action.CHECKPOINT_WRITES: frozenset({_E}),
    Action.NODE_COMPLETE: frozenset({_E}),
    Action.NODE_FORCE: frozenset({_R}),
    Action.NODE_CLAIM: frozenset({_E}),
    Action.NODE_RELEASE: frozenset({_E, _R}),
    Action.SNAPSHOT_UPDATE: frozenset({_R}),
    Action.EXECUTION_PAUSE: frozenset({_E, _R}),
    Action.EXECUTION_RESUME: frozenset({_E, _R}),
    Action.EXECUTION_CANCEL: frozenset({_E, _R}),
    Action.EXECUTION_APPROVE: frozenset({_R}),
    Action.EXECUTION_REJECT: frozenset({_R}),
    Action.CHECKPOINT_RESTORE: frozenset({_R}),
    Action.CHECKPOINT_FORK: frozenset({_R}),
    Action.CHECKPOINT_DELETE: frozenset(),
    Action.CHECKPOINT_THIN: frozenset(),
    Action.RETENTION_SET: frozenset(),
    Action.PRICES_SET: frozenset(),
    Action.COMMENT_WRITE: frozenset({_R}),
    Action.COMMENT_DELETE: frozenset({_R}),
    Action.LABEL_SET: frozenset({_R}),
    Action.REVIEW_CLAIM: frozenset({_R}),
    Action.REVIEW_RELEASE: frozenset({_R}),
    Action.TOKEN_MANAGE: frozenset(),
    Action.MEMBER_MANAGE: frozenset(),
    Action.WEBHOOK_MANAGE: frozenset({_D}),
    Action.AUDIT_READ: frozenset(),
    Action.AUDIT_EXPORT: frozenset(),
}
# How a refusal names what someone may not do.
_DOING: Final[dict[Action, Sentence]] = {
    Action.CONVERSATION_CREATE: say("Creating a conversation"),
    Action.CONVERSATION_UPDATE: say("Changing a conversation"),
    Action.CONVERSATION_IMPORT: say("Importing a conversation"),
    Action.CONVERSATION_ARCHIVE: say("Archiving a conversation"),
    Action.CONVERSATION_UNARCHIVE: say("Unarchiving a conversation"),
    Action.CONVERSATION_ERASE: say("Deleting a conversation"),
    Action.MESSAGES_APPEND: say("Appending messages"),
    Action.MESSAGES_PIN: say("Pinning a message"),
    Action.MESSAGES_OPERATE: say("Running an operation"),
    Action.BATCH_OPEN: say("Opening a batch"),
    Action.BATCH_ROLLBACK: say("Rolling back"),
    Action.REVISION_RESTORE: say("Restoring a revision"),
    Action.WORKFLOW_CHANGE: say("Changing a workflow"),
    Action.WORKFLOW_PUBLISH: say("Publishing a workflow"),
    Action.PREVIEW: say("Previewing a context"),
    Action.EXECUTION_START: say("Starting an execution"),
    Action.CHECKPOINT_SAVE: say("Saving a checkpoint"),
    Action.CHECKPOINT_WRITES: say("Saving writes of a task"),
    Action.NODE_COMPLETE: say("Completing a node"),
    Action.NODE_FORCE: say("Completing a node with force"),
    Action.NODE_CLAIM: say("Claiming a node"),
    Action.NODE_RELEASE: say("Releasing a node"),
    Action.SNAPSHOT_UPDATE: say("Updating the state"),
    Action.EXECUTION_PAUSE: say("Pausing an execution"),
    Action.EXECUTION_RESUME: say("Resuming an execution"),
    Action.EXECUTION_CANCEL: say("Cancelling an execution"),
    Action.EXECUTION_APPROVE: say("Approving"),
    Action.EXECUTION_REJECT: say("Rejecting"),
    Action.CHECKPOINT_RESTORE: say("Restoring a checkpoint"),
    Action.CHECKPOINT_FORK: say("Forking a checkpoint"),
    Action.CHECKPOINT_DELETE: say("Deleting a checkpoint"),
    Action.CHECKPOINT_THIN: say("Applying retention"),
    Action.RETENTION_SET: say("Changing retention"),
    Action.PRICES_SET: say("Setting prices"),
    Action.COMMENT_WRITE: say("Commenting"),
    Action.COMMENT_DELETE: say("Deleting a comment"),
    Action.LABEL_SET: say("Labeling a version"),
    Action.REVIEW_CLAIM: say("Claiming a review"),
    Action.REVIEW_RELEASE: say("Releasing a review"),
    Action.TOKEN_MANAGE: say("Managing tokens"),
    Action.MEMBER_MANAGE: say("Managing people"),
    Action.WEBHOOK_MANAGE: say("Managing webhooks"),
    Action.AUDIT_READ: say("Reading the audit"),
    Action.AUDIT_EXPORT: say("Exporting the audit"),
}
# What an engine may do as well, but only to conversations that its token created.
_TO_OWN: Final = frozenset(
    {Action.CONVERSATION_ERASE, Action.CHECKPOINT_FORK, Action.CHECKPOINT_DELETE}
)

ROLE_SCOPES: Final[dict[Role, frozenset[Scope]]] = {
    Role.VIEWER: frozenset(),
    Role.REVIEWER: frozenset({_R}),
    Role.DESIGNER: frozenset({_R, _D}),
    Role.ADMIN: frozenset({_E, _R, _D, Scope.ADMIN}),
}


def allows(scopes: Iterable[Scope], action: Action) -> bool:
    """Returns True if these scopes include the right to ``action``."""
    held = frozenset(scopes)
    return action in _EVERYBODYS or Scope.ADMIN in held or bool(_ALLOWED[action] & held)


def allows_to_own(scopes: Iterable[Scope], action: Action) -> bool:
    """Returns True if these scopes include the right to ``action`` at least on own creations."""
    held = frozenset(scopes)
    return allows(held, action) or (action in _TO_OWN and Scope.ENGINE in held)


def refusal(action: Action) -> Sentence:
    """Returns the refusal of ``action``, with the sufficient scopes."""
    scopes = " or ".join(who_may(action))
    return say("{action} needs the scope {scopes}.", action=_DOING[action], scopes=scopes)


def who_may(action: Action) -> tuple[Scope, ...]:
    """Returns the scopes of which one is needed, for the text of a refusal."""
    return (*sorted(_ALLOWED.get(action, frozenset())), Scope.ADMIN)
