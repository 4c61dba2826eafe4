"""linnet report: a model, or a comparison of learners, as one page to look at."""

from __future__ import annotations

from typing import Annotated

import typer

from linnet.cli.options import FILES, with_options, without_quarantine
from linnet.cli.terminal import console, plain
from linnet.pipeline.options import TrainOptions


@with_options(*FILES, "on_error", "threads")
def command(
    source: Annotated[
        str,
        typer.Argument(
            metavar="MODEL|RESULTS",
            help="A model file written by linnet train, or the results of linnet compare.",
            show_default=False,
        ),
    ],
    options: TrainOptions,
    data: Annotated[
        list[str] | None,
        typer.Argument(metavar="DATA...", help="Data to evaluate the model on.", show_default=False),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to write the page.", show_default=False)
    ] = "",
) -> None:
    """Write a page about a model or a comparison: figures with intervals, and pictures.

    The page is one HTML file that needs neither the network nor a script: ROC, precision-recall and reliability curves,
    the confusion matrix, margins, top features, learning curves and what is proven; for two columns of numbers the
    plane between the classes. It is made from what the file holds: the rows held out in training. With DATA, the model
    is evaluated on them, and the pictures are of that.

    \b
    Examples:
      linnet report reviews.linnet -o reviews.html
      linnet report reviews.linnet reviews-test.jsonl.gz -o reviews.html
      linnet report results.json -o comparison.html
    """
    run(source, data or [], output, options)


def run(source: str, data: list[str], output: str, options: TrainOptions) -> None:
    """Write the page; without an output it is named after its source."""
    import os

    from linnet.data.on_error import BadRows
    from linnet.report.making import write
    from linnet.storage.outputs import check_no_input

    path = output or f"{os.path.splitext(os.path.basename(source))[0]}.html"
    check_no_input({"the page": path}, [source, *data])
    rejected = BadRows(without_quarantine(options.on_error))
    if data:
        write(source, path, data, form=options.form, rejected=rejected, threads=options.threads)
    else:
        write(source, path)
    if path != "-":
        console().print(f"wrote {plain(path)}")
