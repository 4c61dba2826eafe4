"""Conjunctions that rows have, beside all that there are: the same, but for those that no row has."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import linnet
from linnet.data.features.conjunctions import ConjunctionTerm
from linnet.data.features.schema import Role
from linnet.data.rows import Rows
from linnet.errors import InputError, ModelFileError, RecipeError
from linnet.pipeline.train import TrainOptions, train
from linnet.pipeline.verify import verify
from tests import twins
from tests.pipeline.making import cut, write_csv, write_svmlight


def materialised(X, degree):
    """Every product of two to `degree` columns."""
    sets = [each for size in range(2, degree + 1) for each in combinations(range(X.shape[1]), size)]
    return sets, np.stack([X[:, list(each)].prod(axis=1) for each in sets], axis=1)


@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
def test_just_the_products_that_are_not_0_whatever_the_blocks(seed, degree):
    rng = np.random.default_rng(seed)
    X = (rng.random((20, 6)) < 0.5) * rng.random((20, 6))
    sets, products = materialised(X, degree)
    for cuts in (1, 4):
        term, found = ConjunctionTerm((), degree), []
        for part in np.array_split(np.arange(20), cuts):
            shuffled = csr_array(X[part])
            piece = term.number(term.prepare_rows(Rows.of(shuffled)), frozen=False)
            found.append((part, piece))
        names = [tuple(map(int, term.name(j).split("×"))) for j in range(len(term))]
        assert set(names) == {each for each, column in zip(sets, products.T, strict=True) if column.any()}
        dense = np.zeros((20, len(term)))
        for part, piece in found:
            dense[part] = csr_array((piece.values, piece.ids, piece.starts), shape=(len(part), len(term))).toarray()
        np.testing.assert_allclose(dense, products[:, [sets.index(each) for each in names]])
        # numbered as rows first have them: fewer columns before more, then by their places
        first = [int(np.flatnonzero(column)[0]) for column in dense.T]
        assert names == [name for _, _, name in sorted(zip(first, map(len, names), names, strict=True))]
    unknown = term.number(term.prepare_rows(Rows.of(csr_array(np.ones((1, 8))))), frozen=True)
    assert len(unknown.ids) == len(term)


def k_dnf(seed, n=600, d=30, density=0.2):
    """Rows that are positive where x1 x2 or x5 x8 or x20 is."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n, d)) < density).astype(float)
    y = (X[:, 1] * X[:, 2] + X[:, 5] * X[:, 8] + X[:, 20] > 0).astype(int)
    X[0], y[0] = 0.0, 0  # a side that is known alone is the negative one
    return X, y


@pytest.mark.parametrize("learner", ["winnow1", "winnow2", "winnow"])
def test_winnow_makes_the_mistakes_that_it_makes_on_all_conjunctions(learner, tmp_path):
    X, y = k_dnf(3)
    write_svmlight(tmp_path / "rows.svm", X, y)
    options = TrainOptions(learner=learner, conjunctions=2)
    with cut(50, block=10):
        model = train([str(tmp_path / "rows.svm")], options)
    everything = np.hstack([X, materialised(X, 2)[1]])
    factors = linnet.catalogue.find(learner).recipe.factors
    if not factors.balanced:
        factors = replace(factors, threshold=512.0)
    w, b, mistakes = twins.winnow(everything, y == 1, factors)
    assert model.certificate.made == mistakes
    test, truth = k_dnf(4)
    scores = np.hstack([test, materialised(test, 2)[1]]) @ w + b
    known = set(model.features.names())
    seen = [str(j) in known for j in range(30)] + [f"{i}×{j}" in known for i, j in materialised(test, 2)[0]]
    assert all(seen)  # with so many rows every pair has come
    write_svmlight(tmp_path / "test.svm", test, truth)
    np.testing.assert_array_equal(model.predict([str(tmp_path / "test.svm")]), (scores > 0).astype(int))
    model.save(tmp_path / "m")
    loaded = linnet.load(tmp_path / "m")
    assert loaded.features.names() == model.features.names()
    assert (loaded.predict([str(tmp_path / "test.svm")]) == model.predict([str(tmp_path / "test.svm")])).all()
    if learner != "winnow":
        assert model.certificate.facts["literals"] == 3
        assert model.certificate.holds
        assert verify(loaded, [str(tmp_path / "rows.svm")]).holds


def test_columns_of_a_table_together_are_named_and_the_same_in_every_format(tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        {
            "a": int(rng.integers(2)),
            "colour": str(rng.choice(["red", "blue"])),
            "b": None if rng.random() < 0.1 else int(rng.integers(2)),
            "label": "",
        }
        for _ in range(200)
    ]
    for row in rows:
        row["label"] = "yes" if row["a"] and row["colour"] == "red" else "no"
    write_csv(tmp_path / "t.csv", rows)
    roles = {"a": Role.NUMBER, "b": Role.NUMBER, "colour": Role.CATEGORY}
    options = TrainOptions(target="label", columns=roles, learner="winnow1", passes=5, holdout=0.0, conjunctions=3)
    model = train([str(tmp_path / "t.csv")], options)
    names = model.features.names()
    assert {"a×colour=red", "a×b", "a×colour=blue×b", "colour=red×b is missing"} <= set(names)
    assert not any("0" in name for name in names)
    assert model.certificate.facts["literals"] == 1
    assert model.predict([str(tmp_path / "t.csv")]).tolist() == [row["label"] for row in rows]
    assert model.linear.weights[names.index("a×colour=red"), 0] == model.linear.weights.max()
    frame = {name: [row[name] for row in rows] for name in rows[0]}
    np.testing.assert_array_equal(train(frame, options).linear.weights, model.linear.weights)


def test_hashed_conjunctions_take_no_more_than_their_room(tmp_path):
    X, y = k_dnf(1)
    write_svmlight(tmp_path / "rows.svm", X, y)
    options = TrainOptions(learner="winnow2", conjunctions=2, hash_bits=6)
    model = train([str(tmp_path / "rows.svm")], options)
    taken = len(model.features) - 30
    assert taken <= 64
    assert model.record.collisions == 30 * 29 // 2 - taken


@pytest.mark.parametrize("conjunctions", [0, 6])
def test_degrees_that_mean_nothing_are_refused(conjunctions, tmp_path):
    write_svmlight(tmp_path / "rows.svm", *k_dnf(1))
    with pytest.raises(RecipeError, match="conjunctions must be a whole number from 1 to 5"):
        train([str(tmp_path / "rows.svm")], TrainOptions(conjunctions=conjunctions))


def test_one_column_has_nothing_to_go_with():
    with pytest.raises(RecipeError, match="two or more columns"):
        linnet.train({"a": [1, 2, 3], "label": ["x", "y", "x"]}, target="label", conjunctions=2)


def test_a_product_beyond_all_numbers_is_named():
    data = {"a": [1.0, 1e200, 2.0] * 9, "b": [1.0, 1e200, 3.0] * 9, "label": ["x", "y", "x"] * 9}
    with pytest.raises(InputError, match=r"the frame:2: the product of a, b is infinite"):
        linnet.train(data, target="label", conjunctions=2)


@pytest.mark.parametrize("change", [{"degree": 1}, {"degree": 2.0}, {"columns": ["a"]}, {"bits": 99}])
def test_a_damaged_term_is_no_model(change, tmp_path):
    from linnet.storage import container

    write_svmlight(tmp_path / "rows.svm", *k_dnf(1))
    options = TrainOptions(learner="winnow2", conjunctions=2)
    train([str(tmp_path / "rows.svm")], options).save(tmp_path / "m")
    content, tensors = container.read(tmp_path / "m", "model")
    numbered, together = content["terms"]
    container.write(tmp_path / "bad", "model", content | {"terms": [numbered, together | change]}, tensors)
    with pytest.raises(ModelFileError):
        linnet.load(tmp_path / "bad")
