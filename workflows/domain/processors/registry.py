"""A registry of named functions: builtins, registered ones, those of installed packages."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar

from ctxadmin.lib.contract import did_you_mean
from ctxadmin.lib.errors import Duplicate, FieldProblem, Forbidden, NotFound, ValidationFailed
from ctxadmin.lib.ids import is_public_id
from ctxadmin.lib.sentence import say

T = TypeVar("T", bound=Callable[..., object])
Discover = Callable[[], Iterable[EntryPoint]]


@dataclass(frozen=True, slots=True)
class RegistryEntry:
    """One name of a registry: its origin and its purpose.

    ``origin`` is "builtin", "registered" or the name of the package that provides it; ``fault``
    says why a package's could not be loaded.
    """

    name: str
    origin: str
    description: str
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class LoadFault:
    """An entry point that cannot be used, by name and package, and why."""

    name: str
    origin: str
    message: str


class Registry(Generic[T]):
    """Named functions of one ``kind``; a name means one function and keeps its meaning.

    Entry points of ``group`` are listed at the first lookup that the other names do not answer, and
    each is loaded on demand; one that cannot be loaded harms no other. ``adopt`` makes a package's
    function safe to call. Source: semantics 2.12.
    """

    def __init__(
        self,
        kind: str,
        builtins: Mapping[str, T],
        group: str,
        adopt: Callable[[str, T], T],
        discover: Discover | None = None,
    ) -> None:
        self._kind = kind
        self._builtins = dict(builtins)
        self._registered: dict[str, T] = {}
        self._adopt = adopt
        self._discover = discover or (lambda: entry_points(group=group))
        self._points: dict[str, EntryPoint] | None = None
        self._loaded: dict[str, T] = {}
        self._faults: dict[tuple[str, str], LoadFault] = {}

    def register(self, name: str, function: T) -> None:
        """Adds a function; a taken name raises Duplicate, an invalid name ValidationFailed."""
        if not is_public_id(name):
            raise ValidationFailed(
                say("{name} is not a name: 1 to 64 letters, digits, - and _", name=repr(name))
            )
        if name in self._builtins or name in self._registered or name in self._entry_points():
            raise Duplicate(
                say("the {kind} {name} exists already", kind=self._kind, name=repr(name))
            )
        self._registered[name] = self._adopt(name, function)

    def unregister(self, name: str) -> None:
        """Removes a registered function; a builtin or a package's raises Forbidden."""
        if name in self._builtins:
            raise Forbidden(
                say("the builtin {kind} {name} cannot be removed", kind=self._kind, name=repr(name))
            )
        if name in self._entry_points():
            raise Forbidden(
                say(
                    "the {kind} {name} belongs to an installed package",
                    kind=self._kind,
                    name=repr(name),
                )
            )
        if self._registered.pop(name, None) is None:
            raise NotFound(say("there is no {kind} {name}", kind=self._kind, name=repr(name)))

    def find(self, name: str) -> T | None:
        """Returns the function of that name, or None; loads it if a package provides it."""
        return self._builtins.get(name) or self._registered.get(name) or self._load(name)

    def get(self, name: str, pointer: str = "") -> T:
        """Returns the function of that name; raises ValidationFailed at ``pointer`` without one."""
        function = self.find(name)
        if function is None:
            fault = self._fault_of(name)
            raise ValidationFailed.at(pointer, fault)
        return function

    def problem(self, name: str, pointer: str) -> FieldProblem | None:
        """Returns what ``get`` would raise, or None."""
        return None if self.find(name) is not None else FieldProblem(pointer, self._fault_of(name))

    def _fault_of(self, name: str) -> str:
        for fault in self._faults.values():
            if fault.name == name:
                return f"{self._kind} {name!r} of {fault.origin}: {fault.message}"
        return did_you_mean(f"unknown {self._kind} {name!r}", name, self.names())

    def names(self) -> tuple[str, ...]:
        """Returns all names, sorted; loads nothing."""
        return tuple(sorted({*self._builtins, *self._registered, *self._entry_points()}))

    def entries(self) -> tuple[RegistryEntry, ...]:
        """Returns every name with its origin and description, sorted; loads all."""
        return tuple(self._entry(name) for name in self.names())

    def _entry(self, name: str) -> RegistryEntry:
        function = self.find(name)
        origin = "builtin" if name in self._builtins else "registered"
        if name in self._entry_points():
            origin = _origin(self._entry_points()[name])
        if function is None:
            return RegistryEntry(name, origin, "", self._fault_of(name))
        lines = (function.__doc__ or "").strip().splitlines()
        return RegistryEntry(name, origin, lines[0] if lines else "")

    def faults(self) -> tuple[LoadFault, ...]:
        """Returns the entry points that cannot be used; loads all."""
        for name in self._entry_points():
            self._load(name)
        return tuple(self._faults.values())

    def _entry_points(self) -> Mapping[str, EntryPoint]:
        if self._points is None:
            points: dict[str, EntryPoint] = {}
            for point in self._discover():
                fault = self._name_fault(point, points)
                if fault:
                    self._refuse(point, fault)
                else:
                    points[point.name] = point
            self._points = points
        return self._points

    def _name_fault(self, point: EntryPoint, known: Mapping[str, EntryPoint]) -> str | None:
        if not is_public_id(point.name):
            return "a name has 1 to 64 letters, digits, - and _"
        if point.name in self._builtins or point.name in self._registered:
            return "the name is taken"
        if point.name in known:
            return f"the name is taken by {_origin(known[point.name])}"
        return None

    def _refuse(self, point: EntryPoint, message: str) -> None:
        fault = LoadFault(point.name, _origin(point), message)
        self._faults[point.name, point.value] = fault

    def _load(self, name: str) -> T | None:
        if name in self._loaded:
            return self._loaded[name]
        point = self._entry_points().get(name)
        if point is None or (point.name, point.value) in self._faults:
            return None
        try:
            function = point.load()
        except Exception as error:  # noqa: BLE001 a package's import may raise anything
            self._refuse(point, f"loading it failed: {type(error).__name__}: {error}")
            return None
        if not callable(function):
            self._refuse(point, "it is not a function")
            return None
        self._loaded[name] = self._adopt(name, function)
        return self._loaded[name]


def _origin(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.value
