"""The parser of conditions: from a text to a tree."""

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal

from ctxadmin.lib.sentence import say
from workflows.domain.conditions.tokens import SyntaxFault, Token, tokens

MAX_LENGTH: Final = 2000
MAX_DEPTH: Final = 32
MAX_TERMS: Final = 200
# 48 ``includes`` over a text of 10 MB took 594 ms, so 8 take about 100 ms at worst.
MAX_CALLS: Final = 8
MAX_STEPS: Final = 32

Root = Literal["context", "variables", "metadata"]
Method = Literal["includes", "startsWith", "endsWith"]
Comparison = Literal["===", "!==", "<", "<=", ">", ">="]

_ROOTS: Final[dict[str, Root]] = {
    "context": "context",
    "variables": "variables",
    "metadata": "metadata",
}
_METHODS: Final[dict[str, Method]] = {
    "includes": "includes",
    "startsWith": "startsWith",
    "endsWith": "endsWith",
}
_METHOD_HINTS: Final = {
    "contains": say("did you mean includes?"),
    "has": say("did you mean includes?"),
    "indexOf": say("did you mean includes?"),
    "match": say("regular expressions are not supported; use includes, startsWith or endsWith"),
    "test": say("regular expressions are not supported; use includes, startsWith or endsWith"),
}
_CONSTANTS: Final[dict[str, bool | None]] = {
    "true": True,
    "false": False,
    "null": None,
    "undefined": None,
}
_WORD_HINTS: Final = {
    "and": say("use && for and"),
    "or": say("use || for or"),
    "not": say("use ! for not"),
    "is": say("use === to compare"),
    "True": say("did you mean true?"),
    "False": say("did you mean false?"),
    "None": say("did you mean null?"),
    "NaN": say("NaN is not supported"),
    "in": say("use .includes(...)"),
    "typeof": say("compare with null, true or a text instead"),
}
_COMPARISONS: Final[dict[str, Comparison]] = {
    "===": "===",
    "==": "===",
    "!==": "!==",
    "!=": "!==",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
}
_EQUALITIES: Final = ("===", "!==", "==", "!=")
_RELATIONS: Final = ("<", "<=", ">", ">=")


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant of the text."""

    value: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Lookup:
    """A name and a path into its value.

    ``names`` are the dotted parts after the root; the existing names decide at evaluation how many
    of them form the name. A name in brackets is one part and exact. ``steps`` follow.
    """

    root: Root
    names: tuple[str, ...]
    steps: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True)
class MemberPath:
    """A path into the value of an expression that is not a name."""

    source: "Expression"
    steps: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class MethodCall:
    """A call of a method of a text or an array."""

    source: "Expression"
    method: Method
    argument: "Expression"


@dataclass(frozen=True, slots=True)
class Not:
    """The negation of a truth value."""

    source: "Expression"


@dataclass(frozen=True, slots=True)
class ComparedValues:
    """A comparison of two values; ``==`` and ``!=`` are written as the strict ones."""

    comparison: Comparison
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True)
class AllOf:
    """``a && b && c``."""

    parts: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """``a || b || c``."""

    parts: tuple["Expression", ...]


Expression = Constant | Lookup | MemberPath | MethodCall | Not | ComparedValues | AllOf | AnyOf


def parse_condition(text: str) -> Expression:
    """Returns the tree of a condition; raises SyntaxFault. The limits above bound the work."""
    if len(text) > MAX_LENGTH:
        message = say(
            "a condition has at most {most} characters, this one has {n}",
            most=MAX_LENGTH,
            n=len(text),
        )
        raise SyntaxFault(message, MAX_LENGTH, len(text))
    return _Parser(text).parse()


class _Parser:
    """Recursive descent with JavaScript's precedences: ``||``, ``&&``, ``===``, ``<``, ``!``."""

    def __init__(self, text: str) -> None:
        self._tokens = list(tokens(text))
        self._position = 0
        self._depth = 0
        self._terms = 0
        self._calls = 0

    def parse(self) -> Expression:
        first = self._next
        if first.kind == "end":
            raise first.fault(say("the condition is empty"), say("write for example context.NAME"))
        expression = self._any_of()
        if self._next.kind != "end":
            raise self._unexpected(say("expected an operator such as === or &&"))
        return expression

    @property
    def _next(self) -> Token:
        return self._tokens[self._position]

    def _next_token(self) -> Token:
        token = self._next
        self._position += 1
        return token

    def _accept(self, *operators: str) -> Token | None:
        token = self._next
        if token.kind != "operator" or token.text not in operators:
            return None
        return self._next_token()

    def _expect(self, operator: str, opened: Token) -> None:
        if self._accept(operator) is None:
            message = say(
                "expected {sign} to close the {opened} in column {n}",
                sign=repr(operator),
                opened=repr(opened.text),
                n=opened.start + 1,
            )
            raise self._unexpected(message)

    def _unexpected(self, expected: str) -> SyntaxFault:
        token = self._next
        hint = _WORD_HINTS.get(token.text, "")
        message = say("{expected}, found {what}", expected=expected, what=token.described())
        return token.fault(message, hint)

    def _any_of(self) -> Expression:
        parts = [self._all_of()]
        while self._accept("||"):
            parts.append(self._all_of())
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _all_of(self) -> Expression:
        parts = [self._equality()]
        while self._accept("&&"):
            parts.append(self._equality())
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def _equality(self) -> Expression:
        return self._comparison(_EQUALITIES, self._relation)

    def _relation(self) -> Expression:
        return self._comparison(_RELATIONS, self._unary)

    def _comparison(
        self, operators: tuple[str, ...], operand: Callable[[], Expression]
    ) -> Expression:
        left = operand()
        operator = self._accept(*operators)
        if operator is None:
            return left
        right = operand()
        if self._next.kind == "operator" and self._next.text in operators:
            raise self._next.fault(
                say("comparisons cannot be chained"),
                say("join two comparisons with &&, or use parentheses"),
            )
        return ComparedValues(_COMPARISONS[operator.text], left, right)

    def _unary(self) -> Expression:
        operator = self._accept("!")
        if operator is None:
            return self._postfix()
        self._descend(operator)
        source = self._unary()
        self._depth -= 1
        return Not(source)

    def _descend(self, token: Token) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise token.fault(say("a condition is nested at most {n} deep", n=MAX_DEPTH))

    def _postfix(self) -> Expression:
        expression = self._primary()
        steps: list[str | int] = []
        while True:
            if dot := self._accept("."):
                name = self._name_after(dot)
                if opened := self._accept("("):
                    expression = self._call(_with_steps(expression, steps), name, opened)
                    steps = []
                else:
                    steps.append(name.text)
            elif opened := self._accept("["):
                steps.append(self._key(opened))
            else:
                return _with_steps(expression, steps)
            if len(steps) > MAX_STEPS:
                raise self._next.fault(say("a path has at most {n} steps", n=MAX_STEPS))

    def _name_after(self, dot: Token) -> Token:
        if self._next.kind != "name":
            message = say("expected a name after '.', found {what}", what=self._next.described())
            raise self._next.fault(
                message, say("write a name with other characters as ['the name']")
            )
        return self._next_token()

    def _key(self, opened: Token) -> str | int:
        key = self._next
        if key.kind not in ("string", "number") or isinstance(key.value, float) or key.text == "-0":
            raise key.fault(
                say("[ ] takes a text in quotes or a whole number"),
                say("write ['the name'] or [0]"),
            )
        self._next_token()
        self._expect("]", opened)
        return key.value

    def _call(self, source: Expression, name: Token, opened: Token) -> Expression:
        method = _METHODS.get(name.text)
        if method is None:
            hint = _METHOD_HINTS.get(name.text) or _did_you_mean(name.text, _METHODS)
            raise self._unknown_method(name, hint)
        self._calls += 1
        if self._calls > MAX_CALLS:
            raise name.fault(say("a condition calls at most {n} methods", n=MAX_CALLS))
        self._descend(opened)
        argument = self._any_of()
        self._depth -= 1
        self._expect(")", opened)
        return MethodCall(source, method, argument)

    @staticmethod
    def _unknown_method(name: Token, hint: str) -> SyntaxFault:
        message = say(
            "unknown method {name}; use includes, startsWith or endsWith", name=repr(name.text)
        )
        return name.fault(message, hint)

    def _primary(self) -> Expression:
        opened = self._accept("(")
        if opened is not None:
            self._descend(opened)
            expression = self._any_of()
            self._depth -= 1
            self._expect(")", opened)
            return expression
        token = self._next
        if token.kind in ("end", "operator"):
            raise self._unexpected(say("expected a name or a value"))
        self._terms += 1
        if self._terms > MAX_TERMS:
            raise token.fault(say("a condition has at most {n} names and values", n=MAX_TERMS))
        self._next_token()
        if token.kind != "name":
            return Constant(token.value)
        if token.text in _CONSTANTS:
            return Constant(_CONSTANTS[token.text])
        return self._lookup(token)

    def _lookup(self, token: Token) -> Lookup:
        root = _ROOTS.get(token.text)
        if root is None:
            raise token.fault(
                say("unknown name {name}", name=repr(token.text)), self._root_hint(token)
            )
        if opened := self._accept("["):
            return Lookup(root, (str(self._key(opened)),))
        names: list[str] = []
        while self._next.text == "." and not self._is_method():
            names.append(self._name_after(self._next_token()).text)
            if len(names) > MAX_STEPS:
                raise self._next.fault(say("a path has at most {n} steps", n=MAX_STEPS))
        if not names:
            self._refuse_unknown_method(root)
            hint = say("write {root}.NAME or {root}['the name']", root=root)
            raise token.fault(say("{root} is not a value by itself", root=repr(root)), hint)
        return Lookup(root, tuple(names))

    def _refuse_unknown_method(self, root: str) -> None:
        """Raises for ``context.x (``: the parentheses are wrong, not the name."""
        if self._next.text != ".":
            return
        name = self._tokens[self._position + 1]
        if name.text not in _METHODS:
            close = _did_you_mean(name.text, _METHODS)
            plain = say("write {name} without parentheses", name=f"{root}.{name.text}")
            raise self._unknown_method(name, close or plain)

    def _is_method(self) -> bool:
        behind = self._tokens[self._position + 2 : self._position + 3]
        return bool(behind) and behind[0].text == "("

    def _root_hint(self, token: Token) -> str:
        if token.text in _WORD_HINTS:
            return _WORD_HINTS[token.text]
        if self._next.text == "(":
            return say("functions are not supported")
        if self._next.text in (".", "["):
            close = _did_you_mean(token.text, _ROOTS)
            if close:
                return close
        constant = _did_you_mean(token.text, _CONSTANTS)
        return constant or say("did you mean context.{name}?", name=token.text)


def _with_steps(expression: Expression, steps: list[str | int]) -> Expression:
    if not steps:
        return expression
    if isinstance(expression, Lookup):
        return Lookup(expression.root, expression.names, tuple(steps))
    return MemberPath(expression, tuple(steps))


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return say("did you mean {name}?", name=close[0]) if close else ""
