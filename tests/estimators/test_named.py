"""OneHot, Conjunctions and Polynomial beside scikit-learn and NumPy."""

from __future__ import annotations

import datetime
import pickle
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures

import linnet
from tests.texts import texts

FRAME = {
    "colour": ["red", "blue", "red", "Ωmega", "", "blue"],
    "size": [10, 2, 10, 3, 2, -1],
    "weight": [0.5, 2.0, 0.5, 0.0, 1e-3, -7.25],
    "new": [True, False, True, True, False, False],
}


def dense(X):
    assert isinstance(X, csr_matrix)
    assert X.has_sorted_indices
    return X.toarray()


# -- OneHot -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, lambda d: pd.DataFrame(d).astype("category")])
def test_one_hot_columns_are_those_of_one_hot_encoder(frame):
    X = frame(FRAME)
    ours, theirs = linnet.OneHot(), OneHotEncoder()
    np.testing.assert_array_equal(dense(ours.fit_transform(X)), theirs.fit_transform(X).toarray())
    np.testing.assert_array_equal(dense(ours.transform(X[::-1])), theirs.transform(X[::-1]).toarray())
    assert ours.get_feature_names_out().tolist() == [
        "colour=", "colour=blue", "colour=red", "colour=Ωmega", "size=-1", "size=2", "size=3", "size=10",
        "weight=-7.25", "weight=0", "weight=0.001", "weight=0.5", "weight=2", "new=false", "new=true",
    ]  # fmt: skip
    assert ours.feature_names_in_.tolist() == list(FRAME)


@given(columns=st.lists(st.lists(texts, min_size=7, max_size=7), min_size=1, max_size=3), unseen=texts)
@settings(max_examples=60)
def test_one_hot_of_any_strings(columns, unseen):
    X = np.array(columns, dtype=object).T
    new = np.vstack([X[::-1], [[unseen] * X.shape[1]]])
    ours, theirs = linnet.OneHot(handle_unknown="ignore"), OneHotEncoder(handle_unknown="ignore")
    np.testing.assert_array_equal(dense(ours.fit_transform(X)), theirs.fit_transform(X).toarray())
    np.testing.assert_array_equal(dense(ours.transform(new)), theirs.transform(new).toarray())
    assert ours.get_feature_names_out().tolist() == [
        f"x{j}={value}" for j, values in enumerate(theirs.categories_) for value in values
    ]


@pytest.mark.parametrize("kind", ["i8", "i2", "u1", "f8", "f4", "bool"])
def test_one_hot_of_numbers(kind, rng):
    X = (rng.integers(5, size=(40, 3)) * (0.5 if kind[0] == "f" else 1)).astype(kind)
    ours, theirs = linnet.OneHot(), OneHotEncoder()
    np.testing.assert_array_equal(dense(ours.fit_transform(X)), theirs.fit_transform(X).toarray())


def test_whole_numbers_are_one_category_however_they_come():
    hot = linnet.OneHot().fit(pd.DataFrame({"n": [1, 2, 2**60]}))
    assert hot.get_feature_names_out().tolist() == ["n=1", "n=2", f"n={2**60}"]
    np.testing.assert_array_equal(dense(hot.transform(pd.DataFrame({"n": [2.0, 1.0]}))), [[0, 1, 0], [1, 0, 0]])
    np.testing.assert_array_equal(dense(hot.transform(pd.DataFrame({"n": ["2"]}))), [[0, 1, 0]])


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": ["x", None, "y"], "b": [1.0, np.nan, 2.0]}),
        pl.DataFrame({"a": ["x", None, "y"], "b": [1.0, np.nan, 2.0]}),
        pl.DataFrame({"a": ["x", None, "y"], "b": [1, None, 2]}),
        pa.table({"a": ["x", None, "y"], "b": [1.0, None, 2.0]}),
        pd.DataFrame({"a": ["x", np.nan, "y"], "b": pd.array([1, None, 2], dtype="Int64")}),
        pd.DataFrame({"a": pd.Categorical(["x", None, "y"]), "b": [1, None, 2]}),
    ],
)
def test_what_is_missing_has_a_column_of_its_own_at_the_end(X):
    hot = linnet.OneHot()
    np.testing.assert_array_equal(
        dense(hot.fit_transform(X)), [[1, 0, 0, 1, 0, 0], [0, 0, 1, 0, 0, 1], [0, 1, 0, 0, 1, 0]]
    )
    assert hot.get_feature_names_out().tolist() == ["a=x", "a=y", "a is missing", "b=1", "b=2", "b is missing"]
    array = hot.fit_transform(np.array([["x", 1], [None, np.nan], ["y", 2]], dtype=object))
    np.testing.assert_array_equal(dense(array)[:, 2], [0, 1, 0])


def test_an_unknown_value_is_named():
    hot = linnet.OneHot().fit(pd.DataFrame(FRAME))
    new = pd.DataFrame({**FRAME, "colour": ["red", "pink", *FRAME["colour"][2:]]})
    with pytest.raises(linnet.InputError, match=r"row 1: colour is 'pink', which it never was .*'ignore'"):
        hot.transform(new)


def test_dates_are_categories_too():
    days = [datetime.date(2024, 2, 1), datetime.date(2023, 12, 31), datetime.date(2024, 2, 1)]
    hot = linnet.OneHot()
    np.testing.assert_array_equal(dense(hot.fit_transform(pl.DataFrame({"day": days}))), [[0, 1], [1, 0], [0, 1]])
    assert hot.get_feature_names_out().tolist() == ["day=2023-12-31", "day=2024-02-01"]


@pytest.mark.parametrize(
    "X",
    [
        np.array([["a", 1], [2, 1]], dtype=object),
        pd.DataFrame({"a": ["a", 1]}),
        pd.DataFrame({"a": [{"b": 1}, {"b": 2}]}),
        [[{}], [{}]],
    ],
)
@pytest.mark.parametrize("cls", [linnet.OneHot, linnet.Conjunctions])
def test_columns_of_several_types_are_refused(cls, X):
    with pytest.raises(TypeError, match="all strings or all numbers"):
        cls().fit(X)


@pytest.mark.parametrize("cls", [linnet.OneHot, linnet.Conjunctions])
def test_infinite_numbers_are_refused_with_their_place(cls):
    with pytest.raises(linnet.InputError, match="b is infinite at row 1"):
        cls().fit(pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, np.inf]}))
    with pytest.raises(linnet.InputError, match="b is infinite at row 1"):
        cls().fit(pd.DataFrame({"b": pd.Categorical([1.0, np.inf])}))


def test_numbers_are_spelt_as_short_as_they_can_be():
    values = [0.1, 1e300, 5e-324, -0.0, 2.0**53, 1 / 3]
    names = linnet.OneHot().fit(pd.DataFrame({"a": values})).get_feature_names_out().tolist()
    assert names == ["a=0", "a=5e-324", "a=0.1", "a=0.3333333333333333", "a=9007199254740992", "a=1e+300"]
    coded = linnet.OneHot().fit(pd.DataFrame({"a": values}).astype("category"))
    assert coded.get_feature_names_out().tolist() == names


@pytest.mark.parametrize("X", [pd.DataFrame({"a": []}), pd.DataFrame(index=[0, 1])])
def test_frames_without_rows_or_columns_are_refused(X):
    with pytest.raises(linnet.InputError, match=r"0 (sample|feature)\(s\)"):
        linnet.OneHot().fit(X)


def test_frames_with_a_name_twice_are_refused():
    with pytest.raises(linnet.InputError, match="'a' twice"):
        linnet.OneHot().fit(pd.DataFrame([[1, 2]], columns=["a", "a"]))


@pytest.mark.parametrize("cls", [linnet.OneHot, linnet.Conjunctions])
def test_hashing_bounds_the_columns_and_counts_collisions(cls, rng):
    X = rng.integers(50, size=(300, 2)).astype(str)
    exact, hashed = cls().fit(X), cls(hash_bits=4).fit(X)
    names = hashed.get_feature_names_out()
    terms = 2 if cls is linnet.OneHot else 3
    assert len(names) <= terms * 16
    assert hashed.collisions_ == len(exact.get_feature_names_out()) - len(names)
    np.testing.assert_array_equal(dense(hashed.transform(X)).sum(axis=1), terms)
    assert exact.collisions_ == 0


# -- Conjunctions -------------------------------------------------------------------------------------------------


def crossed(X, degrees):
    """Products of the one-hot columns of different input columns, those that are ever 1."""
    names, columns = [], []
    for degree in range(degrees[0], degrees[1] + 1):
        for cross in combinations(range(X.shape[1]), degree):
            combos = {tuple(row) for row in X[:, cross].tolist()}
            named = sorted(("×".join(f"x{j}={v}" for j, v in zip(cross, combo, strict=True)), combo)
                           for combo in combos)  # fmt: skip
            names += [name for name, _ in named]
            columns += [(X[:, cross] == combo).all(axis=1).astype(float) for _, combo in named]
    return names, np.array(columns).T


@given(
    X=st.lists(st.lists(st.sampled_from(["a", "b", "ΣΑΣ", "", "漢", " "]), min_size=3, max_size=3), min_size=1),
    degrees=st.sampled_from([(1, 1), (1, 2), (2, 2), (1, 3), (3, 3)]),
)
@settings(max_examples=60)
def test_conjunctions_are_products_of_one_hot_columns(X, degrees):
    X = np.array(X, dtype=object)
    pairs = linnet.Conjunctions(degrees[1] if degrees[0] == 1 else degrees)
    names, expected = crossed(X, degrees)
    np.testing.assert_array_equal(dense(pairs.fit_transform(X)), expected)
    assert pairs.get_feature_names_out().tolist() == names
    np.testing.assert_array_equal(dense(pairs.transform(X)), expected)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_numbers_stand_with_their_value(frame):
    X = frame({"kind": ["a", "b", "a", "b"], "size": [2.0, 3.0, None, 0.0], "weight": [5, 7, 11, 13]})
    both = linnet.Conjunctions(crosses=[("kind", "size"), (1, 2), ("weight",), ("weight", "weight")])
    np.testing.assert_array_equal(
        dense(both.fit_transform(X)),
        [
            [2, 0, 0, 0, 10, 5, 25],
            [0, 0, 3, 0, 21, 7, 49],
            [0, 1, 0, 11, 0, 11, 121],
            [0, 0, 0, 0, 0, 13, 169],
        ],
    )
    assert both.get_feature_names_out().tolist() == [
        "kind=a×size", "kind=a×size is missing", "kind=b×size", "size is missing×weight", "size×weight", "weight",
        "weight×weight",
    ]  # fmt: skip


def test_an_unseen_combination_has_no_entry():
    pairs = linnet.Conjunctions((2, 2)).fit([["a", "x"], ["b", "y"]])
    np.testing.assert_array_equal(dense(pairs.transform([["a", "y"], ["b", "y"]])), [[0, 0], [0, 1]])


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (linnet.Conjunctions(0), "degree must be"),
        (linnet.Conjunctions((2, 1)), "degree must be"),
        (linnet.Conjunctions((5, 5)), "more columns together than the 4"),
        (linnet.Conjunctions(crosses=[("colour", "sise")]), "did you mean 'size'"),
        (linnet.Conjunctions(crosses=["size"]), "a tuple of columns"),
        (linnet.Conjunctions(crosses=[(0, 4)]), "not a column"),
        (linnet.Conjunctions(hash_bits=99), "hash_bits"),
        (linnet.OneHot(handle_unknown="warn"), "there are 'error', 'ignore'"),
        (linnet.OneHot(hash_bits=-1), "hash_bits"),
    ],
)
def test_wrong_parameters_are_answered_with_what_there_is(pairs, message):
    with pytest.raises(linnet.RecipeError, match=message):
        pairs.fit(pd.DataFrame(FRAME))


def test_a_product_past_the_range_of_numbers_is_refused():
    with pytest.raises(linnet.InputError, match="row 1: the product of a, b is infinite"):
        linnet.Conjunctions().fit(pd.DataFrame({"a": [1.0, 1e200], "b": [1.0, -1e200]}))


def test_numbers_that_have_become_strings_are_refused():
    pairs = linnet.Conjunctions().fit(pd.DataFrame({"n": [1, 2]}))
    with pytest.raises(linnet.InputError, match="column n was of numbers in fit"):
        pairs.transform(pd.DataFrame({"n": ["one", "two"]}))


# -- Polynomial ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("degree", [1, 2, 3, (2, 3)])
@pytest.mark.parametrize("interaction_only", [False, True])
@pytest.mark.parametrize("include_bias", [False, True])
@pytest.mark.parametrize("form", [np.asarray, csr_matrix, csr_array])
def test_polynomials_are_those_of_polynomial_features(degree, interaction_only, include_bias, form, rng):
    X = form(rng.normal(size=(10, 4)) * (rng.random((10, 4)) < 0.6))
    how = {"interaction_only": interaction_only, "include_bias": include_bias}
    ours, theirs = linnet.Polynomial(degree, **how), PolynomialFeatures(degree, **how)
    a, b = ours.fit_transform(X), theirs.fit_transform(X)
    assert type(a) is type(b)
    np.testing.assert_array_equal(a.toarray() if form is not np.asarray else a,
                                  b.toarray() if form is not np.asarray else b)  # fmt: skip
    assert ours.get_feature_names_out().tolist() == [
        name.replace(" ", "×") for name in theirs.get_feature_names_out().tolist()
    ]


def test_polynomial_names():
    square = linnet.Polynomial(3, include_bias=False).fit(pd.DataFrame({"a": [1.0, 2.0], "b c": [2.0, 3.0]}))
    assert square.get_feature_names_out().tolist() == [
        "a", "b c", "a^2", "a×b c", "b c^2", "a^3", "a^2×b c", "a×b c^2", "b c^3",
    ]  # fmt: skip


# -- all of them --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("transformer", [linnet.OneHot(), linnet.Conjunctions(hash_bits=3), linnet.Conjunctions()])
def test_fitted_transformers_survive_pickling_and_cloning(transformer):
    X = pd.DataFrame(FRAME)
    fitted = clone(transformer).fit(X)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(dense(again.transform(X)), dense(fitted.transform(X)))
    assert again.get_feature_names_out().tolist() == fitted.get_feature_names_out().tolist()
    assert clone(fitted).get_params() == transformer.get_params()


@pytest.mark.parametrize(
    "transformer", [linnet.Conjunctions(), linnet.Conjunctions(hash_bits=8), linnet.Polynomial()], ids=str
)
def test_exclusive_or_is_linear_in_conjunctions(transformer, rng):
    X = rng.integers(2, size=(200, 2))
    y = X[:, 0] ^ X[:, 1]
    if not isinstance(transformer, linnet.Polynomial):
        X = X.astype(str)
    assert cross_val_score(make_pipeline(transformer, linnet.LogisticRegression()), X, y).min() == 1
