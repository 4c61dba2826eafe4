"""Certificates of trained models: honest ones are accepted, altered weights, data or statements are not."""

from dataclasses import replace

import numpy as np
import pytest

import linnet
from linnet.pipeline.verify import verify
from linnet.training.duality_gap import Certificate
from tests.pipeline.random_models import named, objective

WORDS = ["good", "bad", "film", "plot", "dull", "fine", "music", "long", "short", "cast"]


def table(seed, rows=120, classes=2):
    """Text, numbers with gaps and a category, and a label that depends on them."""
    rng = np.random.default_rng(seed)
    number = rng.normal(50, 20, rows)
    colour = rng.choice(["red", "green", "blue"], rows)
    texts = [" ".join(rng.choice(WORDS, rng.integers(2, 9))) for _ in range(rows)]
    score = (number - 50) / 20 + (colour == "red") + np.array([t.count("good") - t.count("bad") for t in texts])
    label = np.digitize(score + rng.normal(size=rows), np.quantile(score, np.arange(1, classes) / classes))
    number[rng.random(rows) < 0.1] = np.nan
    return {"text": texts, "number": number, "colour": colour, "label": [f"class {k}" for k in label]}


def without(data, *columns):
    return {name: column for name, column in data.items() if name not in columns}


LEARNERS = ["auto", "logistic-regression", "svm", "svm-squared"]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("columns", [(), ("text",), ("number", "colour")], ids=str)
def test_an_honest_model_is_accepted_also_from_its_file(tmp_path, learner, classes, columns):
    data = without(table(1, classes=classes), *columns)
    model = linnet.train(data, "label", learner=learner)
    assert model.certificate.gap <= 1e-2
    assert verify(model, data).holds
    model.save(tmp_path / "a.linnet")
    loaded = linnet.load(tmp_path / "a.linnet")
    assert loaded.certificate == model.certificate
    found = verify(loaded, data)
    assert found.holds
    assert not found.why


@pytest.mark.parametrize("learner", LEARNERS)
def test_altered_weights_are_refused_wherever_they_are_altered(tmp_path, learner):
    data = table(2)
    model = linnet.train(data, "label", learner=learner)
    rng = np.random.default_rng(0)
    for _ in range(10):
        weights = model.linear.weights.copy()
        at = rng.integers(len(weights))
        weights[at] = weights[at] * 1.1 + 1e-3
        forged = replace(model, linear=replace(model.linear, weights=weights))
        assert not verify(forged, data).holds
        # and in the file: there, also what changes nothing on these data shows
        model.save(tmp_path / "a.linnet")
        forged.save(tmp_path / "b.linnet")
        honest, other = (linnet.load(tmp_path / name) for name in ("a.linnet", "b.linnet"))
        assert not verify(replace(other, certificate=honest.certificate), data).holds


def test_altered_data_are_refused():
    data = table(3)
    model = linnet.train(data, "label")
    for column, value in (("number", 49.0), ("colour", "violet"), ("text", "bad bad bad")):
        other = {name: list(values) for name, values in data.items()}
        other[column][7] = value
        assert not verify(model, other).holds
    flipped = {name: list(values) for name, values in data.items()}
    flipped["label"][0] = "class 1" if flipped["label"][0] == "class 0" else "class 0"
    assert "objective" in verify(model, flipped).why
    fewer = {name: list(values)[:-1] for name, values in data.items()}
    assert not verify(model, fewer).holds
    third = {name: list(values) for name, values in data.items()}
    third["label"][0] = "class 2"
    assert "labels" in verify(model, third).why


def test_the_same_rows_in_another_order_are_the_same_data():
    data = table(4)
    model = linnet.train(data, "label")
    order = np.random.default_rng(0).permutation(len(data["label"]))
    assert verify(model, {name: [values[i] for i in order] for name, values in data.items()}).holds


def test_an_altered_statement_is_refused():
    data = table(5)
    model = linnet.train(data, "label")
    stated = model.certificate
    for forged in (
        Certificate(stated.primal * 0.999, stated.dual),
        Certificate(stated.primal, stated.primal),
        Certificate(stated.primal, stated.primal * (1 - 1e-7)),
    ):
        assert not verify(replace(model, certificate=forged), data).holds


def test_a_poor_dual_point_still_proves_what_is_plain():
    data = table(7)
    model = linnet.train(data, "label", learner="svm")
    assert 0.0 <= model.certificate.dual <= model.certificate.primal
    assert model.certificate.gap <= 1.0
    assert verify(model, data).holds


def test_what_was_never_proven_does_not_hold():
    data = table(6)
    model = linnet.train(data, "label", learner="adaptive")
    assert "row by row" in model.certificate.reason
    assert not verify(model, data).holds
    with pytest.raises(linnet.RecipeError, match="train it again"):
        verify(replace(model, certificate=None), data)


def test_least_squares_of_any_table_are_proven_and_verified():
    # one column a category and those of missing numbers are collinear: the proof must stand that
    data = without(table(8), "text")
    rng = np.random.default_rng(8)
    data["price"] = (100.0 + 3 * (np.array(data["label"]) == "class 1") + rng.normal(size=120)).tolist()
    model = linnet.train(data, "price", learner="least-squares")
    assert model.certificate.gap <= 1e-9
    # against least squares of the same columns by NumPy
    number, missing = np.nan_to_num(data["number"]), np.isnan(data["number"])
    one_hot = [np.array(data[name]) == value for name in ("colour", "label") for value in sorted(set(data[name]))[1:]]
    A = np.column_stack([np.ones(120), number, missing, *one_hot])
    residual = data["price"] - A @ np.linalg.lstsq(A, np.array(data["price"]))[0]
    assert model.certificate.primal == pytest.approx(residual @ residual / 240, rel=1e-9)
    assert verify(model, data).holds
    data["price"][0] += 1.0
    assert not verify(model, data).holds


@pytest.mark.parametrize("learner", ["auto", "logistic-regression", "svm"])
def test_a_column_narrow_beside_its_mean_costs_digits_and_not_the_proof(tmp_path, learner):
    # nanoseconds since 1970 within a tenth of a second: the mean is 6e10 deviations
    rng = np.random.default_rng(0)
    time = 1_700_000_000_000_000_000 + rng.integers(0, 10**8, 200)
    x = rng.normal(size=200)
    label = np.where(x + (time - time.mean()) / 5e7 + rng.normal(size=200) > 0, "a", "b")
    lines = [f"{t},{v:.6f},{k}" for t, v, k in zip(time, x, label, strict=True)]
    path, other = tmp_path / "in.csv", tmp_path / "shuffled.csv"
    path.write_text("t,x,y\n" + "\n".join(lines) + "\n")
    other.write_text("t,x,y\n" + "\n".join(lines[i] for i in rng.permutation(200)) + "\n")
    model = linnet.train(str(path), "y", learner=learner)
    assert model.certificate.gap <= 1e-2
    assert verify(model, str(path)).holds
    assert verify(model, str(other)).holds


def far_from_zero(seed, rows=200):
    """Columns of mean 1e5 and deviation 10, one of them the other in degrees Fahrenheit."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(1e5, 10, (2, rows))
    score = (a - 1e5) / 10 - (b - 1e5) / 20 + rng.normal(size=rows)
    X = np.column_stack([a, 1.8 * a + 32, b])
    return X, (score > 0).astype(int), score


@pytest.mark.parametrize("learner", ["logistic-regression", "svm", "svm-squared", "ridge", "least-squares"])
def test_columns_far_from_zero_hide_no_forgery(learner):
    for seed in range(2):
        X, codes, score = far_from_zero(seed)
        y = score if learner in ("ridge", "least-squares") else codes
        model = linnet.train(named(X, y), "y", learner=learner)
        stated = model.certificate
        if stated.reason:
            assert learner == "least-squares"
            assert "collinear" in stated.reason
            continue
        assert abs(objective(model, X, y) - stated.primal) <= 0.05 * (stated.primal - stated.dual)
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(y))
        assert verify(model, named(X, y)).holds
        assert verify(model, named(X[order], y[order])).holds
        assert not verify(model, named(X, y[order])).holds
        assert not verify(model, named(X[:100], y[:100])).holds
        for dual in (stated.primal, stated.dual + 0.1 * (stated.primal - stated.dual)):
            assert not verify(replace(model, certificate=Certificate(stated.primal, dual)), named(X, y)).holds


def test_ridge_on_columns_far_from_zero_is_as_near_as_it_says():
    """Beside the optimum of the columns as they are scaled, in extended precision."""
    wide = np.longdouble
    for seed, off in enumerate([1e2, 1e5, 1e8]):
        rng = np.random.default_rng(seed)
        z = rng.normal(size=(150, 2))
        X = z * [1.0, 1e-3] + off
        y = z @ [1.0, -2.0] + 0.1 * rng.normal(size=150)
        model = linnet.train(named(X, y), "y", learner="ridge", alpha=0.5)
        units = np.array([each.deviation for each in model.record.numbers.values()], dtype=wide)
        Z = (X.astype(wide) - X.astype(wide).mean(axis=0)) / units
        t = y.astype(wide) - y.astype(wide).mean()
        (p, q), (_, r) = Z.T @ Z + 0.5 * np.eye(2, dtype=wide)
        u, v = Z.T @ t
        w = np.array([r * u - q * v, p * v - q * u]) / (p * r - q * q)
        best = (((Z @ w - t) ** 2).sum() + 0.5 * (w * w).sum()) / 300
        assert model.certificate.dual <= best
        assert objective(model, X, y) - best <= model.certificate.primal - model.certificate.dual
        assert model.certificate.gap < 1e-6


@pytest.mark.parametrize(
    ("learner", "solver"),
    [("svm", "dual"), ("svm", "newton"), ("crammer-singer", "dual"), ("logistic-regression", "dual")],
)
@pytest.mark.parametrize("rows", [300, 6000])
def test_solvers_of_the_dual_end_in_the_same_point_in_any_order_of_the_rows(learner, solver, rows):
    rng = np.random.default_rng(rows)
    X = rng.normal(size=(rows, 3)) * [1.0, 20.0, 1.0] + [0.0, 1e4, 1.0]
    y = np.digitize(X[:, 0] + rng.normal(size=rows), [-0.5, 0.5] if learner == "crammer-singer" else [0.0])
    model = linnet.train(named(X, y), "y", learner=learner, solver=solver, C=30.0, max_iter=20)
    order = rng.permutation(rows)
    verdict = verify(model, named(X[order], y[order]))
    assert verdict.holds
    assert verdict.found.dual == pytest.approx(model.certificate.dual, rel=1e-12)
