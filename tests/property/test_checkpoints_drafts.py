"""Laws of a draft: whatever pages do in whatever order, nothing that was typed is lost."""

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from checkpoints.editing.draft import (
    AppliedDraft,
    DraftEntry,
    Operation,
    Overtaken,
    Revert,
    Set,
    StateDraft,
    apply,
    name_at,
    resolve_operations,
)

KEYS = ("0:plan", "0:tone", "1:more")


@dataclass
class Page:
    """One page of a person: what it saw, and what it has at each place."""

    seen: int = 0
    mine: dict[str, int] = field(default_factory=dict)


@dataclass
class Play:
    draft: StateDraft = field(default_factory=lambda: StateDraft(1, 50))
    pages: list[Page] = field(default_factory=lambda: [Page(), Page(), Page()])
    count: int = 0

    def type(self, page: Page, place: str) -> None:
        self.count += 1
        text = f"t{self.count}"
        entry = DraftEntry(name_at(place), "text", text, place[0] == "0", mark=text)
        self.send(page, [Set(place, entry, page.mine.get(place, 0))])
        page.mine[place] = self.draft.seq

    def revert(self, page: Page, place: str) -> None:
        self.send(page, [Revert(place, page.mine.get(place, 0))])
        page.mine[place] = self.draft.seq

    def look(self, page: Page) -> None:
        """The page shows the draft as it is now."""
        page.seen = self.draft.seq

    def send(self, page: Page, operations: list[Operation]) -> None:
        found = apply(self.draft, operations, page.seen)
        if isinstance(found, Overtaken):
            assert found.draft is self.draft
            assert all(each.at > page.seen for each in found.changed.values())
            made = resolve_operations(operations, found, found.draft.seq)
            found = apply(self.draft, made, self.draft.seq)
        assert isinstance(found, AppliedDraft)
        assert found.draft.seq - self.draft.seq in (0, 1)
        self.draft = found.draft

    def do(self, page: Page, place: str, what: str) -> None:
        if what == "type":
            self.type(page, place)
        elif what == "revert":
            self.revert(page, place)
        else:
            self.look(page)

    def kept(self) -> set[str]:
        entries = (*self.draft.entries.values(), *self.draft.others)
        return {each.text for each in entries}


STEPS = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.sampled_from(KEYS),
        st.sampled_from(["type", "type", "look", "revert"]),
    ),
    max_size=25,
)


@given(STEPS)
def test_what_a_page_typed_last_is_kept_until_someone_who_saw_it_replaces_it(
    steps: list[tuple[int, str, str]],
) -> None:
    play = Play()
    for number, place, what in steps:
        page, before, draft = play.pages[number], play.kept(), play.draft
        mine = dict(page.mine)
        play.do(page, place, what)
        gone = before - play.kept()
        there = draft.entries.get(place)
        is_known = there is not None and there.at <= max(page.seen, mine.get(place, 0))
        known = {there.text} if there is not None and is_known else set()
        own = {each.text for each in draft.others if each.at == mine.get(place)}
        assert gone <= known | own, (gone, steps)
        if what == "type":
            assert play.draft.entries[place].text == f"t{play.count}"


@given(STEPS)
def test_sending_again_what_was_applied_changes_nothing(
    steps: list[tuple[int, str, str]],
) -> None:
    play = Play()
    for number, place, what in steps:
        play.do(play.pages[number], place, what)
        again = [Set(each, entry) for each, entry in play.draft.entries.items()]
        found = apply(play.draft, again, play.draft.seq)
        assert isinstance(found, AppliedDraft)
        assert found.draft is play.draft
