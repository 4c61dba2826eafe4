"""Support vector regression."""

from __future__ import annotations

from linnet.data.task import Task
from linnet.learners.entry import Entry, Solver, Way
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty, Recipe
from linnet.learners.svr_losses import EpsilonInsensitive, SquaredEpsilonInsensitive

_CITATION = "Ho, Lin 2012, Large-scale linear support vector regression"


def _row(name: str, loss: Loss, summary: str, formula: str, step: str, *more: Solver) -> Entry:
    return Entry(
        name,
        Recipe(loss, penalty=Penalty(l2=1.0, total=True)),
        Way.BATCH,
        (Task.REGRESSION,),
        summary,
        formula,
        "Vapnik 1995, The nature of statistical learning theory",
        strength="C",
        penalties=("l2",),
        solvers=(
            *more,
            Solver("dual", "Coordinate ascent on the dual, with rows at their bounds left out.", step, _CITATION),
        ),
        tol=1e-4,
        max_iter=1000,
    )


ROWS = (
    _row(
        "svr",
        EpsilonInsensitive(),
        "Linear support vector regression: residuals count by their size beyond epsilon, below it not at all.",
        "minimise |w|²/2 + C Σ max(0, |y - w·x| - ε)",
        "α ← clip(soft(α + r/|x|², ε/|x|²), -C, C), w = Σ α x, r = y - w·x",
    ),
    _row(
        "svr-squared",
        SquaredEpsilonInsensitive(),
        "Linear support vector regression: residuals beyond epsilon count by their square.",
        "minimise |w|²/2 + C Σ max(0, |y - w·x| - ε)²",
        "α ← soft(α + (r - α/2C) s, ε s), s = 1/(|x|² + 1/2C), w = Σ α x, r = y - w·x",
        Solver(
            "newton-cholesky",
            "Newton's method with the whole Hessian, for few columns.",
            "w -= (2 C X'ᵀX' + I)⁻¹ g, X' the rows with |y - w·x| > ε",
            "Mangasarian 2002, A finite Newton method for classification",
        ),
    ),
)
