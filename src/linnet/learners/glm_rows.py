"""The learners of numbers that are not normal about their mean: counts, amounts, outliers, quantiles."""

from __future__ import annotations

from linnet.data.task import Task
from linnet.learners.entry import Entry, Solver, Way
from linnet.learners.glm_losses import Tweedie
from linnet.learners.recipe import Penalty, Recipe
from linnet.learners.robust_losses import Huber, Pinball

_NUMBERS = (Task.REGRESSION,)
# Beside the mean loss of a row: weak, but enough for an optimum that is finite and proven.
WEAK = 1e-4

_SOLVERS = (
    Solver(
        "newton-cholesky",
        "Newton's method with the whole Hessian, for few columns.",
        "w -= (XᵀDX + λI)⁻¹ g, D the second derivatives of the losses",
        "Nelder, Wedderburn 1972, Generalized linear models",
    ),
    Solver(
        "newton-cg",
        "Newton's method by conjugate gradients, with Hessian times vector products only.",
        "(XᵀDX + λI) s = -g, w += s",
        "Nash 1985, Preconditioning of truncated-Newton methods",
    ),
    Solver(
        "lbfgs",
        "L-BFGS, a quasi-Newton method.",
        "w -= η H g, H an approximate inverse Hessian from the last steps",
        "Liu, Nocedal 1989, On the limited memory BFGS method for large scale optimization",
    ),
)


def _glm(name: str, power: float, summary: str, formula: str, citation: str) -> Entry:
    return Entry(
        name,
        Recipe(Tweedie(power), penalty=Penalty(l2=WEAK)),
        Way.BATCH,
        _NUMBERS,
        summary,
        formula,
        citation,
        strength="alpha",
        penalties=("l2", "none"),
        solvers=_SOLVERS,
        tol=1e-6,
        max_iter=100,
    )


ROWS = (
    _glm(
        "poisson",
        1.0,
        "Poisson regression: the logarithm of a count's mean is a linear function of the row.",
        "minimise Σ (m - y log m) / N + alpha |w|²/2, m = exp(w·x)",
        "Nelder, Wedderburn 1972, Generalized linear models",
    ),
    _glm(
        "gamma",
        2.0,
        "Gamma regression: the logarithm of the mean of a positive number is a linear function of the row.",
        "minimise Σ (y / m + log m) / N + alpha |w|²/2, m = exp(w·x)",
        "Nelder, Wedderburn 1972, Generalized linear models",
    ),
    _glm(
        "tweedie",
        1.5,
        "Tweedie regression: amounts with a variance of mean^power; for 1 < power < 2 many are 0, as claims are.",
        "minimise Σ (m^(2-p) / (2-p) - y m^(1-p) / (1-p)) / N + alpha |w|²/2, m = exp(w·x)",
        "Jørgensen 1987, Exponential dispersion models",
    ),
    Entry(
        "quantile",
        Recipe(Pinball(0.5), penalty=Penalty(l1=WEAK)),
        Way.BATCH,
        _NUMBERS,
        "Quantile regression: the median, or any other quantile, of the target is a linear function of the row.",
        "minimise Σ max(q r, (q - 1) r) / N + alpha |w|₁, r = y - w·x",
        "Koenker, Bassett 1978, Regression quantiles",
        strength="alpha",
        penalties=("l1", "none"),
        solvers=(
            Solver(
                "interior-point",
                "An interior point method, then the vertex next to its end; for few columns and any number of rows.",
                "maximise a·y, Xᵀa = 0, (q - 1) ≤ a ≤ q, by predictor-corrector steps",
                "Portnoy, Koenker 1997, The Gaussian hare and the Laplacian tortoise",
            ),
            Solver("highs", "The linear programme by HiGHS, for many columns."),
        ),
        tol=1e-6,
        max_iter=200,
    ),
    Entry(
        "huber",
        Recipe(Huber(1.35), penalty=Penalty(l2=WEAK, total=True)),
        Way.BATCH,
        _NUMBERS,
        "Huber's regression: least squares in which outliers, beyond epsilon times a scale that is fitted, count by "
        "their size.",
        "minimise Σ (σ + σ H(r / σ)) + alpha |w|², r = y - w·x, H(t) = t² or, beyond ε, 2ε|t| - ε²",
        "Huber 1981, Robust statistics; Owen 2007, A robust hybrid of lasso and ridge regression",
        strength="alpha",
        penalties=("l2", "none"),
        solvers=(Solver("newton-cholesky", "Newton's method with the whole Hessian, the best scale at every step."),),
        tol=1e-6,
        max_iter=100,
    ),
)
