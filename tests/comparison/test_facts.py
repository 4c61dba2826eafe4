"""Facts of columns, targets and separability, against constructed data and other libraries."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.comparison import separability_fact as separability_module
from linnet.comparison.collinearity_fact import collinearity_fact
from linnet.comparison.column_facts import entries_of_columns, missing_fact, scales_fact, size_facts
from linnet.comparison.explanation import data_facts
from linnet.comparison.row_sample import by_number, sample_of
from linnet.comparison.separability_fact import decided, separability_fact
from linnet.comparison.target_facts import balance_fact, order_fact, spread_fact
from linnet.pipeline import dataset as dataset_module
from linnet.theory import separability
from linnet.theory.separability_proofs import sides
from linnet.theory.signed_points import read
from tests.comparison.readings import dataset_of


def two_classes(rng, n=400, d=3):
    X = rng.normal(size=(n, d))
    return X, np.where(X @ np.arange(1, d + 1) + 0.3 > 0, "in", "out")


# -- separability


def test_a_known_margin_is_found_whatever_the_rows_to_begin_with(monkeypatch):
    """Two lines of points at x = 0 and x = 2: the plane x = 1, in the space (x, 1) with margin 1 / sqrt(2)."""
    monkeypatch.setattr(separability_module, "FIRST_ROWS", 4)
    y = np.linspace(-1, 1, 50)
    X = np.concatenate([np.stack([np.zeros(50), y], 1), np.stack([np.full(50, 2.0), y], 1)])
    data = dataset_of((X, np.repeat(["left", "right"], 50)))
    fact = separability_fact(sample_of(data, 0), by_number, 0)
    assert fact.value == pytest.approx(1 / np.sqrt(2), rel=0.03)
    assert fact.value <= 1 / np.sqrt(2) + 1e-12


@pytest.mark.parametrize("shift", [0.0, 0.05, 0.5])
def test_growing_few_rows_decides_as_all_rows_at_once_do(shift, monkeypatch):
    monkeypatch.setattr(separability_module, "FIRST_ROWS", 10)
    rng = np.random.default_rng(5)
    X, y = two_classes(rng)
    X += shift * np.where(y == "in", -1, 1)[:, np.newaxis] * rng.normal(size=X.shape)
    rows, labels, codes = read(X, y)
    points = sides(rows, labels, codes, "out")
    answer, whole = decided(points, np.arange(0, 400, 40)), separability(X, y)
    assert answer.separable == whole.separable
    assert not answer.why_not_of(points)  # the proof holds for all rows
    if answer.separable:
        assert whole.margin * 0.9 <= answer.margin <= whole.most * (1 + 1e-9)


def test_equal_rows_of_different_classes_are_the_proof_where_there_are_any():
    X = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0], [5.0, 5.0]])
    fact = separability_fact(sample_of(dataset_of((X, ["a", "b", "b", "a"])), 0), by_number, 0)
    assert fact.value == 0.0
    assert "row 1 and row 3 have equal features" in fact.text


def test_of_several_classes_the_fraction_that_a_plane_can_separate():
    """Three groups on a line: the one in the middle cannot be separated from both others at once."""
    x = np.concatenate([np.linspace(0, 1, 30), np.linspace(2, 3, 30), np.linspace(4, 5, 30)])
    fact = separability_fact(sample_of(dataset_of((x[:, np.newaxis], np.repeat(["l", "m", "r"], 30))), 0), by_number, 0)
    assert fact.value == pytest.approx(2 / 3)
    assert "not m" in fact.text


# -- columns


def test_scales_are_the_deviations_of_numpy():
    rng = np.random.default_rng(0)
    frame = {"small": rng.normal(7, 0.01, 300), "large": rng.normal(-5, 2000.0, 300), "y": rng.choice(["a", "b"], 300)}
    fact = scales_fact(sample_of(dataset_of(frame, target="y"), 0))
    assert fact.value == pytest.approx(frame["large"].std() / frame["small"].std())
    assert "large" in fact.meaning


def test_constant_columns_and_columns_of_text_have_no_scale():
    rng = np.random.default_rng(0)
    frame = {
        "one": np.ones(50),
        "x": rng.normal(size=50),
        "z": rng.normal(size=50) * 3,
        "y": rng.choice(["a", "b"], 50),
    }
    fact = scales_fact(sample_of(dataset_of(frame, target="y"), 0))
    assert fact.value == pytest.approx(frame["z"].std() / frame["x"].std())


def test_missing_values_are_counted_in_numbers_and_categories():
    frame = {
        "n": [1.0, None, 3.0, None, 5.0, 6.0, 2.0, 4.0],
        "c": ["r", "g", None, "g", "r", "r", "g", "b"],
        "full": [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5],
        "y": ["a", "b"] * 4,
    }
    sample = sample_of(dataset_of(frame, target="y"), 0)
    fact = missing_fact(sample, entries_of_columns(sample))
    assert fact.value == pytest.approx(3 / 24)
    assert "n (25.0 %)" in fact.text
    assert "2 of 3 columns" in fact.text


def test_sparsity_and_rows_per_feature_are_those_of_the_matrix():
    from scipy.sparse import random as random_matrix

    X = random_matrix(60, 40, density=0.05, random_state=0, format="csr")
    per_feature, sparsity = size_facts(
        sample := sample_of(dataset_of((X, ["a", "b"] * 30)), 0), entries_of_columns(sample)
    )
    used = int((X.getnnz(axis=0) > 0).sum())
    assert per_feature.value == pytest.approx(60 / used)
    assert sparsity.value == pytest.approx(1 - X.nnz / (60 * used))


def test_variance_inflation_and_condition_number_are_those_of_statsmodels_and_numpy():
    from statsmodels.stats.outliers_influence import variance_inflation_factor

    rng = np.random.default_rng(2)
    X = rng.normal(size=(500, 4))
    X[:, 3] = X[:, 0] + X[:, 1] + 0.1 * X[:, 3]
    frame = {f"c{j}": X[:, j] for j in range(4)} | {"y": rng.choice(["a", "b"], 500)}
    fact = collinearity_fact(sample_of(dataset_of(frame, target="y"), 0), 0)
    assert fact.value == pytest.approx(np.sqrt(np.linalg.cond(np.corrcoef(X.T))))
    exog = np.column_stack([np.ones(500), X])
    worst = max(variance_inflation_factor(exog, j) for j in range(1, 5))
    assert f"most inflated variance {worst:.0f}, of c3" in fact.text


def test_columns_that_are_combinations_of_others_are_named():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 3))
    frame = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 0] - 2 * X[:, 1], "d": X[:, 2], "y": rng.choice(["p", "q"], 200)}
    assert (
        "1 of 4 columns are constant or combinations of others: c"
        in collinearity_fact(sample_of(dataset_of(frame, target="y"), 0), 0).text
    )


# -- the target


def test_balance_is_the_accuracy_of_the_majority_by_weight():
    data = dataset_of((np.arange(6.0)[:, np.newaxis], ["a", "b", "a", "b", "a", "a"]))
    assert balance_fact(data.labels, data.targets, np.ones(6)).value == pytest.approx(4 / 6)
    assert balance_fact(data.labels, data.targets, np.array([1.0, 5, 1, 5, 1, 1])).value == pytest.approx(10 / 14)


def test_labels_in_runs_are_noticed_and_those_in_random_order_are_not():
    X = np.arange(200.0)[:, np.newaxis]
    in_runs = dataset_of((X, np.repeat(["a", "b"], 100)))
    fact = order_fact(in_runs.labels, in_runs.targets)
    assert fact.value == pytest.approx(198 / 199)
    assert "sorted" in fact.meaning
    at_random = dataset_of((X, np.random.default_rng(0).permutation(np.repeat(["a", "b"], 100))))
    assert not order_fact(at_random.labels, at_random.targets).meaning


def test_the_spread_of_numbers_is_numpys_and_a_cut_off_is_noticed():
    y = np.minimum(np.random.default_rng(0).normal(size=2000), 1.0)
    fact = spread_fact(y, np.ones(2000))
    assert fact.value == pytest.approx(y.std())
    assert "cut off" in fact.meaning
    assert "cut off" not in spread_fact(np.random.default_rng(0).normal(size=2000), np.ones(2000)).meaning


# -- all of them


def frame_of(n, seed=0):
    rng = np.random.default_rng(seed)
    return {
        "a": rng.integers(0, 50, n).astype(float),
        "b": rng.normal(size=n).round(2),
        "c": rng.choice(["r", "g", "b"], n),
        "y": rng.choice(["p", "q"], n),
    }


def test_facts_of_packed_rows_are_those_of_plain_ones(monkeypatch):
    plain = data_facts(dataset_of(frame_of(400), target="y"), by_number, 0)
    monkeypatch.setattr(dataset_module, "PACKED_FROM", 1)
    packed = dataset_of(frame_of(400), target="y")
    assert packed.packed is not None
    assert data_facts(packed, by_number, 0) == plain


def test_a_sample_is_told_and_its_facts_are_near_those_of_all_rows():
    data = dataset_of(frame_of(4000), target="y")
    few = sample_of(data, 0, most_entries=3000)
    assert 900 <= len(few.targets) <= 1000
    assert f"{len(few.targets):,} of 4,000 rows" in few.note
    assert scales_fact(few).value == pytest.approx(scales_fact(sample_of(data, 0)).value, rel=0.1)
