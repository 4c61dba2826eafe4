"""linnet train: any file to a model."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.markup import escape

from linnet.cli.show import (
    MOST_CLASSES_SHOWN,
    Shower,
    megabytes,
    penalised,
    threshold_lines,
    verdict,
    weighed,
    winnowed,
)
from linnet.data.features.schema import Role
from linnet.errors import OutputError, RecipeError
from linnet.learners import catalogue
from linnet.learners.recipe import Loss, Reduction
from linnet.model.model import Model
from linnet.pipeline.train import Plan, TrainOptions, train
from linnet.theory.mistake_bounds import Mistakes
from linnet.training.duality_gap import Certificate

TOP = 8
# A proven gap above this tells little: ten times what the loosest of the solvers asks for.
WIDE_GAP = 1e-2
# Learners that stop only when the gap is small, by loss.
PROVING = {Loss.LOGISTIC: "logistic-newton", Loss.HINGE: "svm", Loss.SQUARED_HINGE: "svm-squared"}


def run(data: list[str], options: TrainOptions, output: str | None, *, as_json: bool, quiet: bool) -> None:
    """Train, save, and tell what was learnt."""
    output = output or default_output(data)
    _check_output(output, data)
    began = perf_counter()
    shower = Shower(quiet=quiet or as_json)
    paths: Any = data
    with _stoppable() as stopped, shower:
        model = train(paths, options, watch=shower.progress, tell=lambda plan: _tell(plan, shower), stopped=stopped)
        model.save(output)
    seconds = perf_counter() - began
    report = described(model) | {"seconds": round(seconds, 3), "model": output}
    if as_json:
        print(json.dumps(report, ensure_ascii=False, indent=2))
    else:
        _print(model, report, seconds, output)


def _check_output(output: str, data: list[str]) -> None:
    """Before hours of work: can the model be written where it is wanted, and is that no input?"""
    folder = os.path.dirname(os.path.realpath(output))
    if not os.path.isdir(folder):
        raise OutputError(f"{output}: there is no folder {folder}: make it first, or name another with -o")
    if os.path.exists(output) and any(os.path.exists(path) and os.path.samefile(output, path) for path in data):
        raise RecipeError(f"{output} is the data: name another file for the model with -o")


def default_output(data: list[str]) -> str:
    """MODEL.linnet in the present folder, named after the first file."""
    name = "model" if data[0] == "-" else os.path.basename(os.path.abspath(data[0]))
    while os.path.splitext(name)[1].lower() in (".gz", ".bz2", ".xz", ".zst"):
        name = os.path.splitext(name)[0]
    name = os.path.splitext(name)[0].replace("*", "").replace("?", "") or "model"
    return f"{name}.linnet"


@contextmanager
def _stoppable() -> Iterator[Any]:
    """Ctrl-C and SIGTERM ask the run to stop; a second one stops it at once."""
    asked: list[int] = []

    def ask(number: int, _: Any) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _tell(plan: Plan, shower: Shower) -> None:
    """The schema, before anything is learnt from it."""
    roles = plan.schema.roles
    shower.say(
        f"[bold]data[/]     {plan.format}, {len(roles)} columns" if roles else f"[bold]data[/]     {plan.format}"
    )
    width = max((len(name) for name in roles), default=0)
    for name, role in roles.items():
        reason = "" if role is Role.TARGET else plan.schema.reasons.get(name, "")
        shower.say(f"         {escape(name):<{width}}  {role:<8}  [dim]{escape(reason)}[/]")
    shower.say(f"[bold]task[/]     {plan.task}  [dim]{escape(plan.why_task)}[/]")


def described(model: Model) -> dict[str, Any]:
    """What was learnt, for machines."""
    tops = {}
    for number, output in enumerate(model.outputs()):
        favour, against = model.top(number, TOP)
        tops[output] = {"for": dict(favour), "against": dict(against)}
    return {
        "task": model.task,
        "learner": model.learner,
        "labels": model.classes,
        "features": len(model.features),
        "collisions": model.collisions,
        "summary": model.summary,
        "certificate": None if model.certificate is None else model.certificate.as_dict(),
        "top_features": tops,
        "warnings": warnings(model),
    }


def warnings(model: Model) -> list[str]:
    """What a user should know before trusting the model."""
    summary, found = model.summary, []
    if summary.get("rejected_rows"):
        found.append(f"{summary['rejected_rows']:,} rows could not be read and were left out")
    if summary.get("converged") is False:
        found.append("the solver stopped before it came to rest: the weights are near the best ones, not at them")
    if summary.get("separation"):
        found.append(
            f"without a penalty there are no best weights, they grow for ever: {summary['separation']}; leave "
            "--penalty none out"
        )
    if far := _far_from_proven(model):
        found.append(far)
    if model.collisions:
        found.append(f"{model.collisions:,} names share a feature with another: more --hash-bits would part them")
    if summary.get("sorted_by_label"):
        found.append("the rows come sorted by label, which an online pass cannot learn well from: shuffle them first")
    held = summary.get("held_out")
    costs = (held or {}).get("costs")
    if costs and costs["realised"] is not None and costs["realised"] >= costs["baseline"]:
        found.append("on held-out rows the decisions cost no less than always taking the same one")
    other_aims = costs or summary.get("threshold")  # for which accuracy may be given up
    right = (held or {}).get("accuracy")
    if held and right is not None and not other_aims and right <= held["baseline_accuracy"]:
        found.append("on held-out rows the model is no better than always guessing the most frequent label")
    if held and held.get("r2") is not None and held["r2"] <= 0:
        found.append("on held-out rows the model is no better than always guessing the mean")
    for each in (held or {}).get("classes", []):
        if not each["support"]:
            found.append(f"the label {each['label']!r} is so rare that no held-out row has it")
    return found[:10]


def _far_from_proven(model: Model) -> str:
    """What to do where the certificate tells little; nothing where it does not."""
    certificate, better = model.certificate, PROVING.get(catalogue.find(model.learner).recipe.loss)
    if (
        not isinstance(certificate, Certificate)
        or certificate.reason
        or not certificate.gap > WIDE_GAP
        or better is None
    ):
        return ""
    remedy = f"take --learner {better}, which runs until the gap is small"
    if model.learner == better:
        remedy = "look for columns far larger than the others, and scale them down"
    return f"as far as is proven, better weights may have an objective {certificate.gap:.0%} lower: {remedy}"


def _print(model: Model, report: dict[str, Any], seconds: float, output: str) -> None:
    console = Console(highlight=False, soft_wrap=True)
    summary = model.summary
    console.print(
        f"[bold]learnt[/]   {model.learner} from {summary['rows']:,} rows and {model.features.extent} "
        f"in {seconds:.1f} s"
    )
    console.print(f"         [dim]{escape(summary['why'])}[/]")
    if said := penalised(model):
        console.print(f"         [dim]penalty {escape(said)}[/]")
    if said := weighed(model):
        console.print(f"         [dim]rows count by their label: {escape(said)}[/]")
    if said := winnowed(model):
        console.print(f"         [dim]{said}[/]")
    for line in verdict(summary):
        console.print(line)
    for head, line in zip(("[bold]decides[/]  for ", "         ", "         "), threshold_lines(model), strict=False):
        console.print(f"{head}{line}")
    if isinstance(model.certificate, Mistakes) or (model.certificate is not None and not model.certificate.reason):
        console.print(f"[bold]proven[/]   [dim]{model.certificate}[/]")
    _print_tops(console, model)
    for warning in report["warnings"]:
        console.print(f"[bold yellow]warning[/]  {escape(warning)}")
    console.print(f"[bold]model[/]    {escape(output)}  [dim]{megabytes(os.path.getsize(output))}[/]")


def _print_tops(console: Console, model: Model) -> None:
    outputs = model.outputs()
    for number, name in enumerate(outputs[:MOST_CLASSES_SHOWN]):
        favour, against = model.top(number, TOP)
        head = "[bold]telling[/]  " if number == 0 else "         "
        if len(outputs) > 1:
            reference = model.linear.reduction is Reduction.REFERENCE and number == len(outputs) - 1
            told = "[dim]the reference, whose weights are 0[/]" if reference else _listed(favour)
            console.print(f"{head}[green]{escape(name)}[/]: {told}")
            continue
        classes = model.classes
        up, down = (str(classes[1]), str(classes[0])) if classes else ("more", "less")
        console.print(f"{head}[green]{escape(up)}[/]: {_listed(favour)}")
        console.print(f"         [green]{escape(down)}[/]: {_listed(against)}")
    if len(outputs) > MOST_CLASSES_SHOWN:
        console.print(
            f"         [dim]and {len(outputs) - MOST_CLASSES_SHOWN} more classes: linnet inspect shows all[/]"
        )


def _listed(features: list[tuple[str, float]]) -> str:
    return "  ".join(f"{escape(name)} [dim]{weight:+.3g}[/]" for name, weight in features) or "[dim]nothing[/]"
