"""Entries of the audit as the pages show them: with links to objects and differences."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import repeat
from typing import Final
from urllib.parse import urlencode

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from pydantic import JsonValue

from ctxadmin.audit.models import AuditEntry
from ctxadmin.audit.queries import FoundEntry
from ctxadmin.http.audit.entries import detail_of
from ctxadmin.identity.roles import Action
from ctxadmin.lib.json_bytes import dumps
from ctxadmin.ui.audit.object_names import ObjectKey, named_object
from ctxadmin.ui.audit.origins import Origin
from ctxadmin.ui.audit.runs import FoundRun, edits_draft
from ctxadmin.ui.audit.wording import action_label, object_label, past_label
from ctxadmin.ui.components import Text
from ctxadmin.ui.object_names import has_names

# Objects with a page of their own, by the name of its address.
_PAGES: Final[Mapping[str, str]] = {
    "conversation": "conversations:detail",
    "workflow": "workflows:detail",
    "webhook": "webhook",
    "member": "settings-person",
    "person": "settings-person",
}
# What the versions of an object are called.
_VERSIONS: Final[Mapping[str, Text]] = {
    "execution": _("Version %(n)s"),
    "workflow": _("Draft %(n)s"),
    "workspace": _("Version %(n)s"),
}
_MINUTE: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class AuditFacts:
    """What the lines of a page show beside their entries.

    ``altered`` are the entries that differ from their hash, ``erased`` the streams of erased
    conversations, ``names`` those of the objects that still exist.
    """

    altered: Collection[tuple[int, int]] = ()
    erased: Collection[int] = ()
    names: Mapping[ObjectKey, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One entry, or several: who did what to which object, when, why.

    Several are autosaves of a draft, or the entries of one bulk action, which name no object
    (``is_bulk``). ``began`` is the time of the first of them, if it is a minute or more before the
    last; ``parts`` are all of them, latest first.
    ``object_name`` is "" for what has no name or is gone; ``object_twin`` is the id beside it if
    another object of the list has the same name.
    ``what`` is the kind of a change of settings, in words. ``change`` has the versions before
    and after, ``difference_url`` compares them; ``message`` is the first that was appended;
    ``conversation`` is that of an execution. ``erased``: the conversation is, so nothing of it is
    linked. ``altered``: the entry differs from its hash. ``origin`` is what it is part of.
    """

    at: datetime
    author: str
    actor_url: str
    action: str
    words: Text
    object_words: Text
    object_id: str
    object_name: str
    object_url: str
    conversation: str
    what: str
    change: Text
    difference_url: str
    message: int | None
    reason: str
    reason_erased: bool
    address: str
    request_id: str
    detail: Sequence[tuple[str, str]]
    url: str
    altered: bool
    erased: bool
    began: datetime | None = None
    parts: Sequence["AuditLine"] = ()
    origin: Origin | None = None
    object_twin: str = ""
    is_bulk: bool = False

    @property
    def named_id(self) -> str:
        """Returns the id of what ``object_name`` is the name of."""
        return self.conversation or self.object_id


def line_of_run(
    run: FoundRun, facts: AuditFacts, words: Text, words_of_parts: Sequence[Text]
) -> AuditLine:
    """Returns one line for the entries of a run, with one for each if there are several."""
    line = audit_line(run[0], facts, words)
    if len(run) == 1:
        return line
    parts = [audit_line(*each) for each in zip(run, repeat(facts), words_of_parts, strict=False)]
    first, last = run[-1].entry, run[0].entry
    line = replace(
        line,
        altered=any(each.altered for each in parts),
        began=first.at if last.at - first.at >= _MINUTE else None,
        parts=parts,
    )
    if not edits_draft(last):
        return _of_no_object(line)
    drafts = (_version(first.version_before), _version(last.version_after))
    edited = ngettext("Edited the draft once", "Edited the draft %(n)s times", len(run))
    return replace(
        line,
        words=edited % {"n": len(run)},
        change=_with_words(_versions_words("workflow", *drafts), words),
    )


def _of_no_object(line: AuditLine) -> AuditLine:
    """Returns the line of a bulk action: its objects are those of its parts."""
    return replace(
        line,
        is_bulk=True,
        object_words="",
        object_id="",
        object_name="",
        object_url="",
        conversation="",
        what="",
        change="",
        difference_url="",
        message=None,
        erased=False,
    )


def audit_line(found: FoundEntry, facts: AuditFacts, said: Text = "") -> AuditLine:
    """Returns an entry as a line of the list; asks nothing of the database.

    ``said`` is what the change did in words.
    """
    entry, detail = found.entry, detail_of(found.entry.detail)
    gone = entry.stream in facts.erased
    values = detail if isinstance(detail, dict) else {"detail": detail}
    conversation = str(values.get("conversation", "")) if entry.object_type == "execution" else ""
    before, after = _version(entry.version_before), _version(entry.version_after)
    author = f"{entry.actor_kind}:{entry.actor_name}"
    is_draft = edits_draft(entry)
    is_pin = entry.action == Action.MESSAGES_PIN and isinstance(values.get("pinned"), bool)
    label = _pin_label(values) if is_pin else action_label(entry.action)
    name = facts.names.get(named_object(entry), "")
    is_linked = not gone and bool(name or not has_names(named_object(entry)[0]))
    return AuditLine(
        at=entry.at,
        author=author,
        actor_url=f"{reverse('audit:list')}?{urlencode({'actor': author})}",
        action=entry.action,
        words=gettext("Edited the draft") if is_draft else label,
        object_words=object_label(entry.object_type),
        object_id=entry.object_id,
        object_name="" if gone else name,
        object_url=_object_url(entry, conversation) if is_linked else "",
        conversation=conversation,
        what="" if is_draft else past_label(_shown(values.get("what", ""))),
        change=_with_words(_change_words(entry, values, before, after), said),
        difference_url=_difference_url(entry, conversation, values, before, after)
        if is_linked
        else "",
        message=_first_message(entry, values),
        reason=found.reason.text if found.reason is not None else "",
        reason_erased=bool(entry.reason_digest) and found.reason is None,
        address=entry.address,
        request_id=entry.request_id,
        detail=[(name, _shown(value)) for name, value in values.items() if value not in ("", [])],
        url=reverse("audit:entry", args=[entry.stream, entry.seq]),
        altered=(entry.stream, entry.seq) in facts.altered,
        erased=gone,
    )


def tell_apart(lines: Sequence[AuditLine]) -> list[AuditLine]:
    """Returns the lines with the ids of objects whose names are the same."""
    ids: dict[str, set[str]] = {}
    for line in lines:
        ids.setdefault(line.object_name, set()).add(line.named_id)
    return [
        replace(line, object_twin=line.named_id)
        if line.object_name and len(ids[line.object_name]) > 1
        else line
        for line in lines
    ]


def _with_words(change: Text, words: Text) -> Text:
    if not words or not change:
        return change or words
    return gettext("%(batch)s: %(words)s") % {"batch": change, "words": words}


def _version(recorded: str) -> str:
    """Returns the number of a version on record: of ``version.revision.count`` the first part."""
    return recorded.partition(".")[0]


def _change_words(
    entry: AuditEntry, detail: Mapping[str, JsonValue], before: str, after: str
) -> Text:
    """Returns the versions before and after in words; "" if the change has none."""
    if entry.action == Action.WORKFLOW_PUBLISH:
        return gettext("Version %(n)s") % {"n": detail.get("version", after)}
    if entry.action in (Action.CHECKPOINT_DELETE, Action.LABEL_SET):
        return gettext("Version %(n)s") % {"n": detail.get("version", "")}
    if entry.action == Action.CHECKPOINT_FORK:
        return ""  # its words name the version
    if entry.object_type == "conversation":
        return _batch_words(entry, detail, before, after)
    return _versions_words(entry.object_type, before, after)


def _versions_words(object_type: str, before: str, after: str) -> Text:
    words = _VERSIONS.get(object_type)
    if words is None or not after or before == after:
        return ""
    return words % {"n": f"{before} → {after}" if before else after}


def _batch_words(
    entry: AuditEntry, detail: Mapping[str, JsonValue], before: str, after: str
) -> Text:
    """Returns the batch that a change of a view made or led back to, as the pages number it."""
    batch = detail.get("batch")
    if isinstance(batch, int) and entry.action == Action.BATCH_ROLLBACK:
        return gettext("Back to batch %(n)s") % {"n": batch}
    if isinstance(batch, int):
        return gettext("Batch %(n)s") % {"n": batch}
    return gettext("Changes") if before and after and before != after else ""


def _pin_label(detail: Mapping[str, JsonValue]) -> Text:
    several = detail.get("messages")
    if isinstance(several, list) and len(several) > 1:
        return gettext("Pinned messages") if detail["pinned"] else gettext("Unpinned messages")
    return gettext("Pinned a message") if detail["pinned"] else gettext("Unpinned a message")


def _first_message(entry: AuditEntry, detail: Mapping[str, JsonValue]) -> int | None:
    index = detail.get("message", detail.get("first_index"))
    concerns = entry.action in (Action.MESSAGES_APPEND, Action.MESSAGES_PIN)
    return index if concerns and isinstance(index, int) else None


def _object_url(entry: AuditEntry, conversation: str) -> str:
    if entry.object_type == "execution":
        return _address("checkpoints:detail", conversation) if conversation else ""
    if entry.object_type == "token":
        return reverse("settings")
    name = _PAGES.get(entry.object_type)
    return _address(name, entry.object_id) if name is not None else ""


def _difference_url(
    entry: AuditEntry,
    conversation: str,
    detail: Mapping[str, JsonValue],
    before: str,
    after: str,
) -> str:
    """Returns the page that compares the versions before and after; "" if they are the same."""
    if entry.action == Action.CHECKPOINT_FORK:
        return _other_side_url(detail, after)
    versions = {"from": before, "to": after}
    if entry.action == Action.WORKFLOW_PUBLISH:
        return _published_url(entry, detail.get("version"))
    if not before or not after or before == after:
        return ""
    if entry.object_type == "conversation":
        return f"{_address('conversations:diff', entry.object_id)}?{urlencode(versions)}"
    if entry.object_type == "execution" and conversation:
        return f"{_address('checkpoints:diff', conversation)}?{urlencode(versions)}"
    return ""


def _other_side_url(detail: Mapping[str, JsonValue], version: str) -> str:
    """Returns the fork, or the version that was forked."""
    if "fork" in detail:
        return _address("checkpoints:detail", str(detail["fork"]))
    origin = detail.get("origin")
    if not isinstance(origin, dict) or "conversation" not in origin:
        return ""
    return _address("checkpoints:version", str(origin["conversation"]), version)


def _published_url(entry: AuditEntry, version: JsonValue) -> str:
    if not isinstance(version, int):
        return ""
    if version == 1:
        return reverse("workflows:version", args=[entry.object_id, version])
    versions = {"from": version - 1, "to": version}
    return f"{_address('workflows:diff', entry.object_id)}?{urlencode(versions)}"


def _address(name: str, object_id: str, *further: str) -> str:
    try:
        return reverse(name, args=[object_id, *further])
    except NoReverseMatch:  # an id that no address takes, as of a sign-in with any name
        return ""


def _shown(value: JsonValue) -> str:
    return value if isinstance(value, str) else dumps(value).decode()
