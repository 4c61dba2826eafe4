"""linnet inspect: what is in a model, and why a row got its label."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from linnet.cli.show import penalised, threshold_lines, verdict, weighed, winnowed
from linnet.data.features.features import Places, assembled
from linnet.data.reading import Rejected, prepared_blocks
from linnet.data.rows import Rows
from linnet.data.sources.block import Position
from linnet.data.sources.formats import Format
from linnet.decisions.costs import Rule
from linnet.errors import InputError
from linnet.model.model import Model, load


def run(
    model_path: str,
    data: list[str],
    row: int,
    form: Format | None,
    top: int,
    pattern: str | None,
    *,
    as_json: bool,
) -> None:
    """Show the model; or, with data, why one of its rows is predicted as it is."""
    model = load(model_path)
    report = _explained(model, data, row, form, top) if data else _contents(model, top, pattern)
    if as_json:
        print(json.dumps(report, ensure_ascii=False, indent=2))
    elif data:
        _print_explained(report)
    else:
        _print_contents(model, report)


def _contents(model: Model, top: int, pattern: str | None) -> dict[str, Any]:
    outputs = model.outputs()
    report: dict[str, Any] = {
        "task": model.task,
        "learner": model.learner,
        "labels": model.classes,
        "schema": {name: str(role) for name, role in model.features.schema.roles.items()},
        "features": len(model.features),
        "nonzero_weights": int((model.linear.weights != 0).any(axis=1).sum()),
        "collisions": model.collisions,
        "intercepts": dict(zip(outputs, model.linear.intercepts.tolist(), strict=True)),
        "calibration": None if model.calibration is None else model.calibration.method,
        "rule": None if model.rule is None else _rule(model.rule),
        "summary": model.summary,
        "certificate": None if model.certificate is None else model.certificate.as_dict(),
    }
    if pattern is not None:
        report["weights"] = _matching(model, pattern, outputs, top)
        return report
    report["top_features"] = {
        name: dict(zip(("for", "against"), map(dict, model.top(number, top)), strict=True))
        for number, name in enumerate(outputs)
    }
    return report


def _rule(rule: Rule) -> dict[str, Any]:
    """How the model decides, for machines."""
    return {
        "costs": rule.costs.tolist(),
        "reject": rule.reject,
        "least": rule.least,
        "threshold": rule.threshold,
        "metric": rule.metric,
    }


def _matching(model: Model, pattern: str, outputs: list[str], top: int) -> dict[str, dict[str, float]]:
    """The weights of features whose names fit a pattern with * and ?: the largest, largest first."""
    found = {}
    for number, name in enumerate(model.features.names()):
        if fnmatchcase(name, pattern):
            found[name] = dict(zip(outputs, model.linear.weights[number].tolist(), strict=True))
    if not found:
        example = model.features.name(0)
        raise InputError(f"no feature is called like {pattern!r}: * stands for anything; names are like {example!r}")
    largest = sorted(found.items(), key=lambda item: -max(map(abs, item[1].values())))
    return dict(largest[:top])


def _explained(model: Model, data: list[str], row: int, form: Format | None, top: int) -> dict[str, Any]:
    source = model.open(data, form, labelled=False)
    passed = 0
    for made in prepared_blocks(source, Position(), model.features.prepare, Rejected(), 1):
        if row > passed + made.block.rows:
            passed += made.block.rows
            continue
        pieces = model.features.number(made.block, made.work, frozen=True)
        rows = assembled(model.features.weighed(pieces), Places.in_turn(model.features.sizes))
        at = row - passed - 1
        scores = model.linear.scores(rows)[at]
        prediction, probabilities = _predicted(model, rows, at)
        outputs = model.outputs()
        output = int(scores.argmax()) if len(outputs) > 1 else 0
        why = model.explain(rows, at, output)
        return {
            "row": row,
            "place": made.block.place(at),
            "prediction": prediction,
            "probabilities": probabilities,
            "scores": dict(zip(outputs, scores.tolist(), strict=True)),
            "explained": outputs[output],
            "intercept": float(model.linear.intercepts[output]),
            "contributions": [
                {"feature": each.feature, "value": each.value, "weight": each.weight, "contribution": each.contribution}
                for each in why[:top]
            ],
            "other_features": len(why[top:]),
            "other_contributions": sum(each.contribution for each in why[top:]),
        }
    raise InputError(f"there are only {passed:,} rows: no row {row:,}")


def _predicted(model: Model, rows: Rows, at: int) -> tuple[Any, dict[str, float] | None]:
    """What a row is taken for (None: it is rejected), and how probable each label is."""
    if model.classes is None:
        return model.linear.predict(rows)[at : at + 1].tolist()[0], None
    answers = model.classifier.answers(rows)
    label = model.classifier.labels(answers)[at]
    if answers.probabilities is None:
        return label, None
    return label, dict(zip(map(str, model.classes), answers.probabilities[at].tolist(), strict=True))


def _print_contents(model: Model, report: dict[str, Any]) -> None:
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"[bold]{model.learner}[/], {model.task} from {model.summary.get('rows', 0):,} rows")
    for line in verdict(model.summary):
        console.print(line)
    if model.certificate is not None:
        console.print(f"[bold]proven[/]   [dim]{model.certificate}[/]")
    if said := penalised(model):
        console.print(f"[bold]penalty[/]  {escape(said)}")
    if said := weighed(model):
        console.print(f"[bold]weighed[/]  rows count by their label: {escape(said)}")
    if said := winnowed(model):
        console.print(f"[bold]factors[/]  {said}")
    kept, all_of_them = report["nonzero_weights"], report["features"]
    shared = f"; {model.collisions:,} names share a feature with another" if model.collisions else ""
    console.print(f"[bold]features[/] {all_of_them:,}, {kept:,} of them with a weight{shared}")
    if report["calibration"]:
        console.print(f"[bold]scores[/]   made probabilities by {report['calibration']} maps")
    if report["rule"]:
        console.print(f"[bold]decides[/]  {_decides(model, report['rule'])}")
        for line in threshold_lines(model)[1:]:
            console.print(f"         {line}")
    if report["schema"]:
        console.print(
            "[bold]columns[/]  "
            + ", ".join(f"{escape(name)} [dim]{role}[/]" for name, role in report["schema"].items())
        )
    if "weights" in report:
        table = Table(box=None, pad_edge=False)
        table.add_column("feature")
        for name in model.outputs():
            table.add_column(escape(name), justify="right")
        for name, weights in report["weights"].items():
            table.add_row(escape(name), *(f"{weight:+.4g}" for weight in weights.values()))
        console.print(table)
        return
    classes = model.classes
    for name, top in report["top_features"].items():
        title = f"for {name}"
        if classes and len(classes) == 2:
            title = f"for {classes[1]} (+) and for {classes[0]} (-)"
        console.print(f"[bold]{escape(title)}[/]  [dim]intercept {report['intercepts'][name]:+.4g}[/]")
        _print_weights(console, [*top["for"].items(), *reversed(list(top["against"].items()))])


def _decides(model: Model, rule: dict[str, Any]) -> str:
    """How the model decides, for people."""
    if chosen := threshold_lines(model):
        return f"for {chosen[0]}"
    said = "for what costs least"
    if rule["threshold"] is not None and model.classes:
        said += f": {escape(str(model.classes[1]))} above a probability of {rule['threshold']:.4g}"
    if rule["reject"] is not None:
        said += f"; rejects what would cost more than {rule['reject']:g}"
    if rule["least"] is not None:
        said += f"; rejects what is less probable than {rule['least']:g}"
    return said


def _print_weights(console: Console, weights: list[tuple[str, float]]) -> None:
    largest = max((abs(weight) for _, weight in weights), default=1.0)
    width = min(50, max((len(name) for name, _ in weights), default=0))
    for name, weight in weights:
        bar = "█" * max(1, round(20 * abs(weight) / largest))
        colour = "green" if weight > 0 else "red"
        console.print(f"  {escape(name):<{width}}  {weight:+10.4g}  [{colour}]{bar}[/]")


def _print_explained(report: dict[str, Any]) -> None:
    console = Console(highlight=False, soft_wrap=True)
    label, probable = report["prediction"], ""
    if report["probabilities"] and label is not None:
        probable = f" [dim](probability {report['probabilities'][str(label)]:.3f})[/]"
    said = "rejected" if label is None else escape(str(label))
    console.print(f"[bold]{said}[/]{probable}  [dim]{escape(report['place'])}[/]")
    score = report["scores"][report["explained"]]
    console.print(f"score {score:+.4g} for {escape(report['explained'])} is the sum of")
    console.print(f"  {report['intercept']:+10.4g}  intercept")
    for each in report["contributions"]:
        console.print(
            f"  {each['contribution']:+10.4g}  {escape(each['feature'])} "
            f"[dim]value {each['value']:.4g} × weight {each['weight']:+.4g}[/]"
        )
    if report["other_features"]:
        console.print(f"  {report['other_contributions']:+10.4g}  {report['other_features']:,} other features")
