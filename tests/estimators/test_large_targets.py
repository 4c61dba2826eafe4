"""Numbers to predict whose squares are no numbers: refused by name, by every regressor and from every file."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_regressor
from sklearn.exceptions import ConvergenceWarning

import linnet
from linnet.data.limits import LARGEST_TARGET
from linnet.errors import InputError, NumericalError
from linnet.estimators.base import LinearRegressor

REGRESSORS = [
    name
    for name in linnet.__all__
    if isinstance(made := getattr(linnet, name), type) and issubclass(made, LinearRegressor) and is_regressor(made())
]


def data(scale, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3))
    return X, np.exp(X @ [0.1, 0.2, 0.3]) * scale


@pytest.mark.parametrize("name", REGRESSORS)
def test_targets_beyond_the_limit_are_refused(name):
    X, y = data(1.0)
    y[7] = -1.01 * LARGEST_TARGET
    for rows in (X, sparse.csr_matrix(X), X.tolist()):
        with pytest.raises(InputError, match=r"y has values of up to 1\.01e\+150, beyond 1e\+150: scale it down"):
            getattr(linnet, name)().fit(rows, y)


@pytest.mark.parametrize("name", REGRESSORS)
@pytest.mark.parametrize("scale", [1e100, LARGEST_TARGET / 10])
def test_targets_within_the_limit_give_finite_models_or_one_error(name, scale):
    X, y = data(scale)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            model = getattr(linnet, name)().fit(X, y)
        except NumericalError:
            return
        assert np.isfinite(model.coef_).all()
        assert np.isfinite(model.predict(X)).all()


def test_several_columns_of_targets_are_checked_too():
    X, y = data(1.0)
    with pytest.raises(InputError, match="beyond 1e\\+150"):
        linnet.Ridge().fit(X, np.stack([y, y * 1e200], axis=1))


@pytest.mark.parametrize("learner", [None, "ridge", "least-squares", "huber", "adaptive-squared", "svr"])
def test_a_row_of_a_file_with_a_target_beyond_the_limit_is_a_bad_row(tmp_path, learner):
    given = {} if learner is None else {"learner": learner}
    for name, head, row in (("t.csv", "x,y\n", "{0},{1}\n"), ("t.svm", "", "{1} 1:{0}\n")):
        path = tmp_path / name
        path.write_text(head + "".join(row.format(i % 7, i * 1.5) for i in range(40)) + row.format(3, "8.1e+304"))
        options = {**given, "task": "regression", **({"target": "y"} if head else {})}
        with pytest.raises(InputError, match=rf"{name}:{41 + bool(head)}: .* is 8\.1e\+304, beyond 1e\+150"):
            linnet.train(str(path), **options)
        assert linnet.train(str(path), on_error="skip", **options).record.rejected_rows == 1
