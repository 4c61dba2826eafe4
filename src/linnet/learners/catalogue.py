"""Every named algorithm: one recipe, one formula, one citation. Adding one is adding a row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum

from linnet.data.task import Task as Task
from linnet.errors import RecipeError
from linnet.learners.recipe import Averaging, Factors, Loss, Penalty, Recipe, Reduction, Update
from linnet.learners.schedule import Schedule, constant, inverse_sqrt, passive_aggressive


class Way(StrEnum):
    """How a recipe is run over the data."""

    ONLINE = "online"
    BATCH = "batch"
    NEWTON = "newton"
    DUAL = "dual"
    ANALYTIC = "analytic"
    COUNTING = "counting"


@dataclass(frozen=True)
class Entry:
    """A row of the catalogue."""

    name: str
    recipe: Recipe
    way: Way
    tasks: tuple[Task, ...]
    summary: str
    formula: str
    citation: str
    # which of C and alpha says how strongly it is held back, if either; the kinds of penalty, and the ways to take many
    # classes, that may be asked for (strength.py)
    strength: str = ""
    penalties: tuple[str, ...] = ()
    multiclass: tuple[Reduction, ...] = ()


_CLASSES = (Task.CLASSIFICATION,)
_NUMBERS = (Task.REGRESSION,)
_BOTH = (Task.CLASSIFICATION, Task.REGRESSION)

_ANY_PENALTY = ("l2", "l1", "elasticnet", "none")
_ONE_BY_ONE = (Reduction.ONE_VS_REST, Reduction.PAIRWISE)

# Where rows are only counted, scores are log-odds as those of the logistic loss are; no other choice has a meaning.
_COUNTED = Recipe(Loss.LOGISTIC)


def _winnow(factors: Factors) -> Recipe:
    return Recipe(Loss.PERCEPTRON, Update.MULTIPLICATIVE, reduction=Reduction.ONE_VS_REST, factors=factors)


_ROWS = (
    Entry(
        "adaptive",
        Recipe(Loss.LOGISTIC, Update.ADAPTIVE, constant(0.5)),
        Way.ONLINE,
        _CLASSES,
        "Logistic loss; every column in its own unit, every weight at its own rate: nothing to scale, nothing to tune.",
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
        "The adaptive learner for least squares; the target, too, is measured in its own running unit.",
        "as adaptive, with g = ((y - mean)/deviation - w·x) x",
        "Ross, Mineiro, Langford 2013, Normalized online learning (NAG)",
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
    ),
    Entry(
        "averaged-perceptron",
        Recipe(Loss.PERCEPTRON, averaging=Averaging.AVERAGE),
        Way.ONLINE,
        _CLASSES,
        "The perceptron, predicting with the mean of its weights over all steps.",
        "w̄ = Σ_t w_t / T",
        "Freund, Schapire 1999, Large margin classification using the perceptron algorithm",
    ),
    Entry(
        "voted-perceptron",
        Recipe(Loss.PERCEPTRON, averaging=Averaging.VOTE),
        Way.ONLINE,
        _CLASSES,
        "The perceptron's every hypothesis votes, with the number of rows it survived.",
        "sign Σ_n c_n sign(w_n·x)",
        "Freund, Schapire 1999, Large margin classification using the perceptron algorithm",
    ),
    Entry(
        "batch-perceptron",
        Recipe(Loss.PERCEPTRON),
        Way.BATCH,
        _CLASSES,
        "Adds the mean of all misclassified rows, until that mean is short enough.",
        "w += η Δ, Δ = Σ_{y w·x ≤ 0} y x / N, until |Δ| ≤ ε",
        "Duda, Hart, Stork 2001, Pattern classification, section 5.5",
    ),
    Entry(
        "winnow",
        _winnow(Factors(1.2, 1 / 1.2, balanced=True)),
        Way.ONLINE,
        _CLASSES,
        "Balanced Winnow: a weight for each column and one against it, multiplied, so that few columns among very many "
        "are found fast. It serves either class alike, takes noise, and learns its threshold.",
        "if y (w⁺ - w⁻)·(x, 1) ≤ 0: w⁺_j *= α^(y x_j), w⁻_j *= α^(-y x_j), from w⁺ = w⁻ = 1, α = 1.2",
        "Littlestone 1989, Mistake bounds and logarithmic linear-threshold learning algorithms",
        multiclass=_ONE_BY_ONE,
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
        "hinge",
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
        "hinge-subgradient",
        Recipe(Loss.HINGE, schedule=Schedule(1.0, 1.0, per_penalty=True), penalty=Penalty(l2=1e-4)),
        Way.BATCH,
        _CLASSES,
        "Subgradient descent on the linear SVM's objective over all rows at once.",
        "w -= (λ w - Σ_{y w·x < 1} y x / N) / (λ t + R²)",
        "Shor 1985, Minimization methods for non-differentiable functions",
        strength="alpha",
        penalties=("l2",),
        multiclass=(Reduction.JOINT, *_ONE_BY_ONE),
    ),
    Entry(
        "logistic",
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
        "logistic-gradient",
        Recipe(Loss.LOGISTIC, penalty=Penalty(l2=1.0, total=True)),
        Way.BATCH,
        _CLASSES,
        "Gradient ascent on the log-likelihood over all rows at once.",
        "w += η Σ (y - p(x)) x",
        "Cox 1958, The regression analysis of binary sequences",
        strength="C",
        penalties=_ANY_PENALTY,
        multiclass=tuple(Reduction),
    ),
    Entry(
        "logistic-newton",
        Recipe(Loss.LOGISTIC, penalty=Penalty(l2=1.0, total=True)),
        Way.NEWTON,
        _CLASSES,
        "Newton's method on the log-likelihood, by Cholesky or by conjugate gradients, until the duality gap is small "
        "enough.",
        "w -= (XᵀDX + λI)⁻¹ (Xᵀ(p - y) + λw), D = p(1 - p)",
        "Lin, Weng, Keerthi 2008, Trust region Newton method for large-scale logistic regression",
        strength="C",
        penalties=("l2",),
        multiclass=tuple(Reduction),
    ),
    Entry(
        "logistic-dual",
        Recipe(Loss.LOGISTIC, penalty=Penalty(l2=1.0, total=True), reduction=Reduction.ONE_VS_REST),
        Way.DUAL,
        _CLASSES,
        "Coordinate ascent on the dual, one row's multiplier at a time, until the duality gap is small enough.",
        "w += (α' - α) y x, α' = C / (1 + exp(y w'·x)), w' the weights after the step",
        "Yu, Huang, Lin 2011, Dual coordinate descent methods for logistic regression and maximum entropy models",
        strength="C",
        penalties=("l2",),
        multiclass=_ONE_BY_ONE,
    ),
    Entry(
        "svm",
        Recipe(Loss.HINGE, penalty=Penalty(l2=1.0, total=True), reduction=Reduction.ONE_VS_REST),
        Way.DUAL,
        _CLASSES,
        "The linear SVM by coordinate ascent on the dual, without the rows at rest, until the duality gap is small.",
        "α ← min(max(α - 1.3 (y w·x - 1) / |x|², 0), C), w = Σ α y x",
        "Hsieh, Chang, Lin, Keerthi, Sundararajan 2008, A dual coordinate descent method for large-scale linear SVM",
        strength="C",
        penalties=("l2",),
        multiclass=_ONE_BY_ONE,
    ),
    Entry(
        "svm-squared",
        Recipe(Loss.SQUARED_HINGE, penalty=Penalty(l2=1.0, total=True), reduction=Reduction.ONE_VS_REST),
        Way.DUAL,
        _CLASSES,
        "As svm, with the squared hinge loss.",
        "α ← max(α - 1.3 (y w·x - 1 + α/2C) / (|x|² + 1/2C), 0), w = Σ α y x",
        "Hsieh, Chang, Lin, Keerthi, Sundararajan 2008, A dual coordinate descent method for large-scale linear SVM",
        strength="C",
        penalties=("l2",),
        multiclass=_ONE_BY_ONE,
    ),
    Entry(
        "crammer-singer",
        Recipe(Loss.HINGE, penalty=Penalty(l2=1.0, total=True)),
        Way.DUAL,
        _CLASSES,
        "The SVM of many classes at once, each row's class against its best rival; two classes are the same as svm.",
        "q ← the point of the simplex of size C next to q + G/|x|², G_k = w_k·x + [k ≠ y], w_k = Σ ([k = y] C - q_k) x",
        "Keerthi et al. 2008, A sequential dual method for large scale multi-class linear SVMs",
        strength="C",
        penalties=("l2",),
        multiclass=(Reduction.JOINT,),
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
    Entry(
        "least-squares-gradient",
        Recipe(Loss.SQUARED),
        Way.BATCH,
        _NUMBERS,
        "Least mean squares, all rows at once.",
        "w += r Σ (y - w·x) x",
        "Cauchy 1847, Méthode générale pour la résolution des systèmes d'équations simultanées",
        strength="alpha",
        penalties=_ANY_PENALTY,
    ),
    Entry(
        "least-squares",
        Recipe(Loss.SQUARED),
        Way.ANALYTIC,
        _NUMBERS,
        "The least-squares solution in closed form; of several, the shortest.",
        "w = (XᵀX)⁺ Xᵀ y",
        "Penrose 1956, On best approximate solutions of linear matrix equations",
    ),
    Entry(
        "ridge",
        Recipe(Loss.SQUARED, penalty=Penalty(l2=1.0, total=True)),
        Way.ANALYTIC,
        _NUMBERS,
        "Least squares with an L2 penalty, in closed form or by conjugate gradients.",
        "w = (XᵀX + αI)⁻¹ Xᵀ y",
        "Hoerl, Kennard 1970, Ridge regression: biased estimation for nonorthogonal problems",
        strength="alpha",
        penalties=("l2",),
    ),
    Entry(
        "naive-bayes",
        _COUNTED,
        Way.COUNTING,
        _CLASSES,
        "Multinomial naive Bayes: features are drawn, as words into a text, as often as the class draws them.",
        "w_kj = log((N_kj + α) / (Σ_j N_kj + α d)), b_k = log(n_k / n)",
        "McCallum, Nigam 1998, A comparison of event models for naive Bayes text classification",
        strength="alpha",
    ),
    Entry(
        "naive-bayes-bernoulli",
        _COUNTED,
        Way.COUNTING,
        _CLASSES,
        "Bernoulli naive Bayes: a row has a feature or has it not, and both tell something of its class.",
        "w_kj = log(p_kj / (1 - p_kj)), b_k = log(n_k / n) + Σ_j log(1 - p_kj), p_kj = (N_kj + α) / (n_k + 2 α)",
        "McCallum, Nigam 1998, A comparison of event models for naive Bayes text classification",
        strength="alpha",
    ),
    Entry(
        "naive-bayes-gaussian",
        _COUNTED,
        Way.COUNTING,
        _CLASSES,
        "Gaussian naive Bayes: columns spread about the mean of the class, with a variance that all classes share.",
        "w_kj = μ_kj / v_j, b_k = log(n_k / n) - Σ_j μ_kj² / (2 v_j)",
        "Hastie, Tibshirani, Friedman 2009, The elements of statistical learning, section 18.2",
    ),
    Entry(
        "discriminant-analysis",
        _COUNTED,
        Way.COUNTING,
        _CLASSES,
        "Linear discriminant analysis: Gaussian classes with one covariance between them.",
        "w_k = Σ⁻¹ μ_k, b_k = log π_k - μ_k' Σ⁻¹ μ_k / 2, Σ = Σ_k π_k S_k / n_k",
        "Fisher 1936, The use of multiple measurements in taxonomic problems",
    ),
)

# An error names no more learners than fit in a line or two.
MOST_NAMED = 8

_BY_NAME = {row.name: row for row in _ROWS}


def entries(way: Way | None = None, task: Task | None = None) -> Iterator[Entry]:
    """The rows of the catalogue, or those run this way, for this task."""
    return (row for row in _ROWS if (way is None or row.way is way) and (task is None or task in row.tasks))


def find(name: str, way: Way | None = None, task: Task | None = None) -> Entry:
    """The row of this name; an error that helps where there is none, or where it does not serve."""
    row = _BY_NAME.get(name)
    fitting = [entry.name for entry in entries(way, task)]
    if row is not None and name in fitting:
        return row
    if row is not None:
        does, wanted = f"learns {' and '.join(row.tasks)}", str(task)
        if task is None or task in row.tasks:
            does, wanted = f"is a learner of the kind {row.way}", str(way)
        raise RecipeError(f"{name!r} {does}, not {wanted}: take another, such as {_some(fitting)}")
    what = " ".join(str(word) for word in (way, task) if word) or "known"
    near = get_close_matches(str(name).lower(), fitting, n=3)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"there are {_some(fitting)}"
    raise RecipeError(f"no {what} learner is called {name!r}: {hint}")


def _some(names: list[str]) -> str:
    """The names in a line: of many, every second or third."""
    step = -(-len(names) // MOST_NAMED)
    named = names[::step]
    more = f" and {len(names) - len(named)} more" if len(named) < len(names) else ""
    return ", ".join(named) + more
