"""Generalised linear models beside scikit-learn, statsmodels and SciPy, on random problems."""

import warnings

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn import linear_model
from sklearn.metrics import d2_tweedie_score, mean_tweedie_deviance

import linnet

FAMILIES = {
    1.0: (linnet.PoissonRegressor, {}),
    2.0: (linnet.GammaRegressor, {}),
    1.5: (linnet.TweedieRegressor, {"power": 1.5}),
    1.15: (linnet.TweedieRegressor, {"power": 1.15}),
    0.0: (linnet.TweedieRegressor, {"power": 0.0}),
}


def drawn(rng, power, n=300, d=5):
    """Rows, targets of the family, and weights with some zeros among them."""
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-1, 2, size=d)
    scores = X @ (rng.normal(size=d) * 0.3 / X.std(axis=0)) + rng.normal()
    means = np.exp(scores)
    y = rng.poisson(means).astype(float)
    if power == 2:
        y = rng.gamma(2.0, means / 2)
    elif power == 0:
        y = scores + rng.normal(size=n)
    elif power != 1:
        y = y * rng.gamma(2.0, 0.5, size=n)
    return X, y, rng.integers(0, 4, size=n).astype(float)


def objective(X, y, c, alpha, power, w, b):
    """As scikit-learn states it: half of the mean deviance and half of alpha |w|^2."""
    z = X @ w + b
    means = z if power == 0 else np.exp(z)
    used = c > 0
    deviance = mean_tweedie_deviance(y[used], means[used], sample_weight=c[used], power=power)
    return 0.5 * deviance + 0.5 * alpha * float(w @ w)


@pytest.mark.parametrize("power", FAMILIES)
@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_it_is_the_optimum_that_scipy_finds_and_the_gap_tells_no_lie(power, form, intercept, weighted, rng):
    cls, parameters = FAMILIES[power]
    for alpha in (1e-3, 1.0):
        X, y, c = drawn(rng, power)
        c = c if weighted else np.ones(len(y))
        model = cls(alpha=alpha, fit_intercept=intercept, **parameters).fit(form(X), y, c)
        units = np.append(1 / X.std(axis=0), 1.0)

        def value(scaled, X=X, y=y, c=c, alpha=alpha, units=units):
            v = scaled * units
            return objective(X, y, c, alpha, power, v[:-1], v[-1] if intercept else 0.0)

        ours = objective(X, y, c, alpha, power, model.coef_, model.intercept_)
        start = np.append(model.coef_, model.intercept_) / units
        best = min(
            minimize(value, begin, method="BFGS", options={"gtol": 1e-9, "maxiter": 2000}).fun
            for begin in (start, start + 0.01 * rng.normal(size=len(start)))
        )
        proven = model.certificate_
        assert_allclose(proven.primal, ours, rtol=1e-9)
        assert ours - best <= 1e-6 * ours
        assert ours - best <= proven.primal - proven.dual + 1e-12
        assert proven.gap <= 1e-6


@pytest.mark.parametrize("alpha", [0.0, 1e-3, 1.0])
@pytest.mark.parametrize("solver", ["auto", "newton-cholesky", "newton-cg", "lbfgs"])
@pytest.mark.parametrize("power", FAMILIES)
def test_coefficients_and_scores_are_scikit_learns(power, solver, alpha, rng):
    cls, parameters = FAMILIES[power]
    X, y, c = drawn(rng, power)
    X /= X.std(axis=0)
    ours = cls(alpha=alpha, solver=solver, tol=1e-12 if alpha or solver != "lbfgs" else 1e-9, **parameters)
    peer = getattr(linear_model, cls.__name__)(
        alpha=alpha, solver="newton-cholesky", tol=1e-12, max_iter=1000, **parameters
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some ask for more than rounding allows
        ours.fit(X, y, c)
        peer.fit(X, y, c)
    assert_allclose(ours.coef_, peer.coef_, rtol=1e-6, atol=1e-6)
    assert_allclose(ours.intercept_, peer.intercept_, rtol=1e-6, atol=1e-6)
    assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-5, atol=1e-5)
    assert_allclose(ours.score(X, y, c), peer.score(X, y, c), rtol=1e-6)
    assert_allclose(ours.score(X, y, c), d2_tweedie_score(y, ours.predict(X), sample_weight=c, power=power), rtol=1e-9)


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0])
def test_without_a_penalty_it_is_the_maximum_likelihood_of_statsmodels(power, rng):
    cls, parameters = FAMILIES[power]
    X, y, _ = drawn(rng, power)
    X /= X.std(axis=0)
    link = sm.families.links.Log()
    families = {
        1.0: sm.families.Poisson(),
        2.0: sm.families.Gamma(link=link),
        1.5: sm.families.Tweedie(var_power=1.5, link=link),
    }
    peer = sm.GLM(y, sm.add_constant(X), family=families[power]).fit(tol=1e-14, maxiter=200)
    ours = cls(alpha=0.0, tol=1e-12, **parameters).fit(X, y)
    assert_allclose(np.append(ours.intercept_, ours.coef_), peer.params, rtol=1e-6, atol=1e-7)
    assert "without a penalty" in ours.certificate_.reason


def test_a_deviance_that_is_not_convex_says_so_and_still_agrees_with_scikit_learn(rng):
    X, y, _ = drawn(rng, 2.0)
    X /= X.std(axis=0)
    for parameters in ({"power": 3.0}, {"power": 0.0, "link": "log"}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours = linnet.TweedieRegressor(alpha=0.1, tol=1e-12, **parameters).fit(X, y)
            peer = linear_model.TweedieRegressor(alpha=0.1, tol=1e-10, max_iter=5000, **parameters).fit(X, y)
        assert_allclose(ours.coef_, peer.coef_, rtol=1e-4, atol=1e-5)
        assert "is not convex" in ours.certificate_.reason


def test_targets_outside_the_family_are_refused_with_their_row(rng):
    X = rng.normal(size=(5, 2))
    with pytest.raises(linnet.InputError, match=r"y is -1 at row 3: a Poisson .* numbers of 0 or more"):
        linnet.PoissonRegressor().fit(X, [1, 0, 2, -1, 3])
    with pytest.raises(linnet.InputError, match=r"y is 0 at row 1: a gamma .* numbers above 0"):
        linnet.GammaRegressor().fit(X, [1, 0, 2, 1, 3])


def test_counts_of_any_size_are_fitted(rng):
    for scale in (1e-6, 1.0, 1e9):
        X = rng.normal(size=(500, 3))
        y = scale * np.exp(X @ [0.5, -0.3, 0.1]) * rng.gamma(3.0, 1 / 3, size=500)
        model = linnet.PoissonRegressor(alpha=0.0, tol=1e-12).fit(X, y)
        assert_allclose(model.predict(X).sum(), y.sum(), rtol=1e-6)  # the score equation of the intercept
