"""Boolean expressions: text to truth table, or an error with the column.  Operators from lowest to highest precedence:

    a <-> b      equivalence
    a -> b       implication, right associative
    a | b        also: or
    a ^ b        exclusive or; also: xor
    a & b        also: and
    ~a           also: !a, not a
    atleast(k, a, b, ...), atmost(k, ...), exactly(k, ...), majority(a, b, ...): the number of true arguments

The parser keeps its own stack (Dijkstra's shunting yard), so parentheses may be nested to any depth.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from linnet.boolean.function import BooleanFunction, Table, cube
from linnet.errors import ExpressionError, RecipeError

MOST_VARIABLES = 16
TOKEN = re.compile(r"\s*(?:(<->|->|[&|^~!(),])|(\d\w*)|([^\W\d]\w*)|(\S))")
WORDS = {"and": "&", "or": "|", "not": "~", "xor": "^", "true": "1", "false": "0"}
# The operators that are meant by those of other languages.
MEANT = {"=": "<->", "+": "|", "*": "&", "-": "->", "<": "<->", "∧": "&", "∨": "|", "¬": "~", "⊕": "^", "→": "->"}


@dataclass(frozen=True)
class Binary:
    """A binary operator and its precedence."""

    precedence: int
    apply: Callable[[Table, Table], Table]
    right_associative: bool = False


BINARY = {
    "<->": Binary(1, lambda a, b: a == b),
    "->": Binary(2, lambda a, b: ~a | b, right_associative=True),
    "|": Binary(3, lambda a, b: a | b),
    "^": Binary(4, lambda a, b: a ^ b),
    "&": Binary(5, lambda a, b: a & b),
}
CARDINALITY: dict[str, Callable[[Any, int, int], Table]] = {
    "atleast": lambda true, k, _: true >= k,
    "atmost": lambda true, k, _: true <= k,
    "exactly": lambda true, k, _: true == k,
    "majority": lambda true, _, of: 2 * true > of,
}


@dataclass(frozen=True)
class Token:
    """An operator, a number or a name, and its column."""

    kind: str
    text: str
    column: int


@dataclass
class Call:
    """A function call that is not closed yet."""

    name: str
    column: int
    k: int = 0
    arguments: int = 1


@dataclass(frozen=True)
class Parsed:
    """The expression in postfix order, and its variables in order of appearance."""

    steps: tuple[Any, ...]
    variables: tuple[str, ...]


def parse(text: str, variables: Sequence[str] | None = None) -> BooleanFunction:
    """Parse an expression over the given variables, by default its own in order of appearance."""
    parsed = Parser(text, None if variables is None else checked_names(variables)).parsed()
    names = parsed.variables if variables is None else tuple(variables)
    return BooleanFunction(names, _evaluated(parsed, names))


def checked_names(variables: Sequence[str]) -> tuple[str, ...]:
    """The names, checked to be valid variables."""
    if isinstance(variables, str):
        raise RecipeError(f"variables must be a list of names; it is the text {variables!r}")
    names = tuple(variables)
    for name in names:
        if not isinstance(name, str) or not name.isidentifier() or name.lower() in WORDS:
            raise RecipeError(f"{name!r} cannot be a variable: use letters, digits and _, not a keyword such as 'and'")
    twice = [name for at, name in enumerate(names) if name in names[:at]]
    if twice:
        raise RecipeError(f"the variable {twice[0]!r} is listed twice")
    if len(names) > MOST_VARIABLES:
        raise RecipeError(too_many(len(names)))
    return names


def too_many(n: int) -> str:
    return f"{n} variables are too many: at most {MOST_VARIABLES} are supported"


class Parser:
    """Parses one text, alternating between operands and operators."""

    def __init__(self, text: str, known: tuple[str, ...] | None) -> None:
        self.text, self.known = text, known
        self.steps: list[Any] = []
        self.waiting: list[tuple[str, Token, Call | None]] = []  # operators, parentheses and open calls
        self.names: dict[str, int] = {}

    def parsed(self) -> Parsed:
        tokens = _tokens(self.text)
        if not tokens:
            raise ExpressionError("the expression is empty: write one such as x1 & ~x2")
        at, operand_next = 0, True
        while at < len(tokens):
            if operand_next:
                at, operand_next = self._operand(tokens, at)
            else:
                operand_next = self._after_operand(tokens[at])
                at += 1
        if operand_next:
            what = f"an operand must follow {tokens[-1].text!r}: a variable, 0, 1, ~ or ("
            self._fail(what, len(self.text.rstrip()) + 1)
        self._reduce(0)
        if self.waiting:
            self._fail("this ( is not closed: add a )", self.waiting[-1][1].column)
        return Parsed(tuple(self.steps), tuple(self.names))

    # -- operands --------------------------------------------------------------------------------------------------

    def _operand(self, tokens: list[Token], at: int) -> tuple[int, bool]:
        """Parse an operand or a prefix of one; the next token, and whether an operand must follow."""
        token = tokens[at]
        if token.kind == "name":
            called = at + 1 < len(tokens) and tokens[at + 1].text == "("
            if called:
                return self._call(tokens, at), True
            self._variable(token)
        elif token.kind == "number":
            if token.text not in ("0", "1"):
                self._fail(f"{token.text} is not a truth value: write 0, 1, or a name that begins with a letter", token)
            self.steps.append(token.text == "1")
        elif token.text == "~":
            self.waiting.append(("~", token, None))
            return at + 1, True
        elif token.text == "(":
            self.waiting.append(("(", token, None))
            return at + 1, True
        else:
            self._misplaced(token)
        return at + 1, False

    def _variable(self, token: Token) -> None:
        if self.known is not None and token.text not in self.known:
            near = get_close_matches(token.text, self.known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(self.known) or 'none'}"
            self._fail(f"unknown variable {token.text!r}: {hint}", token)
        self.names.setdefault(token.text, len(self.names))
        if len(self.names) > MOST_VARIABLES:
            distinct = {token.text for token in _tokens(self.text) if token.kind == "name"} - set(CARDINALITY)
            self._fail(too_many(max(len(self.names), len(distinct))), token)
        self.steps.append(token.text)

    def _call(self, tokens: list[Token], at: int) -> int:
        """Parse the name of a function, its parenthesis and its number, if any; the index of the next token."""
        token, name = tokens[at], tokens[at].text.lower()
        if name not in CARDINALITY:
            near = get_close_matches(name, CARDINALITY, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(CARDINALITY)}"
            self._fail(f"unknown function {token.text!r}: {hint}", token)
        call = Call(name, token.column)
        self.waiting.append(("(", tokens[at + 1], call))
        at += 2
        if name == "majority":
            return at
        if at >= len(tokens) or not (tokens[at].kind == "number" and tokens[at].text.isdecimal()):
            self._fail(
                f"{name} takes a number first: {name}(2, a, b, c)", tokens[at] if at < len(tokens) else len(self.text)
            )
        call.k = int(tokens[at].text[:9])  # any number above that of the arguments is equivalent
        if at + 1 >= len(tokens) or tokens[at + 1].text != ",":
            self._fail(f"{name} takes arguments after its number: {name}({call.k}, a, b, c)", tokens[at])
        return at + 2

    def _misplaced(self, token: Token) -> None:
        if token.text == ")" and not any(kind == "(" for kind, _, _ in self.waiting):
            self._fail("this ) has no matching (: remove it, or add a ( before", token)
        hint = "write a variable, 0, 1, ~ or ("
        if token.kind == "other":
            self._foreign(token)
        if token.column > 1 and token.text in BINARY and self.text[token.column - 2] == token.text:
            hint = f"one {token.text} is enough"
        self._fail(f"{token.text!r} has no operand before it: {hint}", token)

    # -- operators -------------------------------------------------------------------------------------------------

    def _after_operand(self, token: Token) -> bool:
        """Parse an operator, a comma or a closing parenthesis; whether an operand must follow."""
        if token.text in BINARY:
            operator = BINARY[token.text]
            self._reduce(operator.precedence + operator.right_associative)
            self.waiting.append((token.text, token, None))
            return True
        if token.text == ")":
            self._reduce(0)
            if not self.waiting:
                self._fail("this ) has no matching (: remove it, or add a ( before", token)
            call = self.waiting.pop()[2]
            if call is not None:
                self.steps.append(call)
            return False
        if token.text == ",":
            self._reduce(0)
            call = self.waiting[-1][2] if self.waiting else None
            if call is None:
                self._fail(f"a comma is allowed only between the arguments of {', '.join(CARDINALITY)}", token)
            else:
                call.arguments += 1
            return True
        if token.kind == "other":
            self._foreign(token)
        self._fail(f"an operator is missing before {token.text!r}: & | ^ -> <->", token)
        return False

    def _reduce(self, precedence: int) -> None:
        """Apply the waiting operators of at least this precedence, back to the last open parenthesis."""
        while self.waiting and self.waiting[-1][0] != "(":
            sign = self.waiting[-1][0]
            if sign != "~" and BINARY[sign].precedence < precedence:
                break
            self.steps.append(BINARY.get(sign))  # None: negation
            self.waiting.pop()

    # -- errors ----------------------------------------------------------------------------------------------------

    def _foreign(self, token: Token) -> None:
        hint = f"write {MEANT[token.text]}" if token.text in MEANT else "the operators are & | ^ ~ -> <->"
        self._fail(f"{token.text!r} is not an operator here: {hint}", token)

    def _fail(self, problem: str, where: Token | int) -> None:
        raise ExpressionError(problem, self.text, where if isinstance(where, int) else where.column)


def _tokens(text: str) -> list[Token]:
    found = []
    for match in TOKEN.finditer(text):
        kind = ("sign", "number", "name", "other")[(match.lastindex or 1) - 1]
        word = match[match.lastindex or 0]
        meant = WORDS.get(word.lower(), "~" if word == "!" else word)
        if meant != word:
            kind = "number" if meant in "01" else "sign"
        found.append(Token(kind, meant, match.start(match.lastindex or 0) + 1))
    return found


def _evaluated(parsed: Parsed, variables: tuple[str, ...]) -> Table:
    """The truth table, computed at all points at once."""
    points = cube(len(variables)).astype(np.bool_)
    columns = {name: np.ascontiguousarray(points[:, at]) for at, name in enumerate(variables)}
    stack: list[Table] = []
    for step in parsed.steps:
        if isinstance(step, str):
            stack.append(columns[step])
        elif isinstance(step, bool):
            stack.append(np.full(len(points), step))
        elif isinstance(step, Call):
            arguments = [stack.pop() for _ in range(step.arguments)]
            true = np.sum(arguments, axis=0, dtype=np.int64)
            stack.append(CARDINALITY[step.name](true, step.k, step.arguments))
        elif step is None:
            stack.append(~stack.pop())
        else:
            right = stack.pop()
            stack.append(step.apply(stack.pop(), right))
    (table,) = stack
    return table
