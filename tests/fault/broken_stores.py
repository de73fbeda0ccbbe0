"""Stores that break one promise each: what the audit has to find."""

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from tests.fault.history import Json, Kind, Write
from tests.fault.ledger import Book, Ledger, Refused
from tests.fault.model import Change

_RARELY: Final = 0.1


class LosesWrites(Ledger):
    """Acknowledges some appends and forgets them."""

    def change(self, write: Write, book: Book, request: str) -> Json:
        if write.kind is Kind.APPEND and self.chance.random() < _RARELY:
            return {"first_index": len(book.model.log), "revision": book.model.revision}
        return super().change(write, book, request)


class LosesTheLatest(Ledger):
    """Comes back after a crash without the last thing that it acknowledged."""

    def crash(self) -> None:
        for book in self.books.values():
            book.changes.pop()


class ForgetsNames(Ledger):
    """Does a repeated append or checkpoint again."""

    def repeated(self, book: Book, by: str, text: str) -> Json:
        del book.answers[by]
        raise _Anew

    def write(
        self, kind: Kind, name: str, subject: str, body: Json, key: str, request: str
    ) -> Json:
        try:
            return super().write(kind, name, subject, body, key, request)
        except _Anew:
            return super().write(kind, name, subject, body, key, request)


class _Anew(Exception):
    """What was known is not known any more."""


class AnswersOtherwise(Ledger):
    """Tells who repeats something another version than the first time."""

    def repeated(self, book: Book, by: str, text: str) -> Json:
        return super().repeated(book, by, text) | {"version": 0, "first_index": 0}


class TakesAnyBody(Ledger):
    """Takes another body under a name that was used for a repeat."""

    def repeated(self, book: Book, by: str, text: str) -> Json:
        return book.answers[by][1]


class ReadsFromACopy(Ledger):
    """Answers some readings with what it answered before."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self._copies: dict[str, Json] = {}

    def read(self, call: str, query: str) -> Json:
        kept = self._copies.get(call)
        if kept is not None and self.chance.random() < _RARELY:
            return kept
        self._copies[call] = super().read(call, query)
        return self._copies[call]


class MixesMoments(Ledger):
    """Tells the version of now beside the state of then, as two reads without a check do."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self._states: dict[str, Json] = {}

    def read(self, call: str, query: str) -> Json:
        answer = super().read(call, query)
        if not call.endswith("/snapshot"):
            return answer
        kept, self._states[call] = self._states.get(call, answer), answer
        return answer | {"state_data": kept["state_data"]}


class LetsAllWin(Ledger):
    """Looks at the expected version of nobody."""

    def require(self, kind: Kind, book: Book, body: Json, subject: str) -> None:
        super().require(kind, book, {**body, "expected_version": None}, subject)


class CompletesAnything(Ledger):
    """Takes the completion of a node whether it is ready or not."""

    def require(self, kind: Kind, book: Book, body: Json, subject: str) -> None:
        if kind is not Kind.COMPLETE:
            super().require(kind, book, body, subject)

    def change(self, write: Write, book: Book, request: str) -> Json:
        if write.kind is Kind.COMPLETE and book.model.run is not None:
            book.model.workflow = (*book.model.run.executed, write.subject, *book.model.workflow)
        return super().change(write, book, request)


class RefusesAndDoes(Ledger):
    """Makes some changes that it refuses."""

    def require(self, kind: Kind, book: Book, body: Json, subject: str) -> None:
        self.refused = False
        try:
            super().require(kind, book, body, subject)
        except Exception:
            if kind is not Kind.EDIT or book.model.run is None:
                raise
            self.refused = True

    def change(self, write: Write, book: Book, request: str) -> Json:
        answer = super().change(write, book, request)
        if self.refused:
            super().require(write.kind, book, {"expected_version": -1}, write.subject)
        return answer


class DeniesChanges(Ledger):
    """Makes some changes and says that nothing was changed."""

    def write(
        self, kind: Kind, name: str, subject: str, body: Json, key: str, request: str
    ) -> Json:
        answer = super().write(kind, name, subject, body, key, request)
        if kind is Kind.APPEND and self.chance.random() < _RARELY:
            raise Refused(503, "unavailable", "The database went away; nothing was changed.")
        return answer


class TearsAppends(Ledger):
    """Keeps only the first message of some appends."""

    def change(self, write: Write, book: Book, request: str) -> Json:
        sent = write.body.get("messages")
        if isinstance(sent, list) and len(sent) > 1 and self.chance.random() < _RARELY:
            write = replace(write, body={**write.body, "messages": sent[:1]})
        return super().change(write, book, request)


class ChangesContent(Ledger):
    """Loses the accents of what it stores."""

    def log(self, book: Book, body: Json) -> None:
        super().log(book, copy.deepcopy(body))
        if book.messages:
            newest = book.messages[-1]
            newest["content"] = str(newest["content"]).replace("é", "e")


class KeepsNoRecord(Ledger):
    """Makes some changes without an entry in the audit."""

    def record(self, book: Book, write: Write, change: Change) -> None:
        if self.chance.random() > _RARELY:
            super().record(book, write, change)


class RecordsTwice(Ledger):
    """Puts some changes on record twice."""

    def record(self, book: Book, write: Write, change: Change) -> None:
        super().record(book, write, change)
        if self.chance.random() < _RARELY:
            super().record(book, write, replace(change, seq=change.seq + 1))


class ForgetsOldVersions(Ledger):
    """Reads every old version back as the newest one."""

    def crash(self) -> None:
        for book in self.books.values():
            for version, run in book.model.versions.items():
                newest = book.model.run or run
                book.model.versions[version] = replace(newest, version=version)


class LeavesGaps(Ledger):
    """Lost a version somewhere in the middle."""

    def crash(self) -> None:
        for book in self.books.values():
            if len(book.model.versions) > 2:
                del book.model.versions[1]


class LosesConversations(Ledger):
    """Lost a conversation as a whole."""

    def crash(self) -> None:
        self.books.pop(sorted(self.books)[0])


LIES: Final[Mapping[Callable[[str], Ledger], str]] = {
    LosesWrites: "no acknowledged write is lost",
    LosesTheLatest: "no acknowledged write is lost",
    LosesConversations: "no acknowledged write is lost",
    ForgetsNames: "each change is made once and on record",
    AnswersOtherwise: "a repeat gets the same answer",
    CompletesAnything: "each change is made once and on record",
    TakesAnyBody: "one name is for one body",
    ReadsFromACopy: "no reading is stale",
    MixesMoments: "a reading shows one moment",
    LetsAllWin: "of many edits of one version one wins",
    DeniesChanges: "nothing was changed is said when it is so",
    RefusesAndDoes: "what is refused is not done",
    TearsAppends: "each change is made once and on record",
    ChangesContent: "messages are there, whole and in order",
    KeepsNoRecord: "no acknowledged write is lost",
    RecordsTwice: "each change is made once and on record",
    ForgetsOldVersions: "every version reads back",
    LeavesGaps: "versions have no gaps",
}
