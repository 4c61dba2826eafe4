"""The features that matter most to a model, as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linnet.errors import RecipeError
from linnet.model.model import Model
from linnet.plot.axes import BLUE, INK, VERMILION, as_text, axes, dressed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A feature, and how far it moves the score: its weight times its standard deviation, where that is known.
Bars = list[tuple[str, float]]


def top_features(source: Any, X: Any = None, *, label: Any = None, count: int = 10, ax: Axes | None = None) -> Axes:
    """The `count` features that speak most for a label and against it.

    Of a model, by weight times the standard deviation of the feature in the training rows.  Of an estimator with
    `coef_`, by weight times the deviation in X if it is given, else by weight.  `label` is the class, of more than two.
    """
    bars, whose, measure = (
        _of_model(source, label, count) if isinstance(source, Model) else _of_estimator(source, X, label, count)
    )
    if not bars:
        raise RecipeError("all weights are 0: there are no features to show")
    bars.sort(key=lambda bar: bar[1])
    ax = axes(ax, 6.0, 1.0 + 0.24 * len(bars))
    values = np.array([value for _, value in bars])
    ax.barh(range(len(bars)), values, color=[BLUE if value > 0 else VERMILION for value in values], height=0.7)
    ax.set_yticks(range(len(bars)), [as_text(name) for name, _ in bars])
    ax.tick_params(axis="y", length=0)
    ax.axvline(0.0, color=INK, linewidth=0.8)
    ax.set_ylim(-0.6, len(bars) - 0.4)
    dressed(ax, measure, "", whose, grid="x")
    ax.spines["left"].set_visible(False)
    return ax


def _of_model(model: Model, label: Any, count: int) -> tuple[Bars, str, str]:
    outputs = model.outputs()
    output = _output(outputs, label)
    favour, against = model.top(output, count)
    bars = [(each.feature, each.spread) for each in favour] + [(each.feature, -each.spread) for each in against]
    return bars, _title(outputs[output], model.classes), "weight × standard deviation of the feature"


def _of_estimator(estimator: Any, X: Any, label: Any, count: int) -> tuple[Bars, str, str]:
    if not hasattr(estimator, "coef_"):
        raise RecipeError(f"{type(estimator).__name__} has no weights (coef_): it is not linear, or not fitted")
    weights = np.atleast_2d(np.asarray(estimator.coef_, dtype=np.float64))
    classes = getattr(estimator, "classes_", None)
    classes = None if classes is None else np.asarray(classes).tolist()
    outputs = ["target"] if classes is None else [str(each) for each in (classes[1:] if len(weights) == 1 else classes)]
    output = _output(outputs, label)
    names = getattr(estimator, "feature_names_in_", getattr(X, "columns", [f"x{j}" for j in range(weights.shape[1])]))
    effects = weights[output] if X is None else weights[output] * _deviations(X)
    order = np.argsort(effects, kind="stable")
    chosen = [j for j in order[:count] if effects[j] < 0] + [j for j in order[::-1][:count] if effects[j] > 0]
    measure = "weight" if X is None else "weight × standard deviation of the feature"
    return [(str(names[j]), float(effects[j])) for j in chosen], _title(outputs[output], classes), measure


def _deviations(X: Any) -> Any:
    if hasattr(X, "tocsc"):  # sparse: E x² - (E x)², which is no worse than the picture shows
        mean = np.asarray(X.mean(axis=0)).ravel()
        return np.sqrt(np.maximum(np.asarray(X.multiply(X).mean(axis=0)).ravel() - mean**2, 0.0))
    return np.asarray(X, dtype=np.float64).std(axis=0)


def _output(outputs: list[str], label: Any) -> int:
    if label is None:
        if len(outputs) > 1:
            raise RecipeError(f"there are weights for {len(outputs)} labels: pass one of them as label")
        return 0
    if str(label) not in outputs:
        from linnet.errors import listed

        raise RecipeError(f"there are no weights for the label {label!r}: the labels are {listed(outputs)}")
    return outputs.index(str(label))


def _title(output: str, classes: list[Any] | None) -> str:
    if classes is not None and len(classes) == 2:
        return f"for {as_text(classes[1])} (right), for {as_text(classes[0])} (left)"
    return f"for {as_text(output)} (right), against it (left)" if classes is not None else f"on {as_text(output)}"
