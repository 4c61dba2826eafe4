"""The page of a model: what it is, how good it is, what it decides by, how it was trained, what is proven."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from linnet.evaluation.classification import ClassificationResult
from linnet.evaluation.label_sets import LabelSetResult
from linnet.evaluation.regression import RegressionResult
from linnet.model.model_warnings import warnings_of
from linnet.report import classification_figures as of_classes
from linnet.report import regression_figures as of_numbers
from linnet.report import training_figures, training_record
from linnet.report.figures import Figure, Section, Table, bullets, numbers, paragraph
from linnet.report.geometry_figure import plane_figure
from linnet.report.markup import Markup, element, shortened
from linnet.report.numbers import count
from linnet.report.page import Tile, document, tiles
from linnet.report.result_tables import Result, by_class, metrics, result_tiles
from linnet.theory.mistake_bounds import Mistakes

if TYPE_CHECKING:
    from linnet.model.model import Model
    from linnet.model.point_sample import PointSample

# Outputs and features that are drawn.
MOST_OUTPUTS = 12
MOST_FEATURES = 10
LONGEST_TITLE = 120


class Evaluation:
    """A result to show, with the rows that it is of in words."""

    def __init__(self, result: Result, rows: str, points: PointSample | None = None, notes: Sequence[str] = ()) -> None:
        self.result, self.rows, self.points, self.notes = result, rows, points, notes


def model_page(model: Model, evaluation: Evaluation | None = None) -> str:
    """The page, of an evaluation on data, or of the held-out rows that the record knows."""
    shown = evaluation or _held_out(model)
    sections = [
        _warnings(model, shown),
        _results(shown),
        _geometry(model, shown),
        _top_features(model),
        _coefficients(model),
        _training(model),
        _certificate(model),
        _columns(model),
        _record(model),
    ]
    target = model.features.schema.target or ("labels" if model.classes else "target")
    title = shortened(f"{target}: {model.learner}", LONGEST_TITLE)
    return document(title, "Report on a model", _head(model, shown), [each for each in sections if each is not None])


def _held_out(model: Model) -> Evaluation | None:
    record = model.record
    if record.held_out is not None:
        return Evaluation(record.held_out, f"{record.rows_held_out:,} held-out rows")
    found = record.progressive
    if found is not None and found.numbers is not None:
        return Evaluation(found.numbers, f"{found.rows:,} rows, each predicted before it was trained on")
    return None


def _head(model: Model, shown: Evaluation | None) -> list[Markup]:
    record, classes = model.record, model.classes
    what = "a number"
    if classes is not None:
        what = f"several of {len(classes):,} labels" if model.several else f"one of {len(classes):,} classes"
        what += f" ({', '.join(shortened(label, 30) for label in classes)})" if len(classes) <= 4 else ""
    lead = f"{model.entry.summary} Trained on {record.rows:,} rows and {model.features.extent} to predict {what}."
    figures = [] if shown is None else result_tiles(shown.result)
    found = record.progressive
    if shown is None and found is not None and found.accuracy is not None:
        ends = found.accuracy_interval
        more = "" if ends is None else f"95 % interval {100 * ends.low:.1f} to {100 * ends.high:.1f} %"
        figures.append(Tile("Progressive validation accuracy", f"{100 * found.accuracy:.1f} %", more))
    figures.append(Tile("Training rows", count(record.rows), f"{model.features.extent}"))
    how = paragraph(f"Figures on {shown.rows}.", class_="note") if shown is not None else None
    return [paragraph(lead, class_="lead"), tiles(figures), *([how] if how else [])]


def _warnings(model: Model, shown: Evaluation | None) -> Section | None:
    found = [*warnings_of(model), *(shown.notes if shown is not None else ())]
    if not found:
        return None
    section = Section("warnings", "Warnings")
    section.add(bullets([shortened(text, 600) for text in found], "warnings"))
    return section


def _results(shown: Evaluation | None) -> Section | None:
    if shown is None:
        return None
    result, section = shown.result, Section("results", "Results")
    section.add(paragraph(f"On {shown.rows}; intervals are of 95 %, for later rows like these.", class_="note"))
    section.add(metrics(result).html("Metrics"))
    if isinstance(result, ClassificationResult):
        made = (
            of_classes.roc,
            of_classes.precision_recall,
            of_classes.confusion,
            of_classes.reliability,
            of_classes.margins,
        )
        section.figures(each(result) for each in made)
        confused = of_classes.most_confused(result)
        if confused is not None:
            section.add(element("h3", "Classes taken for one another most often"), confused.html("Confused classes"))
        section.add(*_classes("Classes", by_class(result.classes)))
    elif isinstance(result, LabelSetResult):
        section.add(*_classes("Labels", by_class(result.labels)))
    elif isinstance(result, RegressionResult):
        section.figures([of_numbers.predicted_against_true(result), of_numbers.residuals(result)])
    return section


def _classes(title: str, table: Table) -> list[Markup]:
    if len(table.rows) > 12:
        return [element("h3", title), numbers(table, title)]
    return [element("h3", title), table.html(title)]


def _geometry(model: Model, shown: Evaluation | None) -> Section | None:
    points = shown.points if shown is not None and shown.points is not None else model.record.points
    made = plane_figure(model, points)
    if made is None:
        return None
    section = Section("plane", "Geometry")
    section.figures([made])
    return section


def _top_features(model: Model) -> Section | None:
    if model.linear.votes:
        return None
    outputs, classes = model.outputs(), model.classes
    made: list[Figure | None] = []
    few = MOST_FEATURES if len(outputs) <= 2 else MOST_FEATURES // 2
    for number, output in enumerate(outputs[:MOST_OUTPUTS]):
        favour, against = model.top(number, few)
        ends = f"for {shortened(classes[0], 40)}" if classes is not None and len(classes) == 2 else "against it"
        made.append(
            training_figures.top_features(
                f"features-{number + 1}",
                output,
                favour,
                against,
                number=classes is None,
                ends=ends,
                two=classes is not None and len(classes) == 2,
            )
        )
    if not any(made):
        return None
    section = Section("features", "Top features")
    section.figures(made)
    if len(outputs) > MOST_OUTPUTS:
        section.add(paragraph(f"The first {MOST_OUTPUTS} of {len(outputs):,} outputs are shown.", class_="note"))
    return section


def _coefficients(model: Model) -> Section | None:
    table = training_record.coefficients(model)
    summary = model.record.summary
    if table is None or summary is None:
        return None
    section = Section("coefficients", "Coefficients with standard errors")
    section.add(table.html("Coefficients"), *(paragraph(text, class_="note") for text in summary.lines()))
    return section


def _training(model: Model) -> Section | None:
    record, made = model.record, []
    if record.strength is not None:
        made.append(training_figures.strength(record.strength))
        made.append(training_figures.paths_of(record.strength))
    if record.progressive is not None:
        made.append(training_figures.progressive(record.progressive))
    made.append(training_figures.losses_by_pass(record.held_out_losses))
    if isinstance(model.certificate, Mistakes) and model.certificate_matches_weights:
        made.append(training_figures.mistakes_and_bound(model.certificate, record.progressive))
    if not any(made):
        return None
    section = Section("training", "Training")
    section.figures(made)
    return section


def _certificate(model: Model) -> Section:
    words, table = training_record.proof(model)
    section = Section("certificate", "Certificate")
    section.add(paragraph(words), table.html("Certificate") if table is not None else None)
    if model.record.separation:
        section.add(paragraph(f"Separability: {model.record.separation}."))
    return section


def _columns(model: Model) -> Section | None:
    table = training_record.columns(model)
    if table is None:
        return None
    section = Section("columns", "Columns")
    section.add(table.html("Columns"))
    return section


def _record(model: Model) -> Section:
    section = Section("record", "Training record")
    section.add(training_record.settings(model).html("Settings"))
    options = training_record.options(model)
    if options is not None:
        section.add(element("details", element("summary", "Options"), options.html("Options")))
    return section


def names_of(paths: Sequence[str | os.PathLike[str]]) -> str:
    """Files in a sentence, without the folders that they are in."""
    names = [shortened(os.path.basename(os.fspath(path)) or os.fspath(path), 60) for path in paths]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
