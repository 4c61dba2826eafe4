"""What can go wrong. A message names the problem, the place and the remedy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

# The flags of the command line by the names of the parameters; empty in Python, where there are no flags.
_flags: dict[str, str] = {}
# Names that a message lists at most, and the letters of each.
MOST_LISTED, LONGEST_LISTED = 100, 60


def name_flags(flags: Mapping[str, str]) -> None:
    """From now on errors name options as the command line spells them."""
    _flags.update(flags)


def option(name: str, value: object = None) -> str:
    """An option as the user at hand writes it: `--penalty l1` in a shell, `penalty='l1'` in Python."""
    if isinstance(value, bool):  # a switch
        dashed = name.replace("_", "-")
        return (f"--{dashed}" if value else f"--no-{dashed}") if _flags else f"{name}={value}"
    if not _flags:
        return name if value is None else f"{name}={value if isinstance(value, float) else repr(str(value))}"
    flag = _flags.get(name, f"--{name.replace('_', '-')}")
    return flag if value is None else f"{flag} {value}"


def listed(names: Sequence[object]) -> str:
    """Names for a message, without the ends of long ones: all of them, if they are not very many."""
    shown = (
        text if len(text) <= LONGEST_LISTED else f"{text[: LONGEST_LISTED - 3]}..."
        for text in map(str, names[:MOST_LISTED])
    )
    return ", ".join(shown) + (f" and {len(names) - MOST_LISTED:,} more" if len(names) > MOST_LISTED else "")


class LinnetError(Exception):
    """The parent of every error linnet raises on purpose."""


class InputError(LinnetError, ValueError):
    """The data cannot be used as they are."""


class RecipeError(LinnetError, ValueError):
    """A choice is unknown, or choices do not combine."""


class UnsupportedError(RecipeError, NotImplementedError):
    """A choice that scikit-learn answers with NotImplementedError."""


class ExpressionError(RecipeError):
    """A Boolean expression cannot be parsed; `column`, counted from 1, is where, and a caret shows it."""

    def __init__(self, problem: str, text: str = "", column: int = 0) -> None:
        super().__init__(f"column {column}: {problem}\n{_pointed(text, column)}" if column else problem)
        self.column = column


def _pointed(text: str, column: int, before: int = 50, after: int = 25) -> str:
    """The text around a column, in one line, and a caret under it."""
    first, end = max(0, column - 1 - before), column - 1 + after
    start, rest = "..." if first else "", "..." if end < len(text) else ""
    shown = "".join(letter if letter.isprintable() else " " for letter in text[first:end])
    return f"  {start}{shown}{rest}\n  {' ' * (len(start) + column - 1 - first)}^"


class NumericalError(LinnetError, ValueError):
    """Numbers left the range of floating point during training or prediction."""


class SeparationWarning(UserWarning):
    """Logistic regression without a penalty has no finite optimum on these data; names the columns and the remedy."""


class LinnetWarning(UserWarning):
    """What a user should know of a model or its predictions before relying on them."""


class TaskWarning(LinnetWarning):
    """Whether the target holds classes or numbers was guessed; names the parameter that decides it."""


class DataWarning(LinnetWarning):
    """What is odd in data that a model was given; `findings` has it in numbers, by column."""

    def __init__(self, text: str, findings: Any) -> None:
        super().__init__(text)
        self.findings = findings


class OutputError(LinnetError, OSError):
    """A file could not be written; `errno` is the reason, as in any OSError."""


class ModelFileError(LinnetError, ValueError):
    """A model or checkpoint cannot be read: missing, damaged, made by a newer linnet, or not one at all."""


class CertificateError(LinnetError, ValueError):
    """A certificate or a proof does not hold."""


class Interrupted(LinnetError):
    """The user stopped the run; the message has the way to resume."""
