"""Large tables are packed: the model, and what is proven of it, are those of sparse rows, to rounding."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linnet.pipeline.dataset
from linnet.data.features.schema import Role, Task
from linnet.pipeline.train import TrainOptions, train
from linnet.pipeline.trainers import solving as solving_module
from linnet.pipeline.verify import verify
from tests.pipeline.making import cut, model_bytes


@pytest.fixture
def packed(monkeypatch):
    """Every table is packed, whatever its size."""
    monkeypatch.setattr(linnet.pipeline.dataset, "PACKED_FROM", 1)


def table(seed, n=400, missing=0.1, weights=False):
    """Prices, counts and doubles of all digits on different scales, categories, and a label that depends on them."""
    rng = np.random.default_rng(seed)
    price, count, double = np.round(rng.normal(1e4, 300, n), 2), rng.integers(0, 50, n), rng.normal(size=n)
    colour = rng.choice(["red", "green", "blue"], n)
    score = (price - 1e4) / 300 + count / 20 - double + (colour == "red") + rng.normal(size=n)
    gaps = rng.random((3, n)) < missing
    columns = {
        "price": [None if gap else float(x) for gap, x in zip(gaps[0], price, strict=True)],
        "count": [None if gap else float(x) for gap, x in zip(gaps[1], count, strict=True)],
        "double": [None if gap else float(x) for gap, x in zip(gaps[2], double, strict=True)],
        "colour": colour.tolist(),
        "label": np.where(score > np.median(score), "yes", "no").tolist(),
    }
    if weights:
        columns["weight"] = rng.choice([0.5, 1.0, 2.0], n).tolist()
    return columns


def valued(columns):
    """The same with a number to predict."""
    made = {name: column for name, column in columns.items() if name != "label"}
    return made | {"count": [0.0 if x is None else x for x in columns["count"]]}


OPTIONS = TrainOptions(target="label", tol=1e-9)
WEIGHTED = replace(OPTIONS, columns={"weight": Role.WEIGHT})


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("only_numbers", [False, True])
def test_packed_rows_give_the_model_of_sparse_rows(monkeypatch, missing, weights, only_numbers):
    data = table(1, missing=missing, weights=weights)
    if only_numbers:
        del data["colour"]
    # the packed fit begins elsewhere: so near the optimum that weights agree all the same
    options = replace(WEIGHTED if weights else OPTIONS, tol=1e-13)
    sparse = train(data, options)
    monkeypatch.setattr(linnet.pipeline.dataset, "PACKED_FROM", 1)
    model = train(data, options)
    assert model.record.solver == sparse.record.solver == "newton-cholesky"
    assert model.record.strength == sparse.record.strength
    assert model.record.strength is not None
    assert model.features.names() == sparse.features.names()
    # that of a flag is a difference of weights as large as the largest
    largest = np.abs(sparse.linear.weights).max()
    assert np.allclose(model.linear.weights, sparse.linear.weights, rtol=1e-6, atol=1e-8 * largest)
    assert np.allclose(model.linear.intercepts, sparse.linear.intercepts, rtol=1e-6)
    assert model.certificate.primal == pytest.approx(sparse.certificate.primal, rel=1e-9)
    assert model.certificate.gap < 1e-6
    assert np.allclose(model.moments.means, sparse.moments.means, rtol=1e-12, atol=1e-12)
    assert np.allclose(model.moments.deviations, sparse.moments.deviations, rtol=1e-10, atol=1e-12)
    for name, column in sparse.record.numbers.items():
        assert model.record.numbers[name].mean == pytest.approx(column.mean, rel=1e-14)
        assert model.record.numbers[name].deviation == pytest.approx(column.deviation, rel=1e-12)
        assert model.record.numbers[name].missing == column.missing


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("learner", ["auto", "ridge", "least-squares"])
def test_packed_rows_give_the_regression_of_sparse_rows(monkeypatch, missing, weights, learner):
    data = valued(table(8, missing=missing, weights=weights))
    roles = {"weight": Role.WEIGHT} if weights else {}
    options = TrainOptions(target="count", learner=learner, task=Task.REGRESSION, columns=roles)
    sparse = train(data, options)
    monkeypatch.setattr(linnet.pipeline.dataset, "PACKED_FROM", 1)
    model = train(data, options)
    assert model.record.solver == sparse.record.solver == "analytic"
    assert model.record.strength == sparse.record.strength
    assert np.allclose(model.linear.weights, sparse.linear.weights, rtol=1e-8, atol=1e-9)
    assert model.certificate.primal == pytest.approx(sparse.certificate.primal, rel=1e-9)
    assert model.record.held_out.r2 == pytest.approx(sparse.record.held_out.r2, rel=1e-9)
    assert verify(model, data).holds


@pytest.mark.usefixtures("packed")
def test_the_certificate_of_packed_rows_is_verified_packed_and_sparse(monkeypatch):
    data = table(2)
    model = train(data, OPTIONS)
    assert verify(model, data).holds
    forged = replace(
        model.certificate, dual=model.certificate.primal - 0.1 * (model.certificate.primal - model.certificate.dual)
    )
    assert not verify(replace(model, certificate=forged), data).holds
    weights = model.linear.weights.copy()
    weights[0] *= 1.01
    assert not verify(replace(model, linear=replace(model.linear, weights=weights)), data).holds
    monkeypatch.setattr(linnet.pipeline.dataset, "PACKED_FROM", 1 << 60)
    assert verify(model, data).holds


@pytest.mark.usefixtures("packed")
def test_weights_of_flags_that_no_row_has_count_in_the_objective_that_is_verified():
    data = table(3, missing=0.0)
    model = train(data, OPTIONS)
    assert verify(model, data).holds
    weights = model.linear.weights.copy()
    weights[model.features.names().index("price is missing")] += 1.0
    assert not verify(replace(model, linear=replace(model.linear, weights=weights)), data).holds


@pytest.mark.usefixtures("packed")
def test_the_bytes_of_a_packed_model_do_not_depend_on_blocks(tmp_path):
    data = table(4)
    whole = model_bytes(data, OPTIONS, tmp_path)
    for block in (1, 7, 100):
        with cut(block=block):
            assert model_bytes(data, OPTIONS, tmp_path) == whole


@pytest.mark.usefixtures("packed")
@pytest.mark.parametrize("learner", ["svm", "logistic-regression"])
def test_other_learners_and_labels_give_the_bytes_of_sparse_rows(tmp_path, monkeypatch, learner):
    data = table(5)
    if learner == "logistic-regression":
        data["label"] = [f"{label} {i % 3 == 0}" for i, label in enumerate(data["label"])]
    options = TrainOptions(target="label", learner=learner)
    made = model_bytes(data, options, tmp_path)
    monkeypatch.setattr(linnet.pipeline.dataset, "PACKED_FROM", 1 << 60)
    assert model_bytes(data, options, tmp_path) == made


@pytest.mark.usefixtures("packed")
def test_rows_beyond_memory_are_streamed_as_if_they_had_not_been_packed(tmp_path, monkeypatch):
    data = table(6, n=2000)
    with cut(block=100):
        made = model_bytes(data, TrainOptions(target="label", memory=40_000), tmp_path)
        monkeypatch.setattr(linnet.pipeline.dataset, "PACKED_FROM", 1 << 60)
        assert model_bytes(data, TrainOptions(target="label", memory=40_000), tmp_path) == made


@pytest.mark.usefixtures("packed")
def test_a_category_of_many_values_is_not_made_dense():
    data = table(7)
    data["colour"] = [f"c{i % 350}" for i in range(len(data["colour"]))]
    assert train(data, OPTIONS).record.converged


@pytest.mark.usefixtures("packed")
def test_a_fit_on_trust_that_does_not_prove_enough_is_made_again_with_a_proof(monkeypatch):
    options = TrainOptions(target="label", C=1.0)
    honest, asked = train(table(5), options), []

    def misled(data, entry, rows, which, solving, near=None):
        found = fitted(data, entry, rows, which, solving, near)
        if which is not None:
            return found
        asked.append(solving.proven)
        return (
            found if solving.proven else replace(found, model=replace(found.model, weights=1.5 * found.model.weights))
        )

    fitted = solving_module.fitted
    monkeypatch.setattr(solving_module, "fitted", misled)
    model = train(table(5), options)
    assert asked == [False, True]
    assert model.certificate.gap <= 1e-4
    np.testing.assert_allclose(model.linear.weights, honest.linear.weights, rtol=1e-2, atol=1e-3)
