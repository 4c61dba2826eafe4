"""When online estimators stop: scikit-learn's tol, n_iter_no_change, early_stopping and validation_fraction."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning

import linnet
from linnet.training.history import PRESENTATIONS

ONLINE = [linnet.Perceptron, linnet.PassiveAggressive, linnet.OnlineClassifier]


def noisy(rng, n=3000, d=20, classes=2):
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, classes)) + 3.0 * rng.normal(size=(n, classes))
    return X, scores.argmax(axis=1)


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("estimator", ONLINE)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_noise_does_not_keep_a_learner_busy(estimator, classes, rng):
    X, y = noisy(rng, classes=classes)
    assert estimator().fit(X, y).n_iter_ < 100


@pytest.mark.parametrize("estimator", ONLINE)
def test_early_stopping_judges_by_rows_that_it_does_not_train_on(estimator, rng):
    X, y = noisy(rng)
    model = estimator(early_stopping=True, n_iter_no_change=3, validation_fraction=0.25, max_iter=500).fit(X, y)
    assert 3 < model.n_iter_ < 500
    rows = round(0.25 * (y == 0).sum()) + round(0.25 * (y == 1).sum())
    assert max(each.mistakes for each in model.history_) <= len(y) - rows
    # a row held out has no effect: the fit knows the others alone
    once = estimator(early_stopping=True, max_iter=1, tol=None, validation_fraction=0.5).fit(X, y)
    assert once.updates_ <= len(y) - round(0.5 * (y == 0).sum()) - round(0.5 * (y == 1).sum())


def test_early_stopping_stops_when_the_validation_score_stands_still(rng):
    X = rng.normal(size=(600, 3))
    y = (X[:, 0] > 0).astype(int)
    y[rng.random(600) < 0.3] ^= 1
    patient = linnet.OnlineClassifier(early_stopping=True, tol=1.0, n_iter_no_change=7, max_iter=50).fit(X, y)
    assert patient.n_iter_ == 8  # no score can improve by 1: the first pass, and seven that do not help


def test_numbers_are_validated_too(rng):
    X = rng.normal(size=(500, 4))
    y = X @ [1.0, 2.0, 3.0, 4.0] + rng.normal(size=500)
    model = linnet.OnlineRegressor(early_stopping=True).fit(X, y)
    assert model.n_iter_ < 100
    assert model.score(X, y) > 0.9


def test_validation_rows_do_not_depend_on_the_order_of_the_table(rng):
    X, y = noisy(rng, n=400)
    mixed = rng.permutation(len(y))
    first = linnet.Perceptron(early_stopping=True).fit(X, y)
    second = linnet.Perceptron(early_stopping=True).fit(X[mixed], y[mixed])
    np.testing.assert_array_equal(first.coef_, second.coef_)


def test_more_patience_makes_more_passes(rng):
    X, y = noisy(rng, n=100_000, d=3)
    passes = [linnet.Perceptron(n_iter_no_change=k).fit(X, y).n_iter_ for k in (2, 5, 9)]
    assert passes[0] < passes[1] < passes[2]


def test_a_learner_that_got_worse_stops_and_says_so(rng):
    X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    model = linnet.OnlineRegressor("widrow-hoff", eta0=0.45, max_iter=400)
    with pytest.warns(ConvergenceWarning, match="passes no longer reduce the loss"):
        model.fit(X, y)
    assert model.n_iter_ < 400


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_iter_no_change": 0}, "n_iter_no_change must be a whole number"),
        ({"early_stopping": True, "validation_fraction": 0.0}, "validation_fraction must be above 0"),
        ({"early_stopping": True, "validation_fraction": 1.0}, "validation_fraction must be above 0"),
        ({"early_stopping": True, "mode": "batch"}, "early_stopping goes with mode='online'"),
    ],
)
def test_wrong_parameters_of_stopping_are_named(parameters, message, rng):
    with pytest.raises(linnet.RecipeError, match=message):
        linnet.Perceptron(**parameters).fit(*noisy(rng, n=50))


def test_a_fit_with_validation_rows_says_why_it_has_no_bound(rng):
    model = linnet.Perceptron(early_stopping=True).fit(*noisy(rng, n=200))
    assert "held out" in model.certificate_.reason
    assert not hasattr(model, "certify")


@pytest.fixture(scope="module")
def wide():
    """More columns than rows, most of them rare, and labels by some weight of each: rows that can be memorised."""
    rng = np.random.default_rng(7)
    n, d, each = 24_000, 50_000, 12
    ids = (d * rng.random((n, each)) ** 3).astype(np.int32)
    X = csr_array((np.ones(n * each), ids.reshape(-1), np.arange(0, n * each + 1, each)), shape=(n, d))
    X.sum_duplicates()
    scores = X @ rng.normal(size=d)
    y = (scores + 0.5 * scores.std() * rng.normal(size=n) > 0).astype(int)
    return X[:-4000], y[:-4000], X[-4000:], y[-4000:]


def test_an_adaptive_learner_that_memorises_rows_stops_and_predicts_no_worse(wide):
    X, y, X_test, y_test = wide
    model = linnet.OnlineClassifier().fit(X, y)
    losses = [each.loss for each in model.history_]
    assert len(losses) == PRESENTATIONS / len(y)
    assert losses[-1] <= 0.5 * losses[0]
    longer = linnet.OnlineClassifier(max_iter=30, tol=None).fit(X, y)
    assert longer.n_iter_ == 30
    assert model.score(X_test, y_test) >= longer.score(X_test, y_test)


def test_a_penalty_stands_against_memorising(wide):
    X, y, *_ = wide
    assert linnet.OnlineClassifier(alpha=1e-6).fit(X, y).n_iter_ > PRESENTATIONS / len(y)


def test_few_rows_are_presented_often_before_they_count_as_memorised(rng):
    X = rng.normal(size=(100, 200))
    y = (X[:, 0] > 0).astype(int)
    history = linnet.OnlineClassifier().fit(X, y).history_
    assert history[-2].loss < 0.5 * history[0].loss


def test_an_adaptive_learner_stops_when_only_the_tolerance_of_the_first_loss_is_left(rng):
    """No loss is below 0: later passes could improve it by no more than that."""
    X = rng.normal(size=(50, 2000))
    y = rng.normal(size=50)
    model = linnet.OnlineRegressor(tol=0.01).fit(X, y)
    losses = [each.loss for each in model.history_]
    assert losses[-1] <= 0.01 * losses[0] < losses[-2]
    assert len(losses) < linnet.OnlineRegressor(tol=1e-6).fit(X, y).n_iter_
