"""Options declared once: a dataclass whose fields carry all that users and programs need to know of them.

A field written as

    passes: int | None = option(None, "Training", "Passes over the data of an online learner.", least=1)

is the whole declaration of an option.  Made from it are the flag of the command line (cli/options.py), the keyword
parameter of `linnet.train` with its documentation, the parsing of what users write, and the names in errors.
A light module: `linnet --help` must not load NumPy.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from difflib import get_close_matches
from enum import StrEnum
from inspect import Parameter, Signature
from numbers import Integral, Real
from textwrap import fill, indent
from typing import Any, Union, get_args, get_origin, get_type_hints

from linnet.errors import RecipeError
from linnet.errors import option as spelt
from linnet.learners import catalogue
from linnet.learners.catalogue import Entry

_KEY = "option"
# Choices that fit into the column of metavars in a help page.
_SHORT = 30


@dataclass(frozen=True)
class _Written:
    """What the author of an option writes beside its name, type and default."""

    group: str = ""
    help: str = ""
    metavar: str = ""
    flag: str = ""
    default_text: str = ""
    python: str = ""
    parse: Callable[[Any], Any] | None = None
    least: float | None = None
    most: float | None = None
    below: float | None = None
    repeatable: bool = False
    learners: Callable[[Entry], bool] | None = None
    in_shell: bool = True
    in_python: bool = True
    decisive: bool = True
    optional_value: str = ""


def option(default: Any, group: str, help: str, **more: Any) -> Any:  # noqa: A002 - the word both doors use
    """Declare an option: its default, the group it is listed in, and what it does.

    metavar       how the command line names the value; for a choice, its values
    flag          --name-of-the-field unless given; `--yes/--no` for a switch
    default_text  the default as users write it, where `str` would not give that
    python        the type as the documentation of `linnet.train` gives it
    parse         from what users write to the field's type; by the type itself unless given
    least, most, below   limits of a number
    repeatable    the flag may be given several times; the parser takes a list
    learners      which rows of the catalogue take it; none are listed unless given
    in_shell, in_python  whether the command line, or `linnet.train`, has it
    decisive      whether a resumed run must have the same value
    optional_value  what the flag stands for where it is given without a value
    """
    return _field(default, _Written(group, help, **more))


def internal(default: Any) -> Any:
    """A field that only the program sets."""
    return _field(default, _Written(in_shell=False, in_python=False, decisive=False))


def _field(default: Any, written: _Written) -> Any:
    metadata = {_KEY: written}
    if default == {}:
        return field(default_factory=dict, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Option:
    """One option, read from the declaration."""

    name: str
    kind: Any
    default: Any
    written: _Written

    @property
    def flag(self) -> str:
        return self.written.flag or f"--{self.name.replace('_', '-')}"

    @property
    def switch(self) -> bool:
        """Whether the flag takes no value."""
        return self.kind is bool

    @property
    def choices(self) -> list[str]:
        return [str(each) for each in self.kind] if _is_choice(self.kind) else []

    @property
    def metavar(self) -> str:
        choices = "|".join(self.choices)
        if self.written.metavar or 0 < len(choices) <= _SHORT:
            return self.written.metavar or choices
        return {int: "N", float: "NUMBER"}.get(self.kind, self.name.upper())

    @property
    def default_text(self) -> str:
        """The default as the command line shows it; nothing where there is none to show."""
        if self.written.default_text:
            return self.written.default_text
        return "" if self.default in (None, (), {}) or self.switch else str(self.default)

    @property
    def description(self) -> str:
        """What the option does, its choices where the metavar is too short for them, and which learners take it."""
        text = self.written.help
        if self.choices and self.metavar == self.name.upper():
            text += f" One of {', '.join(self.choices)}."
        if self.written.learners is not None:
            text += f" For {', '.join(entry.name for entry in catalogue.entries() if self.written.learners(entry))}."
        return text

    def parsed(self, value: Any) -> Any:
        """A value as the field holds it, from a string, a list of strings, or a Python value."""
        if value is None or value is self.default:
            return self.default
        if self.written.parse is not None:
            return self._parsed(self.written.parse, value)
        if self.switch:
            return self._boolean(value)
        if _is_choice(self.kind):
            return self._choice(value)
        if self.kind in (int, float):
            return self._number(value)
        return str(value)

    def _parsed(self, parse: Callable[[Any], Any], value: Any) -> Any:
        try:
            return parse(value)
        except (TypeError, AttributeError):
            raise RecipeError(
                f"{spelt(self.name)} takes {self.written.python or self.metavar}; not {value!r}"
            ) from None

    def _boolean(self, value: Any) -> bool:
        if value not in (True, False):
            raise RecipeError(f"{spelt(self.name)} is True or False; not {value!r}")
        return bool(value)

    def _choice(self, value: Any) -> StrEnum:
        if value not in self.choices:
            near = get_close_matches(str(value).lower(), self.choices, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise RecipeError(f"{spelt(self.name)} is one of {', '.join(self.choices)}; not {str(value)!r}{hint}")
        chosen: StrEnum = self.kind(str(value))
        return chosen

    def _number(self, value: Any) -> int | float:
        number = _read_number(self.kind, value)
        low, high, below = self.written.least, self.written.most, self.written.below
        if (
            number is None
            or (low is not None and not number >= low)
            or (high is not None and not number <= high)
            or (below is not None and not number < below)
        ):
            raise RecipeError(f"{spelt(self.name)} must be {self._wanted()}; it is {value}")
        return number

    def _wanted(self) -> str:
        """The numbers that are right, in words."""
        low, high, below = self.written.least, self.written.most, self.written.below
        what = "a whole number" if self.kind is int else "a number"
        if low is None:
            return what
        if high is not None:
            return f"{what} from {low:,} to {high:,}"
        return f"{what} from {low:,} to below {below:,}" if below is not None else f"{what}, {low:,} or more"


def _read_number(kind: type, value: Any) -> int | float | None:
    """The number, or None if the value is not one."""
    accepted = Integral if kind is int else Real
    if isinstance(value, bool) or not isinstance(value, str | accepted):
        return None
    try:
        number: int | float = kind(value)
    except (ValueError, OverflowError):
        return None
    return number


def _is_choice(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, StrEnum)


def _without_none(hint: Any) -> Any:
    """The type of a value that is given."""
    if get_origin(hint) in (Union, types.UnionType):
        kinds = [each for each in get_args(hint) if each is not type(None)]
        return kinds[0] if len(kinds) == 1 else hint
    return hint


def _default(each: Field[Any]) -> Any:
    return each.default if each.default_factory is MISSING else each.default_factory()


def declared(cls: type) -> Iterator[Option]:
    """The options of a declaration, in order; fields that only the program sets included."""
    hints = get_type_hints(cls)
    for each in fields(cls):
        yield Option(each.name, _without_none(hints[each.name]), _default(each), each.metadata[_KEY])


def parse_fields(options: Any) -> None:
    """Bring every field of a frozen dataclass from what a user wrote to its type: for `__post_init__`."""
    for each in _of(type(options)):
        object.__setattr__(options, each.name, each.parsed(getattr(options, each.name)))


_kept: dict[type, tuple[Option, ...]] = {}


def _of(cls: type) -> tuple[Option, ...]:
    if cls not in _kept:
        _kept[cls] = tuple(declared(cls))
    return _kept[cls]


def in_shell(cls: type) -> list[Option]:
    """The options that the command line has."""
    return [each for each in _of(cls) if each.written.in_shell]


def in_python(cls: type) -> list[Option]:
    """The options that `linnet.train` has."""
    return [each for each in _of(cls) if each.written.in_python]


def decisive(options: Any) -> dict[str, Any]:
    """What a resumed run must share, as JSON holds it."""
    return {each.name: _plain(getattr(options, each.name)) for each in _of(type(options)) if each.written.decisive}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, StrEnum) else value


def flags(cls: type) -> dict[str, str]:
    """The flags by the names of the fields, for errors."""
    return {each.name: each.flag.split("/")[0] for each in in_shell(cls)}


# -- the door from Python --------------------------------------------------------------------------------------------


def signature(cls: type, positional: tuple[str, ...] = ("target",)) -> Signature:
    """data, then the options as keyword parameters; those named may be given by position."""
    parameters = [Parameter("data", Parameter.POSITIONAL_OR_KEYWORD)]
    for each in in_python(cls):
        kind = Parameter.POSITIONAL_OR_KEYWORD if each.name in positional else Parameter.KEYWORD_ONLY
        default = str(each.default) if isinstance(each.default, StrEnum) else each.default
        parameters.append(Parameter(each.name, kind, default=default))
    return Signature(parameters)


def checked(cls: type, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The keyword arguments, all of them known; an error as Python raises it, with the nearest name."""
    known = [each.name for each in in_python(cls)]
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"train() got an unexpected keyword argument {name!r}{hint}")
    return given


def documentation(cls: type) -> str:
    """The `Parameters` of a docstring, as numpydoc lays them out."""
    return documented(in_python(cls))


def documented(options: Iterable[Option]) -> str:
    """The same of some options."""
    return "\n".join(_entry(each) for each in options)


def _entry(each: Option) -> str:
    kind = each.written.python or ", ".join(map(repr, each.choices))
    if kind and each.choices:
        kind = f"{{{kind}}}"
    kind = kind or {int: "int", float: "float", bool: "bool"}.get(each.kind, "str")
    default = str(each.default) if isinstance(each.default, StrEnum) else each.default
    head = f"{each.name} : {kind}, " + ("optional" if default in (None, (), {}) else f"default {default!r}")
    return f"{head}\n{indent(fill(each.description, 112, break_on_hyphens=False), '    ')}"
