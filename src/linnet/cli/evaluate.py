"""linnet evaluate: how good a model is on data with known targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from linnet.cli.options import FILES, AsJson, Data, ModelPath, with_options, without_quarantine
from linnet.cli.show import cost_line, count, metrics_line, no_interval, percent
from linnet.cli.summary_lines import metric_name
from linnet.cli.terminal import console, note, plain, print_json
from linnet.data.on_misfit import OnMisfit
from linnet.pipeline.options import TrainOptions

if TYPE_CHECKING:
    from linnet.model.model import Model

MOST_CLASSES_IN_A_MATRIX = 12
# Labels of rows that have several: there may be thousands.
MOST_LABELS = 50


@with_options("costs", "reject", "least", *FILES, "on_error", "on_misfit", "threads")
def command(model: ModelPath, data: Data, options: TrainOptions, json: AsJson = False) -> None:
    """Evaluate a model on data with known targets: metrics with 95 % intervals.

    Prints accuracy, ROC AUC, log loss, precision and recall per class, the confusion matrix and how well probabilities
    are calibrated; for regression R², RMSE and absolute errors. With costs, given here or in training, also the mean
    cost per row. Where rows have several labels: micro and macro F1, subset accuracy, precision@1, @3 and @5, and
    Hamming loss.

    \b
    Examples:
      linnet evaluate reviews.linnet reviews-test.jsonl.gz
      linnet evaluate mail.linnet mail-test.csv --cost ham,spam=10
      linnet evaluate houses.linnet houses-test.csv --json
    """
    run(model, data, options, as_json=json)


def run(path: str, data: list[str], options: TrainOptions, *, as_json: bool) -> None:
    """Evaluate, and print the metrics."""
    from linnet.data.on_error import BadRows
    from linnet.model.file import load

    rejected = BadRows(without_quarantine(options.on_error))
    model = load(path).deciding(options.costs, options.reject, options.least)
    strict = options.on_misfit is OnMisfit.ERROR
    result = model.evaluate(data, options.form, rejected, options.threads, strict=strict).as_dict()
    result |= {"rejected_rows": rejected.count, **rejected.findings.as_dict()}
    if model.rule is not None and model.rule.metric is not None:
        result["threshold"] = _threshold(model, result)
    if as_json:
        print_json(result)
        return
    out = console()
    if model.several:
        _print_label_sets(out, result)
    elif model.classes is None:
        _print_regression(out, result)
    else:
        _print_classification(out, result)
    if rejected.count:
        what = "row could not be read and was" if rejected.count == 1 else "rows could not be read and were"
        note(f"linnet: {rejected.count:,} {what} skipped")
    for each in rejected.notes.values():
        note(f"linnet: {each}")
    for text in rejected.findings.lines():
        note(f"linnet: {text}")


def _print_regression(console: Console, result: dict[str, Any]) -> None:
    console.print(f"{result['rows']:,} rows")
    table = Table(box=None, pad_edge=False)
    for name, side in (("metric", "left"), ("value", "right"), ("95 % interval", "left")):
        table.add_column(name, justify=side)  # type: ignore[arg-type]
    for name, title in (
        ("r2", "R²"),
        ("rmse", "RMSE"),
        ("mae", "mean absolute error"),
        ("median_absolute_error", "median absolute error"),
        ("bias", "bias"),
    ):
        table.add_row(title, _number(result[name]), _span(result, name))
    if own := result["loss"]:
        table.add_row(f"mean {own['name']}", _number(own["mean"]), _span(own, "mean"))
        if own["d2"] is not None:
            table.add_row("D² (deviance explained)", _number(own["d2"]), "")
    console.print(table)
    console.print(f"[dim]baseline, the mean of the targets: RMSE {_number(result['baseline_rmse'])}[/]")


def _print_label_sets(console: Console, result: dict[str, Any]) -> None:
    low, high = result["subset_accuracy_interval"]
    console.print(f"[bold]micro F1[/]         {_fraction(result['micro_f1'])} on {result['rows']:,} rows")
    console.print(f"macro F1         {_fraction(result['macro_f1'])}")
    console.print(
        f"subset accuracy  {percent(result['subset_accuracy'])} "
        f"[dim](all labels right and no other; 95 % interval {percent(low)} to {percent(high)})[/]"
    )
    for k in (1, 3, 5):
        if result[f"precision_at_{k}"] is not None:
            console.print(f"precision@{k}      {_fraction(result[f'precision_at_{k}'])}")
    console.print(f"Hamming loss     {_fraction(result['hamming_loss'])}")
    if result["unknown_labels"]:
        console.print(f"[yellow]{count(result['unknown_labels'])} labels of rows are unknown to the model[/]")
    frequent = sorted(result["labels"], key=lambda each: -each["support"])[:MOST_LABELS]
    most = len(result["labels"]) > MOST_LABELS
    _print_labels(console, frequent if most else result["labels"])
    if most:
        console.print(f"[dim]the {MOST_LABELS} most frequent of {count(len(result['labels']))}; --json lists all[/]")


def _print_labels(console: Console, labels: list[dict[str, Any]]) -> None:
    """Precision, recall and F1 of each label."""
    table = Table(box=None, pad_edge=False)
    table.add_column("label")
    for name in ("precision", "recall", "F1", "rows"):
        table.add_column(name, justify="right")
    for each in labels:
        metrics = [_fraction(each[name]) for name in ("precision", "recall", "f1")]
        table.add_row(plain(str(each["label"])), *metrics, count(each["support"]))
    console.print(table)


def _print_classification(console: Console, result: dict[str, Any]) -> None:
    low, high = result["accuracy_interval"]
    console.print(
        f"[bold]accuracy[/]  {percent(result['accuracy'])} on {result['rows']:,} rows "
        f"[dim](95 % interval {percent(low)} to {percent(high)}; "
        f"baseline, the most frequent label: {percent(result['baseline_accuracy'])})[/]"
    )
    for name, title in (
        ("roc_auc", "ROC AUC"),
        ("log_loss", "log loss"),
        ("brier", "Brier"),
        ("macro_f1", "macro F1"),
    ):
        if result.get(name) is not None:
            console.print(f"{title:<9} {result[name]:.4f}  [dim]{_span(result, name)}[/]")
    if result["costs"] is not None:
        _print_costs(console, result)
    if chosen := result.get("threshold"):
        second = plain(str(result["classes"][1]["label"]))
        console.print(
            f"threshold {metrics_line(chosen['metrics'])}  [dim]({second} if its probability is above "
            f"{chosen['threshold']:.4g}, chosen in training for {metric_name(chosen)})[/]"
        )
    if result["unknown_labels"]:
        console.print(f"[yellow]{count(result['unknown_labels'])} rows have labels that the model does not know[/]")
    _print_labels(console, result["classes"])
    _print_confusion(console, result)
    if result["reliability"]:
        _print_reliability(console, result)


def _threshold(model: Model, result: dict[str, Any]) -> dict[str, Any]:
    """The threshold chosen in training, its metric, and the value of that metric on these rows."""
    from linnet.decisions.thresholds import Goal, of_confusion, plain

    assert model.rule is not None
    goal = Goal.parsed(model.rule.metric or "").among(model.classes)
    metrics = plain(of_confusion(goal, model.classes, result["confusion"]))
    label = goal.label if goal.sided else None
    return {"metric": goal.metric, "label": label, "threshold": model.rule.threshold, "metrics": metrics}


def _print_costs(console: Console, result: dict[str, Any]) -> None:
    costs = result["costs"]
    console.print(f"[bold]cost[/]      {cost_line(costs)}")
    if costs["rejected"]:
        decided = costs["accuracy_decided"]
        right = "" if decided is None else f"; accuracy on the others {percent(decided)}"
        console.print(f"rejected  {count(costs['rejected'])} of {result['rows']:,} rows{right}")


def _print_reliability(console: Console, result: dict[str, Any]) -> None:
    """How well the probabilities are calibrated."""
    labels = result["classes"]
    whose = str(labels[1]["label"]) if len(labels) == 2 else "the most probable label"
    console.print(
        f"calibration error {result['calibration_error']:.4f}  [dim](expected of perfectly calibrated "
        f"probabilities: {result['calibration_error_by_chance']:.4f})[/]"
    )
    table = Table(box=None, pad_edge=False, title=f"probability of {plain(whose)}", title_justify="left")
    for name in ("predicted", "observed", "95 % interval", "rows"):
        table.add_column(name, justify="right")
    for each in result["reliability"]:
        low, high = each["observed_interval"]
        table.add_row(
            f"{each['predicted']:.4f}", f"{each['observed']:.4f}", f"{low:.4f} to {high:.4f}", count(each["rows"])
        )
    console.print(table)


def _print_confusion(console: Console, result: dict[str, Any]) -> None:
    labels, matrix = [str(each["label"]) for each in result["classes"]], result["confusion"]
    if len(labels) <= MOST_CLASSES_IN_A_MATRIX:
        table = Table(
            box=None, pad_edge=False, title="confusion matrix: true labels down, predicted across", title_justify="left"
        )
        table.add_column("")
        for label in labels:
            table.add_column(plain(label), justify="right")
        for label, row in zip(labels, matrix, strict=True):
            table.add_row(plain(label), *map(count, row))
        console.print(table)
        return
    pairs = [
        (matrix[i][j], a, b) for i, a in enumerate(labels) for j, b in enumerate(labels) if i != j and matrix[i][j]
    ]
    console.print("most frequent confusions")
    for rows, truth, predicted in sorted(pairs, key=lambda pair: -pair[0])[:10]:
        console.print(f"  {count(rows):>6}  {plain(truth)} predicted as {plain(predicted)}")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def _fraction(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _span(result: dict[str, Any], name: str) -> str:
    low, high = result[f"{name}_interval"]
    if low is None:
        return no_interval(result, name) if result[name] is not None else ""
    return f"{low:.4g} to {high:.4g}"
