"""A person who edits a paused state by its pages, and a page that follows what is announced."""

import json
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from html import unescape
from typing import Any

from django.test import Client

from checkpoints.domain.merge import merge_states
from checkpoints.domain.reducers import ReducerTable
from checkpoints.editing import draft_store
from checkpoints.editing.entries import changes_of
from checkpoints.editing.state_form import with_changes
from checkpoints.events import page_updates
from checkpoints.events.frames import ConversationChanged, ConversationState
from checkpoints.store.executions import find_current
from ctxadmin.accounts.services import system_actor
from ctxadmin.identity.roles import Role
from ctxadmin.lib.structural_diff import ABSENT, Value, equal
from ctxadmin.realtime.following import next_state
from tests.factories import member, workspace
from tests.integration.checkpoints.flows import Run
from tests.integration.pages.execution_scenes import Form, form_of, hidden, text, url
from tests.integration.pages.random_edits import State, Writer, differences, tokens
from tests.integration.pages.state_edits import kept

_CHOICE = re.compile(r'name="choice-(\d+)" value="(\w+)"')
_TAG = re.compile(r"<[^>]*>")


@dataclass
class Scene:
    """One execution that is edited, and what its state was at each version."""

    run: Run
    writer: Writer
    truth: dict[int, State] = field(default_factory=dict)
    version: int = 0
    paused: bool = True

    def look(self) -> None:
        """Take note of the state of now; someone may have written."""
        snapshot = self.run.snapshot()
        self.version, self.paused = snapshot["version"], snapshot["status"] == "PAUSED"
        state = snapshot["state_data"]
        del state["messages"]
        self.truth[self.version] = state

    def fresh(self) -> ConversationState:
        return page_updates.read([self.run.head.key])[self.run.head.key]


class Follower:
    """A page that is fetched again when it is notified of a change, as ``live_page.js`` does it.

    What is on the wire may be lost and come in another order; ``look`` is what a server that
    heard of nothing finds in the end, ``reconnect`` the welcome of a new socket.
    """

    def __init__(self, scene: Scene, client: Client) -> None:
        self.scene, self.client = scene, client
        self.wire: list[ConversationChanged] = []
        self.missed = False
        self.reconnect()

    def reconnect(self) -> None:
        self.wire.clear()
        self.state = self.scene.fresh()
        self.missed = False
        self.shown = self.fetch()

    def look(self) -> None:
        self.hear(self.scene.fresh().as_change())

    def hear(self, frame: Any) -> None:
        after = next_state(self.state, frame)
        if after is self.state:
            return
        if isinstance(after, ConversationState):
            self.state = after
        else:
            numbers = frame.model_dump(include={"seq", "status", "revision", "count"})
            told = {
                name: getattr(frame, name)
                for name in ("execution", "version")
                if getattr(frame, name) is not None
            }
            self.state = self.state.model_copy(update=numbers | told)
            self.missed = True
        self.shown = self.fetch()

    def fetch(self) -> str:
        return page_content(self.client, self.scene.run)


def page_content(client: Client, run: Run) -> str:
    """What the page of an execution shows, without what stands for times and tokens of forms."""
    html = text(client.get(url(run)))
    content = html.split('id="page-content"')[1]
    content = re.sub(r'name="csrfmiddlewaretoken" value="[^"]*"', "", content)
    content = re.sub(r'name="form_key" value="[^"]*"', "", content)
    return re.sub(r"<time[^>]*>[^<]*</time>", "", content)


class Editor:
    """Someone who edits; ``doc`` is the state as it is typed, None if nothing is pending.

    ``base`` is the version that it was typed over, ``shown`` all values that were shown as a
    conflict since. Every step holds what it must leave alone against what it did.
    """

    def __init__(self, scene: Scene, name: str, chance: random.Random) -> None:
        self.scene, self.name, self.chance = scene, name, chance
        member(name, Role.REVIEWER)
        self.client = Client()
        self.sign_in()
        self.base = 0
        self.doc: State | None = None
        self.shown: set[str] = set()
        self.html = ""
        self.at = "form"
        self.conflicts = 0

    def sign_in(self) -> None:
        from ctxadmin.accounts.models import User

        found = User.objects.get(username=self.name)
        self.client.force_login(found, "django.contrib.auth.backends.ModelBackend")

    def sign_out(self) -> None:
        self.client.logout()
        self.sign_in()
        self.at = "form"

    # --- Steps ----------------------------------------------------------------------------

    def reload(self) -> None:
        """Open the form: all that was typed is in it, and what others wrote if nothing was."""
        self.at = "form"
        if not self.scene.paused:
            self._reads_of_the_end()
            return
        fields = self._opened(raw=True)
        assert equal(json.loads(fields["raw"]), self._seen()), f"{self.name} lost what was typed"

    def type(self) -> None:
        """Change something in the form and wait until it is kept."""
        if not self.scene.paused:
            return
        self.at = "form"
        raw = self.chance.random() < 0.5
        fields = self._opened(raw=raw)
        before = self._seen()
        doc = self.scene.writer.edited(before)
        fields = fields | {"raw": json.dumps(doc)} if raw else _filled(fields, before, doc)
        self.base = int(fields["version"])
        answer = kept(self.client, self.scene.run, fields)
        assert answer.status_code == 200, answer.content
        seen = self.scene.truth[self.base]
        mine = {} if self.doc is None else dict(differences(seen, self.doc))
        self.doc = _with(seen, mine | dict(differences(before, doc)))
        if equal(self.doc, seen):
            self.doc, self.shown = None, set()

    def look(self) -> None:
        """Ask what would change; conflicts are asked at once."""
        if self.doc is None or not self.scene.paused:
            return
        self._answered(self._send(self._opened(raw=self.chance.random() < 0.5), "review"))
        assert self.at in ("summary", "conflict")

    def go_on(self) -> None:
        """The next button of the page that is open."""
        if self.at == "summary":
            self._apply()
        elif self.at == "conflict":
            self._decide()
        else:
            self.look()

    def back(self) -> None:
        """Go on editing from the summary; nothing that it showed is lost."""
        if self.at != "summary":
            return
        answer = self._send(self._carried(), "back")
        self.at = "form"
        if self.scene.paused:
            answer = kept(self.client, self.scene.run, form_of(text(answer)))
            assert answer.status_code == 200, answer.content
            self.reload()

    def take_back(self) -> None:
        """Take the pending change of one key back, and no other."""
        if self.doc is None or not self.scene.paused:
            return
        fields = self._opened(raw=False)
        seen = self.scene.truth[self.base]
        key, _after = self.chance.choice(list(differences(seen, self.doc)))
        answer = self._send(fields | {"take-back": key}, "")
        assert answer.status_code == 302, answer.content
        doc = {name: value for name, value in self.doc.items() if name != key}
        self.doc = doc | ({key: seen[key]} if key in seen else {})
        if equal(self.doc, seen):
            self.doc, self.shown = None, set()
        self.at = "form"
        self.reload()

    def finish(self) -> None:
        """Apply until nothing is pending; nobody else writes meanwhile."""
        for _each in range(6):
            if self.doc is None:
                return
            self.go_on()
        raise AssertionError(f"{self.name} could not get to the end")

    # --- What pages answer ----------------------------------------------------------------

    def _apply(self) -> None:
        before = self.scene.version
        said = tokens(_visible(self.html))
        answer = self._send(self._carried() | {"reason": "r"}, "apply")
        if answer.status_code != 302:
            self._answered(answer)
            return
        self.scene.look()
        state, former = self.scene.truth[self.scene.version], self.scene.truth[before]
        assert self.scene.version == before + 1 == self.base + 1, "an edit was applied unmerged"
        assert self.doc is not None
        assert equal(state, self.doc), f"{self.name} applied something else"
        unsaid = (tokens(state) ^ tokens(former)) - said
        assert not unsaid, f"the summary did not show {unsaid}"
        self._done()

    def _decide(self) -> None:
        choices: dict[str, list[str]] = {}
        for place, choice in _CHOICE.findall(self.html):
            choices.setdefault(place, []).append(choice)
        assert choices
        fields = self._carried()
        fields |= {name: hidden(self.html, name) for name in ("theirs", "reason")}
        for place, offered in choices.items():
            choice = self.chance.choice(offered)
            fields |= {f"choice-{place}": choice}
            if choice == "edit":
                kind, value = hidden(self.html, f"kind-{place}"), self._written(place)
                fields |= {f"kind-{place}": kind, f"value-{place}": value}
        self._answered(self._send(fields, "resolve"))

    def _written(self, place: str) -> str:
        """A value of one's own, of the kind that stands in the box."""
        box = re.search(rf'name="value-{place}"[^>]*>\n(.*?)</textarea>', self.html, re.DOTALL)
        assert box
        writer, was = self.scene.writer, unescape(box[1])
        made = re.sub(r"t\d+z", lambda found: writer.text(), was)
        made = re.sub(r"\b[1-9]\d{5,9}\b", lambda found: str(writer.number()), made)
        self.shown |= tokens(made)
        return made or "null"

    def _answered(self, answer: Any) -> None:
        """Take what a step answered: the page is another one now."""
        if answer.status_code == 302:  # the merge left nothing to be changed
            self.scene.look()
            self._merged(self.scene.truth[self.scene.version])
            self._done()
            return
        self.html = text(answer)
        if "choice-0" in self.html:
            self.at = "conflict"
            self.conflicts += 1
            for fieldset in self.html.split('<fieldset class="conflict"')[1:]:
                self.shown |= tokens(_visible(fieldset.split("</fieldset>")[0]))
        elif 'name="edit"' in self.html:
            self.at = "summary"
            self._summary()
        else:
            self.at = "form"
            self._reads_of_the_end(answer)

    def _summary(self) -> None:
        """The edit as it would be applied: this page may have merged it."""
        version = int(hidden(self.html, "version"))
        row = find_current(self.scene.run.head.key)
        person = str(self.client.session["_auth_user_id"])
        actor = replace(system_actor(workspace(), "tests"), id=person)
        draft = draft_store.find(actor, row, version)
        assert (draft.version, draft.seq) == (version, int(hidden(self.html, "seq")))
        truth = self.scene.truth[version]
        doc = with_changes(truth, changes_of(draft.entries.values(), truth, ReducerTable()))
        if version == self.base:
            assert equal(doc, self.doc), f"{self.name} would apply something else"
            return
        self._merged(doc, version)

    def _merged(self, doc: State, version: int | None = None) -> None:
        """What a merge made: nothing of either side is gone that was not shown as a conflict."""
        assert self.doc is not None
        version = self.scene.version if version is None else version
        base, theirs = tokens(self.scene.truth[self.base]), tokens(self.scene.truth[version])
        mine, made = tokens(self.doc), tokens(doc)
        wrong = {
            "lost of mine": (mine - base) - made,
            "lost of theirs": (theirs - base) - made,
            "removed by me and back": (base - mine) & made,
            "removed by them and back": (base - theirs) & made,
            "gone, and nobody removed it": (base & mine & theirs) - made,
            "made up": made - base - mine - theirs,
        }
        found = {name: values - self.shown for name, values in wrong.items()}
        assert not any(found.values()), (self.name, found)
        self.base, self.doc = version, doc

    def _reads_of_the_end(self, answer: Any = None) -> None:
        """The execution does not wait: what was typed stands in the page, for copying."""
        answer = answer or self.client.get(url(self.scene.run, "state/"))
        assert answer.status_code == 409
        if self.doc is not None:
            missing = tokens(self.doc) - tokens(self.scene.truth[self.base])
            missing -= tokens(unescape(_visible(text(answer))))
            assert not missing, f"{self.name} cannot copy {missing}"

    def _done(self) -> None:
        self.doc, self.shown, self.at = None, set(), "form"

    def _seen(self) -> State:
        """What a form shows: the state of now with what was typed over it."""
        now = self.scene.truth[self.scene.version]
        if self.doc is None:
            return now
        return _with(now, dict(differences(self.scene.truth[self.base], self.doc)))

    def _opened(self, *, raw: bool) -> Form:
        answer = self.client.get(url(self.scene.run, "state/?raw=1" if raw else "state/"))
        assert answer.status_code == 200, answer.status_code
        fields = form_of(text(answer))
        self._carry(int(fields["version"]))
        return fields

    def _carry(self, version: int) -> None:
        """What is pending may be of a later version, if it is in no conflict with that."""
        if self.doc is None or version == self.base:
            return
        before, now = self.scene.truth[self.base], self.scene.truth[version]
        assert version == self.scene.version
        merged = merge_states(before, self.doc, now, ReducerTable())
        assert not merged.conflicts, "a conflict was carried"
        self.doc, self.base = dict(merged.state), version
        if equal(self.doc, now):
            self.doc, self.shown = None, set()

    def _carried(self) -> dict[str, str]:
        names = ["version", "execution", "seq"] + ["edit"] * (self.at == "summary")
        return {name: hidden(self.html, name) for name in names}

    def _send(self, fields: dict[str, str], step: str) -> Any:
        return self.client.post(url(self.scene.run, "state/"), fields | {"step": step})


def _with(state: State, changes: Mapping[str, Value]) -> State:
    kept = {name: each for name, each in state.items() if name not in changes}
    return kept | {name: each for name, each in changes.items() if each is not ABSENT}


def _visible(html: str) -> str:
    return _TAG.sub(" ", html)


def _filled(fields: Form, before: State, after: State) -> Form:
    """The form with the values of another state in its rows, and rows for new keys."""
    places = {fields[name]: name[5:] for name in fields if name.startswith("name-")}
    made, free = fields | {}, max(int(place) for place in places.values()) + 1
    for key, value in differences(before, after):
        place = places.get(_sent(key), places.get(key))
        if place is None:
            place, free = str(free), free + 1
            made |= {f"name-{place}": key}
        if value is ABSENT:
            made |= {f"gone-{place}": "1"} if f"old-{place}" in fields else {f"name-{place}": ""}
            made |= {} if f"old-{place}" in fields else {f"value-{place}": ""}
            continue
        made.pop(f"gone-{place}", None)
        plain = isinstance(value, str)
        typed = (
            {"kind": "text", "value": value}
            if plain
            else {"kind": "json", "value": json.dumps(value)}
        )
        made |= {f"{name}-{place}": str(each) for name, each in typed.items()}
    return made


def _sent(key: str) -> str:
    from urllib.parse import quote

    return quote(key, safe="")
