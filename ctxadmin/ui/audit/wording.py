"""The actions and objects of the audit in words."""

from collections.abc import Mapping, Sequence
from typing import Final

from django.utils.translation import gettext_lazy as _

from ctxadmin.identity.roles import Action
from ctxadmin.ui.components import Text

# Actions by what they concern, in the order of the filter.
ACTION_GROUPS: Final[Sequence[tuple[Text, Mapping[Action, Text]]]] = (
    (
        _("Conversations"),
        {
            Action.CONVERSATION_CREATE: _("Created a conversation"),
            Action.CONVERSATION_UPDATE: _("Changed a conversation's details"),
            Action.CONVERSATION_IMPORT: _("Imported a conversation"),
            Action.CONVERSATION_EXPORT: _("Exported a conversation"),
            Action.CONVERSATION_ARCHIVE: _("Archived a conversation"),
            Action.CONVERSATION_UNARCHIVE: _("Unarchived a conversation"),
            Action.CONVERSATION_ERASE: _("Erased a conversation"),
            Action.MESSAGES_APPEND: _("Appended messages"),
            Action.MESSAGES_OPERATE: _("Edited the context"),
            Action.MESSAGES_PIN: _("Pinned or unpinned a message"),
            Action.BATCH_OPEN: _("Opened a batch"),
            Action.BATCH_ROLLBACK: _("Rolled back"),
            Action.REVISION_RESTORE: _("Restored a revision"),
        },
    ),
    (
        _("Executions"),
        {
            Action.EXECUTION_START: _("Started an execution"),
            Action.CHECKPOINT_SAVE: _("Saved a checkpoint"),
            Action.CHECKPOINT_WRITES: _("Saved a task's writes"),
            Action.NODE_COMPLETE: _("Completed a node"),
            Action.NODE_FORCE: _("Completed a node with force"),
            Action.NODE_CLAIM: _("Claimed a node"),
            Action.NODE_RELEASE: _("Released a node"),
            Action.EXECUTION_PAUSE: _("Requested a pause"),
            Action.EXECUTION_RESUME: _("Resumed an execution"),
            Action.EXECUTION_CANCEL: _("Cancelled an execution"),
            Action.CHECKPOINT_RESTORE: _("Restored a version"),
            Action.CHECKPOINT_FORK: _("Forked a version"),
            Action.CHECKPOINT_DELETE: _("Deleted a version"),
            Action.CHECKPOINT_THIN: _("Applied retention"),
        },
    ),
    (
        _("Reviews"),
        {
            Action.EXECUTION_APPROVE: _("Approved"),
            Action.EXECUTION_REJECT: _("Rejected"),
            Action.SNAPSHOT_UPDATE: _("Edited the state"),
            Action.REVIEW_CLAIM: _("Claimed a review"),
            Action.REVIEW_RELEASE: _("Released a review"),
            Action.COMMENT_WRITE: _("Commented"),
            Action.COMMENT_DELETE: _("Deleted a comment"),
            Action.LABEL_SET: _("Labeled a version"),
        },
    ),
    (
        _("Workflows"),
        {
            Action.WORKFLOW_CHANGE: _("Changed a workflow"),
            Action.WORKFLOW_PUBLISH: _("Published a workflow"),
            Action.WORKFLOW_EXPORT: _("Exported a workflow"),
        },
    ),
    (
        _("Settings"),
        {
            Action.TOKEN_MANAGE: _("Changed a token"),
            Action.MEMBER_MANAGE: _("Changed a person"),
            Action.WEBHOOK_MANAGE: _("Changed a webhook"),
            Action.RETENTION_SET: _("Changed retention"),
            Action.PRICES_SET: _("Set prices"),
            Action.NOTIFICATION_CHOOSE: _("Changed notifications"),
        },
    ),
    (
        _("Access"),
        {
            Action.SESSION_SIGN_IN: _("Signed in"),
            Action.SESSION_FAIL: _("Failed to sign in"),
            Action.SESSION_SIGN_OUT: _("Signed out"),
            Action.SESSION_END: _("Ended sessions"),
            Action.TOKEN_NEW_ADDRESS: _("Used a token from a new address"),
            Action.AUDIT_EXPORT: _("Exported the audit"),
        },
    ),
)
_ACTIONS: Final[Mapping[str, Text]] = {
    action.value: words for _group, actions in ACTION_GROUPS for action, words in actions.items()
}
# What an action did, as it is recorded; the keys are in the audit for good.
_DONE: Final[Mapping[str, Text]] = {
    "created": _("created"),
    "added": _("added"),
    "imported": _("imported"),
    "described": _("described"),
    "draft": _("draft changed"),
    "deleted": _("deleted"),
    "removed": _("removed"),
    "revoked": _("revoked"),
    "sent again": _("sent again"),
    "address set": _("address set"),
    "role changed": _("role changed"),
    "password renewed": _("password renewed"),
    "password changed": _("password changed"),
    "unlocked": _("unlocked"),
}
OBJECTS: Final[Mapping[str, Text]] = {
    "conversation": _("Conversation"),
    "execution": _("Execution"),
    "workflow": _("Workflow"),
    "member": _("Person"),
    "person": _("Account"),
    "token": _("Token"),
    "webhook": _("Webhook"),
    "workspace": _("Workspace"),
    "audit": _("Audit"),
}


def action_label(action: str) -> Text:
    """Returns an action in words; an unknown one, of another release, by its name."""
    return _ACTIONS.get(action, action)


def object_label(object_type: str) -> Text:
    return OBJECTS.get(object_type, object_type)


def past_label(recorded: str) -> str:
    """Returns what an action did in words; what is not known as it is recorded."""
    return str(_DONE.get(recorded, recorded))
