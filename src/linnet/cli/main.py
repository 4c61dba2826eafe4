"""The program `linnet`: its commands, its errors, its exit codes."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import wraps
from importlib import import_module
from typing import Annotated, Any

import typer

import linnet
from linnet.cli import interruption
from linnet.cli.failures import DEBUG, check_address_space, ended_by, flushed, usable_streams
from linnet.cli.options import with_values
from linnet.cli.terminal import visible
from linnet.errors import Interrupted, name_flags
from linnet.pipeline.declaration import flags
from linnet.pipeline.options import TrainOptions
from linnet.storage import atomic

# A command is a function `command` in the module of its name, or several in the tuple `commands`, which are a group.
# `linnet --help` imports them all: what only a run needs, they import when they run.
COMMANDS = (
    "train", "predict", "evaluate", "inspect", "verify", "report", "separable", "compare", "boolean", "tag", "parse",
    "demo",
)  # fmt: skip

CONTEXT = {"help_option_names": ["-h", "--help"]}

EXIT_CODES = (
    "Exit codes: 0 done; 1 failure; 2 wrong usage; 3 bad input data; 4 bad model file; 5 a certificate does not hold; "
    "6 undecided; 130 interrupted."
)


def _help(doc: str) -> str:
    """A docstring for a terminal of any width: lines of a paragraph are joined, those after a \\b are kept."""
    paragraphs = inspect.cleandoc(doc).split("\n\n")
    return "\n\n".join(each if each.startswith("\b") else each.replace("\n", " ") for each in paragraphs)


# Typer takes the classes of errors from a copy of Click of its own, or from Click itself, depending on its version.
UsageFault: type[Exception] = next(each for each in typer.BadParameter.__mro__ if each.__name__ == "ClickException")


class _Escaped(Exception):
    """An error on its way out of Typer, which would end the program for it, silently and with another code."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


def _tunnelled(command: Callable[..., None]) -> Callable[..., None]:
    @wraps(command)
    def run(*args: Any, **given: Any) -> None:
        try:
            command(*args, **given)
        except (OSError, EOFError) as error:
            raise _Escaped(error) from error

    return run


def assembled(commands: tuple[str, ...] = COMMANDS) -> typer.Typer:
    """The program with these commands."""
    program = typer.Typer(
        epilog=EXIT_CODES,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,
        context_settings=CONTEXT,
    )
    program.callback()(_options)
    for name in commands:
        module = import_module(f"linnet.cli.{name}")
        if hasattr(module, "commands"):
            group = typer.Typer(no_args_is_help=True, context_settings=CONTEXT)
            for each in module.commands:
                group.command(each.__name__, help=_help(each.__doc__))(_tunnelled(each))
            program.add_typer(group, name=name, help=_help(module.GROUP))
        else:
            program.command(name, help=_help(module.command.__doc__))(_tunnelled(module.command))
    return program


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"linnet {linnet.__version__}")
        raise typer.Exit


def _options(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help=f"Print a traceback with every error; also {DEBUG}=1.")
    ] = False,
) -> None:
    """One fast, trustworthy system for every linear model."""
    if debug:
        os.environ[DEBUG] = "1"


def asked_for(arguments: Sequence[str]) -> tuple[str, ...]:
    """The command that a command line names, which is all that it needs; where it names none, all, to list them."""
    named = next((each for each in arguments if not each.startswith("-")), None)
    return (named,) if named in COMMANDS else COMMANDS


def main() -> None:
    """Run the program; an error is a line or two, not a traceback."""
    usable_streams()
    name_flags(flags(TrainOptions))
    atomic.observe(interruption.unfinished)
    with interruption.watched():
        code = flushed(_run())
    raise SystemExit(code)


def _run() -> int:
    try:
        check_address_space()
        program = assembled(asked_for(sys.argv[1:]))
        return int(program(args=with_values(sys.argv[1:]), standalone_mode=False) or 0)
    except UsageFault as error:
        return _misused(error)
    except _Escaped as escaped:
        return _ended(escaped.error)
    except (Exception, KeyboardInterrupt, interruption.Stopped) as error:
        return _ended(error)


def _ended(error: BaseException) -> int:
    """Report what ended the run: after a signal, nothing but that it was stopped.

    The other programs of a pipe were asked to stop, too; and a library may have an error of its own for a signal.
    """
    signalled = isinstance(error, KeyboardInterrupt | interruption.Stopped) or interruption.was_asked()
    if signalled and not isinstance(error, Interrupted):
        stopped = Interrupted("stopped")
        stopped.__cause__ = error
        return ended_by(stopped)
    return ended_by(error)


def _misused(error: Any) -> int:
    """The usage of the command and what is wrong with it, which quotes the command line."""
    from typer.rich_utils import rich_format_error

    error.message = visible(error.message)
    with suppress(OSError):
        rich_format_error(error)
    return int(error.exit_code)
