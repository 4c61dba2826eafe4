"""Halving, as users call it."""

from __future__ import annotations

import doctest
import inspect
import pickle
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import estimator_checks_generator

from linnet import Halving
from linnet.errors import InputError, RecipeError
from linnet.estimators.documentation import PARAMETERS

CUBE = np.array(list(product([0, 1], repeat=4)))


def either(rows, *columns):
    return rows[:, list(columns)].any(axis=1)


def first_column_is_set(row):
    return row[0] == 1


def second_column_is_set(row):
    return row[1] == 1


@pytest.mark.parametrize("concepts", ["disjunctions", "conjunctions", "m-of-n"])
def test_what_fits_all_examples_is_what_is_left(concepts, rng):
    for _ in range(10):
        k = int(rng.integers(1, 5))
        target = sorted(rng.choice(9, size=k, replace=False).tolist())
        m = {"disjunctions": 1, "conjunctions": k}.get(concepts, int(rng.integers(1, k + 1)))
        X = rng.integers(2, size=(40, 9))
        y = X[:, target].sum(axis=1) >= m
        model = Halving(concepts, k=k).fit(X, y)
        joined = {"disjunctions": " or ", "conjunctions": " and "}.get(concepts, ", ")
        name = joined.join(f"x{v}" for v in target)
        assert (name if concepts != "m-of-n" else f"at least {m} of {name}") in model.survivors()
        assert len(model.survivors()) == model.sizes_[-1]
        assert model.score(X, y) == 1
        assert model.mistakes_ == model.mistaken_.sum() <= model.bound_
        assert model.certificate_.holds
        assert (np.diff(model.sizes_) <= 0).all()


def test_a_mistake_at_least_halves_the_space(rng):
    X = rng.integers(2, size=(200, 20))
    model = Halving(k=3).fit(X, either(X, 3, 11, 17))
    before = np.concatenate([[2**model.bound_], model.sizes_[:-1]])
    assert model.mistaken_.any()
    assert (2 * model.sizes_ <= before + 1e-6)[model.mistaken_].all()


def test_labels_are_the_users_and_a_tie_goes_to_the_second():
    model = Halving({"first": first_column_is_set, "second": second_column_is_set})
    model.partial_fit([[0, 0]], ["no"], classes=["no", "yes"])
    assert model.predict([[0, 1], [1, 0], [0, 0], [1, 1]]).tolist() == ["yes", "yes", "no", "yes"]
    assert model.predict_proba([[0, 1], [0, 0], [1, 1]]).tolist() == [[0.5, 0.5], [1, 0], [0, 1]]
    assert model.partial_fit([[0, 1]], ["no"]).mistakes_ == 1
    assert model.concepts_ == ["first"]


def test_predictions_are_shares_of_the_survivors_votes(rng):
    X = rng.integers(2, size=(6, 8))
    model = Halving("disjunctions", k=2).fit(X, either(X, 1, 5))
    fresh = rng.integers(2, size=(30, 8))
    names = model.survivors()
    sets = [[] if name == "never" else [int(v[1:]) for v in name.split(" or ")] for name in names]
    votes = np.array([[row[each].any() for each in sets] for row in fresh])
    np.testing.assert_allclose(model.predict_proba(fresh)[:, 1], votes.mean(axis=1))
    np.testing.assert_array_equal(model.predict(fresh), 2 * votes.sum(axis=1) >= len(names))


def test_a_stream_ends_where_the_whole_would(rng):
    X = rng.integers(2, size=(60, 12))
    y = either(X, 2, 3).astype(int)
    whole, stream = Halving(k=3).fit(X, y), Halving(k=3)
    for first in range(0, 60, 7):
        stream.partial_fit(X[first : first + 7], y[first : first + 7], classes=[0, 1])
    np.testing.assert_array_equal(stream.sizes_, whole.sizes_)
    np.testing.assert_array_equal(stream.mistaken_, whole.mistaken_)
    assert stream.survivors() == whole.survivors()
    before = whole.survivors()
    assert whole.partial_fit(X, y).survivors() == before
    assert whole.mistaken_[60:].sum() == 0


def test_input_may_be_sparse_boolean_or_a_frame(rng):
    X = rng.integers(2, size=(30, 6))
    y = either(X, 0, 4)
    plain = Halving().fit(X, y)
    for other in (X.astype(bool), X.astype(float), sparse.csr_matrix(X), sparse.coo_array(X), X.tolist()):
        model = Halving().fit(other, y)
        np.testing.assert_array_equal(model.sizes_, plain.sizes_)
        np.testing.assert_array_equal(model.predict(other), y)
    frame = pd.DataFrame(X, columns=["fever", "cough", "rash", "age", "pain", "sleep"])
    assert Halving().fit(frame, y).concepts_ == ["fever or pain"]


def test_concepts_of_your_own_as_functions_planes_and_a_table_agree(rng):
    weights = rng.integers(-2, 3, size=(150, 4)).astype(float)
    thresholds = rng.integers(-2, 4, size=150) - 0.5
    table = weights @ CUBE.T >= thresholds[:, np.newaxis]
    functions = [lambda x, w=w, t=t: w @ x >= t for w, t in zip(weights, thresholds, strict=True)]
    target = 77
    order = rng.permutation(16)
    y = table[target][order]
    by_function = Halving(functions).fit(CUBE[order], y)
    by_plane = Halving((weights, thresholds)).fit(CUBE[order], y)
    by_table = Halving(table).fit(order[:, np.newaxis], y)
    left = np.flatnonzero((table[:, order] == y).all(axis=1))
    assert by_table.concepts_ == by_function.concepts_ == [f"concept {i}" for i in left]
    assert by_table.sizes_.tolist() == by_function.sizes_.tolist() == by_plane.sizes_.tolist()
    assert by_table.mistakes_ == by_function.mistakes_ == by_plane.mistakes_ <= np.log2(150)
    assert by_plane.predict(CUBE).tolist() == by_table.predict(np.arange(16)[:, np.newaxis]).tolist()
    assert all(">=" in name for name in by_plane.concepts_)


def test_rules_agree_with_the_same_rules_as_planes(rng):
    sets = [s for j in range(3) for s in combinations(range(10), j)]
    weights = np.array([[v in s for v in range(10)] for s in sets], dtype=float)
    X = rng.integers(2, size=(25, 10))
    y = either(X, 4, 9)
    rules, planes = Halving(k=2).fit(X, y), Halving((weights, 0.5)).fit(X, y)
    assert rules.sizes_.tolist() == planes.sizes_.tolist()
    assert rules.mistaken_.tolist() == planes.mistaken_.tolist()


def test_planes_and_functions_take_any_finite_numbers():
    model = Halving((np.ones((5, 1)), np.arange(5) / 4)).fit([[0.3], [0.6]], [0, 1])
    assert model.concepts_ == ["+1 x0 >= 0.5"]
    with pytest.raises(InputError, match="row 1, column 0 is nan: values must be finite"):
        model.predict([[0.1], [np.nan]])


def test_noise_is_explained_and_leaves_the_space_before_it():
    X = [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]]
    model = Halving("disjunctions", k=1)
    with pytest.raises(
        InputError,
        match=r"^row 2 is labelled 0, which contradicts the last surviving concept of the disjunctions of ",
    ):
        model.fit(X, [1, 0, 0, 0])
    assert model.sizes_.tolist() == [1, 1]
    assert model.concepts_ == ["x0"]
    assert model.predict(X).tolist() == [1, 0, 1, 0]
    model.partial_fit(X[3:], [0])
    with pytest.raises(InputError, match=r"row 1 \(example 4 of the stream, from 0\) .*drop the row.*larger class"):
        model.partial_fit([[0, 0, 0], [0, 0, 1]], [0, 1])
    assert len(model.sizes_) == 4
    assert model.certificate_.holds


@pytest.mark.parametrize(
    ("estimator", "X", "y", "message"),
    [
        (Halving(), [[0, 1], [0.5, 1]], [0, 1], r"row 1, column 0 is 0.5: disjunctions take 0 and 1 only"),
        (Halving(), [[0, 1], [np.nan, 1]], [0, 1], r"row 1, column 0 is nan"),
        (Halving(), sparse.csr_matrix([[0, 1], [0, 2]]), [0, 1], r"row 1, column 1 is 2"),
        (Halving(), pd.DataFrame({"a": [0, 1], "b": [0, -1]}), [0, 1], r"row 1, column 1 \('b'\) is -1"),
        (Halving(), [[0, 1]] * 3, ["a", "b", "c"], "there are 3 classes, the third in row 2: 'c'"),
        (Halving(), [[0, 1]] * 3, ["a", "a", "a"], "there is one class, 'a'"),
        (Halving(k=3), [[0, 1]] * 2, [0, 1], "k=3 exceeds the number of columns, 2"),
        (Halving(k=0), [[0, 1]] * 2, [0, 1], "k must be an integer of 1 or more; it is 0"),
        (Halving(k=1.5), [[0, 1]] * 2, [0, 1], "k must be"),
        (Halving(m=1), [[0, 1]] * 2, [0, 1], "m=1 is for concepts='m-of-n' only"),
        (Halving("m-of-n", m=3), [[0, 1]] * 2, [0, 1], "m must be an integer from 1 to k=2"),
        (Halving("xors"), [[0, 1]] * 2, [0, 1], "concepts='xors' is not known; there are 'disjunctions', 'conj"),
        (Halving(max_concepts=0), [[0, 1]] * 2, [0, 1], "max_concepts must be"),
        (Halving(max_concepts=3), [[0, 1]] * 2, [0, 1], "of 2 variables: there are 4 concepts .*max_concepts=3"),
        (Halving([]), [[0, 1]] * 2, [0, 1], "concepts must be 'disjunctions'.* not "),
        (Halving({}), [[0, 1]] * 2, [0, 1], "there are no concepts"),
        (Halving({"a": 3}), [[0, 1]] * 2, [0, 1], "map names to functions"),
        (Halving(3), [[0, 1]] * 2, [0, 1], "concepts must be 'disjunctions'"),
        (Halving([first_column_is_set, 3]), [[0, 1]] * 2, [0, 1], "concepts must be 'disjunctions'"),
        (Halving([lambda row: row]), [[0, 1]] * 2, [0, 1], "concept 0.* returned array.*function of one row"),
        (Halving([lambda row: 7 + row[0]]), [[0, 1]] * 2, [0, 1], "returned .*7.* for "),
        (Halving(np.eye(3)), [[0, 1]] * 2, [0, 1], "one column, the number of the point; it has 2"),
        (Halving(np.eye(3)), [[0], [3]], [0, 1], "row 1, column 0 is 3: .*from 0 to 2"),
        (Halving((np.eye(3), 1)), [[0, 1]] * 2, [0, 1], "the concepts have 3 weights, but X has 2 columns"),
        (Halving((np.eye(2), [1])), [[0, 1]] * 2, [0, 1], "2 rows of weights, but 1 thresholds"),
        (Halving((np.eye(2), np.nan)), [[0, 1]] * 2, [0, 1], "must be finite"),
        (Halving(("ab", first_column_is_set)), [[0, 1]] * 2, [0, 1], "a row of weights and a threshold each"),
        (Halving((first_column_is_set,) * 2), [[0, 1]] * 2, [1, 0], "the 2 surviving concepts of the 2 concepts given"),
        (Halving(([1, 2], 1)), [[0, 1]] * 2, [0, 1], "a row of weights and a threshold each"),
    ],
)  # fmt: skip
def test_bad_input_is_one_clear_line(estimator, X, y, message):
    with pytest.raises((InputError, RecipeError), match=message) as caught:
        estimator.fit(X, y)
    assert "\n" not in str(caught.value)


def test_a_failed_fit_leaves_nothing_of_an_earlier_one():
    model = Halving().fit([[0, 1, 0], [1, 0, 0]], [0, 1])
    with pytest.raises(InputError):
        model.fit([[0, 1], [1, 2]], [0, 1])
    with pytest.raises(NotFittedError):
        model.predict([[0, 1]])


def test_streams_refuse_what_does_not_go_on():
    model = Halving(k=2).partial_fit([[0, 1, 1]], [1])
    assert model.classes_.tolist() == [0, 1]
    with pytest.raises(InputError, match="row 0 has the label 2"):
        model.partial_fit([[0, 1, 1]], [2])
    with pytest.raises(InputError, match="labels were numbers so far and are text now"):
        model.partial_fit([[0, 1, 1]], ["one"])
    with pytest.raises(ValueError, match="2 features"):
        model.partial_fit([[0, 1]], [1])
    with pytest.raises(InputError, match=r"first block had the classes \[0, 1\]"):
        model.partial_fit([[0, 1, 1]], [1], classes=[1, 2])
    with pytest.raises(InputError, match="row 0, column 2 is 3"):
        model.partial_fit([[0, 1, 3]], [1])
    assert model.sizes_.tolist() == [6 - 1]
    with pytest.raises(RecipeError, match="parameters have changed"):
        model.set_params(k=1).partial_fit([[0, 1, 1]], [1])
    table = Halving(np.eye(3)).partial_fit([[0]], [1])
    assert table.partial_fit([[1]], [0]).concepts_ == ["concept 0"]


@pytest.mark.parametrize(
    "estimator",
    [
        Halving("m-of-n", k=3, m=2),
        Halving([first_column_is_set, second_column_is_set]),
        Halving((np.eye(4), 0.5)),
    ],
)
def test_cloning_and_pickling(estimator):
    assert clone(estimator).get_params().keys() == {"concepts", "k", "m", "max_concepts"}
    y = CUBE[:, 0] == 1 if estimator.m is None else CUBE[:, :3].sum(axis=1) >= 2
    model = clone(estimator).fit(CUBE[:9], y[:9])
    again = pickle.loads(pickle.dumps(model))
    assert again.survivors() == model.survivors()
    np.testing.assert_array_equal(again.predict(CUBE), model.predict(CUBE))
    assert again.partial_fit(CUBE, y).survivors() == model.partial_fit(CUBE, y).survivors()
    with pytest.raises(NotFittedError):
        clone(model).sizes_


def test_the_docstring_describes_every_parameter_and_its_examples_hold():
    for name in inspect.signature(Halving).parameters:
        assert f"{name} : default" in Halving.__doc__
        assert name in PARAMETERS
    for test in doctest.DocTestFinder(recurse=False).find(Halving, globs={}):
        assert len(test.examples) > 0
        assert doctest.DocTestRunner().run(test).failed == 0


def checks():
    for estimator, check in estimator_checks_generator(Halving(k=1), legacy=True):
        name = getattr(check, "func", check).__name__
        if name != "check_array_api_input":  # switched on by an environment variable, before SciPy is imported
            yield pytest.param(estimator, check, id=name)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_scikit_learn_checks_fail_only_where_their_data_are_not_boolean(estimator, check):
    """Most of the checks draw X from a normal distribution. Halving refuses such rows, for no other reason."""
    try:
        check(estimator)
    except Exception as failure:
        reasons, error = [], failure
        while error is not None:
            reasons.append(str(error))
            error = error.__cause__ or error.__context__
        assert any("take 0 and 1 only" in reason for reason in reasons), reasons


def test_what_those_checks_ask_on_boolean_data(rng):
    X = rng.integers(2, size=(40, 7)).astype(float)
    y = np.where(either(X, 1, 6), "yes", "no")
    X.flags.writeable = y.flags.writeable = False
    model = Halving()
    with pytest.raises(NotFittedError):
        model.predict(X)
    assert model.fit(X, y) is model
    assert model.n_features_in_ == 7
    before = model.predict(X)
    assert model.get_params() == Halving().get_params()
    np.testing.assert_array_equal(Halving().fit(np.asfortranarray(X), y).sizes_, model.sizes_)
    order = rng.permutation(40)
    np.testing.assert_array_equal(model.predict(X[order]), before[order])
    np.testing.assert_array_equal([model.predict(X[[i]])[0] for i in range(40)], before)
    np.testing.assert_array_equal(model.fit(X, y).predict(X), before)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    with pytest.raises(ValueError, match="6 features"):
        model.predict(X[:, :6])
    with pytest.raises(ValueError, match="Reshape your data"):
        model.predict(X[0])
