"""What users write for an option, a string from a shell or a Python value, as training takes it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any

from linnet.data.features.text_options import LONGEST_NGRAM
from linnet.data.role import Role
from linnet.data.sources.encodings import encoding_named
from linnet.data.sources.formats import BLANKS, NO_QUOTE
from linnet.errors import RecipeError
from linnet.errors import option as spelt
from linnet.evaluation.tuning_metrics import AUTO, Metric

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def size(value: Any) -> int:
    """500MB, 2GB, 1.5G, or a number of bytes."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?\s*", str(value), re.IGNORECASE)
    if not found:
        raise RecipeError(
            f"{spelt('memory')} must be a number of bytes, or one with a unit, such as 500MB or 2GB; it is {value!r}"
        )
    return int(float(found[1]) * _UNITS[found[2].upper()])


def ngram_lengths(value: Any) -> tuple[int, int]:
    """2 and 1-2 are both (1, 2); so is (1, 2)."""
    found = re.fullmatch(r"(?:(\d+)-)?(\d+)", value if isinstance(value, str) else str(value))
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2:
        found = re.fullmatch(r"(\d+)-(\d+)", f"{value[0]}-{value[1]}")
    if found:
        shortest, longest = int(found[1] or 1), int(found[2])
        if 1 <= shortest <= longest <= LONGEST_NGRAM:
            return shortest, longest
    raise RecipeError(
        f"{spelt('ngrams')} must be a length or a range of lengths up to {LONGEST_NGRAM}, such as 2 or 1-3; "
        f"it is {value!r}"
    )


# Features with names and values of their own are a matter of the format.
_ROLES = [role for role in Role if role is not Role.FEATURES]


def roles(value: Any) -> dict[str, Role]:
    """Roles by column, from a mapping or from NAME:ROLE, repeated."""
    value = [value] if isinstance(value, str) else value
    pairs = list(value.items()) if isinstance(value, Mapping) else [each.rpartition(":")[::2] for each in value]
    for (name, role), written in zip(pairs, value, strict=True):
        if not name or role not in _ROLES:
            wrong = f"{name!r}: {str(role)!r}" if isinstance(value, Mapping) else repr(written)
            raise RecipeError(f"{spelt('columns')} takes NAME:ROLE with a role of {', '.join(_ROLES)}; not {wrong}")
    return {str(name): Role(role) for name, role in pairs}


def crosses(value: Any) -> tuple[tuple[str, ...], ...]:
    """Groups of column names, from sequences or from A,B, repeated."""
    value = [value] if isinstance(value, str) else value
    groups = tuple(tuple(each.split(",") if isinstance(each, str) else map(str, each)) for each in value)
    for group, written in zip(groups, value, strict=True):
        if len(group) < 2 or not all(group):
            raise RecipeError(f"{spelt('crosses')} takes two columns or more, such as a,b; not {written!r}")
    return groups


def encoding(value: Any) -> str:
    """The common name of an encoding."""
    known = encoding_named(value) if isinstance(value, str) else None
    if known is None:
        raise RecipeError(
            f"{spelt('encoding')} is the name of an encoding, such as utf-8, windows-1252, latin-1, utf-16, shift_jis "
            f"or gb18030; not {value!r}"
        )
    return known


_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "bar": "|", "pipe": "|"}
_SEPARATORS |= dict.fromkeys(("blank", "blanks", "space", "spaces", "whitespace", "\\s+"), BLANKS)


def separator(value: Any) -> str:
    """A character that can separate fields, or its name."""
    sign = _SEPARATORS.get(value.lower(), value)
    if len(sign) != 1 or not sign.isascii() or sign.isalnum() or sign in '"\0\r\n.+-':
        raise RecipeError(
            f'{spelt("separator")} is one ASCII character that is not a letter, a digit or one of .+-", or comma, '
            f"semicolon, tab, bar or blanks; not {value!r}"
        )
    return str(sign)


def quote(value: Any) -> str:
    """A character that can quote fields, or none."""
    if value.lower() == NO_QUOTE:
        return NO_QUOTE
    if len(value) != 1 or not value.isascii() or not value.isprintable() or value.isalnum() or value in " ,;|.+-":
        raise RecipeError(
            f"{spelt('quote')} is one ASCII character that is not a letter, a digit or one of , ; | . + -, or none; "
            f"not {value!r}"
        )
    return str(value)


def markers(value: Any) -> tuple[str, ...]:
    """Markers of missing values: one, or several; a number as it is written."""
    given = [value] if isinstance(value, str) or not hasattr(value, "__iter__") else value
    return tuple(f"{each:g}" if isinstance(each, float) else str(each) for each in given)


def strength(name: str) -> Callable[[Any], float | str]:
    """C or alpha: a number, or auto."""

    def parsed(value: Any) -> float | str:
        if isinstance(value, str) and value == AUTO:
            return AUTO
        try:
            if isinstance(value, bool) or not isinstance(value, str | Real):
                raise ValueError
            return float(value)
        except (ValueError, OverflowError):
            raise RecipeError(f"{spelt(name)} must be a number; it is {value}") from None

    return parsed


def tune(value: Any) -> str | None:
    """A metric, or auto for the default one; from Python also True and False."""
    if isinstance(value, bool):
        return AUTO if value else None
    if not isinstance(value, str):
        raise TypeError
    return AUTO if value == AUTO else str(Metric.parsed(value))


def class_weight(value: Any) -> Any:
    """balanced, or weights by label."""
    from linnet.training.class_weights import BALANCED, ClassWeights

    given = ClassWeights.of(value)
    return BALANCED if given.named is None else given.named


def costs(value: Any) -> Any:
    """Costs, by pairs of labels or as typed; they are read when the labels are known."""
    return [value] if isinstance(value, str) else value
