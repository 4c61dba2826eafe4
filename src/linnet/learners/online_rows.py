"""The learners that see one row at a time."""

from __future__ import annotations

from linnet.data.task import Task
from linnet.learners.entry import Entry, TextWeighting, Way
from linnet.learners.losses import Loss
from linnet.learners.recipe import Averaging, Factors, Penalty, Recipe, Reduction, Update
from linnet.learners.schedule import Schedule, constant, inverse_sqrt, passive_aggressive

_CLASSES = (Task.CLASSIFICATION,)
_BOTH = (Task.CLASSIFICATION, Task.REGRESSION)
_ANY_PENALTY = ("l2", "l1", "elasticnet", "none")
_ONE_BY_ONE = (Reduction.ONE_VS_REST, Reduction.PAIRWISE)


def _winnow(factors: Factors) -> Recipe:
    return Recipe(Loss.PERCEPTRON, Update.MULTIPLICATIVE, reduction=Reduction.ONE_VS_REST, factors=factors)


ROWS = (
    Entry(
        "adaptive",
        Recipe(Loss.LOGISTIC, Update.ADAPTIVE, constant(0.5)),
        Way.ONLINE,
        _CLASSES,
        "Logistic loss with a step size for every weight, in its column's scale: nothing to scale, nothing to tune.",
        "w_j += 0.5 √(t/N) g_j / (s_j √Σg_j²), s_j = max |x_j|, N = Σ|x/s|²",
        "Ross, Mineiro, Langford 2013, Normalized online learning (NAG)",
        strength="alpha",
        penalties=_ANY_PENALTY,
    ),
    Entry(
        "adaptive-squared",
        Recipe(Loss.SQUARED, Update.ADAPTIVE, constant(0.5)),
        Way.ONLINE,
        _BOTH,
        "The adaptive learner for least squares; the target is standardised as it is read.",
        "as adaptive, with g = ((y - mean)/deviation - w·x) x; a step that would move w·x by r times the error is "
        "multiplied by (1 - e^-r)/r, so that it never goes beyond y",
        "Ross, Mineiro, Langford 2013, Normalized online learning (NAG); Karampatziakis, Langford 2011, Online "
        "importance weight aware updates",
        strength="alpha",
        penalties=_ANY_PENALTY,
    ),
    Entry(
        "adaptive-hinge",
        Recipe(Loss.HINGE, Update.ADAPTIVE, constant(0.5)),
        Way.ONLINE,
        _CLASSES,
        "The adaptive learner for the hinge loss.",
        "as adaptive, with g = y x where y w·x < 1",
        "Ross, Mineiro, Langford 2013, Normalized online learning (NAG)",
        strength="alpha",
        penalties=_ANY_PENALTY,
    ),
    Entry(
        "perceptron",
        Recipe(Loss.PERCEPTRON),
        Way.ONLINE,
        _CLASSES,
        "Adds a row to the weights whenever they get it wrong, until a pass makes no mistake.",
        "if y w·x ≤ 0: w += y x",
        "Rosenblatt 1958, The perceptron",
        tol=1e-3,
        max_iter=1000,
    ),
    Entry(
        "averaged-perceptron",
        Recipe(Loss.PERCEPTRON, averaging=Averaging.AVERAGE),
        Way.ONLINE,
        _CLASSES,
        "The perceptron, predicting with the mean of its weights over all steps.",
        "w̄ = Σ_t w_t / T",
        "Freund, Schapire 1999, Large margin classification using the perceptron algorithm",
        tol=1e-3,
        max_iter=1000,
    ),
    Entry(
        "voted-perceptron",
        Recipe(Loss.PERCEPTRON, averaging=Averaging.VOTE),
        Way.ONLINE,
        _CLASSES,
        "The perceptron's every hypothesis votes, with the number of rows it survived.",
        "sign Σ_n c_n sign(w_n·x)",
        "Freund, Schapire 1999, Large margin classification using the perceptron algorithm",
        tol=1e-3,
        max_iter=1000,
    ),
    Entry(
        "winnow",
        _winnow(Factors(1.2, 1 / 1.2, balanced=True)),
        Way.ONLINE,
        _CLASSES,
        "Balanced Winnow: a weight for each column and one against it, multiplied, so that few columns among very many "
        "are found fast. It treats both classes alike, tolerates noise, and fits its threshold.",
        "with s = (w⁺ - w⁻)·(x, 1), a positive row with s ≤ 0 or a negative one with s > 0: w⁺_j *= α^(y x_j), "
        "w⁻_j *= α^(-y x_j), from w⁺ = w⁻ = 1, α = 1.2",
        "Littlestone 1989, Mistake bounds and logarithmic linear-threshold learning algorithms",
        multiclass=_ONE_BY_ONE,
        tol=1e-3,
        max_iter=1000,
        text=TextWeighting.BINARY,
    ),
    Entry(
        "winnow1",
        _winnow(Factors(2.0, 0.0)),
        Way.ONLINE,
        _CLASSES,
        "Winnow with elimination, for Boolean columns of which any of a few makes a row positive.",
        "a positive row with w·x ≤ Θ: w_j *= α; a negative one with w·x > Θ: w_j = 0, from w = 1, α = 2, Θ = d/2",
        "Littlestone 1988, Learning quickly when irrelevant attributes abound",
        multiclass=_ONE_BY_ONE,
        tol=1e-3,
        max_iter=1000,
        text=TextWeighting.BINARY,
    ),
    Entry(
        "winnow2",
        _winnow(Factors(2.0, 0.5)),
        Way.ONLINE,
        _CLASSES,
        "Winnow with demotion by division: a mistaken or noisy row can be made good again.",
        "as winnow1, but a negative row with w·x > Θ: w_j /= α; numbers from 0 to 1 as powers, α^x_j",
        "Littlestone 1988, Learning quickly when irrelevant attributes abound",
        multiclass=_ONE_BY_ONE,
        tol=1e-3,
        max_iter=1000,
        text=TextWeighting.BINARY,
    ),
    Entry(
        "passive-aggressive-1",
        Recipe(Loss.HINGE, schedule=passive_aggressive(1.0, variant=1)),
        Way.ONLINE,
        _CLASSES,
        "The smallest step that gives the row a margin of 1, but never longer than C.",
        "w += min(C, hinge/|x|²) y x",
        "Crammer et al. 2006, Online passive-aggressive algorithms (PA-I)",
        strength="C",
        max_iter=1000,
    ),
    Entry(
        "passive-aggressive-2",
        Recipe(Loss.HINGE, schedule=passive_aggressive(1.0, variant=2)),
        Way.ONLINE,
        _CLASSES,
        "As PA-I, with the step softened instead of capped.",
        "w += hinge/(|x|² + 1/2C) y x",
        "Crammer et al. 2006, Online passive-aggressive algorithms (PA-II)",
        strength="C",
        max_iter=1000,
    ),
    Entry(
        "pegasos",
        Recipe(Loss.HINGE, schedule=Schedule(1.0, 1.0, per_penalty=True), penalty=Penalty(l2=1e-4)),
        Way.ONLINE,
        _CLASSES,
        "Stochastic subgradient descent on the linear SVM's objective, with steps 1 / (λ t).",
        "w ← (1 - 1/t) w + y x / (λ t) where y w·x < 1",
        "Shalev-Shwartz, Singer, Srebro 2007, Pegasos",
        strength="alpha",
        penalties=("l2",),
    ),
    Entry(
        "sgd-hinge",
        Recipe(Loss.HINGE, schedule=constant(0.01), penalty=Penalty(l2=1e-4)),
        Way.ONLINE,
        _CLASSES,
        "Stochastic subgradient descent on the hinge loss with a constant step.",
        "w ← (1 - ηλ) w + η y x where y w·x < 1",
        "Bottou 2010, Large-scale machine learning with stochastic gradient descent",
        strength="alpha",
        penalties=_ANY_PENALTY,
    ),
    Entry(
        "sgd-logistic",
        Recipe(Loss.LOGISTIC, schedule=inverse_sqrt(0.5), penalty=Penalty(l2=1e-4)),
        Way.ONLINE,
        _CLASSES,
        "Stochastic gradient ascent on the log-likelihood; softmax for many classes.",
        "w += η_t (y - p(x)) x",
        "Bottou 2010, Large-scale machine learning with stochastic gradient descent",
        strength="alpha",
        penalties=_ANY_PENALTY,
    ),
    Entry(
        "widrow-hoff",
        Recipe(Loss.SQUARED, schedule=constant(0.01)),
        Way.ONLINE,
        _BOTH,
        "Least mean squares, one row at a time.",
        "w += r (y - w·x) x",
        "Widrow, Hoff 1960, Adaptive switching circuits",
        strength="alpha",
        penalties=_ANY_PENALTY,
    ),
)
