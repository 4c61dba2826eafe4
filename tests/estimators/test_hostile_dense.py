"""Dense arrays, targets and weights of every unusual kind: the plain answer, or linnet's own error."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.utils import get_tags

import linnet
from tests.estimators.broken_matrices import COLUMNS, LABELS, ROWS, estimators, table

pytestmark = pytest.mark.filterwarnings("ignore")  # of casts that overflow, of fits that are not to converge
X, N = table(), ROWS


class Sub(np.ndarray):
    pass


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def objects(value):
    array = X.astype(object)
    array[3, 2] = value
    return array


GOOD = {
    "strided": lambda: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "negative strides": lambda: X[::-1, ::-1].copy()[::-1, ::-1],
    "Fortran order": lambda: np.asfortranarray(X),
    "the other byte order": lambda: X.astype(">f8"),
    "half precision": lambda: X.astype(np.float16),
    "long doubles": lambda: X.astype(np.longdouble),
    "flags": lambda: X.astype(bool),
    "unsigned bytes": lambda: X.astype(np.uint8),
    "objects": lambda: X.astype(object),
    "lists": lambda: X.tolist(),
    "read-only": lambda: read_only(X),
    "a subclass": lambda: X.view(Sub),
    "masked without a mask": lambda: np.ma.MaskedArray(X),
}
BAD = {
    "nothing": lambda: None,
    "a number": lambda: np.array(3.0),
    "one dimension": lambda: X[:, 0],
    "three dimensions": lambda: X[:, :, np.newaxis],
    "ragged lists": lambda: [[1.0] * (1 + i % 3) for i in range(N)],
    "text among numbers": lambda: objects("red"),
    "a dictionary among numbers": lambda: objects({"red": 1}),
    "nothing among numbers": lambda: objects(None),
    "an integer beyond floats": lambda: objects(10**400),
    "a complex number among numbers": lambda: objects(1j),
    "complex": lambda: X + 1j,
    "dates": lambda: X.astype("M8[s]"),
    "records": lambda: X.astype([("x", float)]),
    "bytes": lambda: np.full(X.shape, b"red"),
    "void": lambda: np.zeros(X.shape, dtype="V8"),
    "masked": lambda: np.ma.MaskedArray(X, mask=2 * np.arange(COLUMNS) < X),
    "no rows": lambda: X[:0],
    "no columns": lambda: X[:, :0],
    "long doubles beyond doubles": lambda: X.astype(np.longdouble) * np.longdouble("1e4000"),
}
BAD_TARGETS = {
    "nothing": lambda: None,
    "too few": lambda: LABELS[:-1],
    "too many": lambda: np.append(LABELS, 1),
    "none": lambda: LABELS[:0],
    "a number": lambda: 1,
    "not a number": lambda: np.where(np.arange(N) == 3, np.nan, LABELS),
    "infinite": lambda: np.where(np.arange(N) == 3, np.inf, LABELS),
    "nested": lambda: [[1, 0], [1]] * (N // 2),
    "several columns": lambda: np.stack([LABELS, LABELS], axis=1),
    "three dimensions": lambda: LABELS.reshape(-1, 1, 1),
    "several kinds": lambda: [1, "b", None, 2.5] * (N // 4),
    "nothing among them": lambda: [1, None] * (N // 2),
    "lists": lambda: np.array([*([[1]] * N), None], dtype=object)[:N],
    "complex": lambda: LABELS + 1j,
    "records": lambda: LABELS.astype([("x", int)]),
    "masked": lambda: np.ma.MaskedArray(LABELS, mask=np.arange(N) == 3),
    "sparse": lambda: csr_array(LABELS.reshape(-1, 1)),
}
BAD_WEIGHTS = {
    "too few": lambda: np.ones(N - 1),
    "two dimensions": lambda: np.ones((N, 2)),
    "text": lambda: ["heavy"] * N,
    "several kinds": lambda: [1.0, None] * (N // 2),
    "not a number": lambda: np.where(np.arange(N) == 3, np.nan, 1.0),
    "infinite": lambda: np.where(np.arange(N) == 3, np.inf, 1.0),
    "below 0": lambda: np.where(np.arange(N) == 3, -1.0, 1.0),
    "complex": lambda: np.ones(N) + 1j,
    "dates": lambda: np.ones(N).astype("M8[s]"),
    "records": lambda: np.ones(N).astype([("x", float)]),
    "masked": lambda: np.ma.MaskedArray(np.ones(N), mask=np.arange(N) == 3),
    "nested": lambda: [[1.0], [1.0, 2.0]] * (N // 2),
}
ESTIMATORS = list(estimators())
everywhere = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)


def answer(model, X):
    return model.transform(X) if hasattr(model, "transform") else model.predict(X)


@everywhere
def test_an_unusual_array_gives_the_answer_of_the_plain_one(estimator):
    fitted = clone(estimator).fit(X, LABELS)
    expected = answer(fitted, X)
    for name, make in GOOD.items():
        np.testing.assert_allclose(answer(fitted, make()), expected, err_msg=name)
        np.testing.assert_allclose(answer(clone(estimator).fit(make(), LABELS), X), expected, 1e-6, 1e-9, err_msg=name)


@everywhere
def test_an_array_that_cannot_be_read_is_refused(estimator):
    fitted = clone(estimator).fit(X, LABELS)
    for name, make in BAD.items():
        if name == "long doubles beyond doubles" and isinstance(estimator, linnet.Polynomial):
            continue  # which scikit-learn multiplies as they are
        assert_refused(lambda make=make: clone(estimator).fit(make(), LABELS), name)
        assert_refused(lambda make=make: answer(fitted, make()), name)


@pytest.mark.parametrize("estimator", [each for each in ESTIMATORS if hasattr(each, "predict")], ids=repr)
def test_targets_and_weights_that_cannot_be_read_are_refused(estimator):
    takes_several = get_tags(estimator).target_tags.multi_output
    for name, make in BAD_TARGETS.items():
        if name == "several columns" and takes_several:
            continue
        for form in (np.asarray, csr_array):
            assert_refused(lambda make=make, form=form: clone(estimator).fit(form(X), make()), name)
    for name, make in BAD_WEIGHTS.items() if not isinstance(estimator, linnet.Halving) else ():
        assert_refused(lambda make=make: clone(estimator).fit(X, LABELS, sample_weight=make()), name)


def assert_refused(use, name):
    try:
        use()
    except linnet.InputError:
        return
    pytest.fail(f"{name}: accepted")
