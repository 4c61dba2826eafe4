"""The program `linnet`: its commands, its errors, its exit codes."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import linnet
from linnet.errors import InputError, LinnetError, RecipeError

FAILED, WRONG_USAGE, BAD_INPUT = 1, 2, 3

app = typer.Typer(
    help="One fast, trustworthy system for every linear model.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"linnet {linnet.__version__}")
        raise typer.Exit


@app.callback()
def options(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """One fast, trustworthy system for every linear model."""


@app.command()
def demo(
    json: Annotated[bool, typer.Option("--json", help="Print the results as JSON, for other programs.")] = False,
) -> None:
    """Train every family of linear models on small real data, and show the results.

    The data ship with scikit-learn: breast cancer (two classes), digits (ten), diabetes (a number).

    And the four cars of the lecture on least squares.
    """
    from linnet.cli.demo import run

    run(as_json=json)


def main() -> None:
    """Run the program; an error is a line or two, not a traceback."""
    try:
        app()
    except LinnetError as error:
        print(f"linnet: {error}", file=sys.stderr)
        raise SystemExit(_exit_code(error)) from None


def _exit_code(error: LinnetError) -> int:
    if isinstance(error, RecipeError):
        return WRONG_USAGE
    return BAD_INPUT if isinstance(error, InputError) else FAILED
