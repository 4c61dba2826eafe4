"""The training record of a model in words: the one module of the command line that reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linnet.cli.show import cost_line, line, metrics_line, no_interval, percent
from linnet.cli.terminal import plain
from linnet.evaluation.tuning_metrics import TuneRule
from linnet.learners import catalogue
from linnet.learners.recipe import Update

if TYPE_CHECKING:
    from linnet.model.model import Model

MOST_CLASSES_SHOWN = 6
OF_LABEL_SETS = (
    ("micro_f1", "micro F1"),
    ("macro_f1", "macro F1"),
    ("subset_accuracy", "subset accuracy"),
    ("precision_at_1", "precision@1"),
)
# The fraction of rows that are held out; this number of them is enough, unless most are the first of their label.
USUAL_HOLDOUT, ENOUGH_BUT_FOR_LABELS = 0.1, 30


def as_json(model: Model) -> dict[str, Any]:
    """The whole record, for machines."""
    return model.record.as_dict()


def rows_trained_on(model: Model) -> int:
    return model.record.rows


def reason(model: Model) -> str:
    """Why this learner."""
    return model.record.reason


def validation_lines(model: Model) -> list[str]:
    """How good the model is: on held-out rows, or by progressive validation."""
    record = model.record.as_dict()
    held, progressive = record["held_out"], record["progressive"]
    lines = []
    if held and held.get("subset_accuracy") is not None:
        figures = ", ".join(f"{title} {held[name]:.3f}" for name, title in OF_LABEL_SETS)
        lines += [line("held-out rows", f"{figures} {_rows(model)}"), line("", f"[dim]{_how_held_out(model)}[/]")]
    elif held and held.get("accuracy") is not None:
        lines += _held_out_accuracy(held, _rows(model), _how_held_out(model))
    elif held and held.get("rmse") is not None:
        lines += [line("held-out rows", _numbers(held, _rows(model))), line("", f"[dim]{_how_held_out(model)}[/]")]
    if progressive and progressive["rows"]:
        lines += _progressive(progressive)
    return lines or [line("", f"[dim]{_why_not_validated(model)}: use linnet evaluate on other data[/]")]


def _rows(model: Model) -> str:
    """How many rows were held out; where weights are whole numbers of copies, how many they count as."""
    held, rows = model.record.held_out, model.record.rows_held_out
    copies = f" that count as {held.rows:,}" if held is not None and held.rows != rows else ""
    return f"on {rows:,} rows{copies}"


def _numbers(found: dict[str, Any], rows: str) -> str:
    """R² and RMSE of predicted numbers; where all targets are equal there is no R²."""
    if found["r2"] is None:
        return f"RMSE {found['rmse']:.4g} {rows}[dim]{_interval(found, 'rmse')}[/]"
    own = found.get("loss")
    explained = f"; D² {own['d2']:.3f}" if own and own["d2"] is not None else ""
    mean = f"; mean {own['name']} {own['mean']:.4g}" if own and own["mean"] is not None else ""
    return f"R² {found['r2']:.3f} {rows}[dim]{_interval(found, 'r2')}; RMSE {found['rmse']:.4g}{mean}{explained}[/]"


def _interval(found: dict[str, Any], metric: str) -> str:
    low, high = found[f"{metric}_interval"]
    return f" ({no_interval(found, metric)})" if low is None else f" (95 % interval {low:.4g} to {high:.4g})"


def _progressive(found: dict[str, Any]) -> list[str]:
    """Progressive validation, with an interval where there is one."""
    before = "each predicted before it was trained on"
    if found["numbers"] is not None:
        from linnet.model.record import MOST_PREDICTIONS_KEPT

        kept, all_rows = min(found["rows"], MOST_PREDICTIONS_KEPT), found["rows"]
        rows = f"on {kept:,} rows" if kept == all_rows else f"on a sample of {kept:,} of {all_rows:,} rows"
        return [line("progressive", _numbers(found["numbers"], rows)), line("", f"[dim]{before}[/]")]
    if found["mistakes"] is None:
        return []
    accuracy, interval = found["accuracy"], ""
    if accuracy is None:
        accuracy = 1 - found["mistakes"] / found["rows"]
    if found["accuracy_interval"] is not None:
        low, high = found["accuracy_interval"]
        interval = f"95 % interval {percent(low)} to {percent(high)}; "
    if found["baseline_accuracy"] is not None:
        interval += f"baseline, the most frequent label: {percent(found['baseline_accuracy'])}; "
    text = f"validation accuracy {percent(accuracy)} on {found['rows']:,} rows [dim]({interval}{before})[/]"
    return [line("progressive", text)]


def _why_not_validated(model: Model) -> str:
    record = model.record
    if record.online is not None and model.several:
        return "no rows were held out"
    if record.online is not None:
        return "pairs of classes are not validated in the first pass"
    if record.options.get("holdout") == 0:
        return "no rows were held out"
    if (record.options.get("holdout") or USUAL_HOLDOUT) * record.rows >= ENOUGH_BUT_FOR_LABELS:
        return "most labels have too few rows to hold some out"
    return "too few rows to hold some out"


def _how_held_out(model: Model) -> str:
    record = model.record
    if record.online is None:
        return (
            "measured on a model fitted without them, for later rows like these; the saved model is fitted on all rows"
        )
    return "not trained on, but used to choose the best pass" if (record.passes or 1) > 1 else "not trained on"


def _held_out_accuracy(held: dict[str, Any], rows: str, how: str) -> list[str]:
    low, high = held["accuracy_interval"]
    lines = [
        line(
            "held-out rows",
            f"accuracy {percent(held['accuracy'])} {rows} "
            f"[dim](95 % interval {percent(low)} to {percent(high)}; "
            f"baseline, the most frequent label: {percent(held['baseline_accuracy'])})[/]",
        ),
        line("", f"[dim]{how}[/]"),
    ]
    if held.get("costs"):
        lines.append(line("", f"cost {cost_line(held['costs'])}"))
    return lines


def threshold_lines(model: Model) -> list[str]:
    """The threshold chosen for a metric, and its results on held-out rows."""
    threshold, rule = model.record.threshold, model.rule
    if threshold is None or rule is None or rule.metric is None or rule.threshold is None or not model.classes:
        return []
    chosen = threshold.as_dict()
    lines = [
        f"{plain(str(model.classes[1]))} if its probability is above {rule.threshold:.4g}, "
        f"the best threshold for {metric_name(chosen)}",
        f"[dim]{metrics_line(chosen['at_threshold'])} on the {chosen['rows']:,} held-out rows that chose it "
        f"({metrics_line(chosen['at_usual_threshold'])} at {chosen['usual_threshold']:g})[/]",
    ]
    if held := chosen.get("held_out"):
        metrics = {name: value for name, value in held.items() if name != "rows"}
        lines.append(f"[dim]{metrics_line(metrics)} on {held['rows']:,} other held-out rows[/]")
    return lines


def metric_name(chosen: dict[str, Any]) -> str:
    """The metric of a threshold, with its positive class if it has one."""
    return plain(str(chosen["metric"])) + ("" if chosen["label"] is None else f" of {plain(str(chosen['label']))}")


def penalty_text(model: Model) -> str:
    """Kind and strength of the penalty, and the reduction of many classes; empty for learners without one."""
    entry, recipe = catalogue.find(model.learner), model.record.recipe
    if not entry.penalties:
        return ""
    penalty, reduction = recipe.penalty, recipe.reduction
    weight = penalty.l1 + penalty.l2
    kind = "l2" if not penalty.l1 else "l1" if not penalty.l2 else f"elasticnet, l1_ratio = {penalty.l1 / weight:g}"
    strength = f"C = {1 / weight:g}" if weight and entry.strength == "C" else f"alpha = {weight:g}"
    text = f"{kind}, {strength}{_chosen(model)}" if weight else "none"
    text += ", intercept penalised" if penalty.intercept else ""
    if model.several:
        return f"{text}; each label against the rows without it"
    return text + (f"; classes {reduction}" if model.classes and len(model.classes) > 2 else "")


def _chosen(model: Model) -> str:
    """How the strength was chosen, if it was."""
    choice = model.record.strength
    if choice is None:
        return ""
    return f", {'tuned' if choice.tuned else 'chosen'} by {choice.way} on {choice.rows:,} rows"


def tuning_lines(model: Model) -> list[str]:
    """The path that the strength was tuned by: the metric at each point, which was taken, and where it ended."""
    choice = model.record.strength
    if choice is None or not choice.tuned:
        return []
    taken = (
        "the best" if choice.rule == TuneRule.BEST else "the strongest penalty within one standard error of the best"
    )
    over = "" if len(choice.tried) == choice.points else f"; weaker ones were left out, {len(choice.tried)} of "
    over += f"{choice.points} points fitted" if over else ""
    lines = [f"{plain(choice.metric)}, mean ± standard error of {choice.folds} folds; taken: {taken}{over}"]
    gaps = choice.gaps or (None,) * len(choice.tried)
    for value, score, error, gap in zip(choice.tried, choice.scores, choice.standard_errors, gaps, strict=True):
        mark = "[green]>[/]" if value == choice.value else " "
        proof = "" if gap is None else f"  [dim]duality gap {gap:.1g}[/]"
        strength = f"{choice.name} = {value:g}"
        lines.append(f"{mark} {strength:<16} {score:.5g} ± {error:.2g}{proof}")
    return [line("" if number else "tuning", text) for number, text in enumerate(lines)]


def solver_text(model: Model) -> str:
    """The solver of a batch learner, and why it was chosen."""
    record = model.record
    return f"{record.solver}: {record.solver_reason}" if record.solver else ""


def class_weight_text(model: Model) -> str:
    """The weight of each class, if they were given."""
    each = model.record.class_weight or {}
    shown = [f"{label} {weight:.4g}" for label, weight in list(each.items())[:MOST_CLASSES_SHOWN]]
    return ", ".join(shown) + (f" and {len(each) - len(shown)} more" if len(each) > len(shown) else "")


def labels_text(model: Model) -> str:
    """How many labels there are, and how many a row has; empty where a row has one."""
    per_row, labels = model.record.labels_per_row, len(model.classes or [])
    if per_row is None:
        return ""
    return f"several a row: {labels:,} {'label' if labels == 1 else 'labels'}, {per_row:.3g} a row on average"


def factors_text(model: Model) -> str:
    """The factors of Winnow; empty for other learners."""
    recipe = model.record.recipe
    if recipe.update is not Update.MULTIPLICATIVE:
        return ""
    factors = recipe.factors
    return f"α = {factors.promotion:g}" + ("" if factors.threshold is None else f", Θ = {factors.threshold:g}")


def setting_lines(model: Model) -> list[str]:
    """Labels a row, penalty, class weights and factors, as far as the model has them."""
    named = (
        ("labels", labels_text),
        ("solver", solver_text),
        ("penalty", penalty_text),
        ("class weights", class_weight_text),
        ("factors", factors_text),
    )
    lines = [line(head, plain(text)) for head, of in named if (text := of(model))]
    return [*lines, *tuning_lines(model)]


def warnings(model: Model) -> list[str]:
    """What a user should know before relying on the model."""
    from linnet.model.model_warnings import warnings_of

    return warnings_of(model)


def coefficient_lines(model: Model) -> list[str]:
    """Coefficients with standard errors, and the figures of the fit, if they were asked for."""
    summary = model.record.summary
    if summary is None:
        return []
    head = line("summary", f"coefficients with {100 * summary.level:g} % intervals")
    return [head, *(f"  {plain(text)}" for text in str(summary).splitlines())]


def certificate_text(model: Model) -> str:
    """What is proven of the model; empty if nothing is."""
    certificate = model.certificate
    return "" if certificate is None or certificate.reason else str(certificate)
