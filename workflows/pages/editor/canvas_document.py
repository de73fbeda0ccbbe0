"""The document of a canvas as its calls name it: a stored one, and unsaved changes of it."""

from typing import Annotated

from pydantic import Field

from ctxadmin.lib.contract import Contract
from ctxadmin.lib.errors import ValidationFailed
from ctxadmin.lib.sentence import say
from workflows.models import Workflow
from workflows.pages.editor.document_parts import DocumentParts, RawChanges, parts_of
from workflows.store.workflow import draft_conflict, find_version

Version = Annotated[int, Field(ge=0, lt=2**31)]


class CanvasRequest(Contract):
    """The draft version that the canvas knows, or a published version, and changes of it."""

    draft_version: Version | None = None
    version: Version | None = None
    changes: RawChanges = RawChanges()

    def parts(self, row: Workflow) -> DocumentParts:
        """Returns the document on the canvas.

        Raises VersionConflict if another draft was saved since.
        """
        if self.version is not None:
            data = bytes(find_version(row.key, self.version).document)
        elif self.draft_version is None:
            raise ValidationFailed.at("/draft_version", say("this field is required"))
        elif self.draft_version != row.draft_version:
            raise draft_conflict(self.draft_version, row.draft_version)
        else:
            data = bytes(row.draft)
        return parts_of(data).changed(self.changes, "/changes")
