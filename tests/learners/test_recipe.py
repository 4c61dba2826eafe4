from __future__ import annotations

import pytest

from linnet import Averaging, Loss, Penalty, Recipe, RecipeError, Update
from linnet.learners.schedule import Schedule, passive_aggressive


@pytest.mark.parametrize(
    ("choices", "reason"),
    [
        ({"loss": Loss.HINGE, "schedule": passive_aggressive(), "penalty": Penalty(l2=1)}, "no penalty"),
        ({"loss": Loss.HINGE, "schedule": passive_aggressive(), "update": Update.ADAPTIVE}, "take one"),
        ({"loss": Loss.LOGISTIC, "schedule": passive_aggressive()}, "hinge"),
        ({"loss": "hinge"}, "loss is a linnet.Loss; it is 'hinge'"),
        ({"loss": Loss.HINGE, "schedule": 0.1}, "schedule is a linnet.Schedule"),
        ({"loss": Loss.HINGE, "update": Update.ADAPTIVE, "schedule": Schedule(1.0, 0.5)}, "power_t must be 0"),
        ({"loss": Loss.LOGISTIC, "update": Update.ADAPTIVE, "averaging": Averaging.AVERAGE}, "no averaging"),
        ({"loss": Loss.LOGISTIC, "penalty": Penalty(l1=1), "averaging": Averaging.AVERAGE}, "not sparse"),
        ({"loss": Loss.HINGE, "averaging": Averaging.VOTE}, "list of mistakes"),
    ],
)
def test_choices_that_do_not_combine_are_refused_with_the_reason(choices, reason):
    with pytest.raises(RecipeError, match=reason):
        Recipe(**choices)


def test_penalties_must_be_finite_and_not_negative():
    for bad in (-1.0, float("nan"), float("inf")):
        with pytest.raises(RecipeError, match="l1"):
            Penalty(l1=bad)
