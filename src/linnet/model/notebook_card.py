"""A model in a notebook: what it was trained on, how, how good it is, and what matters to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linnet.evaluation.classification import ClassificationResult
from linnet.evaluation.label_sets import LabelSetResult
from linnet.evaluation.regression import RegressionResult
from linnet.model.model_warnings import warnings_of
from linnet.notebook import WARNING, card, folded, preformatted, table

if TYPE_CHECKING:
    from linnet.model.model import Model

TOP = 5
# Of more outputs than this, the top features of the first are shown.
MOST_OUTPUTS = 4


def model_card(model: Model) -> str:
    target = model.features.schema.target
    title = f"{model.learner}: {model.task}" + (f" of {target}" if target is not None else "")
    facts = [("trained on", f"{model.record.rows:,} rows and {model.features.extent}"), *_quality(model)]
    if model.certificate is not None:
        facts.append(("proven", str(model.certificate)))
    facts += [(WARNING, text) for text in warnings_of(model)]
    return card(title, facts, _top(model), folded("columns", preformatted(str(model.plan))))


def _quality(model: Model) -> list[tuple[str, str]]:
    record, found = model.record, []
    if record.held_out is not None:
        figure = f"{record.held_out.headline}{_interval(record.held_out)} on {record.rows_held_out:,} rows"
        found.append(("held-out rows", figure))
    progressive = record.progressive
    if progressive is not None and progressive.accuracy is not None:
        found.append(("progressive", f"validation accuracy {progressive.accuracy:.3f} on {progressive.rows:,} rows"))
    if record.strength is not None:
        found.append(
            ("penalty", f"{record.strength.name} = {record.strength.value:g}, chosen by {record.strength.way}")
        )
    return found


def _interval(result: Any) -> str:
    if isinstance(result, ClassificationResult):
        low, high = result.accuracy_interval
        return f" (95 % interval {low:.3f} to {high:.3f}; baseline {result.baseline_accuracy:.3f})"
    if isinstance(result, RegressionResult):
        low, high = result.r2_interval
        return "" if low != low else f" (95 % interval {low:.3f} to {high:.3f})"
    assert isinstance(result, LabelSetResult)
    return f", macro F1 {result.macro_f1:.3f}"


def _top(model: Model) -> str:
    """The features that speak most for and against each label, by weight times standard deviation."""
    outputs = model.outputs()
    columns: dict[str, list[Any]] = {"label": [], "feature": [], "weight": [], "weight × deviation": []}
    for number, output in enumerate(outputs[:MOST_OUTPUTS]):
        favour, against = model.top(number, TOP)
        for line, sign in [(each, 1) for each in favour] + [(each, -1) for each in against]:
            cells = (output, line.feature, line.weight, sign * line.spread)
            for column, cell in zip(columns.values(), cells, strict=True):
                column.append(cell)
    if not columns["feature"]:
        return ""
    of_all = "" if len(outputs) <= MOST_OUTPUTS else f" of the first {MOST_OUTPUTS} of {len(outputs):,} labels"
    return folded(f"top features{of_all}", table(columns, 2 * TOP * MOST_OUTPUTS))
