"""Dataclasses as plain JSON and back, by the types that their fields declare.

Nothing is believed when it is read: a value of another type, a missing or unknown field, a number that is not finite
where JSON has no word for it raise `TypeError` or `ValueError`, which name the field.  No class is looked up by a name
in the file: of several dataclasses that a field may hold, `kind` chooses among those that the field declares.

Enums are stored by name, NaN and the infinities as text, tuples and lists as lists.  A class that has `to_plain` and
`from_plain` stores itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")

NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
KIND = "kind"
# What is stored as it is: lists of these are taken whole, as the confusion matrix of thousands of classes has millions.
PLAIN = frozenset({bool, int, str})
# The metadata of a field that a file does not hold.
NOT_STORED = {"stored": False}


def to_plain(value: Any) -> Any:
    """What JSON can hold."""
    if hasattr(value, "to_plain"):
        return value.to_plain()
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: _field_to_plain(value, each.name) for each in _stored(value)}
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # nan, inf or -inf
    if isinstance(value, Mapping):
        return {str(key): to_plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        if PLAIN.issuperset(map(type, value)):
            return list(value)
        return [to_plain(each) for each in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"a {type(value).__name__} cannot be stored as JSON")


def _field_to_plain(owner: Any, name: str) -> Any:
    plain = to_plain(getattr(owner, name))
    if (
        isinstance(plain, str)
        and isinstance(getattr(owner, name), float)
        and str in get_args(_hints(owner.__class__)[name])
    ):
        raise ValueError(f"{name} is {plain}, which would be read as text")
    if len(_dataclasses(_hints(owner.__class__)[name])) > 1 and isinstance(plain, dict):
        plain = {KIND: type(getattr(owner, name)).__name__, **plain}
    return plain


def from_plain(kind: Any, plain: Any, name: str = "the value") -> Any:
    """A value of this type, from what `to_plain` made of it."""
    origin = get_origin(kind)
    if kind is Any:
        return plain
    if origin in (Union, UnionType):
        return _from_union(kind, plain, name)
    if kind is NoneType:
        return _checked(plain is None, plain, name, "null")
    if hasattr(kind, "from_plain"):
        return kind.from_plain(plain)
    if is_dataclass(kind):
        return _from_fields(kind, plain, name)
    if isinstance(kind, type) and issubclass(kind, Enum):
        known = kind.__members__
        return known[_checked(isinstance(plain, str) and plain in known, plain, name, f"one of {', '.join(known)}")]
    if origin in (list, tuple, Sequence):
        _checked(isinstance(plain, list), plain, name, "a list")
        return _items(kind, origin, plain, name)
    if origin in (dict, Mapping):
        _checked(isinstance(plain, dict), plain, name, "an object")
        return {key: from_plain(get_args(kind)[1], each, f"{name}.{key}") for key, each in plain.items()}
    if kind is float:
        return _float(plain, name)
    if kind in (bool, int, str):
        return _checked(type(plain) is kind, plain, name, f"a {kind.__name__}")
    raise TypeError(f"{name} is declared as {kind}, which JSON does not hold")


def _items(kind: Any, origin: Any, plain: list[Any], name: str) -> Any:
    arguments = get_args(kind)
    if origin is tuple and arguments[-1] is not Ellipsis:
        _checked(len(plain) == len(arguments), plain, name, f"{len(arguments)} values")
        return tuple(from_plain(each, value, f"{name}[]") for each, value in zip(arguments, plain, strict=True))
    kinds = frozenset(get_args(arguments[0]) or (arguments[0],))
    if kinds <= PLAIN | {float} and kinds.issuperset(map(type, plain)):
        return tuple(plain) if origin is tuple else plain
    found = [from_plain(arguments[0], each, f"{name}[]") for each in plain]
    return tuple(found) if origin is tuple else found


def _from_union(kind: Any, plain: Any, name: str) -> Any:
    choices = get_args(kind)
    if plain is None and NoneType in choices:
        return None
    classes = _dataclasses(kind)
    if len(classes) > 1 and isinstance(plain, dict):
        chosen = {each.__name__: each for each in classes}.get(plain.get(KIND, ""))
        _checked(chosen is not None, plain.get(KIND), f"{name}.{KIND}", " or ".join(each.__name__ for each in classes))
        return from_plain(chosen, {key: value for key, value in plain.items() if key != KIND}, name)
    wrong: Exception = TypeError(f"{name} is {plain!r}")
    # the exact type first: 1 is a whole number before it is a floating-point one
    for choice in sorted(choices, key=lambda each: type(plain) is not each):
        try:
            return from_plain(choice, plain, name)
        except (TypeError, ValueError) as error:
            wrong = error
    raise wrong


def _from_fields(kind: Any, plain: Any, name: str) -> Any:
    _checked(isinstance(plain, dict), plain, name, "an object")
    hints, known = _hints(kind), {each.name: each for each in _stored(kind)}
    for key in plain:
        _checked(key in known, key, name, f"without a field {key!r}")
    for key, each in known.items():
        optional = each.default is not MISSING or each.default_factory is not MISSING
        _checked(key in plain or optional, None, f"{name}.{key}", "given")
    return kind(**{key: from_plain(hints[key], value, f"{name}.{key}") for key, value in plain.items()})


def _stored(kind: Any) -> list[Any]:
    """The fields that a file holds."""
    return [each for each in fields(kind) if each.metadata.get("stored", True)]


def _float(plain: Any, name: str) -> float:
    if isinstance(plain, str):
        _checked(plain in NOT_FINITE, plain, name, "a number")
        return NOT_FINITE[plain]
    _checked(type(plain) in (int, float), plain, name, "a number")
    return float(plain)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _dataclasses(kind: Any) -> list[Any]:
    """The dataclasses that a field may hold."""
    return [each for each in (*get_args(kind), kind) if is_dataclass(each)]


def _checked(holds: bool, value: T, name: str, expected: str) -> T:
    if not holds:
        raise TypeError(f"{name} must be {expected}; it is {value!r}")
    return value
