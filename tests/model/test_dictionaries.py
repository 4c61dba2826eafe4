"""A few rows given as dictionaries are predicted as a table of them is, without a source and without threads."""

from __future__ import annotations

import pytest

import linnet
from linnet.model import model as model_module
from tests.model.golden.make import ASKED, model


def test_dictionaries_are_predicted_as_a_table_is(monkeypatch):
    trained = model()
    names = list(ASKED)
    rows = [dict(zip(names, values, strict=True)) for values in zip(*ASKED.values(), strict=True)]
    labels, probabilities = trained.predict(ASKED), trained.predict_proba(ASKED)
    monkeypatch.setattr(model_module, "prepared_blocks", lambda *_: pytest.fail("a source was read by threads"))
    assert trained.predict(rows).tolist() == labels.tolist()
    assert trained.predict(rows[0]).tolist() == labels[:1].tolist()
    assert trained.predict_proba(rows) == pytest.approx(probabilities, abs=0.0)
    assert trained.predict([{}]).tolist() == trained.predict({"text": None}).tolist()


def test_a_value_that_cannot_be_a_number_is_missing():
    trained = linnet.train({"x": [1.0, 2.0, 3.0, 4.0] * 10, "y": ["a", "a", "b", "b"] * 10}, "y")
    spoilt, gone = trained.predict_proba([{"x": 1.0}, {"x": "much"}]), trained.predict_proba([{"x": 1.0}, {"x": None}])
    assert spoilt.tolist() == gone.tolist()
