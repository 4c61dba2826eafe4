"""Flags made from the declaration of the options, and the parameters that commands share."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from linnet.data.on_error import OnError
from linnet.errors import RecipeError
from linnet.evaluation.tuning_metrics import names_a_metric
from linnet.pipeline.declaration import Option, in_shell
from linnet.pipeline.options import TrainOptions

Data = Annotated[
    list[str],
    typer.Argument(
        help="Files, globs, a folder, or - for standard input: svmlight, Vowpal Wabbit, CSV, TSV, JSON, Parquet, "
        "labelled text, or a folder with one folder of texts per class; also compressed (gz, bz2, xz, zst).",
        metavar="DATA...",
        show_default=False,
    ),
]
ModelPath = Annotated[
    str, typer.Argument(metavar="MODEL", help="A model file written by linnet train.", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the results as JSON.")]

# The options of how files are read, for every command that reads some.
FILES = ("header", "format", "encoding", "separator", "quote", "stray_quotes")

Command = Callable[..., None]


def with_options(
    *names: str, cls: type[Any] = TrainOptions, parameter: str = "options"
) -> Callable[[Command], Command]:
    """Give a command the flags of these options, or of all, in the place of its parameter `options`, or another."""
    chosen = [each for each in in_shell(cls) if not names or each.name in names]

    def decorated(command: Command) -> Command:
        own = inspect.signature(command, eval_str=True)
        parameters: list[inspect.Parameter] = []
        for name, each_own in own.parameters.items():
            made = [_parameter(each) for each in chosen] if name == parameter else [each_own]
            parameters += (each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in made)

        @wraps(command)
        def run(**given: Any) -> None:
            options = cls(**{each.name: given.pop(each.name) for each in chosen})
            command(**{parameter: options}, **given)

        run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {}  # the signature has them, evaluated
        return run

    return decorated


def _parameter(each: Option) -> inspect.Parameter:
    """The flag of an option; its value is parsed by the declaration, so here it is a string."""
    kind: Any = bool | None if each.switch else list[str] | None if each.written.repeatable else str | None
    default = each.default if each.switch else each.default_text or None
    both = "/" in each.flag
    info = typer.Option(
        each.flag,
        help=_help(each),
        metavar=None if each.switch else each.metavar,
        show_default=default is not None and (both or not each.switch),
        rich_help_panel=each.written.group or None,
    )
    return inspect.Parameter(
        each.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info]
    )


def _help(each: Option) -> str:
    more = " Can be repeated." if each.written.repeatable else ""
    return (each.description + more).replace("[", "\\[")


def with_values(arguments: list[str]) -> list[str]:
    """The command line with its value for every flag that may be without one: unless a metric follows, `--tune` stands
    for `--tune=auto`, so that DATA may come next."""
    bare = {each.flag: each.written.optional_value for each in in_shell(TrainOptions) if each.written.optional_value}
    found: list[str] = []
    for at, word in enumerate(arguments):
        if word == "--":
            return found + arguments[at:]
        follows = arguments[at + 1] if at + 1 < len(arguments) else ""
        found.append(f"{word}={bare[word]}" if word in bare and not names_a_metric(follows) else word)
    return found


def without_quarantine(policy: OnError) -> OnError:
    """What to do with rows that cannot be read, for commands that have no file to write them to."""
    if policy is OnError.QUARANTINE:
        raise RecipeError("--on-error quarantine is for train, which writes such rows to a file: use skip or fail here")
    return policy
