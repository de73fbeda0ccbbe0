"""A cache of parsed and indexed workflow documents, for this process."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import orjson
from django.conf import settings

from ctxadmin.lib.errors import NotFound, TooLarge
from ctxadmin.lib.json_bytes import digest, dumps
from ctxadmin.lib.sentence import say
from workflows.domain.checks import problems
from workflows.domain.checks.problems import Problem
from workflows.domain.document import graph
from workflows.domain.document.graph import Document
from workflows.domain.document.topology import Graph
from workflows.domain.processors.registries import standard
from workflows.domain.running.plan import Plan
from workflows.models import Workflow
from workflows.store.workflow import find_version, find_workflow

ValueT = TypeVar("ValueT")

# A read document takes about ten times its JSON (500 nodes: 0.2 MB of JSON, 2 MB): so at most
# about 160 MB, and 256 workflows of the usual size.
_KEPT_BYTES: Final = 16 * 1024**2
_KEPT_ENTRIES: Final = 256


@dataclass(frozen=True, slots=True)
class Definition:
    """A document, and its plan: the index over it with what its elements do."""

    document: Document
    plan: Plan

    @property
    def graph(self) -> Graph:
        return self.plan.graph


@dataclass(frozen=True, slots=True)
class PublishedWorkflow(Definition):
    """A published version of a workflow, which never changes.

    ``slug`` is the one at its publishing.
    """

    key: int
    slug: str
    version: int


class BoundedCache(Generic[ValueT]):
    """The most recently used values, up to a number of entries and of bytes; thread-safe.

    A value larger than half of the bytes is made each time rather than evicting all others.
    """

    def __init__(self, entries: int, size: int) -> None:
        self._entries = entries
        self._size = size
        self._values: OrderedDict[Hashable, tuple[ValueT, int]] = OrderedDict()
        self._used = 0
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], tuple[ValueT, int]]) -> ValueT:
        """Returns the value of ``key``.

        ``make`` returns it with its weight in bytes if it is missing.
        """
        found = self.find(key)
        if found is not None:
            return found
        value, weight = make()
        self.store(key, value, weight)
        return value

    def find(self, key: Hashable) -> ValueT | None:
        """The value of ``key``, None if it is not kept."""
        with self._lock:
            found = self._values.get(key)
            if found is None:
                return None
            self._values.move_to_end(key)
            return found[0]

    def store(self, key: Hashable, value: ValueT, weight: int) -> None:
        """Stores a value of ``weight`` bytes, which must not be changed from now on."""
        if weight > self._size // 2:
            return
        with self._lock:
            previous = self._values.pop(key, None)
            self._used += weight - (previous[1] if previous else 0)
            self._values[key] = (value, weight)
            while self._used > self._size or len(self._values) > self._entries:
                _, (_, dropped) = self._values.popitem(last=False)
                self._used -= dropped


_drafts: Final = BoundedCache[Definition](_KEPT_ENTRIES, _KEPT_BYTES)
_published: Final = BoundedCache[PublishedWorkflow](_KEPT_ENTRIES, _KEPT_BYTES)
_problems: Final = BoundedCache[tuple[Problem, ...]](_KEPT_ENTRIES, _KEPT_BYTES)


def stored(document: Document) -> bytes:
    """Returns a document in stored form.

    Raises TooLarge for one that no request body could hold.
    """
    data = dumps(graph.dump(document))
    limit: int = settings.MAX_BODY_BYTES - 1024
    if len(data) > limit:
        raise TooLarge(
            say("A workflow document has at most {limit} bytes.", limit=limit), limit=limit
        )
    return data


def definition(data: bytes) -> Definition:
    """Returns the definition in stored bytes, which are its cache key."""

    def read() -> tuple[Definition, int]:
        document = graph.read(orjson.loads(data))
        return Definition(document, Plan(document)), len(data)

    return _drafts.get(digest(data), read)


def cache_definition(data: bytes, document: Document) -> None:
    """Caches the definition of a document that is being stored as ``data``, to avoid parsing it."""
    _drafts.get(digest(data), lambda: (Definition(document, Plan(document)), len(data)))


def problems_of(data: bytes) -> Sequence[Problem]:
    """Returns the problems of a stored document, by the current registries of this process.

    The result is cached, because checking takes as long as parsing: 1.3 s for ten thousand nodes.
    """
    known = standard()
    names = (known.processors.names(), known.transforms.names())

    def check() -> tuple[tuple[Problem, ...], int]:
        return tuple(problems.check(definition(data).document)), len(data)

    return _problems.get((digest(data), names), check)


def find_published(workspace: int, slug: str, version: int | None = None) -> PublishedWorkflow:
    """Returns a published version of a workflow, by default the latest.

    Raises NotFound without such a workflow or version, and while nothing is published.
    """
    row = find_workflow(workspace, slug)
    wanted = row.published_version if version is None else version
    if wanted is None:
        raise NotFound(
            say(
                "The workflow {slug} has no published version yet; publish its draft.",
                slug=repr(slug),
            )
        )
    return pinned(row.key, wanted)


def pinned(key: int, version: int) -> PublishedWorkflow:
    """Returns the version that an execution is pinned to, even if its workflow was deleted
    since.
    """

    def read() -> tuple[PublishedWorkflow, int]:
        data = bytes(find_version(key, version).document)
        row = Workflow.objects.only("slug", "deleted_slug").get(key=key)
        document = graph.read(orjson.loads(data))
        found = PublishedWorkflow(
            document=document,
            plan=Plan(document),
            key=key,
            slug=row.slug or row.deleted_slug,
            version=version,
        )
        return found, len(data)

    return _published.get((key, version), read)
