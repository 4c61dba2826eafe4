"""Certificates: the dual value lies below every objective, and meets it at an optimum found by others."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.sparse import csr_array

from linnet import LogisticRegression
from linnet.data.rows import Examples, Rows
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty
from linnet.training.duality_gap import Certificate, certify, joined
from linnet.training.objective import Objective
from linnet.training.row_losses import losses_at

SMOOTH = [(Loss.LOGISTIC, 1), (Loss.LOGISTIC, 3), (Loss.SQUARED_HINGE, 1), (Loss.SQUARED, 1)]


def twin(loss, scores, targets):
    """The losses again, from their definitions."""
    if loss is Loss.SQUARED:
        return 0.5 * (scores[:, 0] - targets) ** 2
    if scores.shape[1] > 1:
        return np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(len(targets)), targets.astype(int)]
    margins = np.where(targets == 1, 1.0, -1.0) * scores[:, 0]
    short = np.maximum(0, 1 - margins)
    return {Loss.LOGISTIC: np.log1p(np.exp(-margins)), Loss.HINGE: short, Loss.SQUARED_HINGE: short**2}[loss]


def problem(rng, loss, outputs, penalty, *, intercept=True, weighted=False, sparse=False):
    n, d = int(rng.integers(5, 40)), int(rng.integers(1, 6))
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    targets = rng.normal(size=n) if loss is Loss.SQUARED else rng.integers(0, max(2, outputs), n).astype(float)
    targets[: max(2, outputs)] = np.arange(max(2, outputs))
    weights = rng.integers(0, 4, n).astype(float) + 0.5 if weighted else None
    rows = Rows.of(csr_array(X) if sparse else X)
    made = Objective(
        Examples(rows, targets, weights), loss, penalty, outputs, intercept=intercept, regression=loss is Loss.SQUARED
    )

    def value(flat):
        table = flat.reshape(-1, outputs)
        c = np.ones(n) if weights is None else weights
        scores = X @ table[:-1] + table[-1]
        w = table[:-1]
        return c @ twin(loss, scores, targets) / c.sum() + penalty.l1 * np.abs(w).sum() + penalty.l2 / 2 * (w**2).sum()

    return made, value


@pytest.mark.parametrize(("loss", "outputs"), [*SMOOTH, (Loss.HINGE, 1)], ids=str)
@pytest.mark.parametrize("penalty", [Penalty(l2=0.1), Penalty(l1=0.05), Penalty(l1=0.02, l2=0.1)], ids=str)
def test_no_weights_fall_below_the_dual_value(loss, outputs, penalty):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        made, value = problem(rng, loss, outputs, penalty, intercept=seed % 3 > 0, weighted=seed % 2 > 0)
        points = [rng.normal(size=made.size) * scale for scale in (0.0, 0.1, 1.0, 3.0)]
        if not made.intercept:
            for point in points:
                point.reshape(-1, outputs)[-1] = 0.0
        found = [certify(made, point) for point in points]
        for point, certificate in zip(points, found, strict=True):
            assert certificate.primal == pytest.approx(value(point), rel=1e-12)
        assert max(each.dual for each in found) <= min(each.primal for each in found) + 1e-12


@pytest.mark.parametrize(("loss", "outputs"), SMOOTH, ids=str)
@pytest.mark.parametrize("sparse", [False, True])
def test_the_gap_closes_at_the_optimum(loss, outputs, sparse):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        made, value = problem(rng, loss, outputs, Penalty(l2=0.1), weighted=seed % 2 > 0, sparse=sparse)
        best = minimize(value, np.zeros(made.size), method="BFGS", options={"gtol": 1e-9}).x
        certificate = certify(made, best)
        assert certificate.gap < 1e-6
        assert certificate.dual <= value(best) + 1e-12


def test_a_loss_with_a_kink_takes_the_dual_point_of_its_solver():
    # one row on each side at distance 2: w = 1/2 |x| separates with margin 1, both rows exactly at the kink
    rows = Rows.of(np.array([[2.0], [-2.0]]))
    made = Objective(
        Examples(rows, np.array([1.0, 0.0])), Loss.HINGE, Penalty(l2=1.0), 1, intercept=True, regression=False
    )
    best = np.array([0.5, 0.0])
    without = certify(made, best)
    with_point = certify(made, best, np.array([[-0.25], [0.25]]))
    assert without.gap > 0.5
    assert (with_point.primal, with_point.dual) == (pytest.approx(0.125), pytest.approx(0.125))


@pytest.mark.parametrize("loss", [Loss.LOGISTIC, Loss.SQUARED_HINGE, Loss.SQUARED], ids=str)
@pytest.mark.parametrize("penalty", [Penalty(l1=0.05), Penalty(l1=0.02, l2=0.1), Penalty(l2=0.1)], ids=str)
def test_sums_of_slopes_that_are_known_prove_no_more_than_sums_taken_anew(loss, penalty):
    """Also where the slopes have to be balanced first, so that their sums are not quite these."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        made, value = problem(rng, loss, 1, penalty, intercept=seed % 3 > 0, weighted=seed % 2 > 0, sparse=seed % 5 > 2)
        flat = 0.3 * rng.normal(size=made.size)
        if not made.intercept:
            flat[-1] = 0.0
        slopes = losses_at(made, made.scores(flat), slice(None)).slopes
        c = made.sample_weights if len(made.sample_weights) else np.ones(len(slopes))
        sums = made.summed((c / c.sum())[:, np.newaxis] * slopes)[:-1]
        products = made.scores(flat)[:, 0] - flat[-1] if seed % 2 else None
        known, anew = certify(made, flat, slopes, products=products, summed=sums), certify(made, flat, slopes)
        assert known.primal == pytest.approx(value(flat), rel=1e-12)
        assert known.dual <= anew.dual + 1e-12
        if not made.intercept:
            assert known.dual == pytest.approx(anew.dual, rel=1e-9)


def test_without_a_penalty_nothing_is_claimed():
    made, _ = problem(np.random.default_rng(0), Loss.LOGISTIC, 1, Penalty())
    assert "penalty" in certify(made, np.zeros(made.size)).reason
    assert certify(made, np.zeros(made.size)).gap == np.inf


def test_problems_side_by_side_add_up():
    both = joined([Certificate(2.0, 1.5), Certificate(3.0, 2.5)])
    assert (both.primal, both.dual, both.gap) == (5.0, 4.0, pytest.approx(0.2))
    assert joined([Certificate(2.0, 1.5), Certificate(1.0, -np.inf, "why")]).reason == "why"


def test_a_bound_above_the_objective_is_no_proof():
    assert Certificate(1.0, 1.0 + 1e-12).gap == 0.0  # rounding
    broken = Certificate(1.0, 1.1)
    assert "above the objective" in broken.reason
    assert broken.gap == np.inf
    assert joined([Certificate(2.0, 1.5), broken]).reason == broken.reason


@pytest.mark.parametrize("loss", [Loss.LOGISTIC, Loss.HINGE, Loss.SQUARED_HINGE, Loss.SQUARED], ids=str)
@pytest.mark.parametrize("penalty", [Penalty(l2=1e-3), Penalty(l1=0.05)], ids=str)
def test_no_bound_is_below_zero_however_far_the_weights_are_off(loss, penalty):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        made, _ = problem(rng, loss, 1, penalty)
        assert certify(made, rng.normal(size=made.size) * 100).dual >= 0.0


@pytest.mark.parametrize("off", [1e4, 1e6, 1e8])
def test_a_large_mean_of_targets_and_columns_does_not_lift_the_bound(off):
    # the optimum of one centred column is known in closed form, here in extended precision
    rng = np.random.default_rng(1)
    n, alpha = 200, 1e-3
    x = off + rng.normal(size=n)
    y = 1e6 + x - off + 1e-3 * rng.normal(size=n)
    wide = np.longdouble
    xc, yc = x.astype(wide) - x.astype(wide).mean(), y.astype(wide) - y.astype(wide).mean()
    w = (xc @ yc) / (xc @ xc + alpha)
    best = float(((yc - w * xc) ** 2).sum() / (2 * n) + alpha / (2 * n) * w * w)
    made = Objective(
        Examples(Rows.of(x[:, np.newaxis]), y), Loss.SQUARED, Penalty(l2=alpha, total=True), 1,
        intercept=True, regression=True,
    )  # fmt: skip
    found = certify(made, np.array([float(w), float(y.mean() - w * x.mean())]))
    assert not found.reason
    assert found.dual <= best
    assert found.gap <= 1e-2


def rare_labels(rng, n=2000, rare=(6, 2)):
    """Seven classes, as in a table of faults: most rows are of one, and a few rows of some."""
    common = rng.choice(5, n - sum(rare), p=[0.78, 0.01, 0.01, 0.15, 0.05])
    y = np.concatenate([common, np.repeat([5, 6], rare)])
    return rng.normal(size=(7, 4))[y] * 2 + rng.normal(size=(n, 4)), y.astype(float)


@pytest.mark.parametrize("l2", [1e-2, 1e-3])
def test_intercepts_of_rare_classes_that_are_off_do_not_make_the_joint_bound_vacuous(l2):
    """What the bound misses is about what the weights miss, here by another optimiser, not all of the objective."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        X, y = rare_labels(rng, 600)
        made = Objective(Examples(Rows.of(X), y), Loss.LOGISTIC, Penalty(l2=l2), 7, intercept=True, regression=False)

        def value(flat, X=X, y=y):
            table = flat.reshape(-1, 7)
            scores = X @ table[:-1] + table[-1]
            scores = scores - scores.max(axis=1, keepdims=True)
            q = np.exp(scores)
            q /= q.sum(axis=1, keepdims=True)
            own = np.eye(7)[y.astype(int)]
            slopes = (q - own) / len(y)
            gradient = np.concatenate([X.T @ slopes + l2 * table[:-1], slopes.sum(axis=0)[np.newaxis]])
            losses = -np.log(np.maximum((q * own).sum(axis=1), 1e-300))
            return losses.mean() + l2 / 2 * (table[:-1] ** 2).sum(), gradient.reshape(-1)

        best = minimize(
            value, np.zeros(made.size), jac=True, method="L-BFGS-B", options={"maxiter": 5000, "ftol": 1e-15}
        )
        near = best.x.copy()
        near[-7:] += 0.2 * rng.normal(size=7)
        found = certify(made, near)
        assert found.dual <= best.fun + 1e-12
        missed = value(near)[0] - best.fun
        assert found.primal - found.dual <= 3 * missed + 2e-4 * best.fun


def test_slopes_of_many_classes_are_balanced_by_moving_as_little_as_can_be():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rare_labels(rng, 300)
        made = Objective(Examples(Rows.of(X), y), Loss.HINGE, Penalty(l2=0.1), 7, intercept=True, regression=False)
        losses = losses_at(made, rng.normal(size=(300, 7)))
        q = rng.dirichlet(np.full(7, 0.1), size=300)
        g = q - losses.own
        moved = losses.balanced(g, losses.amounts(g))
        after = moved + losses.own
        assert after.min() >= -1e-15
        assert_allclose(after.sum(axis=1), 1.0, rtol=1e-12)
        assert_allclose(after.mean(axis=0), losses.own.mean(axis=0), atol=1e-12)
        least = 0.5 * np.abs(q.mean(axis=0) - losses.own.mean(axis=0)).sum()
        assert 0.5 * np.abs(after - q).sum(axis=1).mean() == pytest.approx(least, rel=1e-9)


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cg"])
@pytest.mark.parametrize("C", [1.0, 100.0])
def test_joint_fits_with_rare_labels_are_proven_to_tol(solver, C):
    X, y = rare_labels(np.random.default_rng(5))
    model = LogisticRegression(solver=solver, C=C).fit(X, y)  # a warning is an error
    assert model.certificate_.gap <= 1.01e-4
    tight = LogisticRegression(solver="newton-cg", C=C, tol=1e-9).fit(X, y)
    assert model.certificate_.dual <= tight.certificate_.primal


@pytest.mark.parametrize(("loss", "outputs"), [*SMOOTH, (Loss.HINGE, 1), (Loss.HINGE, 3)], ids=str)
@pytest.mark.parametrize("off", [0.0, 1e5, 1e8])
def test_the_objective_is_off_by_no_more_than_rounding_is_said_to_do(loss, outputs, off):
    wide = np.longdouble
    for seed in range(10):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(20, 400)), int(rng.integers(1, 8))
        X = (rng.normal(size=(n, d)) + off * rng.normal(size=d)) * 10.0 ** rng.uniform(-6, 6, d)
        y = rng.normal(size=n) + off if loss is Loss.SQUARED else rng.integers(0, max(2, outputs), n).astype(float)
        W = rng.normal(size=(d, outputs)) / X.std(axis=0)[:, np.newaxis]
        b = -X.mean(axis=0) @ W + (off if loss is Loss.SQUARED else 0.0)
        made = Objective(
            Examples(Rows.of(X), y), loss, Penalty(l2=1e-3), outputs, intercept=True, regression=loss is Loss.SQUARED
        )
        found = certify(made, np.append(W, b))
        scores = X.astype(wide) @ W.astype(wide) + b.astype(wide)
        w = W.astype(wide)
        if loss is Loss.HINGE and outputs > 1:
            own = np.eye(outputs)[y.astype(int)]
            losses = (scores + 1 - own).max(axis=1) - (own * scores).sum(axis=1)
        elif outputs > 1:
            top = scores.max(axis=1, keepdims=True)
            own = scores[np.arange(n), y.astype(int)]
            losses = np.log(np.exp(scores - top).sum(axis=1)) + top[:, 0] - own
        else:
            losses = twin(loss, scores, y.astype(wide))
        true = losses.mean() + wide(5e-4) * (w * w).sum()
        assert abs(found.primal - true) <= found.rounding
