"""Duplicates and contradicting labels, counted in Python's own dictionaries."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.comparison.equal_rows import (
    conflicting_numbers_fact,
    conflicts,
    conflicts_fact,
    duplicates_fact,
    equal_rows,
    variance_within,
)
from linnet.comparison.row_sample import by_number
from linnet.pipeline import dataset as dataset_module
from tests.comparison.readings import dataset_of

ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 2)), min_size=3, max_size=40)


def read(rows):
    """Rows of two features and a label; the first label of each kind must be there twice to be a class."""
    X = np.array([row[:2] for row in rows], dtype=float)
    return dataset_of((X, np.array([f"class {row[2]}" for row in rows])))


@given(ROWS)
def test_duplicates_and_the_ceiling_of_accuracy_are_those_of_a_dictionary(rows):
    rows = [*rows, (9, 9, 0), (9, 9, 1), (8, 8, 2)]  # every class is there
    data = read(rows)
    groups = defaultdict(Counter)
    for a, b, label in rows:
        groups[a, b][label] += 1
    equal = equal_rows(data)
    assert equal.duplicates == len(rows) - len(groups)
    found = conflicts(equal, data.targets.astype(np.int64), np.ones(len(rows)))
    assert found.ceiling == pytest.approx(sum(max(each.values()) for each in groups.values()) / len(rows))
    assert found.rows == sum(sum(each.values()) for each in groups.values() if len(each) > 1)
    first, second = found.first
    assert rows[first][:2] == rows[second][:2]
    assert rows[first][2] != rows[second][2]


def test_no_model_reaches_more_than_the_ceiling_and_a_table_of_the_groups_reaches_it():
    rng = np.random.default_rng(3)
    rows = [tuple(row) for row in rng.integers(0, 3, size=(300, 3)).tolist()]
    data = read(rows)
    found = conflicts(equal_rows(data), data.targets.astype(np.int64), np.ones(300))
    from sklearn.tree import DecisionTreeClassifier

    X, y = np.array(rows)[:, :2], np.array(rows)[:, 2]
    memorised = DecisionTreeClassifier(random_state=0).fit(X, y).score(X, y)
    assert memorised == pytest.approx(found.ceiling)


def test_weights_count_as_copies_in_the_ceiling():
    data = read([(1, 1, 0), (1, 1, 1), (2, 2, 1), (3, 3, 2)])
    found = conflicts(equal_rows(data), data.targets.astype(np.int64), np.array([1.0, 3.0, 1.0, 1.0]))
    assert found.ceiling == pytest.approx(5 / 6)


def test_a_packed_table_has_the_same_groups(monkeypatch):
    rng = np.random.default_rng(0)
    frame = {
        "a": rng.integers(0, 4, 500).astype(float),
        "b": rng.choice(["x", "y"], 500),
        "y": rng.choice(["p", "q"], 500),
    }
    plain = equal_rows(dataset_of(frame, target="y"))
    monkeypatch.setattr(dataset_module, "PACKED_FROM", 1)
    packed = dataset_of(frame, target="y")
    assert packed.packed is not None
    assert (equal_rows(packed).group == plain.group).all()


def test_the_bound_of_r2_is_what_group_means_reach():
    rng = np.random.default_rng(1)
    group = rng.integers(0, 5, 200)
    y = group + rng.normal(size=200)
    data = dataset_of((group[:, np.newaxis].astype(float), y))
    means = np.array([y[group == each].mean() for each in range(5)])
    best = 1 - ((y - means[group]) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    assert 1 - variance_within(equal_rows(data), data.targets, np.ones(200)) == pytest.approx(best)
    fact = conflicting_numbers_fact(equal_rows(data), data.targets, np.ones(200))
    assert fact.value == pytest.approx(best)


def test_facts_name_the_first_rows_that_contradict_each_other():
    data = read([(1, 1, 0), (2, 2, 1), (3, 3, 2), (2, 2, 0), (1, 1, 0), (3, 3, 2)])
    equal = equal_rows(data)
    fact = conflicts_fact(conflicts(equal, data.targets.astype(np.int64), np.ones(6)), 6, by_number)
    assert "row 2 and row 4" in fact.text
    assert fact.value == pytest.approx(5 / 6)
    assert "3 of 6 rows" in duplicates_fact(equal).text
