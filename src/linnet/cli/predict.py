"""linnet predict: rows in, predictions out, in order."""

from __future__ import annotations

from typing import Annotated

import typer

from linnet.cli.options import FILES, ModelPath, with_options, without_quarantine
from linnet.cli.prediction_files import Output, output_kind, writer_to
from linnet.cli.terminal import note
from linnet.data.on_misfit import OnMisfit
from linnet.errors import RecipeError
from linnet.pipeline.options import TrainOptions


@with_options("costs", "reject", "least", *FILES, "on_error", "on_misfit", "threads")
def command(
    model: ModelPath,
    options: TrainOptions,
    data: Annotated[
        list[str] | None,
        typer.Argument(metavar="DATA...", help="Data as for train (default: standard input).", show_default=False),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The output file, written as its name says: .csv, .tsv, .json, .jsonl (these also compressed: .gz, "
            ".bz2, .xz, .zst) or .parquet; - is standard output.",
        ),
    ] = "-",
    kind: Annotated[
        Output | None,
        typer.Option(
            "--as",
            metavar="csv|tsv|json|jsonl|parquet|labels",
            help="The format of the output, labels being one a line (default: by the name of the file, or csv).",
            show_default=False,
        ),
    ] = None,
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

    The n-th prediction is that of the n-th row: a row that is skipped, or rejected by a decision rule, has an empty
    one. With costs, given here or in training, the prediction is the label of least expected cost. Several labels of
    a row have commas between them, and are a list in JSON and Parquet.

    \b
    Examples:
      linnet predict reviews.linnet new.jsonl.gz -o predictions.csv
      linnet predict mail.linnet new.csv --cost ham,spam=10 --reject 0.5
      linnet predict reviews.linnet new.jsonl.gz --json | jq .prediction
      echo 'You have won a prize!' | linnet predict spam.linnet --as labels
    """
    kind = output_kind(output, Output.JSONL if json and kind is None else kind)
    if json and kind not in (Output.JSONL, Output.JSON):
        raise RecipeError(f"--json is JSON Lines, and --as {kind} is not: leave one of them out")
    if spreadsheet_safe and kind not in (Output.CSV, Output.TSV):
        raise RecipeError(f"--spreadsheet-safe is for CSV, not {kind}")
    run(model, data or ["-"], output, kind, options, spreadsheet_safe=spreadsheet_safe)


def run(
    path: str, data: list[str], output: str, kind: Output, options: TrainOptions, *, spreadsheet_safe: bool = False
) -> None:
    """Predict every row of the data."""
    from linnet.data.on_error import BadRows
    from linnet.model.file import load
    from linnet.storage.outputs import check_no_input, claimed

    rejected = BadRows(without_quarantine(options.on_error))
    model = load(path).deciding(options.costs, options.reject, options.least)
    strict = options.on_misfit is OnMisfit.ERROR
    source = model.open(data, options.form, labelled=False, strict=strict)
    check_no_input({"the predictions": output}, [path, *source.paths])
    with claimed([output]), writer_to(output, kind, model, spreadsheet_safe=spreadsheet_safe) as writer:
        for made in model.predicted(source, rejected, options.threads):
            writer.write(made)
            writer.flush()
    if rejected.count:
        one = rejected.count == 1
        what = "row could not be read: its prediction is" if one else "rows could not be read: their predictions are"
        note(f"linnet: {rejected.count:,} {what} empty")
        for text in rejected.first:
            note(f"  {text}")
    for each in rejected.notes.values():
        note(f"linnet: {each}")
    for text in rejected.findings.lines():
        note(f"linnet: {text}")
