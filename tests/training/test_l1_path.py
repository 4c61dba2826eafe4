"""Paths of penalties: every point is the fit that it is alone, and has its certificate."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LassoCV, enet_path

from linnet.data.labels import Labels
from linnet.data.rows import Examples, Rows
from linnet.learners import catalogue
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty
from linnet.training.alpha_choice import with_alpha
from linnet.training.fit import Settings
from linnet.training.l1_path import largest_l1
from linnet.training.objective import Objective
from linnet.training.penalty_path import path


def table(rng, n=80, d=30):
    X = rng.normal(size=(n, d)) + 0.5
    return X, X[:, :4] @ [2.0, -1.0, 1.0, 0.5] + rng.normal(size=n)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_a_path_of_least_squares_is_that_of_scikit_learn(ratio, sparse, rng):
    X, y = table(rng)
    alphas = np.logspace(0, -3, 12)
    examples = Examples(Rows.of(csr_array(X) if sparse else X), y)
    penalties = [Penalty(alpha * ratio, alpha * (1 - ratio)) for alpha in alphas]
    fits = list(path(catalogue.find("elastic-net"), examples, None, penalties, Settings(tol=1e-9)))
    theirs = enet_path(X - X.mean(axis=0), y - y.mean(), l1_ratio=ratio, alphas=alphas, tol=1e-12, max_iter=100_000)[1]
    assert np.allclose(np.array([fit.model.weights[:, 0] for fit in fits]).T, theirs, atol=1e-5)
    for fit in fits:
        assert fit.converged
        assert fit.certificate.gap <= 1e-9


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("multiclass", ["one-vs-rest", "joint"])
def test_a_path_of_classes_proves_every_point(classes, multiclass, rng):
    from dataclasses import replace

    from linnet.learners.recipe import Reduction

    X, score = table(rng)
    labels, codes = Labels.of(np.digitize(score, np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1])))
    entry = catalogue.find("logistic-regression")
    entry = replace(entry, recipe=replace(entry.recipe, reduction=Reduction(multiclass)))
    penalties = [Penalty(l1=l1, total=True) for l1 in (30.0, 5.0, 1.0)]
    fits = list(path(entry, Examples(Rows.of(X), codes), labels, penalties, Settings(tol=1e-5)))
    counts = [np.count_nonzero(fit.model.weights) for fit in fits]
    assert counts == sorted(counts)
    assert all(fit.certificate.gap <= 1e-5 for fit in fits)


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("loss", [Loss.SQUARED, Loss.LOGISTIC, Loss.SQUARED_HINGE], ids=str)
def test_from_the_largest_penalty_on_all_weights_are_0_and_below_it_one_is_not(loss, positive, rng):
    X, score = table(rng)
    y = score if loss is Loss.SQUARED else (score > 1).astype(float)
    examples, regression = Examples(Rows.of(X), y), loss is Loss.SQUARED
    largest = largest_l1(
        Objective(examples, loss, Penalty(positive=positive), 1, intercept=True, regression=regression)
    )
    from linnet.training.descent import Descent
    from linnet.training.history import ignore
    from linnet.training.solvers.coordinate_descent import descend

    for factor, some in ((1.0001, False), (0.99, True)):
        penalty = Penalty(factor * largest, positive=positive)
        problem = Objective(examples, loss, penalty, 1, intercept=True, regression=regression)
        assert bool(descend(problem, Descent(100, 1e-9), ignore).weights[:-1].any()) is some


def test_the_alpha_of_the_lasso_predicts_as_well_as_that_of_lasso_cv(rng):
    X, y = table(rng, 150, 100)
    rows = Rows.of(X)
    entry, how = with_alpha(catalogue.find("lasso"), Examples(rows, y), rows)
    assert how == "5-fold cross-validation"
    theirs = LassoCV(cv=5).fit(X, y)
    assert 0.3 < entry.recipe.penalty.l1 / theirs.alpha_ < 3.0
    assert entry.recipe.penalty.l2 == 0
    net, _ = with_alpha(catalogue.find("elastic-net"), Examples(rows, y), rows)
    assert net.recipe.penalty.l1 == pytest.approx(net.recipe.penalty.l2)


@pytest.mark.parametrize("y", [np.zeros(20), np.full(20, 3.0)])
def test_targets_that_do_not_vary_leave_alpha_as_it_is(y, rng):
    rows = Rows.of(rng.normal(size=(20, 3)))
    entry = catalogue.find("lasso")
    assert with_alpha(entry, Examples(rows, y), rows) == (entry, "")
