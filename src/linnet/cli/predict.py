"""linnet predict: rows in, predictions out, in order."""

from __future__ import annotations

import csv
import io
import os
import re
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from linnet.cli.options import FILES, ModelPath, with_options, without_quarantine
from linnet.cli.terminal import json_text, note, visible
from linnet.data.on_misfit import OnMisfit
from linnet.errors import RecipeError
from linnet.pipeline.options import TrainOptions

if TYPE_CHECKING:
    from linnet.model.model import Model, Predictions


# What makes a spreadsheet take a cell for a formula if it is first, unless the cell is a number.
FORMULA = re.compile(r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


class Output(StrEnum):
    """How predictions are written."""

    CSV = "csv"
    JSONL = "jsonl"
    LABELS = "labels"


@with_options("costs", "reject", "least", *FILES, "on_error", "on_misfit", "threads")
def command(
    model: ModelPath,
    options: TrainOptions,
    data: Annotated[
        list[str] | None,
        typer.Argument(metavar="DATA...", help="Data as for train (default: standard input).", show_default=False),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The output file; - is standard output.")
    ] = "-",
    kind: Annotated[
        Output, typer.Option("--as", metavar="csv|jsonl|labels", help="CSV, JSON Lines, or one label per line.")
    ] = Output.CSV,
    json: Annotated[bool, typer.Option("--json", help="The same as --as jsonl.")] = False,
    spreadsheet_safe: Annotated[
        bool,
        typer.Option(
            "--spreadsheet-safe",
            help="CSV for spreadsheets: a ' before cells that these would run as formulas (= + - @ first).",
        ),
    ] = False,
) -> None:
    """Predict every row of the data, in order, with probabilities where the model has them.

    With costs, given here or in training, the prediction is the label of least expected cost; a rejected row has an
    empty prediction.

    \b
    Examples:
      linnet predict reviews.linnet new.jsonl.gz -o predictions.csv
      linnet predict mail.linnet new.csv --cost ham,spam=10 --reject 0.5
      linnet predict reviews.linnet new.jsonl.gz --json | jq .prediction
      echo 'You have won a prize!' | linnet predict spam.linnet --as labels
    """
    kind = Output.JSONL if json else kind
    if spreadsheet_safe and kind is not Output.CSV:
        raise RecipeError(f"--spreadsheet-safe is for CSV, not {kind}")
    run(model, data or ["-"], output, kind, options, spreadsheet_safe=spreadsheet_safe)


def run(
    path: str, data: list[str], output: str, kind: Output, options: TrainOptions, *, spreadsheet_safe: bool = False
) -> None:
    """Predict every row of the data."""
    from linnet.data.on_error import BadRows
    from linnet.model.file import load
    from linnet.storage.atomic import replacing
    from linnet.storage.outputs import check_no_input, claimed

    rejected = BadRows(without_quarantine(options))
    model = load(path).deciding(options.costs, options.reject, options.least)
    strict = options.on_misfit is OnMisfit.ERROR
    source = model.open(data, options.form, labelled=False, strict=strict)
    check_no_input({"the predictions": output}, [path, *source.paths])
    with claimed([output]), replacing(output, "w") as out:
        writer = _Csv(model, out, safe=spreadsheet_safe) if kind is Output.CSV else _WRITERS[kind](model, out)
        for block in model.predicted(source, rejected, options.threads):
            writer(block)
            out.flush()
        if kind is Output.CSV:
            writer(None)
    if rejected.count:
        note(f"linnet: {rejected.count:,} rows could not be read and have no prediction:")
        for text in rejected.first:
            note(f"  {text}")
    for each in rejected.notes.values():
        note(f"linnet: {each}")
    for text in rejected.findings.lines():
        note(f"linnet: {text}")


class _Csv:
    """The header is written with the first block, which has the names of id columns; with None if there is no row."""

    def __init__(self, model: Model, out: TextIO, *, safe: bool) -> None:
        self.model, self.out, self.begun = model, out, False
        # files and programs get cells as they are; a terminal would obey some of what may be in them
        self.cell = _without_formulas if safe else visible if _is_terminal(out) else None

    def __call__(self, made: Predictions | None) -> None:
        ids = {} if made is None else made.ids
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        if not self.begun:
            labels = self.model.classes or [] if self.model.has_probabilities else []
            writer.writerow(self._cells([*ids, "prediction", *(f"probability:{label}" for label in labels)]))
            self.begun = True
        if made is not None:
            columns = [*map(self._cells, ids.values()), self._cells([_plain(label) for label in made.labels])]
            if made.probabilities is not None:
                columns += [[f"{p:.6g}" for p in column] for column in made.probabilities.T.tolist()]
            writer.writerows(zip(*columns, strict=True))
        self.out.write(text.getvalue())

    def _cells(self, column: list[Any]) -> list[Any]:
        return column if self.cell is None else [self.cell(str(each)) for each in column]


def _without_formulas(cell: str) -> str:
    return f"'{cell}" if FORMULA.match(cell) and not NUMBER.fullmatch(cell) else cell


def _is_terminal(out: TextIO) -> bool:
    try:
        return os.isatty(out.fileno())
    except OSError:  # not a file at all
        return False


class _Jsonl:
    def __init__(self, model: Model, out: TextIO) -> None:
        self.model, self.out = model, out

    def __call__(self, made: Predictions) -> None:
        classes = [str(label) for label in self.model.classes or []]
        lines = []
        for row, label in enumerate(made.labels):
            content: dict[str, Any] = {name: values[row] for name, values in made.ids.items()}
            content["prediction"] = label
            if made.probabilities is not None:
                content["probabilities"] = dict(zip(classes, made.probabilities[row].tolist(), strict=True))
            lines.append(json_text(content, indent=None) + "\n")
        self.out.write("".join(lines))


class _Labels:
    """A row a line, whatever its label: what would break it, or a terminal would obey, is escaped, and so is \\."""

    def __init__(self, _: Model, out: TextIO) -> None:
        self.out = out

    def __call__(self, made: Predictions) -> None:
        self.out.write("".join(f"{_in_a_line(_plain(label))}\n" for label in made.labels))


def _in_a_line(label: str) -> str:
    return visible(label.replace("\\", "\\\\"))


def _plain(label: Any) -> str:
    if label is None:  # rejected
        return ""
    return f"{label:.10g}" if isinstance(label, float) else str(label)


_WRITERS: dict[Output, Any] = {Output.JSONL: _Jsonl, Output.LABELS: _Labels}
