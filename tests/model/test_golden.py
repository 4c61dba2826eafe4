"""A model file of every released version stays readable, and predicts as it did."""

from __future__ import annotations

import pytest

import linnet
from linnet.pipeline.verify import verify
from tests.model.golden.make import ASKED, HERE, ROWS, model


@pytest.mark.parametrize("path", sorted(HERE.glob("*.linnet")), ids=lambda path: path.stem)
def test_a_golden_file_predicts_as_a_model_trained_today(path):
    golden, today = linnet.load(path), model()
    assert golden.predict(ASKED).tolist() == today.predict(ASKED).tolist()
    assert golden.predict_proba(ASKED) == pytest.approx(today.predict_proba(ASKED), abs=1e-6)
    assert golden.record.learner == today.record.learner
    assert golden.record.rows == 60
    assert golden.record.threshold is not None
    assert verify(golden, ROWS).holds


def test_there_is_a_golden_file():
    assert list(HERE.glob("*.linnet"))
