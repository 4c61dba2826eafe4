"""The program `linnet`: its commands, its errors, its exit codes."""

from __future__ import annotations

import errno
import inspect
import os
import sys
from importlib import import_module
from typing import Annotated

import typer

import linnet
from linnet.errors import (
    CertificateError,
    InputError,
    Interrupted,
    LinnetError,
    ModelFileError,
    OutputError,
    RecipeError,
    name_flags,
)
from linnet.pipeline.declaration import flags
from linnet.pipeline.options import TrainOptions

# A command is a function `command` in the module of its name. These modules are imported for `linnet --help` as well:
# what only a run needs, they import when they run.
COMMANDS = ("train", "predict", "evaluate", "inspect", "verify", "separable", "boolean", "demo")

FAILED, WRONG_USAGE, BAD_INPUT, BAD_MODEL, NOT_PROVEN, UNDECIDED, INTERRUPTED = 1, 2, 3, 4, 5, 6, 130

EXIT_CODES = (
    "Exit codes: 0 done; 1 failure; 2 wrong usage; 3 bad input data; 4 bad model file; 5 a certificate does not hold; "
    "6 undecided; 130 interrupted."
)


def _help(doc: str) -> str:
    """A docstring for a terminal of any width: lines of a paragraph are joined, those after a \\b are kept."""
    paragraphs = inspect.cleandoc(doc).split("\n\n")
    return "\n\n".join(each if each.startswith("\b") else each.replace("\n", " ") for each in paragraphs)


def assembled(commands: tuple[str, ...] = COMMANDS) -> typer.Typer:
    """The program with these commands."""
    program = typer.Typer(
        epilog=EXIT_CODES,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    program.callback()(_options)
    for name in commands:
        command = import_module(f"linnet.cli.{name}").command
        program.command(name, help=_help(command.__doc__))(command)
    return program


_debugging: list[bool] = []


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"linnet {linnet.__version__}")
        raise typer.Exit


def _options(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Print a traceback with every error.")] = False,
) -> None:
    """One fast, trustworthy system for every linear model."""
    if debug:
        _debugging.append(True)


app = assembled()


def main() -> None:
    """Run the program; an error is a line or two, not a traceback."""
    name_flags(flags(TrainOptions))
    try:
        app()
    except LinnetError as error:
        if isinstance(error, OutputError) and error.errno == errno.EPIPE:  # the reader of our output has closed it
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(0) from None
        if _debugging:
            raise
        print(f"linnet: {error}", file=sys.stderr)
        raise SystemExit(_exit_code(error)) from None
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None


def _exit_code(error: LinnetError) -> int:
    for kind, code in (
        (Interrupted, INTERRUPTED),
        (RecipeError, WRONG_USAGE),
        (ModelFileError, BAD_MODEL),
        (CertificateError, NOT_PROVEN),
        (InputError, BAD_INPUT),
    ):
        if isinstance(error, kind):
            return code
    return FAILED
