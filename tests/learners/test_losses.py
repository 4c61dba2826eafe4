"""A loss is one object: its parts agree with one another, and a loss of one's own is fitted and certified."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize, minimize_scalar
from scipy.sparse import csr_array

import linnet
from linnet import catalogue
from linnet.data.labels import Labels
from linnet.data.rows import Examples, Rows
from linnet.learners.entry import Entry, Solver, Way
from linnet.learners.losses import NAMED, Loss, MarginLoss
from linnet.learners.recipe import Penalty, Recipe, Reduction
from linnet.learners.regularisation import PenaltyKind, Regularisation
from linnet.learners.robust_losses import FixedHuber
from linnet.learners.svr_losses import EpsilonInsensitive, SquaredEpsilonInsensitive
from linnet.training.fit import Settings, fit
from tests import twins
from tests.cli.calling import contributing

SHOWN = {"MarginLoss": MarginLoss, "np": np, "__name__": __name__}
exec(contributing("Adding a loss"), SHOWN)
SmoothHinge = SHOWN["SmoothHinge"]


class Huber(Loss):
    """(z - y)^2 / 2 where that is short, a line beyond (Huber 1964)."""

    name = "huber"
    largest_curvature = 1.0
    width = 0.7

    def value(self, scores, targets):
        r = np.abs(scores - targets)
        return np.where(r <= self.width, 0.5 * r * r, self.width * (r - 0.5 * self.width))

    def slope(self, scores, targets):
        return np.clip(scores - targets, -self.width, self.width)

    def curvature(self, scores, targets):
        return (np.abs(scores - targets) <= self.width).astype(float)

    def conjugate(self, slopes, targets):
        return 0.5 * slopes**2 + slopes * targets

    def allowed(self, slopes, targets):  # noqa: ARG002
        return np.clip(slopes, -self.width, self.width)


OWN = (SmoothHinge(), Huber())
OF_RESIDUALS = (FixedHuber(0.7), EpsilonInsensitive(0.3), SquaredEpsilonInsensitive(0.3))
SCORES = st.floats(-5, 5)


@pytest.mark.parametrize("loss", [*NAMED, *OWN, *OF_RESIDUALS], ids=repr)
@given(score=SCORES, target=st.sampled_from([-1.0, 1.0]))
def test_slopes_and_curvatures_are_those_of_the_values(loss, score, target):
    h = 1e-5
    z, y = np.array([score - h, score, score + h]), np.full(3, target)
    values, slopes = loss.at(z, y)
    assert_allclose(values, loss.value(z, y))
    assert_allclose(slopes, loss.slope(z, y))
    assert (values >= 0).all()
    assert slopes[0] <= (values[2] - values[0]) / (2 * h) + 1e-9 <= slopes[2] + 2e-9  # convex
    if loss.smooth:
        bends = loss.curvature(z, y)
        assert (bends <= loss.largest_curvature).all()
        assert bends.min() - 1e-4 <= (slopes[2] - slopes[0]) / (2 * h) <= bends.max() + 1e-4
    if loss.strictly_convex:
        assert (bends > 0).all()


@pytest.mark.parametrize("loss", [loss for loss in (*NAMED, *OWN, *OF_RESIDUALS) if loss.has_conjugate], ids=repr)
@settings(max_examples=30)
@given(slope=st.floats(-6, 6), target=st.sampled_from([-1.0, 1.0]))
def test_the_conjugate_is_the_largest_difference_between_a_line_and_the_loss(loss, slope, target):
    y = np.array([target])
    g = loss.allowed(np.array([slope]), y)
    largest = -minimize_scalar(
        lambda z: (loss.value(np.array([z]), y) - g * z)[0], bounds=(-60, 60), options={"xatol": 1e-10}
    ).fun
    assert loss.conjugate(g, y)[0] == pytest.approx(largest, abs=1e-6)


@pytest.mark.parametrize("loss", NAMED, ids=repr)
@given(margin=SCORES)
def test_the_objects_have_the_kernels_losses(loss, margin):
    value, pull = twins.loss_and_pull(loss, margin)
    values, slopes = loss.at(np.array([margin]), np.ones(1))
    assert (values[0], -slopes[0]) == (pytest.approx(value), pytest.approx(pull))


@pytest.mark.parametrize("loss", NAMED, ids=repr)
def test_a_named_loss_stays_itself_when_a_recipe_is_copied(loss):
    recipe = Recipe(loss)
    for same in (copy.deepcopy(recipe), pickle.loads(pickle.dumps(recipe))):
        assert same.loss is loss
    assert repr(loss) == f"Loss.{loss.name.upper()}"


@pytest.mark.parametrize("loss", [Loss.LOGISTIC, Loss.HINGE], ids=repr)
def test_joint_losses_have_the_conjugates_of_their_values(loss, rng):
    own = np.eye(4)[[1]]
    z = rng.normal(size=(1, 4)) * 2
    value, q = loss.joint.at(z, own)
    # Fenchel: equal at the slopes, and no score gives more
    assert loss.joint.conjugate(q, own)[0] == pytest.approx(((q - own) * z).sum() - value[0])
    for other in rng.normal(size=(200, 1, 4)) * 3:
        assert ((q - own) * other).sum() - loss.joint.at(other, own)[0][0] <= loss.joint.conjugate(q, own)[0] + 1e-9


def test_the_curvature_of_the_softmax_loss_is_the_change_of_its_slopes(rng):
    z, along, h = rng.normal(size=(50, 4)), rng.normal(size=(50, 4)), 1e-5
    own, joint = np.eye(4)[rng.integers(4, size=50)], Loss.LOGISTIC.joint
    q = joint.at(z, own)[1]
    change = joint.at(z + h * along, own)[1] - joint.at(z - h * along, own)[1]
    assert_allclose(joint.curvature(q, along), change / (2 * h), atol=1e-9)
    by_one = [joint.curvature(q, np.eye(4)[k])[:, k] for k in range(4)]
    assert_allclose(joint.curvatures(q), np.column_stack(by_one), rtol=1e-12)


def row_of(loss, *solvers, task=catalogue.Task.CLASSIFICATION):
    return Entry(
        loss.name, Recipe(loss, penalty=Penalty(l2=2.0, total=True), reduction=Reduction.ONE_VS_REST), Way.BATCH,
        (task,), "A loss of one's own.", "", "", strength="C", penalties=("l2", "l1"), multiclass=(
            Reduction.ONE_VS_REST, Reduction.PAIRWISE,
        ), solvers=tuple(Solver(name, "") for name in solvers), tol=1e-8, max_iter=20_000,
    )  # fmt: skip


ALL = ("newton-cholesky", "newton-cg", "lbfgs", "gradient")


def least(X, losses_at, l1=0.0, l2=2.0):
    """The least objective there is, by SciPy: weights are split in two parts that are not negative."""
    d = X.shape[1]

    def value(v):
        w = v[:d] - v[d : 2 * d]
        return losses_at(X @ w + v[-1]) + l1 * v[: 2 * d].sum() + 0.5 * l2 * w @ w

    bounds = [(0, None)] * (2 * d) + [(None, None)]
    how = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 10_000, "maxfun": 10**6}
    return minimize(value, np.zeros(2 * d + 1), method="L-BFGS-B", bounds=bounds, options=how).fun


@pytest.mark.parametrize("solver", [*ALL, "auto"])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_a_loss_of_ones_own_is_fitted_and_certified_by_every_batch_solver(solver, form, rng):
    X, weights = rng.normal(size=(120, 3)) * [1, 5, 0.2], rng.integers(1, 4, size=120).astype(float)
    y = (X @ [1.0, -0.3, 2.0] + rng.normal(size=120) > 0.5).astype(float)
    signs = 2 * y - 1

    def independent(scores):
        m = signs * scores
        return weights @ np.where(m >= 1, 0.0, np.where(m >= 0, (1 - m) ** 2 / 2, 0.5 - m))

    examples = Examples(Rows.of(form(X)), y, weights)
    found = fit(row_of(SmoothHinge(), *ALL), examples, Labels([0, 1]), Settings(solver=solver))
    assert found.converged
    assert found.certificate.gap <= 1e-8
    assert found.solver == ("newton-cholesky" if solver == "auto" else solver)
    w, b = found.model.weights[:, 0], found.model.intercepts[0]
    best = least(X, independent)
    assert independent(X @ w + b) + w @ w == pytest.approx(best, rel=1e-6)
    assert found.certificate.dual * weights.sum() <= best * (1 + 1e-9)


def test_an_L1_penalty_goes_with_a_loss_of_ones_own(rng):
    X = rng.normal(size=(150, 5))
    y = (X @ [2.0, 0, 0, -1.0, 0] + rng.normal(size=150) > 0).astype(float)
    row = row_of(SmoothHinge(), *ALL)
    row = Regularisation(C=0.1, penalty=PenaltyKind.L1).of(row)
    found = fit(row, Examples(Rows.of(X), y), Labels([0, 1]))
    m = (2 * y - 1) * (X @ found.model.weights[:, 0] + found.model.intercepts[0])
    ours = (
        np.where(m >= 1, 0.0, np.where(m >= 0, (1 - m) ** 2 / 2, 0.5 - m)).sum()
        + 10 * np.abs(found.model.weights).sum()
    )

    def independent(scores):
        m = (2 * y - 1) * scores
        return np.where(m >= 1, 0.0, np.where(m >= 0, (1 - m) ** 2 / 2, 0.5 - m)).sum()

    assert found.solver == "gradient"
    assert found.certificate.gap <= 1e-8
    assert ours == pytest.approx(least(X, independent, l1=10.0, l2=0.0), rel=1e-6)


@pytest.mark.parametrize("solver", ALL)
def test_a_loss_of_residuals_is_fitted_and_certified_for_numbers(solver, rng):
    X = rng.normal(size=(100, 3))
    y = 3.0 + X @ [1.0, 2.0, -1.0] + rng.standard_t(1.5, size=100)
    row = row_of(Huber(), *ALL, task=catalogue.Task.REGRESSION)
    found = fit(row, Examples(Rows.of(X), y), None, Settings(solver=solver))
    w, b = found.model.weights[:, 0], found.model.intercepts[0]

    def independent(scores):
        r = np.abs(scores - y)
        return np.where(r <= 0.7, r * r / 2, 0.7 * r - 0.245).sum()

    assert found.certificate.gap <= 1e-8
    assert independent(X @ w + b) + w @ w == pytest.approx(least(X, independent), rel=1e-6)


def test_one_object_and_one_row_are_all_that_training_takes(monkeypatch, rng):
    monkeypatch.setitem(catalogue.ROWS, "smooth_hinge", row_of(SmoothHinge(), *ALL))
    y = rng.integers(3, size=150)
    X = rng.normal(size=(150, 2)) + np.array([[0, 0], [4, 0], [0, 4]])[y]
    model = linnet.train((X, y), learner="smooth_hinge", holdout=0.0)
    assert np.mean(np.array(model.predict((X, y))) == y) > 0.9
    assert model.certificate.gap <= 1e-8


def test_what_a_loss_of_ones_own_cannot_do_is_refused_with_the_reason(rng):
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 3
    with pytest.raises(linnet.RecipeError, match="smooth_hinge loss is for solvers that see all rows at once"):
        linnet.OnlineClassifier(Recipe(SmoothHinge())).fit(X, y)
    row = row_of(SmoothHinge(), *ALL)
    joint = linnet.Recipe(SmoothHinge(), penalty=row.recipe.penalty)
    examples = Examples(Rows.of(X), y.astype(float))
    with pytest.raises(linnet.RecipeError, match="takes several classes one by one: multiclass='one-vs-rest'"):
        fit(Entry("x", joint, Way.BATCH, row.tasks, "", "", "", solvers=row.solvers), examples, Labels([0, 1, 2]))
    with pytest.raises(linnet.RecipeError, match="solver='dual' is not for smooth_hinge: there is newton-cholesky"):
        fit(row, examples, Labels([0, 1, 2]), Settings(solver="dual"))
