"""A model takes raw data of the kind it was learnt from, and says why it decides as it does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.metrics import accuracy_score, log_loss

from linnet.data.features.schema import Task
from linnet.data.on_error import BadRows, OnError
from linnet.errors import InputError, RecipeError
from linnet.model.file import load
from linnet.pipeline.train import TrainOptions, train
from tests.pipeline.making import (
    TABLE,
    arrow,
    cut,
    roles_of,
    sparse,
    table,
    write_csv,
    write_jsonl,
    write_parquet,
    write_svmlight,
)


@pytest.fixture(scope="module")
def rows():
    return table(np.random.default_rng(2), 120, 3, weights=False)


@pytest.fixture(scope="module")
def model(rows):
    return train(arrow(rows), replace(TABLE, columns=roles_of(rows), learner="adaptive"))


def test_predictions_are_the_same_from_every_format_and_cut(model, rows, tmp_path):
    write_csv(tmp_path / "all.csv", rows)
    write_jsonl(tmp_path / "all.jsonl.gz", rows)
    write_parquet(tmp_path / "all.parquet", rows)
    wanted = model.predict_proba(arrow(rows))
    for chunk in (40, 900):
        with cut(chunk, block=7):
            for name in ("all.csv", "all.jsonl.gz", "all.parquet"):
                assert (model.predict_proba(str(tmp_path / name)) == wanted).all()
    assert wanted.shape == (120, 3)
    assert np.allclose(wanted.sum(axis=1), 1)


def test_the_target_need_not_be_there_to_predict(model, rows):
    without = arrow(rows).drop_columns(["label"])
    assert_array_equal(model.predict(without), model.predict(arrow(rows)))
    with pytest.raises(InputError, match="no column 'label'"):
        model.evaluate(without)


def test_other_data_are_refused(model, rows):
    with pytest.raises(InputError, match=r"no column 'text' .and 3 more., which the model needs: there are label"):
        model.predict(arrow(rows).select(["label"]))
    X, y = sparse(np.random.default_rng(0), 20)
    with pytest.raises(InputError, match=r"have numbered columns \(svmlight\), the model was trained on named"):
        model.predict((X, y))
    numbered = train((X, y), TrainOptions(learner="adaptive", task=Task.CLASSIFICATION))
    with pytest.raises(InputError, match="have named columns, the model was trained on numbered"):
        numbered.predict(arrow(rows))


def test_names_and_columns_never_seen_have_no_weight(model):
    row = {"text": "unheard of words", "size": 1.0, "colour": "octarine", "shape": "round", "label": "no"}
    plain = row | {"text": "of", "colour": "octarine"}
    assert_array_equal(model.predict(arrow([row])), model.predict(arrow([plain])))
    X, y = sparse(np.random.default_rng(0), 30)
    numbered = train((X, y), TrainOptions(learner="adaptive", task=Task.CLASSIFICATION))
    wider = np.hstack([X, np.ones((30, 3))])
    assert_array_equal(numbered.predict((wider, y)), numbered.predict((X, y)))


def test_evaluation_agrees_with_scikit_learn(model, rows, tmp_path):
    write_csv(tmp_path / "all.csv", rows)
    with cut(300):
        result = model.evaluate(str(tmp_path / "all.csv"))
    truth = [row["label"] for row in rows]
    assert result.accuracy == accuracy_score(truth, model.predict(arrow(rows)))
    assert np.isclose(result.log_loss, log_loss(truth, model.predict_proba(arrow(rows)), labels=model.classes))


def test_evaluation_counts_labels_it_does_not_know_and_rows_it_cannot_use(model, rows):
    strange = [row | {"label": "never heard"} for row in rows[:7]]
    missing = [row | {"label": None} for row in rows[:5]]
    rejected = BadRows(OnError.SKIP)
    result = model.evaluate(arrow([*rows, *strange, *missing]), rejected=rejected)
    assert rejected.count == 5
    assert result.rows == len(rows) + 7
    assert result.unknown_labels == 7
    with pytest.raises(InputError, match="the target label is missing"):
        model.evaluate(arrow(missing))


def test_the_strongest_features_come_first(model):
    table = model.reasons.weights  # what tells a class is how far its weight lies from those of the others
    effects = (table[:, 0] - table.mean(axis=1)) * model.moments.deviations
    effects = dict(zip(model.features.names(), effects, strict=True))
    favour, against = model.top(0, 5)
    assert [each.feature for each in favour] == sorted(
        (name for name in effects if effects[name] > 0), key=lambda name: -effects[name]
    )[:5]
    assert all(each.weight < 0 for each in against)
    assert model.outputs() == model.classes


def test_no_probabilities_where_there_are_none(rows, tmp_path):
    model = train(arrow(rows), replace(TABLE, columns=roles_of(rows), learner="perceptron"))
    with pytest.raises(RecipeError, match="perceptron gives no probabilities"):
        model.predict_proba(arrow(rows))
    model.save(tmp_path / "m")
    assert not load(tmp_path / "m").has_probabilities


def test_svmlight_files_and_arrays_are_predicted_alike(rng, tmp_path):
    X, y = sparse(rng, 50, regression=True)
    write_svmlight(tmp_path / "all.svm", X, y)
    model = train(str(tmp_path / "all.svm"), TrainOptions(task=Task.REGRESSION))
    assert_array_equal(model.predict(str(tmp_path / "all.svm")), model.predict((X, y)))
    assert np.isclose(model.evaluate((X, y)).rmse, np.sqrt(np.mean((np.array(model.predict((X, y))) - y) ** 2)))


@pytest.mark.parametrize("reduction", ["joint", "one-vs-rest"])
def test_weights_at_the_end_of_the_range_are_listed_without_a_warning(reduction, rows):
    """A file may hold them; warnings are errors here."""
    small = train(
        arrow(rows), replace(TABLE, columns=roles_of(rows), learner="logistic-regression", multiclass=reduction)
    )
    largest = np.finfo(np.float64).max
    signs = np.where(np.arange(small.linear.weights.size).reshape(small.linear.weights.shape) % 2, 1.0, -1.0)
    model = replace(small, linear=replace(small.linear, weights=signs * largest))
    for output in range(len(model.outputs())):
        favour, against = model.top(output, 5)
        assert all(0 < each.weight <= largest for each in favour)
        assert all(-largest <= each.weight < 0 for each in against)
        assert favour
        assert against
