"""linnet inspect: what is in a model, and why a row gets its prediction."""

from __future__ import annotations

from dataclasses import asdict
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from linnet.cli import summary_lines
from linnet.cli.options import FILES, AsJson, ModelPath, with_options
from linnet.cli.show import aligned, line
from linnet.cli.terminal import console, plain, print_json, shortened
from linnet.errors import InputError, RecipeError
from linnet.pipeline.options import TrainOptions

if TYPE_CHECKING:
    from linnet.data.rows import Rows
    from linnet.data.sources.formats import Form
    from linnet.decisions.costs import Rule
    from linnet.model.model import Model

BASELINE = "(baseline)"
# The features whose names are in memory at once.
AT_ONCE = 1 << 12


@with_options(*FILES)
def command(
    model: ModelPath,
    options: TrainOptions,
    data: Annotated[
        list[str] | None, typer.Argument(metavar="DATA...", help="Data with a row to explain.", show_default=False)
    ] = None,
    row: Annotated[int, typer.Option(min=1, metavar="N", help="The row of the data to explain, counted from 1.")] = 1,
    top: Annotated[int, typer.Option(min=1, metavar="N", help="Number of features to show.")] = 15,
    features: Annotated[
        str | None,
        typer.Option(
            metavar="PATTERN", help="Show the weights of the features that match; * is any text.", show_default=False
        ),
    ] = None,
    table: Annotated[
        bool,
        typer.Option(
            "--table", help="All features as a table: weight, mean and spread; CSV on standard output, or -o."
        ),
    ] = False,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="With --table: a .csv, .jsonl or .parquet file.")
    ] = "-",
    json: AsJson = False,
) -> None:
    """Show what is in a model: how it was trained, its columns and its top features.

    With data, explain the prediction of one row: what every feature contributes to the score of the predicted label,
    compared with the average row of the training data.

    \b
    Examples:
      linnet inspect reviews.linnet
      linnet inspect reviews.linnet --features 'text:*great*'
      linnet inspect reviews.linnet new.jsonl.gz --row 3
      linnet inspect reviews.linnet --json
      linnet inspect adult.linnet --table -o weights.csv
    """
    if table:
        if data or features:
            raise RecipeError("--table is all weights of the model: leave data and --features out")
        run_table(model, output, as_json=json)
        return
    if output != "-":
        raise RecipeError("-o is for --table: give both, or send standard output to a file")
    run(model, data or [], row, options.form, top, features, as_json=json)


def run_table(path: str, output: str, *, as_json: bool) -> None:
    """Write all weights."""
    from linnet.cli.coefficient_file import write_coefficients
    from linnet.model.file import load
    from linnet.storage.outputs import check_no_input

    check_no_input({"the table": output}, [path])
    write_coefficients(load(path), output, as_json=as_json)


def run(path: str, data: list[str], row: int, form: Form, top: int, pattern: str | None, *, as_json: bool) -> None:
    """Show the model; with data, explain a row."""
    from linnet.model.file import load
    from linnet.structured.model_kind import structure_of

    structure = structure_of(path)
    if structure == "tagger":
        from linnet.cli import tag_inspect

        tag_inspect.run(path, data, row, top, pattern, as_json=as_json)
        return
    if structure == "parser":
        from linnet.cli import parse

        parse.inspected(path, data, row, as_json=as_json)
        return
    model = load(path)
    report = _explained(model, data, row, form, top) if data else _contents(model, top, pattern)
    if as_json:
        print_json(report)
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
        "types": {name: str(model.features.schema.type_of(name)) for name in model.features.schema.roles},
        "features": len(model.features),
        "nonzero_weights": model.reasons.used,
        "collisions": model.record.collisions,
        "intercepts": dict(zip(outputs, model.linear.intercepts.tolist(), strict=True)),
        "calibration": None if model.calibration is None else model.calibration.method,
        "rule": None if model.rule is None else _rule(model.rule),
        "record": summary_lines.as_json(model),
        "certificate": None if model.certificate is None else model.certificate.as_dict(),
    }
    if pattern is not None:
        report["weights"] = _matching(model, pattern, outputs, top)
        return report
    report["top_features"] = {name: top_features(model, number, top) for number, name in enumerate(outputs)}
    return report


def top_features(model: Model, output: int, count: int) -> dict[str, dict[str, dict[str, float]]]:
    """The top features for an output and against it, by name, for machines."""
    sides = zip(("for", "against"), model.top(output, count), strict=True)
    return {
        side: {each.feature: {"weight": each.weight, "spread": each.spread} for each in found} for side, found in sides
    }


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
    """The weights of the features that match a pattern with * and ?, that of the largest spread first."""
    features, reasons = model.features, model.reasons
    order, found = reasons.by_spread(), dict[str, dict[str, float]]()
    for first in range(0, len(order), AT_ONCE):
        some = order[first : first + AT_ONCE].tolist()
        for number, name in zip(some, features.names_of(some), strict=True):
            if fnmatchcase(name, pattern):
                found[name] = dict(zip(outputs, reasons.of_feature(number).tolist(), strict=True))
                if len(found) == top:
                    return found
    if not found:
        raise InputError(f"no feature matches {pattern!r}: * is any text; names look like {features.name(0)!r}")
    return found


def _explained(model: Model, data: list[str], row: int, form: Form, top: int) -> dict[str, Any]:
    """Why a row gets its prediction, for machines."""
    import numpy as np

    from linnet.data.on_error import BadRows
    from linnet.data.reading import prepared_blocks
    from linnet.data.rows import take_rows
    from linnet.data.sources.block import Position

    source = model.open(data, form, labelled=False)
    passed = 0
    features = model.features
    for made in prepared_blocks(source, Position(), features.prepare, BadRows(), 1, cuts=features.cuts):
        if row > passed + made.block.rows:
            passed += made.block.rows
            continue
        rows = take_rows(model.rows(made.block, made.prepared), np.array([row - passed - 1]))
        prediction, probabilities = _predicted(model, rows)
        (why,) = model.explained(rows)
        shown, others = why.contributions[:top], why.contributions[top:]
        return {
            "row": row,
            "place": made.block.location(row - passed - 1),
            "prediction": prediction,
            "probabilities": probabilities,
            "scores": dict(zip(model.outputs(), model.linear.scores(rows)[0].tolist(), strict=True)),
            "explained": why.label,
            "score": why.score,
            "baseline": why.baseline,
            "link": model.linear.link,
            "measured_without_words": bool(model.features.text_features().any()),
            "contributions": [asdict(each) for each in shown],
            "other_features": len(others),
            "other_contributions": sum(each.contribution for each in others),
        }
    raise InputError(f"there is no row {row:,}: the data have {passed:,} rows")


def _predicted(model: Model, row: Rows) -> tuple[Any, dict[str, float] | None]:
    """The predicted label (None if the row is rejected), and the probability of each label."""
    if model.classes is None:
        return model.linear.predict(row).tolist()[0], None
    if model.several:
        from linnet.model.predictor import LabelPicker

        labels, probable = LabelPicker(model.linear, model.has_probabilities).answers(row)
        if probable is None:
            return list(labels[0]), None
        return list(labels[0]), dict(zip(map(str, model.classes), probable[0].tolist(), strict=True))
    answers = model.classifier.answers(row)
    label = model.classifier.labels(answers).tolist()[0]
    if answers.probabilities is None:
        return label, None
    return label, dict(zip(map(str, model.classes), answers.probabilities[0].tolist(), strict=True))


def _print_contents(model: Model, report: dict[str, Any]) -> None:
    out = console()
    rows = summary_lines.rows_trained_on(model)
    out.print(line("trained", f"{model.learner} on {rows:,} rows, {model.task}"))
    for text in (*summary_lines.setting_lines(model), *summary_lines.validation_lines(model)):
        out.print(text)
    if model.certificate is not None:
        out.print(line("proven", f"[dim]{plain(str(model.certificate))}[/]"))
    collisions = f"; {model.record.collisions:,} hash collisions" if model.record.collisions else ""
    out.print(
        line("features", f"{report['features']:,}, {report['nonzero_weights']:,} with a nonzero weight{collisions}")
    )
    if report["calibration"]:
        out.print(line("probabilities", f"calibrated ({report['calibration']})"))
    if report["rule"]:
        out.print(line("predicts", _decides(model, report["rule"])))
        for text in summary_lines.threshold_lines(model)[1:]:
            out.print(line("", text))
    if report["schema"]:
        spelt = {name: kind.partition(", ")[2] for name, kind in report["types"].items()}
        described = {
            name: f"{role} ({spelt[name]})" if spelt[name] else role for name, role in report["schema"].items()
        }
        columns = ", ".join(f"{plain(name)} [dim]{plain(text)}[/]" for name, text in described.items())
        out.print(line("columns", columns))
    for text in summary_lines.coefficient_lines(model):
        out.print(text)
    if "weights" in report:
        _print_matching(out, model, report["weights"])
    else:
        _print_tops(out, model, report)


def _print_matching(out: Console, model: Model, found: dict[str, dict[str, float]]) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("feature")
    for name in model.outputs():
        table.add_column(plain(name), justify="right")
    for name, weights in found.items():
        table.add_row(plain(name), *(f"{weight:+.4g}" for weight in weights.values()))
    out.print(table)


def _print_tops(out: Console, model: Model, report: dict[str, Any]) -> None:
    classes = model.classes
    for name, top in report["top_features"].items():
        title = f"top features for {name}"
        if classes and len(classes) == 2 and not model.several:
            title = f"top features for {classes[1]} (+) and {classes[0]} (-)"
        out.print(f"[bold]{plain(title)}[/]  [dim]intercept {report['intercepts'][name]:+.4g}[/]")
        _print_weights(out, [*top["for"].items(), *reversed(top["against"].items())])


def _decides(model: Model, rule: dict[str, Any]) -> str:
    """The decision rule in words."""
    if chosen := summary_lines.threshold_lines(model):
        return chosen[0]
    text = "the label of least expected cost"
    if rule["threshold"] is not None and model.classes:
        text += f": {plain(str(model.classes[1]))} if its probability is above {rule['threshold']:.4g}"
    if rule["reject"] is not None:
        text += f"; nothing if every label has an expected cost above {rule['reject']:g}"
    if rule["least"] is not None:
        text += f"; nothing if the label has a probability below {rule['least']:g}"
    return text


def _print_weights(out: Console, found: list[tuple[str, dict[str, float]]]) -> None:
    """Features with weight and spread; bars have the length of the spread."""
    largest = max((each["spread"] for _, each in found), default=1.0)
    rows = [("feature", "weight", "spread", "")]
    for name, each in found:
        bar = "█" * max(1, round(20 * (each["spread"] / largest)))
        bar = f"[{'green' if each['weight'] > 0 else 'red'}]{bar}[/]"
        rows.append((shortened(plain(name)), f"{each['weight']:+.4g}", f"{each['spread']:.4g}", bar))
    for text in aligned(rows, "<>>"):
        out.print(text)


def _print_explained(report: dict[str, Any]) -> None:
    out = console()
    label, probable = report["prediction"], ""
    labels = label if isinstance(label, list) else [] if label is None else [label]
    if report["probabilities"] and labels:
        each = ", ".join(f"{report['probabilities'][str(one)]:.3f}" for one in labels)
        probable = f" [dim](probability {each})[/]"
    shown = "rejected" if label is None else plain(",".join(map(str, labels))) or "no label"
    out.print(f"[bold]{shown}[/]{probable}  [dim]{plain(report['place'])}[/]")
    whose, linked = plain(str(report["explained"])), "; the prediction is exp(score)" if report["link"] == "log" else ""
    out.print(f"score {report['score']:+.4g} for {whose} is the sum of these contributions{linked}")
    rows = [("contribution", "feature", "value", "weight")]
    rows.append((f"{report['baseline']:+.4g}", BASELINE, "", ""))
    for each in report["contributions"]:
        value = f"= {plain(shortened(_value(each['value'])))}"
        name = plain(shortened(each["feature"]))
        rows.append((f"{each['contribution']:+.4g}", name, value, f"{each['weight']:+.4g}"))
    if report["other_features"]:
        rows.append((f"{report['other_contributions']:+.4g}", f"{report['other_features']:,} other features", "", ""))
    for text in aligned(rows, "><<>"):
        out.print(text)
    without = ", without words" if report["measured_without_words"] else ""
    out.print(f"[dim]{BASELINE} is the score of the average row of the training data{without}[/]")


def _value(value: Any) -> str:
    """A value as a user would write it."""
    return "(missing)" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
