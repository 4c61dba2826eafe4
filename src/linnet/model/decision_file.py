"""Calibration and decision rule in a file: written, and checked before they are believed."""

from __future__ import annotations

from typing import Any

import numpy as np

from linnet.decisions.calibration import Calibration, Isotonic, Map, Method, Sigmoid
from linnet.decisions.costs import Rule
from linnet.decisions.thresholds import Goal
from linnet.errors import ModelFileError, RecipeError
from linnet.learners.linear import LinearModel
from linnet.model.file_checks import Tensors, float64_array, require
from linnet.storage import container


def calibration_to_file(calibration: Calibration, tensors: Tensors) -> dict[str, Any]:
    """The kind of maps; their numbers go among the tensors."""
    for number, each in enumerate(calibration.maps):
        name = f"calibration{number}"
        if isinstance(each, Sigmoid):
            tensors[name] = np.array([each.slope, each.offset])
        else:
            tensors[f"{name}.scores"], tensors[f"{name}.values"] = each.scores, each.values
    return {"method": calibration.method, "maps": len(calibration.maps)}


def calibration_from_file(content: dict[str, Any], tensors: Tensors, linear: LinearModel, path: str) -> Calibration:
    require(linear.classes is not None and len(linear.classes) > 1, path, "there are no classes to calibrate")
    assert linear.classes is not None
    method, maps, k = Method(content["method"]), content["maps"], len(linear.classes)
    require(type(maps) is int and maps == (1 if k == 2 else k), path, "maps and labels differ in number")
    read = _sigmoid if method is Method.SIGMOID else _isotonic
    return Calibration(method, tuple(read(f"calibration{number}", tensors, path) for number in range(maps)))


def _sigmoid(name: str, tensors: Tensors, path: str) -> Map:
    numbers = float64_array(tensors[name], 1)
    require(len(numbers) == 2, path, f"{name} is not a slope and an offset")
    container.finite(numbers, name, path)
    return Sigmoid(*numbers.tolist())


def _isotonic(name: str, tensors: Tensors, path: str) -> Map:
    scores, values = (float64_array(tensors[f"{name}.{part}"], 1) for part in ("scores", "values"))
    require(0 < len(scores) == len(values), path, f"the corners of {name} are not pairs")
    container.finite(scores, f"{name}.scores", path)
    container.finite(values, f"{name}.values", path)
    rising = bool((scores[1:] > scores[:-1]).all() and (values[1:] >= values[:-1]).all())
    require(rising and values[0] >= 0 and values[-1] <= 1, path, f"{name} does not rise within 0 and 1")
    return Isotonic(scores, values)


def rule_to_file(rule: Rule, tensors: Tensors) -> dict[str, Any]:
    """When to reject, and for which metric its threshold was chosen; the costs go among the tensors."""
    tensors["rule.costs"] = rule.costs
    rejection = {"reject": rule.reject, "least": rule.least}
    content: dict[str, Any] = {name: None if value is None else float(value) for name, value in rejection.items()}
    return content | {"metric": rule.metric}


def rule_from_file(content: dict[str, Any], tensors: Tensors, linear: LinearModel, path: str) -> Rule:
    require(linear.classes is not None, path, "there are no classes to decide between")
    assert linear.classes is not None
    costs, k = float64_array(tensors["rule.costs"], 2), len(linear.classes)
    require(costs.shape == (k, k), path, f"{k} labels have {k} by {k} costs, there are {costs.shape}")
    numbers = (content["reject"], content["least"])
    require(all(number is None or type(number) is float for number in numbers), path, "a rejection is no number")
    metric = content.get("metric")
    try:
        if metric is not None:
            Goal.parsed(metric).among(linear.classes)
            require(numbers == (None, None), path, "a chosen threshold and a rejection do not go together")
        return Rule(costs, *numbers, metric=metric)
    except RecipeError as error:
        raise ModelFileError(f"{path}: is damaged: {error}") from None
