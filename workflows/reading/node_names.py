"""The names of nodes of published versions, for lists of many executions."""

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping
from functools import reduce
from operator import or_
from typing import Final, TypeAlias

import orjson
from django.db.models import Q

from workflows.models import WorkflowVersion

# The key of a workflow, its version and a node; None for what runs freely.
NodePlace: TypeAlias = tuple[int | None, int | None, str]

_MOST: Final = 4096
_kept: Final[OrderedDict[NodePlace, str]] = OrderedDict()  # a version never changes
_lock: Final = threading.Lock()


def node_names(places: Collection[NodePlace]) -> Mapping[NodePlace, str]:
    """Returns the name of each node that has one.

    Uncached ones cost one query, and no document is indexed for them.
    """
    with _lock:
        known = {place: _kept[place] for place in places if place in _kept}
    missing = {each for each in places if each not in known and None not in each}
    read = dict(_read(missing)) if missing else {}
    with _lock:
        _kept.update(read)
        while len(_kept) > _MOST:
            _kept.popitem(last=False)
    return {place: name for place, name in (known | read).items() if name}


def _read(places: Collection[NodePlace]) -> Iterator[tuple[NodePlace, str]]:
    versions = {place[:2] for place in places}
    wanted = reduce(or_, (Q(workflow=key, version=number) for key, number in versions))
    rows = WorkflowVersion.objects.filter(wanted).values_list("workflow", "version", "document")
    for key, number, document in rows:
        names = names_in(bytes(document))
        for place in places:
            if place[:2] == (key, number):
                yield place, names.get(place[2], "")


def names_in(document: bytes) -> Mapping[str, str]:
    """Returns the names by id; none for a damaged document, which then hides no list."""
    try:
        nodes = orjson.loads(document)["nodes"]
        return {node["id"]: node["name"] for node in nodes if node.get("name")}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
