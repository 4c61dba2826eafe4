"""linnet compare: learners on the same folds, with a statistical verdict."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from linnet.cli import interruption
from linnet.cli.options import FILES, AsJson, with_options, without_quarantine
from linnet.cli.show import BAR, Display
from linnet.cli.terminal import note, print_json
from linnet.comparison.options import CompareOptions
from linnet.errors import RecipeError, name_flags
from linnet.pipeline.declaration import flags
from linnet.pipeline.options import TrainOptions
from linnet.pipeline.services import NO_CHECKPOINT, Services
from linnet.storage.atomic import STREAMS, is_direct, old_file

if TYPE_CHECKING:
    from linnet.comparison.comparing import DataSet
    from linnet.pipeline.services import Progress

# The options of reading and features, which all contenders share.
READING = (
    "target", "task", "seed", "columns", "crosses", "polynomial", "conjunctions", "ngrams", "analyzer", "counts",
    "marks", "hash_bits", *FILES, "on_error", "missing", "dates", "on_misfit", "memory",
)  # fmt: skip


@with_options(cls=CompareOptions, parameter="asked")
@with_options(*READING)
def command(
    options: TrainOptions,
    asked: CompareOptions,
    data: Annotated[
        list[str] | None,
        typer.Argument(
            help="The files of one data set, as linnet train takes them: several, or a glob, are its parts. For "
            "several data sets see --data-set.",
            metavar="DATA...",
            show_default=False,
        ),
    ] = None,
    data_set: Annotated[
        list[str] | None,
        typer.Option(
            "--data-set",
            metavar="NAME[:TARGET]=FILES",
            help="One of several data sets: its name, its target unless --target is that of all, and its file, folder "
            "or glob. Can be repeated.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            show_default=False,
            help="Write the results as JSON: the same bytes for any number of jobs, and after --resume. Times and "
            "memory are in FILE.costs.json.",
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not print the progress.")] = False,
    json: AsJson = False,
) -> None:
    """Compare learners on the same folds, and say which differ.

    Each contender is trained as linnet train would train it, on the training rows of every fold alone. Copies of a row,
    and rows of one group, are never in the training and the test rows of a fold. Prints means with intervals, the
    corrected resampled t-test with Holm's correction, the probability that two are equivalent in practice, time and
    memory, and a conclusion.

    \b
    Examples:
      linnet compare adult.csv --target income
      linnet compare adult.csv --target income --learners 'svm,svm(C=0.1),sklearn.ensemble.RandomForestClassifier'
      linnet compare sales.csv --target price --time date --metric mae -o results.json
      linnet compare --data-set adult:income=adult.csv --data-set spam:label='spam/*.csv' --folds 5 --repeats 2
    """
    run(_data_sets(data or [], data_set or []), options, asked, output, as_json=json, quiet=quiet)


def run(
    data_sets: list[DataSet],
    options: TrainOptions,
    asked: CompareOptions,
    output: str | None,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compare, save, and print the results."""
    from linnet.cli.comparison_table import print_results
    from linnet.comparison.comparing import compare
    from linnet.comparison.results_file import as_plain

    began = perf_counter()
    name_flags(flags(CompareOptions))
    without_quarantine(options.on_error)
    if output is not None:
        _before_replacing(output, quiet=quiet or as_json)
    with _graceful(output) as stopped, TrialDisplay(quiet=quiet or as_json) as display:
        results = compare(data_sets, options, asked, output, Services(display.progress, stopped))
    if as_json:
        print_json(as_plain(results) | {"seconds": round(perf_counter() - began, 3)})
    else:
        print_results(results, perf_counter() - began, output)


@contextmanager
def _graceful(output: str | None) -> Iterator[Callable[[], bool]]:
    """A signal ends the run between two trials; those that are finished are kept, if there is an output."""
    words = (
        NO_CHECKPOINT if output is None else f"stopped; {output}.partial has the finished trials: {interruption.RESUME}"
    )
    with interruption.graceful(words) as stopped:
        yield stopped


def _data_sets(data: list[str], named: list[str]) -> list[DataSet]:
    """The data sets of a command line: one of the files, or those that are named."""
    from linnet.comparison.comparing import DataSet

    if data and named:
        raise RecipeError("DATA are the files of one data set: name all data sets by --data-set, or none")
    found = []
    for each in named:
        head, mark, files = each.partition("=")
        name, _, target = head.partition(":")
        if not mark or not name or not files:
            raise RecipeError(f"--data-set takes NAME=FILES or NAME:TARGET=FILES; not {each!r}")
        found.append(DataSet(name, [files], target or None))
    if data:
        found.append(DataSet("standard input" if data[0] == "-" else os.path.basename(data[0].rstrip("/")), data))
    if not found:
        raise RecipeError("there is nothing to compare on: name files of data, or data sets with --data-set")
    return found


def _before_replacing(output: str, *, quiet: bool) -> None:
    """Refuse to replace a file that is not the results of a comparison."""
    from linnet.comparison.results_file import is_one

    if output in STREAMS:
        raise RecipeError(f"{output} is for the printed results: name a file with -o, or print JSON with --json")
    old = old_file(output)
    if is_direct(output, old):
        raise RecipeError(f"{output} is not a file: name one for the results with -o")
    if old is None:
        return
    if old.st_size and not is_one(output):
        raise RecipeError(f"{output} is there and is not the results of a comparison: name another file (-o)")
    if not quiet:
        note(f"linnet: replaces {output}")


class TrialDisplay(Display):
    """Progress by trials, once the data are read."""

    def _line(self, now: Progress) -> Text:
        if now.stage == "reading" or not now.size:
            return super()._line(now)
        seconds, done = perf_counter() - self._began, now.rows / now.size
        left = f"  {seconds * (1 / done - 1):.0f} s left" if now.rows else ""
        bar = f"{'━' * int(BAR * done):<{BAR}} {100 * done:3.0f} %"
        text = f"{bar}  {now.rows:,} of {now.size:,} trials{left}  {now.stage}"
        return Text(text, style="cyan", no_wrap=True, overflow="ellipsis")
