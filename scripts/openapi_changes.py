"""Compares the OpenAPI document with the committed one: ``python -m scripts.openapi_changes``.

It prints the breaking changes, and fails if there are any. ``--renew`` writes the current document
over the committed one: after a change that breaks nothing, or a deliberate one that is in the
changelog.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import orjson

Json = dict[str, Any]
COMMITTED: Final = Path(__file__).with_name("openapi.json")
_TEXTS: Final = ("description", "summary", "examples", "example")
_LEAST: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_MOST: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")


def breaking_changes(old: Json, new: Json) -> list[str]:
    """Returns what breaks a client of the old document; one line each."""
    return list(dict.fromkeys(_Comparison(old, new).of_paths()))


class _Comparison:
    """Two documents; schemas are compared as callers send them, or as they read them."""

    def __init__(self, old: Json, new: Json) -> None:
        self.old, self.new = old, new
        self.seen: set[tuple[str, str, bool]] = set()

    def of_paths(self) -> Iterator[str]:
        for path, methods in self.old["paths"].items():
            for method, was in methods.items():
                where = f"{method.upper()} {path}"
                now = self.new["paths"].get(path, {}).get(method)
                if now is None:
                    yield f"{where}: the call was removed"
                else:
                    yield from self._of_operation(where, was, now)
        yield from self._of_webhooks()

    def _of_webhooks(self) -> Iterator[str]:
        for name, methods in self.old.get("webhooks", {}).items():
            now = self.new.get("webhooks", {}).get(name)
            if now is None:
                yield f"webhook {name}: it was removed"
                continue
            bodies = (each["post"].get("requestBody") for each in (methods, now))
            yield from self._of_content(f"webhook {name}", *bodies, sent=False)

    def _of_operation(self, where: str, was: Json, now: Json) -> Iterator[str]:
        if was["operationId"] != now["operationId"]:
            yield f"{where}: operationId {was['operationId']} is now {now['operationId']}"
        yield from self._of_parameters(where, was, now)
        if now.get("requestBody", {}).get("required") and "requestBody" not in was:
            yield f"{where}: a body is required now"
        body = f"{where} body"
        yield from self._of_content(body, was.get("requestBody"), now.get("requestBody"), sent=True)
        for status, answer in was["responses"].items():
            if status.startswith("2"):
                after = now["responses"].get(status)
                yield from self._of_content(f"{where} {status}", answer, after, sent=False)
                for header in answer.get("headers", {}):
                    if after and header not in after.get("headers", {}):
                        yield f"{where} {status}: the header {header} was removed"

    def _of_parameters(self, where: str, was: Json, now: Json) -> Iterator[str]:
        before, after = (
            {(each["in"], each["name"]): each for each in operation.get("parameters", ())}
            for operation in (was, now)
        )
        for key, parameter in before.items():
            if key not in after:
                yield f"{where}: the parameter {key[1]} was removed"
            else:
                place = f"{where} {key[1]}"
                schemas = (parameter["schema"], after[key]["schema"])
                yield from self._of_schema(place, *schemas, sent=True)
        for key, parameter in after.items():
            if parameter.get("required") and not before.get(key, {}).get("required"):
                yield f"{where}: the parameter {key[1]} is required now"

    def _of_content(
        self, where: str, was: Json | None, now: Json | None, *, sent: bool
    ) -> Iterator[str]:
        if was is None:
            return
        if now is None:
            yield f"{where}: it was removed"
            return
        for kind, media in was.get("content", {}).items():
            after = now.get("content", {}).get(kind)
            if after is None:
                yield f"{where}: {kind} was removed"
                continue
            pair = [each.get("schema", {}) for each in (media, after)]
            yield from self._of_schema(where, *pair, sent=sent)
            if "contentSchema" in pair[0] and "contentSchema" in pair[1]:
                inner = [each["contentSchema"] for each in pair]
                yield from self._of_schema(f"{where} event", *inner, sent=False)

    def _of_schema(self, where: str, was: Json, now: Json, *, sent: bool) -> Iterator[str]:
        refs = (was.get("$ref", ""), now.get("$ref", ""), sent)
        if refs[0] and refs[1]:
            if refs in self.seen:
                return
            self.seen.add(refs)
        before, after = _options(was, self.old), _options(now, self.new)
        yield from _of_types(where, before, after, sent=sent)
        for kind in {each.get("type") for each in before} - {None}:
            pairs = _pairs(
                [each for each in before if each.get("type") == kind],
                [each for each in after if each.get("type") == kind],
            )
            for one, other in pairs:
                yield from self._of_one(where, one, other, sent=sent)

    def _of_one(self, where: str, was: Json, now: Json, *, sent: bool) -> Iterator[str]:
        """Compares two schemas of one type."""
        if sent:
            yield from _of_bounds(where, was, now)
        if "items" in was and "items" in now:
            yield from self._of_schema(f"{where}[]", was["items"], now["items"], sent=sent)
        before, after = was.get("properties", {}), now.get("properties", {})
        for name, schema in before.items():
            if name in after:
                yield from self._of_schema(f"{where}.{name}", schema, after[name], sent=sent)
            else:
                yield f"{where}.{name}: the field was removed"
        required = set(was.get("required", ())), set(now.get("required", ()))
        if sent:
            for name in sorted(required[1] - required[0]):
                yield f"{where}.{name}: the field is required now"
        else:
            for name in sorted((required[0] - required[1]) & after.keys()):
                yield f"{where}.{name}: the field can be missing now"
        values = [each.get("additionalProperties", True) for each in (was, now)]
        if sent and values[1] is False and values[0] is not False:
            yield f"{where}: further fields are refused now"
        if isinstance(values[0], dict) and isinstance(values[1], dict):
            yield from self._of_schema(f"{where}.*", *values, sent=sent)


def _of_types(where: str, was: list[Json], now: list[Json], *, sent: bool) -> Iterator[str]:
    before, after = ({each.get("type") for each in side} for side in (was, now))
    narrow, wide = (after, before) if sent else (before, after)
    word = "is refused" if sent else "can be answered"
    if None not in narrow:
        for kind in sorted(str(each or "anything") for each in wide - narrow):
            if not (kind == "integer" and "number" in narrow):
                yield f"{where}: {kind} {word} now"


def _of_bounds(where: str, was: Json, now: Json) -> Iterator[str]:
    for names, sign in ((_LEAST, 1), (_MOST, -1)):
        for name in names:
            if name in now and (name not in was or now[name] * sign > was[name] * sign):
                yield f"{where}: {name} is now {now[name]}"
    if "pattern" in now and now["pattern"] != was.get("pattern"):
        yield f"{where}: the pattern is now {now['pattern']}"
    if "enum" in now:
        gone = [each for each in was.get("enum", ["other values"]) if each not in now["enum"]]
        for each in gone:
            yield f"{where}: {each} is refused now"


def _options(schema: Json, document: Json) -> list[Json]:
    """Returns the alternatives of a schema, references followed.

    Each has one type, or none for any.
    """
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return _options(document["components"]["schemas"][name], document)
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return [one for each in schema[word] for one in _options(each, document)]
    if "const" in schema:
        schema = {**schema, "enum": [schema["const"]]}
    kind = schema.get("type")
    if isinstance(kind, list):
        return [{**schema, "type": each} for each in kind]
    return [schema]


def _pairs(was: list[Json], now: list[Json]) -> Iterator[tuple[Json, Json]]:
    """Yields matching alternatives of one type: the only ones, or those with one title."""
    if len(was) == len(now) == 1:
        yield was[0], now[0]
        return
    for one in was:
        for other in now:
            if one.get("title") and one.get("title") == other.get("title"):
                yield one, other


def current() -> bytes:
    """Returns the current document without texts and problems, indented for readable diffs."""
    from ctxadmin.http.openapi import document

    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    made = orjson.loads(document())
    for methods in made["paths"].values():
        for operation in methods.values():
            answers = operation["responses"].items()
            operation["responses"] = {code: each for code, each in answers if code[0] == "2"}
    return orjson.dumps(_without_texts(made), option=options)


def _without_texts(value: object, *, are_names: bool = False) -> object:
    """Removes descriptions and examples; the keys of ``properties`` are names, and stay."""
    if isinstance(value, list):
        return [_without_texts(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _without_texts(each, are_names=key == "properties" and not are_names)
        for key, each in value.items()
        if are_names or key not in _TEXTS
    }


def main(arguments: list[str]) -> int:
    """Compares or renews; returns the exit code."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ctxadmin.config.settings")
    import django

    django.setup()
    made = current()
    if "--renew" in arguments:
        COMMITTED.write_bytes(made)
        return 0
    found = breaking_changes(orjson.loads(COMMITTED.read_bytes()), orjson.loads(made))
    for each in found:
        print(each)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
