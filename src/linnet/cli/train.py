"""linnet train: from any file to a model."""

from __future__ import annotations

import os
from dataclasses import replace
from math import copysign
from time import localtime, perf_counter, strftime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from linnet.cli import interruption, summary_lines
from linnet.cli.inspect import top_features
from linnet.cli.options import AsJson, Data, with_options
from linnet.cli.show import Display, line, megabytes
from linnet.cli.terminal import console, note, plain, print_json
from linnet.data.on_error import OnError
from linnet.errors import OutputError, RecipeError
from linnet.learners.recipe import Reduction
from linnet.pipeline.options import TrainOptions
from linnet.pipeline.services import NO_CHECKPOINT, Services
from linnet.storage.atomic import STREAMS, is_direct, old_file

if TYPE_CHECKING:
    from linnet.data.features.schema import Schema
    from linnet.model.explanation import TopFeature
    from linnet.model.model import Model
    from linnet.pipeline.plan import Plan

TOP = 8


@with_options()
def command(
    data: Data,
    options: TrainOptions,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The model file (default: DATA.linnet).", show_default=False
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not print the plan and the progress.")] = False,
    json: AsJson = False,
) -> None:
    """Train a model on files, and save it.

    Column types, the task and the learner are inferred; options override them. Prints the plan, the accuracy on
    held-out rows, a proof of how close the weights are to the optimum, and the top features. Rows of svmlight with
    several labels (1,5,7 3:0.5) or none, and fastText's, make one model a label.

    \b
    Examples:
      linnet train reviews.jsonl.gz --target label
      linnet train adult.csv --target income --cross education,occupation
      linnet train adult.csv --target income --learner logistic-regression --penalty l1 --C 0.1
      linnet train mail.csv --target kind --threshold-for precision@recall=0.95:spam
      linnet train clicks.svm.gz --learner adaptive --checkpoint-every 1000000
    """
    output = output or default_output(data)
    run(data, _with_files(options, output), output, as_json=json, quiet=quiet)


def run(data: list[str], options: TrainOptions, output: str, *, as_json: bool, quiet: bool) -> None:
    """Train, save, and print the results."""
    from linnet.pipeline.train import train_to_file

    began = perf_counter()
    before_replacing(output, data, quiet=quiet)
    display = Display(quiet=quiet or as_json)
    with interruption.graceful(_words_of_a_late_stop(options)) as stopped, display:
        services = Services(display.progress, stopped, options.threads, saving=interruption.saving)
        model = train_to_file(data, options, output, services, lambda plan: _print_plan(plan, display))
    seconds = perf_counter() - began
    if as_json:
        report = _described(model) | {"seconds": round(seconds, 3), "model": output}
        print_json(report)
    else:
        _print(model, seconds, output)


def before_replacing(output: str, data: list[str], *, quiet: bool) -> None:
    """Say that an older model will be replaced; refuse to replace a file that is none.  An input is refused later."""
    from linnet.storage.container import is_one

    old = old_file(output)
    if old is None or is_direct(output, old) or output in data:
        return
    if old.st_size and not is_one(output):
        raise RecipeError(f"{output} is there and is not a model: name another file for the model (-o), or remove it")
    if not quiet:
        written = strftime("%Y-%m-%d %H:%M", localtime(old.st_mtime))
        note(f"linnet: replaces {output}, written {written}")


def _with_files(options: TrainOptions, output: str) -> TrainOptions:
    """The options, with the files that a run keeps beside its model: a device or a pipe has none."""
    if output in STREAMS:
        raise RecipeError(f"{output} is for the results: name a file for the model with -o")
    if not is_direct(output, old_file(output)):
        return replace(options, quarantine=f"{output}.quarantine", checkpoint=f"{output}.checkpoint")
    if options.on_error is OnError.QUARANTINE or options.checkpoint_every or options.resume:
        raise RecipeError(f"{output} is not a file, so there is no place for a quarantine or a checkpoint beside it")
    return options


def _absolute(path: str) -> str:
    try:
        return os.path.abspath(path)
    except FileNotFoundError:
        raise OutputError("the working directory is gone: change to another, or name the model with -o") from None


def _words_of_a_late_stop(options: TrainOptions) -> str:
    if options.resume and options.checkpoint and os.path.exists(options.checkpoint):
        return f"stopped; {options.checkpoint} is unchanged: {interruption.RESUME}"
    return NO_CHECKPOINT


def default_output(data: list[str]) -> str:
    """MODEL.linnet in the working directory, named after the first file."""
    name = "model" if data[0] == "-" else os.path.basename(_absolute(data[0]))
    while os.path.splitext(name)[1].lower() in (".gz", ".bz2", ".xz", ".zst"):
        name = os.path.splitext(name)[0]
    name = os.path.splitext(name)[0].replace("*", "").replace("?", "") or "model"
    return f"{name}.linnet"


def _print_plan(plan: Plan, display: Display) -> None:
    """The schema and the task, before training starts."""
    from linnet.model.plan import GUESSED

    for head, text, reason in plan.lines():
        style = "bold yellow" if reason.startswith(GUESSED) else "dim"
        why = [f"[{style}]{plain(reason)}[/]"] if reason else []
        display.print(line(head, "  ".join([*([plain(text)] if text else []), *why])))


def _described(model: Model) -> dict[str, Any]:
    """The results, for machines."""
    return {
        "task": model.task,
        "learner": model.learner,
        "labels": model.classes,
        "features": len(model.features),
        "columns": _columns(model.features.schema),
        "types_from_rows": model.features.schema.rows,
        "collisions": model.record.collisions,
        "record": summary_lines.as_json(model),
        "certificate": None if model.certificate is None else model.certificate.as_dict(),
        "top_features": {name: top_features(model, number, TOP) for number, name in enumerate(model.outputs())},
        "warnings": summary_lines.warnings(model),
    }


def _columns(schema: Schema) -> dict[str, dict[str, str]]:
    """The role and the type of each column, for machines."""
    return {name: {"role": role, "type": str(schema.type_of(name))} for name, role in schema.roles.items()}


def _print(model: Model, seconds: float, output: str) -> None:
    out = console()
    rows = summary_lines.rows_trained_on(model)
    out.print(line("trained", f"{model.learner} on {rows:,} rows and {model.features.extent} in {seconds:.1f} s"))
    out.print(line("", f"[dim]{plain(summary_lines.reason(model))}[/]"))
    for text in (*summary_lines.setting_lines(model), *summary_lines.validation_lines(model)):
        out.print(text)
    for number, text in enumerate(summary_lines.threshold_lines(model)):
        out.print(line("" if number else "predicts", text))
    if model.certificate is not None and (proof := summary_lines.certificate_text(model)):
        out.print(line("proven", f"[dim]{plain(proof)}[/]"))
    _print_tops(out, model)
    for text in summary_lines.coefficient_lines(model):
        out.print(text)
    for warning in summary_lines.warnings(model):
        out.print(f"[bold yellow]{'warning':<14}[/] {plain(warning)}")
    out.print(line("model", f"{plain(output)}  [dim]{megabytes(os.path.getsize(output))}[/]"))


def _print_tops(out: Console, model: Model) -> None:
    outputs, classes = model.outputs(), model.classes
    most = summary_lines.MOST_CLASSES_SHOWN
    for number, name in enumerate(outputs[:most]):
        favour, against = model.top(number, TOP)
        head = "" if number else "top features"
        if len(outputs) > 1 or model.several:
            reference = model.linear.reduction is Reduction.REFERENCE and number == len(outputs) - 1
            features = "[dim]the reference class, whose weights are 0[/]" if reference else _listed(favour)
            out.print(line(head, f"[green]{plain(name)}[/]: {features}"))
            continue
        up, down = (str(classes[1]), str(classes[0])) if classes else ("increase", "decrease")
        out.print(line(head, f"[green]{plain(up)}[/]: {_listed(favour)}"))
        out.print(line("", f"[green]{plain(down)}[/]: {_listed(against)}"))
    if len(outputs) > most:
        out.print(line("", f"[dim]and {len(outputs) - most} more classes: linnet inspect shows all[/]"))
    out.print(line("", "[dim]by weight × standard deviation; linnet inspect shows the weights[/]"))


def _listed(features: list[TopFeature]) -> str:
    """Each with the spread of what it contributes, which has the sign of the weight."""
    found = (f"{plain(each.feature)} [dim]{copysign(each.spread, each.weight):+.3g}[/]" for each in features)
    return "  ".join(found) or "[dim]none[/]"
