"""Results that a model file stores: plain values only, of the declared types, so that type hints alone restore them."""

from __future__ import annotations

import dataclasses
import types
import typing

import numpy as np
import pytest

from linnet.decisions.costs import Rule
from linnet.decisions.thresholds import Goal, ThresholdChoice, choose
from linnet.evaluation.classification import ClassificationResult, ClassificationTally
from linnet.evaluation.regression import RegressionResult, RegressionTally
from linnet.theory.mistake_bounds import Mistakes
from linnet.training.duality_gap import Certificate

PLAIN = (int, float, str, bool, type(None))


def classification(classes):
    p = np.array([[0.8, 0.2], [0.4, 0.6], [0.3, 0.7], [0.0, 1.0]])
    tally = ClassificationTally(classes, Rule(1.0 - np.eye(2), reject=0.25))
    tally.add([0, 1, -1, 0], [0, 1, 1, 1], p, weights=[1, 2, 1, 0])
    return tally.result()


def regression():
    tally = RegressionTally()
    tally.add([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])
    return tally.result()


def choice(classes):
    goal = Goal.parsed("precision@recall=0.5").among(classes)
    return choose(goal, classes, np.array([0.1, 0.4, 0.6, 0.9]), np.array([0, 0, 1, 1]))


RESULTS = {
    "classification, text": (ClassificationResult, classification(np.array(["no", "yes"]))),
    "classification, numbers": (ClassificationResult, classification(np.array([0, 1]))),
    "classification, dates": (ClassificationResult, classification(np.array(["2024-01", "2024-02"], "datetime64[M]"))),
    "nothing classified": (ClassificationResult, ClassificationTally(["a", "b"]).result()),
    "regression": (RegressionResult, regression()),
    "no regression": (RegressionResult, RegressionTally().result()),
    "threshold": (ThresholdChoice, choice(np.array([0, 1]))),
    "threshold, text": (ThresholdChoice, choice(np.array(["no", "yes"]))),
    "mistakes": (Mistakes, Mistakes(3, 12.5, {"radius": 1.0, "margin": 0.5, "losses": 0.0, "factor": 1.0})),
    "no bound": (Mistakes, Mistakes(3, reason="the rows were not kept")),
    "certificate": (Certificate, Certificate(1.0, 0.5)),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_holds_plain_values_of_its_declared_types(name):
    kind, result = RESULTS[name]
    assert type(result) is kind
    check(result, kind, name)
    assert result == dataclasses.replace(result)


def check(value, hint, where):
    """Fail where a hint is not one that a decoder can follow, or a value is not of it to the very type."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if dataclasses.is_dataclass(hint):
        assert type(value) is hint, where
        assert hint.__dataclass_params__.frozen, where
        hints = typing.get_type_hints(hint)
        for field in dataclasses.fields(hint):
            assert field.init, where
            check(getattr(value, field.name), hints[field.name], f"{where}.{field.name}")
    elif origin in (typing.Union, types.UnionType):
        chosen = [each for each in arguments if type(value) is each]
        assert len(chosen) == 1, (where, value)
        check(value, chosen[0], where)
    elif origin is tuple and arguments[-1] is Ellipsis:
        assert type(value) is tuple, where
        for each in value:
            check(each, arguments[0], where)
    elif origin is dict:
        assert type(value) is dict, where
        for key, each in value.items():
            check(key, arguments[0], where)
            check(each, arguments[1], where)
    else:
        assert hint in PLAIN, (where, hint)
        assert type(value) is hint, (where, value)
