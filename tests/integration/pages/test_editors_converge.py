"""Law: people who edit a paused state together, in any order, lose nothing and end with the same.

Up to five people edit one state by the real pages over the real services. Announcements are those
that the services make; they are lost and shuffled on the way. Every value is written once, so that
each one that gets lost has a name. A seed that fails is in the name of the test:
``CTXADMIN_EDITORS_SEED=7 pytest ...`` plays that one, ``CTXADMIN_EDITORS_ROUNDS=200`` plays more.
"""

import os
import random
from collections.abc import Iterator, Sequence

import pytest
from django.db import connection

from checkpoints.events.frames import ConversationChanged
from checkpoints.models import PendingEdit
from ctxadmin.lib.structural_diff import equal
from ctxadmin.realtime import announcements
from ctxadmin.realtime.messages import Announced, Message
from tests.factories import Api
from tests.integration.checkpoints.flows import Run, ok
from tests.integration.pages.editors import Editor, Follower, Scene, page_content
from tests.integration.pages.random_edits import Writer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]
REDUCERS = {
    "log": "append",
    "count": "increment",
    "best": "max",
    "items": "add_by_id",
    "facts": "merge",
}
STEPS = 30
# What the pages do is the same on both databases: MariaDB sees half of the rounds.
_USUAL = "4" if connection.vendor == "sqlite" else "2"
_ROUNDS = int(os.environ.get("CTXADMIN_EDITORS_ROUNDS", _USUAL))
_SEED = os.environ.get("CTXADMIN_EDITORS_SEED", "")
SEEDS = [int(_SEED)] if _SEED else range(1, _ROUNDS + 1)


@pytest.fixture
def announced() -> Iterator[list[ConversationChanged]]:
    """Every change as it is announced, in the order of the commits."""
    heard: list[ConversationChanged] = []

    def carrier(messages: Sequence[Message]) -> None:
        told = [each.frame for each in messages if isinstance(each, Announced)]
        heard.extend(frame for frame in told if isinstance(frame, ConversationChanged))

    announcements.register_carrier(carrier)
    yield heard
    announcements._carriers.remove(carrier)


class Play:
    """Editors, their followers and an engine, in a random order of steps."""

    def __init__(self, seed: int, announced: list[ConversationChanged]) -> None:
        self.chance = random.Random(seed)
        writer = Writer(self.chance)
        run = Run.start(None, Api(), reducers=REDUCERS)
        run.pause_now(state_data=writer.state())
        self.scene = Scene(run, writer)
        self.scene.look()
        self.announced = announced
        names = [f"editor{number}" for number in range(2 + seed % 4)]
        self.editors = [Editor(self.scene, name, self.chance) for name in names]
        self.followers = [Follower(self.scene, each.client) for each in self.editors]
        self.saves = 0

    def step(self) -> None:
        editor = self.chance.choice(self.editors)
        [what] = self.chance.choices(
            [
                editor.type,
                editor.go_on,
                editor.reload,
                editor.back,
                editor.take_back,
                editor.sign_out,
                self.engine_edits,
                self.goes_on,
                self.pauses_again,
            ],
            weights=[30, 45, 12, 10, 4, 2, 3, 2, 10],
        )
        what()
        self.spread()

    def engine_edits(self) -> None:
        """A program changes the state by the contract; its reducers decide."""
        if self.scene.paused:
            node = self.scene.run.snapshot()["current_node_id"]
            body = {"log": [self.scene.writer.text()], "extra0": self.scene.writer.text()}
            ok(self.scene.run.update(node, state_data=body))
            self.scene.look()

    def goes_on(self) -> None:
        if self.scene.paused:
            ok(self.scene.run.post("approve", {}))
            self.scene.look()
            for editor in self.editors:
                editor.reload()

    def pauses_again(self) -> None:
        """The engine saves, maybe after another node, and waits for review again."""
        if not self.scene.paused:
            self.saves += 1
            node = self.chance.choice(["a", "b"])
            body = {"draft": self.scene.writer.text(), "log": [self.scene.writer.text()]}
            run = self.scene.run
            ok(run.save(f"again-{self.saves}", node, status="PAUSED", state_data=body))
            self.scene.look()

    def spread(self) -> None:
        """What was announced goes to everyone, some of it late, in disorder or never."""
        for follower in self.followers:
            follower.wire += self.announced
            if self.chance.random() < 0.05:
                follower.reconnect()
            self.chance.shuffle(follower.wire) if self.chance.random() < 0.4 else None
            for _each in range(self.chance.randint(0, len(follower.wire))):
                frame = follower.wire.pop(0)
                if self.chance.random() < 0.8:
                    follower.hear(frame)
        self.announced.clear()

    def end(self) -> None:
        self.pauses_again()
        for editor in self.chance.sample(self.editors, len(self.editors)):
            editor.finish()
        self.spread()
        for follower in self.followers:
            self.chance.choice([follower.look, follower.reconnect])()


@pytest.mark.parametrize("seed", SEEDS)
def test_editors_of_one_state_converge_and_lose_nothing(
    seed: int, announced: list[ConversationChanged]
) -> None:
    play = Play(seed, announced)
    for _each in range(STEPS):
        play.step()
    play.end()
    scene = play.scene
    scene.look()
    assert not PendingEdit.objects.exists()
    for editor in play.editors:
        editor.reload()
    fresh = scene.fresh()
    for follower in play.followers:
        assert follower.state == fresh
        assert follower.shown == page_content(follower.client, scene.run)
    assert equal(scene.truth[scene.version], scene.run.state())
