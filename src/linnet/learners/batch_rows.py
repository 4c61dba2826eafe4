"""The learners that see all rows at once, each with the solvers that can run it."""

from __future__ import annotations

from linnet.data.task import Task
from linnet.learners.entry import Entry, Solver, TextWeighting, Way
from linnet.learners.losses import Loss
from linnet.learners.recipe import Penalty, Recipe, Reduction

_CLASSES = (Task.CLASSIFICATION,)
_NUMBERS = (Task.REGRESSION,)
_ANY_PENALTY = ("l2", "l1", "elasticnet", "none")
_ONE_BY_ONE = (Reduction.ONE_VS_REST, Reduction.PAIRWISE)
_ANY_REDUCTION = (Reduction.JOINT, Reduction.REFERENCE, *_ONE_BY_ONE)

# Proximal steps are many and cheap.
_MANY = 10_000

_LBFGS = Solver(
    "lbfgs",
    "L-BFGS, a quasi-Newton method.",
    "w -= η H g, H an approximate inverse Hessian from the last steps",
    "Liu, Nocedal 1989, On the limited memory BFGS method for large scale optimization",
)
_FISTA = Solver(
    "gradient",
    "Accelerated proximal gradient steps, which take an L1 penalty (of many columns, on working sets); of a given "
    "size, plain gradient steps.",
    "w ← prox(v - g(v) / L), v = w + momentum",
    "Beck, Teboulle 2009, A fast iterative shrinkage-thresholding algorithm for linear inverse problems",
    max_iter=_MANY,
)
_COORDINATES = Solver(
    "coordinate-descent",
    "Coordinate descent on working sets of the columns, for an L1 penalty; where the loss is not squared, within "
    "proximal Newton steps.",
    "w_j ← soft(H_jj w_j - g_j, λ₁) / (H_jj + λ₂), H = XᵀDX",
    "Yuan, Ho, Lin 2012, An improved GLMNET for L1-regularized logistic regression",
)
_SUBGRADIENT = Solver(
    "gradient",
    "Subgradient descent on all rows at once; slow, and often without a small duality gap.",
    "w -= (λ w - Σ_{y w·x < 1} y x / N) / (λ t + R²)",
    "Shor 1985, Minimization methods for non-differentiable functions",
    max_iter=_MANY,
)
_CLOSED_FORM = Solver("analytic", "The closed form, by Cholesky factors or singular values.")
_CONJUGATE_GRADIENTS = Solver(
    "cg",
    "Conjugate gradients, which make no table of d x d numbers, for wide sparse rows.",
    "(XᵀX + αI) w = Xᵀ y",
    "Hestenes, Stiefel 1952, Methods of conjugate gradients for solving linear systems",
)
_SVM_DUAL = "Hsieh, Chang, Lin, Keerthi, Sundararajan 2008, A dual coordinate descent method for large-scale linear SVM"

LOGISTIC_REGRESSION = Entry(
    "logistic-regression",
    Recipe(Loss.LOGISTIC, penalty=Penalty(l2=1.0, total=True)),
    Way.BATCH,
    _CLASSES,
    "Logistic regression: the log-odds of a class are a linear function of the row; softmax for several classes.",
    "minimise R(w) + C Σ log(1 + exp(-y w·x)), R(w) = |w|²/2 or |w|₁",
    "Cox 1958, The regression analysis of binary sequences",
    strength="C",
    penalties=_ANY_PENALTY,
    multiclass=_ANY_REDUCTION,
    solvers=(
        Solver(
            "newton-cholesky",
            "Newton's method with the whole Hessian, for few columns.",
            "w -= (XᵀDX + λI)⁻¹ (Xᵀ(p - y) + λw), D = p(1 - p)",
            "Nelder, Wedderburn 1972, Generalized linear models",
        ),
        Solver(
            "newton-cg",
            "Newton's method by conjugate gradients, with Hessian times vector products only.",
            "(XᵀDX + λI) s = -(Xᵀ(p - y) + λw), w += s",
            "Lin, Weng, Keerthi 2008, Trust region Newton method for large-scale logistic regression",
        ),
        Solver(
            "dual",
            "Coordinate ascent on the dual, one row's multiplier at a time, for wide sparse rows.",
            "w += (α' - α) y x, α' = C / (1 + exp(y w'·x)), w' the weights after the step",
            "Yu, Huang, Lin 2011, Dual coordinate descent methods for logistic regression and maximum entropy models",
        ),
        _LBFGS,
        _COORDINATES,
        _FISTA,
    ),
    tol=1e-4,
    max_iter=1000,
    text=TextWeighting.LOG_COUNT_RATIO,
)

ROWS = (
    LOGISTIC_REGRESSION,
    Entry(
        "svm",
        Recipe(Loss.HINGE, penalty=Penalty(l2=1.0, total=True), reduction=Reduction.ONE_VS_REST),
        Way.BATCH,
        _CLASSES,
        "The linear support vector machine: the hinge loss with an L2 penalty.",
        "minimise |w|²/2 + C Σ max(0, 1 - y w·x)",
        "Cortes, Vapnik 1995, Support-vector networks",
        strength="C",
        penalties=("l2",),
        multiclass=_ONE_BY_ONE,
        solvers=(
            Solver(
                "dual",
                "Coordinate ascent on the dual, with rows at their bounds left out.",
                "α ← min(max(α - 1.3 (y w·x - 1) / |x|², 0), C), w = Σ α y x",
                _SVM_DUAL,
            ),
            Solver(
                "newton",
                "Newton's steps within the bounds of the dual (interior point), for few columns of any scale.",
                "α s = μ, (C - α) ξ = μ, y w·x - 1 = s - ξ, w = Σ α y x, μ → 0",
                "Ferris, Munson 2002, Interior-point methods for massive support vector machines",
            ),
            _SUBGRADIENT,
        ),
        tol=1e-4,
        max_iter=1000,
    ),
    Entry(
        "svm-squared",
        Recipe(Loss.SQUARED_HINGE, penalty=Penalty(l2=1.0, total=True), reduction=Reduction.ONE_VS_REST),
        Way.BATCH,
        _CLASSES,
        "The linear support vector machine with the squared hinge loss.",
        "minimise |w|²/2 + C Σ max(0, 1 - y w·x)²",
        "Cortes, Vapnik 1995, Support-vector networks",
        strength="C",
        penalties=("l2", "l1", "elasticnet"),
        multiclass=_ONE_BY_ONE,
        solvers=(
            Solver(
                "dual",
                "Coordinate ascent on the dual, with rows at their bounds left out.",
                "α ← max(α - 1.3 (y w·x - 1 + α/2C) / (|x|² + 1/2C), 0), w = Σ α y x",
                _SVM_DUAL,
            ),
            Solver(
                "newton",
                "Newton's method, for few columns of any scale.",
                "w -= (2 C X'ᵀX' + I)⁻¹ g, X' the rows with y w·x < 1",
                "Mangasarian 2002, A finite Newton method for classification",
            ),
            _LBFGS,
            _COORDINATES,
            _FISTA,
        ),
        tol=1e-4,
        max_iter=1000,
    ),
    Entry(
        "crammer-singer",
        Recipe(Loss.HINGE, penalty=Penalty(l2=1.0, total=True)),
        Way.BATCH,
        _CLASSES,
        "The SVM of many classes at once, each row's class against its best rival; two classes are the same as svm.",
        "minimise Σ |w_k|²/2 + C Σ max_k (w_k·x + [k ≠ y]) - w_y·x",
        "Crammer, Singer 2001, On the algorithmic implementation of multiclass kernel-based vector machines",
        strength="C",
        penalties=("l2",),
        multiclass=(Reduction.JOINT,),
        solvers=(
            Solver(
                "dual",
                "Ascent on the dual, one row's multipliers at a time.",
                "q ← the point of the simplex of size C next to q + G/|x|², G_k = w_k·x + [k ≠ y]",
                "Keerthi et al. 2008, A sequential dual method for large scale multi-class linear SVMs",
            ),
            _SUBGRADIENT,
        ),
        tol=1e-4,
        max_iter=1000,
    ),
    Entry(
        "crammer-singer-sparse",
        Recipe(Loss.HINGE, penalty=Penalty(l2=1.0, total=True)),
        Way.BATCH,
        _CLASSES,
        "The SVM of very many classes at once, without intercepts, and with a rival of score 0 beside all others: a "
        "class that shares no word with a row takes part in nothing, so that time and memory grow with the classes "
        "that words are shared by, not with all.",
        "minimise Σ |w_k|²/2 + C Σ max(0, 1 - w_y·x + max(0, max_{k≠y} w_k·x))",
        "Crammer, Singer 2001, On the algorithmic implementation of multiclass kernel-based vector machines",
        strength="C",
        penalties=("l2",),
        multiclass=(Reduction.JOINT,),
        solvers=(
            Solver(
                "dual",
                "Ascent on the dual, two of a row's multipliers at a time.",
                "t_a += δ, t_b -= δ, δ = (G_b - G_a) / 2|x|², G_k = w_k·x + [k ≠ y]",
                "Platt 1998, Sequential minimal optimization",
            ),
        ),
        tol=0.1,
        max_iter=1000,
        text=TextWeighting.TF_IDF,
        sparse_classes=True,
    ),
    Entry(
        "batch-perceptron",
        Recipe(Loss.PERCEPTRON),
        Way.BATCH,
        _CLASSES,
        "The perceptron on all rows at once: adds the mean of the misclassified rows until there are none, or it no "
        "longer helps.",
        "w += η Δ, Δ = Σ_{y w·x ≤ 0} y x / N, until Δ = 0",
        "Duda, Hart, Stork 2001, Pattern classification, section 5.5",
        solvers=(Solver("gradient", "Steps of a given size on all rows at once.", scheduled=True),),
        tol=1e-3,
        max_iter=1000,
    ),
    Entry(
        "least-squares",
        Recipe(Loss.SQUARED),
        Way.BATCH,
        _NUMBERS,
        "Least squares; without a penalty in closed form, of several solutions the shortest.",
        "w = (XᵀX)⁺ Xᵀ y",
        "Penrose 1956, On best approximate solutions of linear matrix equations",
        strength="alpha",
        penalties=_ANY_PENALTY,
        solvers=(
            Solver("analytic", "The closed form, by a QR decomposition and singular values."),
            Solver(
                "cg",
                "Conjugate gradients, for an L2 penalty and wide sparse rows.",
                "(XᵀX + αI) w = Xᵀ y",
                "Hestenes, Stiefel 1952, Methods of conjugate gradients for solving linear systems",
            ),
            _COORDINATES,
            Solver(
                "gradient",
                "Accelerated proximal gradient steps, which take an L1 penalty; of a given size, least mean squares.",
                "w += r Σ (y - w·x) x",
                "Cauchy 1847, Méthode générale pour la résolution des systèmes d'équations simultanées",
                max_iter=_MANY,
            ),
        ),
        tol=1e-6,
        max_iter=1000,
    ),
    Entry(
        "ridge",
        Recipe(Loss.SQUARED, penalty=Penalty(l2=1.0, total=True)),
        Way.BATCH,
        _NUMBERS,
        "Least squares with an L2 penalty.",
        "w = (XᵀX + αI)⁻¹ Xᵀ y",
        "Hoerl, Kennard 1970, Ridge regression: biased estimation for nonorthogonal problems",
        strength="alpha",
        penalties=("l2",),
        solvers=(
            _CLOSED_FORM,
            _CONJUGATE_GRADIENTS,
        ),
        tol=1e-6,
        max_iter=1000,
        text=TextWeighting.TF_IDF,
        chooses_alpha=True,
    ),
    Entry(
        "lasso",
        Recipe(Loss.SQUARED, penalty=Penalty(l1=1.0)),
        Way.BATCH,
        _NUMBERS,
        "Least squares with an L1 penalty, which leaves most columns without a weight.",
        "minimise Σ (y - w·x)² / 2n + α |w|₁",
        "Tibshirani 1996, Regression shrinkage and selection via the lasso",
        strength="alpha",
        penalties=("l1",),
        solvers=(_COORDINATES, _CLOSED_FORM),
        tol=1e-4,
        max_iter=1000,
        text=TextWeighting.TF_IDF,
        chooses_alpha=True,
    ),
    Entry(
        "elastic-net",
        Recipe(Loss.SQUARED, penalty=Penalty(l1=0.5, l2=0.5)),
        Way.BATCH,
        _NUMBERS,
        "Least squares with an L1 and an L2 penalty: of columns that are alike, it takes all or none.",
        "minimise Σ (y - w·x)² / 2n + α ρ |w|₁ + α (1 - ρ) |w|² / 2, ρ the L1 ratio",
        "Zou, Hastie 2005, Regularization and variable selection via the elastic net",
        strength="alpha",
        penalties=("elasticnet",),
        solvers=(_COORDINATES, _CLOSED_FORM, _CONJUGATE_GRADIENTS),
        tol=1e-4,
        max_iter=1000,
        text=TextWeighting.TF_IDF,
        chooses_alpha=True,
    ),
)
