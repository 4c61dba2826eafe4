"""Standard errors beside those of statsmodels, and every refusal with its reason."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from linnet import InputError, LinearRegression, LogisticRegression, RecipeError
from linnet.data.rows import Examples, Rows
from linnet.theory.inference import logistic_estimates


def table(rng, n=300, d=4):
    X = rng.normal(size=(n, d)) * np.array([1, 20, 0.1, 3])[:d] + np.array([0, 100, 0, -2])[:d]
    score = (X - X.mean(axis=0)) @ rng.normal(size=d) / X.std(axis=0).max()
    return X, score


def with_intercept(X, intercept):
    """As linnet orders them: the intercept last."""
    return np.column_stack([X, np.ones(len(X))]) if intercept else X


def same(ours, theirs, level=0.95):
    assert_allclose(ours.estimates, theirs.params, rtol=1e-6)
    assert_allclose(ours.standard_errors, theirs.bse, rtol=1e-6)
    assert_allclose(ours.statistics, theirs.tvalues, rtol=1e-6)
    assert_allclose(ours.p_values, theirs.pvalues, rtol=1e-5, atol=1e-300)
    assert_allclose(ours.intervals, theirs.conf_int(1 - level), rtol=1e-6)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_logistic_regression_is_that_of_statsmodels(seed, intercept, weighted, form):
    rng = np.random.default_rng(seed)
    X, score = table(rng)
    y = (score + rng.logistic(size=len(X)) > 0).astype(int)
    weights = rng.integers(0, 4, size=len(X)).astype(float) if weighted else None
    model = LogisticRegression(penalty=None, fit_intercept=intercept, max_iter=5000).fit(form(X), y, weights)
    family = sm.GLM(y, with_intercept(X, intercept), family=sm.families.Binomial(), freq_weights=weights)
    same(model.summary(form(X), y, weights, level=0.9), family.fit(tol=1e-14), 0.9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("solver", ["analytic", "gradient"])
def test_least_squares_are_those_of_statsmodels(seed, intercept, solver):
    rng = np.random.default_rng(seed)
    X, score = table(rng)
    y = score + rng.normal(size=len(X)) + 7
    model = LinearRegression(solver=solver, fit_intercept=intercept, max_iter=100_000, tol=1e-9).fit(X, y)
    same(model.summary(X, y), sm.OLS(y, with_intercept(X, intercept)).fit())


def test_frequencies_are_copies_of_rows(rng):
    X, score = table(rng)
    y, counts = score + rng.normal(size=len(X)), rng.integers(0, 4, size=len(X))
    copied = np.repeat(np.arange(len(X)), counts)
    weighted = LinearRegression().fit(X, y, counts).summary(X, y, counts)
    plain = LinearRegression().fit(X[copied], y[copied]).summary(X[copied], y[copied])
    assert_allclose(weighted.standard_errors, plain.standard_errors, rtol=1e-9)
    assert weighted.degrees == plain.degrees


def test_precisions_are_weighted_least_squares(rng):
    X, score = table(rng)
    y, c = score + rng.normal(size=len(X)), rng.uniform(0.2, 3, size=len(X))
    theirs = sm.WLS(y, with_intercept(X, True), weights=c).fit()
    same(LinearRegression().fit(X, y, c).summary(X, y, c, weights_are="precisions"), theirs)


def test_sampling_weights_get_the_sandwich(rng):
    X, score = table(rng)
    y, c = score + rng.normal(size=len(X)), rng.uniform(0.2, 3, size=len(X))
    theirs = sm.WLS(y, with_intercept(X, True), weights=c).fit(cov_type="HC3", use_t=True)
    ours = LinearRegression().fit(X, y, c).summary(X, y, c, weights_are="sampling")
    assert_allclose(ours.standard_errors, theirs.bse, rtol=1e-6)
    assert_allclose(ours.intervals, theirs.conf_int(), rtol=1e-6)
    labels = (y > np.median(y)).astype(int)
    model = LogisticRegression(penalty=None, max_iter=5000).fit(X, labels, c)
    ours = model.summary(X, labels, c, weights_are="sampling")
    Z = with_intercept(X, True)
    p = 1 / (1 + np.exp(-Z @ ours.estimates))
    bread = np.linalg.inv((Z * (c * p * (1 - p))[:, np.newaxis]).T @ Z)
    meat = (Z * ((c * (labels - p)) ** 2)[:, np.newaxis]).T @ Z
    assert_allclose(ours.standard_errors, np.sqrt(np.diag(bread @ meat @ bread)), rtol=1e-6)


def test_a_penalised_fit_is_read_as_a_posterior_and_only_when_asked(rng):
    X, score = table(rng)
    y = (score + rng.logistic(size=len(X)) > 0).astype(int)
    model = LogisticRegression(C=0.5, max_iter=5000).fit(X, y)
    with pytest.raises(InputError, match="shrunk towards 0: fit with penalty=None"):
        model.summary(X, y)
    ours = model.summary(X, y, penalised=True)
    Z = with_intercept(X, True)
    p = 1 / (1 + np.exp(-Z @ ours.estimates))
    information = (Z * (p * (1 - p))[:, np.newaxis]).T @ Z + np.diag([2.0, 2, 2, 2, 0])
    assert_allclose(ours.standard_errors, np.sqrt(np.diag(np.linalg.inv(information))), rtol=1e-6)
    assert np.isnan(ours.p_values).all()
    assert "N(0, 0.5)" in str(ours)


def test_intervals_hold_the_truth_as_often_as_they_say(rng):
    truth, held = np.array([0.5, -1.0]), 0
    for _ in range(300):
        X = rng.normal(size=(200, 2))
        y = (X @ truth + rng.logistic(size=200) > 0).astype(int)
        low, high = LogisticRegression(penalty=None).fit(X, y).summary(X, y, level=0.8).intervals[:2].T
        held += int(((low < truth) & (truth < high)).sum())
    assert abs(held / 600 - 0.8) < 4 * np.sqrt(0.8 * 0.2 / 600)


def test_it_prints_as_a_table_and_turns_into_a_frame(rng):
    X = pd.DataFrame({"age": rng.normal(size=100), "a longer name": rng.normal(size=100)})
    y = 3 * X["age"] + rng.normal(size=100)
    found = LinearRegression().fit(X, y).summary(X, y)
    lines = str(found).splitlines()
    assert lines[0].split() == ["coef", "std", "err", "t", "P>|t|", "[0.025", "0.975]"]
    assert [line.split("  ")[0] for line in lines[1:4]] == ["age", "a longer name", "(intercept)"]
    assert len({len(line) for line in lines[:4]}) == 1
    assert "<0.0001" in lines[1]
    assert lines[4] == "100 rows; 97 residual degrees of freedom"
    frame = found.frame()
    assert frame.loc["age", "coef"] == found.estimates[0]
    assert list(frame.columns) == ["coef", "std err", "t", "P>|t|", "[0.025", "0.975]"]


def fits(rng):
    X, score = table(rng)
    return X, score + rng.normal(size=len(X)), (score + rng.logistic(size=len(X)) > 0).astype(int)


def test_what_standard_errors_would_not_mean_is_refused(rng):
    X, numbers, y = fits(rng)
    refused = [
        (LogisticRegression(penalty="l1", tol=1e-2, max_iter=10_000), y, "L1 penalty"),
        (LogisticRegression(penalty=None, class_weight="balanced", max_iter=5000), y, "class_weight"),
        (LogisticRegression(penalty=None, max_iter=5000), np.arange(len(X)) % 3, "'reference'"),
    ]
    for model, targets, why in refused:
        with pytest.raises(InputError, match=why):
            model.fit(X, targets).summary(X, targets)
    online = LinearRegression(solver="online", eta0=1e-6, tol=None, max_iter=2).fit(X, numbers)
    with pytest.raises(RecipeError, match="no online fit"):
        online.summary(X, numbers)
    for online in (
        LogisticRegression(solver="online", tol=None, max_iter=2).fit(X, y),
        LogisticRegression(solver="online").partial_fit(X, y),
    ):
        with pytest.raises(InputError, match="no online fit"):
            online.summary(X, y)


@pytest.mark.filterwarnings("ignore:without a penalty")
def test_no_optimum_or_not_one_is_refused(rng):
    X, numbers, y = fits(rng)
    X[:, 2] = X[:, 0] > 0.3
    with pytest.raises(InputError, match="no finite optimum"):
        LogisticRegression(penalty=None).fit(X, X[:, 0] > 0.3).summary(X, X[:, 0] > 0.3)
    X[:, 3] = X[:, 0] + 1
    for model, targets in ((LogisticRegression(penalty=None, max_iter=5000), y), (LinearRegression(), numbers)):
        with pytest.raises(InputError, match=r"collinear.*drop x[03]"):
            model.fit(X, targets).summary(X, targets)


def test_other_rows_other_weights_and_wrong_words_are_refused(rng):
    X, numbers, y = fits(rng)
    model, line = LogisticRegression(penalty=None, max_iter=5000).fit(X, y), LinearRegression().fit(X, numbers)
    with pytest.raises(InputError, match="the same rows"):
        model.summary(X[:50] + 1, y[:50])
    with pytest.raises(InputError, match="the same rows"):
        line.summary(X, numbers + 9)
    fractions = rng.uniform(size=len(X))
    with pytest.raises(InputError, match="weights_are="):
        line.fit(X, numbers, fractions).summary(X, numbers, fractions)
    with pytest.raises(RecipeError, match="choose from 'frequencies'"):
        line.summary(X, numbers, fractions, weights_are="big")
    with pytest.raises(RecipeError, match="least squares"):
        model.summary(X, y, fractions, weights_are="precisions")
    with pytest.raises(RecipeError, match="level must be between"):
        model.summary(X, y, level=95)
    with pytest.raises(InputError, match="no degrees of freedom"):
        LinearRegression().fit(X[:5], numbers[:5]).summary(X[:5], numbers[:5])


def named(rng, n=400, k=3, labels="abcd"):
    """Rows of k classes that overlap, and the same labels in the order that statsmodels wants: our last one first."""
    X, _ = table(rng, n)
    scores = (X - X.mean(axis=0)) / X.std(axis=0) @ rng.normal(size=(4, k))
    codes = (scores + rng.gumbel(size=(n, k))).argmax(axis=1)
    return X, np.array(list(labels))[codes], (codes + 1) % k


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("k", [3, 4])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_many_classes_with_a_reference_are_those_of_statsmodels(seed, intercept, k, form):
    X, y, theirs_y = named(np.random.default_rng(seed), k=k)
    model = LogisticRegression(
        penalty=None, multiclass="reference", fit_intercept=intercept, max_iter=20_000, tol=1e-7
    ).fit(form(X), y)
    found = model.summary(form(X), y, level=0.9)
    theirs = sm.MNLogit(theirs_y, with_intercept(X, intercept)).fit(method="newton", maxiter=200, tol=1e-14, disp=False)
    columns = 4 + intercept

    def arranged(table):
        return np.asarray(table).T.reshape(-1)

    assert_allclose(found.estimates, arranged(theirs.params), rtol=1e-6)
    assert_allclose(found.standard_errors, arranged(theirs.bse), rtol=1e-6)
    assert_allclose(found.p_values, arranged(theirs.pvalues), rtol=1e-5, atol=1e-300)
    assert_allclose(found.intervals, np.asarray(theirs.conf_int(0.1)).reshape(-1, 2), rtol=1e-6)
    assert len(found.names) == (k - 1) * columns
    assert found.names[: columns + 1][::columns] == ("a: x0", "b: x0")
    assert "against the last label" in str(found)


def test_whole_weights_of_many_classes_are_copies_and_others_get_the_sandwich(rng):
    X, y, _ = named(rng)
    counts = rng.integers(1, 4, size=len(X)).astype(float)
    copied = np.repeat(np.arange(len(X)), counts.astype(int))
    model = LogisticRegression(penalty=None, multiclass="reference", max_iter=20_000, tol=1e-7).fit(X, y, counts)
    weighted = model.summary(X, y, counts)
    assert_allclose(weighted.standard_errors, model.summary(X[copied], y[copied]).standard_errors, rtol=1e-8)
    robust = model.summary(X, y, counts, weights_are="sampling")
    Z, own = with_intercept(X, True), y[:, np.newaxis] == np.array(["a", "b"])
    odds = np.exp(Z @ robust.estimates.reshape(2, 5).T)
    p = odds / (1 + odds.sum(axis=1, keepdims=True))
    slopes = np.stack([np.kron(c * (o - q), z) for c, o, q, z in zip(counts, own, p, Z, strict=True)])
    bends = sum(c * np.kron(np.diag(q) - np.outer(q, q), np.outer(z, z)) for c, q, z in zip(counts, p, Z, strict=True))
    covariance = np.linalg.inv(bends) @ (slopes.T @ slopes) @ np.linalg.inv(bends)
    assert_allclose(robust.standard_errors, np.sqrt(np.diag(covariance)), rtol=1e-6)


def test_a_penalised_reference_fit_is_a_posterior(rng):
    X, y, _ = named(rng)
    model = LogisticRegression(C=0.5, multiclass="reference", max_iter=20_000).fit(X, y)
    ours = model.summary(X, y, penalised=True)
    Z = with_intercept(X, True)
    odds = np.exp(Z @ ours.estimates.reshape(2, 5).T)
    p = odds / (1 + odds.sum(axis=1, keepdims=True))
    bends = sum(np.kron(np.diag(q) - np.outer(q, q), np.outer(z, z)) for q, z in zip(p, Z, strict=True))
    bends += np.diag([2.0, 2, 2, 2, 0] * 2)
    assert_allclose(ours.standard_errors, np.sqrt(np.diag(np.linalg.inv(bends))), rtol=1e-6)
    assert np.isnan(ours.p_values).all()


def test_many_classes_without_a_reference_are_refused_with_the_reason(rng):
    X, y, _ = named(rng)
    reasons = {"joint": "only their differences", "one-vs-rest": "one likelihood", "pairwise": "one likelihood"}
    for multiclass, why in reasons.items():
        model = LogisticRegression(penalty=None, multiclass=multiclass, max_iter=20_000).fit(X, y)
        with pytest.raises(InputError, match=why):
            model.summary(X, y)


def shifted(rng, mean):
    """Columns about 0 of few binary digits, two of them nearly collinear, and the same about a mean: exactly so."""
    Z = rng.normal(size=(300, 3))
    Z[:, 2] = Z[:, 0] + 0.02 * Z[:, 2]
    Z = np.round(Z * 1024) / 1024
    assert np.array_equal(Z + mean - mean, Z)
    return Z, Z + mean


@pytest.mark.parametrize("mean", [1e3, 1e5, 1e8, 1e11])
@pytest.mark.parametrize("weights_are", ["frequencies", "precisions", "sampling"])
def test_standard_errors_of_least_squares_do_not_depend_on_the_means_of_columns(mean, weights_are, rng):
    Z, X = shifted(rng, mean)
    y, weights = Z[:, 0] + rng.normal(size=len(Z)), rng.integers(1, 5, size=len(Z)).astype(float)
    about_0, about_mean = (
        LinearRegression().fit(each, y, weights).summary(each, y, weights, weights_are=weights_are) for each in (Z, X)
    )
    assert_allclose(about_mean.standard_errors[:3], about_0.standard_errors[:3], rtol=1e-8)
    assert_allclose(about_mean.estimates[:3], about_0.estimates[:3], rtol=1e-6)
    # the intercept is that at -mean: its variance is that of b - mean (w_1 + w_2 + w_3), nearly all by the sum
    assert about_mean.standard_errors[3] > mean * 0.01


@pytest.mark.parametrize("mean", [1e3, 1e5, 1e8])
@pytest.mark.parametrize("weights_are", ["frequencies", "sampling"])
@pytest.mark.parametrize("classes", [2, 3])
def test_standard_errors_of_logistic_regression_do_not_depend_on_the_means_of_columns(mean, weights_are, classes, rng):
    Z, X = shifted(rng, mean)
    y = np.digitize(Z[:, 0] + rng.logistic(size=len(Z)), [0.0, 1.5][: classes - 1]).astype(float)
    weights = rng.integers(1, 5, size=len(Z)).astype(float)
    model = LogisticRegression(penalty=None, tol=1e-8, max_iter=5000).fit(Z, y, weights)
    w, b = model.coef_.T, model.intercept_
    if classes > 2:
        w, b = (w - w[:, -1:])[:, :-1], (b - b[-1])[:-1]
    of_classes = [1] if classes == 2 else [0, 1]
    about_0, about_mean = (
        logistic_estimates(
            Examples(Rows.of(each), y, weights), w, at, of_classes, intercept=True, weights_are=weights_are
        )
        for each, at in ((Z, b), (X, b - mean * w.sum(axis=0)))
    )
    own = [k for k in range(len(about_0.at)) if k % 4 < 3]
    errors = [np.sqrt(each.covariance.diagonal()) for each in (about_0, about_mean)]
    assert_allclose(errors[1][own], errors[0][own], rtol=1e-7)
    assert_allclose(about_mean.at[own], about_0.at[own], rtol=1e-6)
