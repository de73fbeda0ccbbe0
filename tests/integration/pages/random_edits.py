"""Random edits of a state in which every value is written once: what gets lost can be named."""

import json
import random
import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from ctxadmin.lib.structural_diff import ABSENT, Value

State = dict[str, Any]
_TOKEN = re.compile(r"t\d+z|\b[1-9]\d{5,9}\b")


def tokens(value: object) -> set[str]:
    """Every text and number of a value that someone wrote, or of the HTML of a page."""
    return set(_TOKEN.findall(value if isinstance(value, str) else json.dumps(value)))


class Writer:
    """Makes edits; each value that it writes is new. Equal seeds make equal edits."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.count = 0

    def state(self) -> State:
        """A state with something for every reducer, nested objects and lists of both kinds."""
        return {
            "draft": self.text(),
            "customer": {"name": self.text(), "address": {"town": self.text(), "zip": self.text()}},
            "facts": {"a": self.text(), "b": [self.text(), self.text()]},
            "log": [self.text()],
            "count": self.number(),
            "best": self.number(),
            "items": [self.item() for _each in range(3)],
            "done": {"rows": [self.item(), self.item()], "note": None},
            "a/b~c": self.text(),
        }

    def text(self) -> str:
        self.count += 1
        return f"t{self.count}z"

    def number(self) -> int:
        self.count += 1
        return 100_000 + self.count

    def item(self) -> State:
        self.count += 1
        return {"id": f"i{self.count}", "text": self.text(), "more": {"x": self.text()}}

    def edited(self, state: State) -> State:
        """The state with one or two edits somewhere in it."""
        made = deepcopy(state)
        for _each in range(self.chance.choice([1, 1, 2])):
            self._edit(made)
        return made

    def _edit(self, state: State) -> None:
        if self.chance.random() < 0.15:
            state[f"extra{self.chance.randrange(4)}"] = self._new()
        elif state and self.chance.random() < 0.08:
            del state[self.chance.choice(sorted(state))]
        else:
            # Few places that many change, so that they meet.
            key = self.chance.choice([*sorted(state), *({"draft", "items", "log"} & state.keys())])
            state[key] = self._changed(key, state[key])

    def _new(self) -> Any:
        kind = self.chance.randrange(5)
        if kind == 0:
            return self.chance.choice([None, True, [], {}, "", 0.5])
        if kind == 1:
            return {"deep": {"er": self.text()}}
        if kind == 2:
            return [self.item()]
        return self.text() if kind == 3 else self.number()

    def _changed(self, key: str, value: Any) -> Any:
        """Another value of the same kind: reducers refuse others."""
        if isinstance(value, dict) and value:
            return self._in_object(value)
        if isinstance(value, list):
            return self._in_list(value, plain=key == "log")
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self.number()
        return {"new": self.text()} if isinstance(value, dict) else self.text()

    def _in_object(self, value: State) -> State:
        names = [name for name in sorted(value) if name != "id"]
        if not names or self.chance.random() < 0.2:
            return value | {self.chance.choice("pqr"): self.text()}
        name = self.chance.choice(names)
        if self.chance.random() < 0.15:
            return {each: value[each] for each in value if each != name}
        return value | {name: self._changed(name, value[name])}

    def _in_list(self, value: list[Any], *, plain: bool) -> list[Any]:
        made, kind = list(value), self.chance.random()
        named = all(isinstance(each, dict) and "id" in each for each in made) and not plain
        if not made or kind < 0.3:
            made.insert(self.chance.randint(0, len(made)), self.item() if named else self.text())
        elif kind < 0.45:
            made.pop(self.chance.randrange(len(made)))
        elif kind < 0.55:
            self.chance.shuffle(made)
        else:
            place = self.chance.randrange(len(made))
            made[place] = self._changed("", made[place])
        return made


def differences(before: State, after: State) -> Iterator[tuple[str, Value]]:
    """The keys that differ, with what they are afterwards."""
    for key in {**before, **after}:
        there = json.dumps(before.get(key)), json.dumps(after.get(key))
        if there[0] != there[1] or (key in before) != (key in after):
            yield key, after.get(key, ABSENT)
