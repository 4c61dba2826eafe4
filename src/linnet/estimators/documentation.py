"""Docstrings of the estimators, made from the catalogue and from one description of each parameter."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from textwrap import fill
from typing import TypeVar

from linnet.learners import catalogue
from linnet.learners.entry import Solver

E = TypeVar("E", bound=type)

PARAMETERS = {
    "learner": "A name from the catalogue (`linnet.catalogue.entries()` lists them), or a `linnet.Recipe` of your own.",
    "averaging": "Which weights predict: the last (`none`), their mean over all steps (`average`), or every hypothesis "
    "by weighted vote (`vote`).",
    "mode": "`online`: train row by row. `batch`: add the mean of all mistaken rows at once, times `eta0`. "
    "`fixed-increment`: add their sum.",
    "variant": "`winnow1`: promotion and elimination, for Boolean columns. `winnow2`: promotion and demotion by "
    "division. `balanced`: a weight for every column and one against it, and a threshold that is fitted.",
    "threshold": "What the weighted sum is compared with; None is half the number of variables (`balanced`: none).",
    "conjunctions": "Up to this many columns that a row has together (are not 0) are variables, too, where some row "
    "has them: of these `winnow1` learns a k-DNF.",
    "complement": "Whether every variable x has another, 1 - x: for disjunctions of literals, negated or not.",
    "solver": "How the problem is solved, of those named above; `auto` chooses.",
    "loss": "The loss to minimise, by scikit-learn's name (of a classifier mostly `hinge` or `squared_hinge`).",
    "C": "How much the losses count: the penalty's weight is 1 / C, a passive-aggressive step at most C.",
    "penalty": "`l2`, `l1` (sparse weights), `elasticnet`, or None; `keep` the learner's own, `auto` what l1_ratio "
    "asks for. The intercept is not penalised.",
    "dual": "Whether to solve the dual (`solver='dual'`); `auto` leaves it to the solver.",
    "multi_class": "scikit-learn's `multiclass`: `ovr`, or `crammer_singer` (the hinge of all classes jointly).",
    "intercept_scaling": "A penalised intercept is the weight of a column of this number, times it: the larger, the "
    "less it is penalised.",
    "copy_X": "Without effect: X is never changed.",
    "alpha": "The penalty's weight, beside the mean loss of a row (`Ridge`: beside the sum of squares); None keeps the "
    "learner's own. Naive Bayes: what is added to every count. `Winnow`: what a promotion multiplies by, above 1.",
    "force_alpha": "Whether alpha is taken as it is; otherwise it is 1e-10 at least.",
    "binarize": "A value above this, 0 or more, is there; any other is not. None takes values, 0 or 1, as they are.",
    "fit_prior": "Whether a class is as probable as its rows are many; otherwise all are alike.",
    "class_prior": "The probability of each class instead, in the order of the sorted labels.",
    "priors": "The probability of each class, in the order of the sorted labels. None: as its rows are many.",
    "var_smoothing": "The fraction of the largest column variance that is added to every variance.",
    "shrinkage": "Shrinkage of the covariance towards equal, independent columns: None, a number from 0 to 1, or "
    "`auto` (Ledoit and Wolf's, worked out for each class).",
    "n_components": "How many directions `transform` projects on; None: one fewer than the classes, or all columns.",
    "store_covariance": "Whether `svd` shows `covariance_`, too.",
    "covariance_estimator": "What estimates the covariance of the rows of a class instead: an object with `fit` and "
    "`covariance_`, such as those of sklearn.covariance. All rows are kept for it.",
    "l1_ratio": "The L1 ratio of the penalty, for `elasticnet` (None: 0.5); with `penalty='auto'` 0 is L2 and 1 is L1.",
    "max_iter": "Most passes over the data, or iterations of a solver; None for the learner's own limit.",
    "tol": "When to stop. Perceptron: after a pass without a mistake, or when passes no longer reduce the mistakes by "
    "this fraction of the rows (judged over the later half of them; five at least, and 100,000 rows at least as "
    "long as the rows may be separable with a margin of 1/316 of the longest; of batch steps 100). "
    "Other online learners: passes that improve the mean loss by no more than this fraction of the first pass's; "
    "the adaptive one also when its mean loss is only this fraction of the first pass's and, without a penalty, when "
    "it is half of that, after 100,000 rows at least: it then memorises rows. "
    "Batch solvers: a relative duality gap this small; without a penalty, a gradient this small beside the first. None "
    "makes all `max_iter` passes (perceptron: unless one makes no mistake).",
    "n_iter_no_change": "By how many passes an online learner is judged at least, for `tol`; of more than 200,000 rows "
    "by fewer where it is judged by its loss, two at least.",
    "early_stopping": "Whether an online learner stops by its score on rows held out for validation: when "
    "`n_iter_no_change` passes improved their accuracy (for numbers, R²) by no more than `tol`.",
    "validation_fraction": "The fraction of the rows of each class to hold out for `early_stopping`.",
    "average": "Whether the mean of the weights over all steps predicts; a number is taken for True.",
    "eta0": "The step size, or its start; for a batch gradient, on the objective as written above. None keeps the "
    "learner's own, or lets the solver find a safe one.",
    "learning_rate": "The size of step t: `constant` eta0, `invscaling` eta0 * t ** -power_t, `optimal` "
    "1 / (alpha * (t + t0)); `pa1` and `pa2` passive-aggressive steps, with eta0 as their C and no penalty; `adaptive` "
    "a rate for every weight, in its column's scale.",
    "power_t": "Steps are eta0 * t ** -power_t: 0 constant, 0.5 and 1 falling. None keeps the learner's own.",
    "fit_intercept": "Whether to fit an intercept b beside the weights.",
    "penalise_intercept": "Whether the intercept is penalised, too, as by liblinear. Not for online solvers.",
    "shuffle": "Whether to present the rows in a random order, a new one each pass. The order is drawn from the rows' "
    "contents: it does not depend on how the table is sorted.",
    "random_state": "The seed of the order. None is a seed like any other: the same data give the same model.",
    "multiclass": "More than two classes: all at once (`joint`), each against the rest (`one-vs-rest`), or each pair "
    "with a vote (`pairwise`). `LogisticRegression` also takes `reference`: all at once, with no weights for the last "
    "of the sorted labels, so that the others' are log-odds against it.",
    "class_weight": "A weight for each class as a dictionary, or `balanced`.",
    "n_jobs": "Threads for `one-vs-rest` and `pairwise` (-1: one a core). The result is the same for any number.",
    "warm_start": "Whether a fit begins where the last one ended. Closed forms have no use for it; the hinge by its "
    "dual only for as many rows as before, for the weights do not determine its dual variables.",
    "verbose": "Whether to show a progress bar.",
    "analyzer": "What n-grams are made of: `word`, `char`, or `char_wb` (characters within words, a space on each "
    "side).",
    "ngram_range": "The shortest and the longest n-grams.",
    "lowercase": "Whether to make texts lower case first, as Python's str.lower does.",
    "word_length": "Words of fewer characters are left out. A word is a run of letters, digits and underscores of any "
    "script.",
    "marks": "Whether every sign that is not a letter, digit, underscore or space is a word by itself.",
    "min_df": "Leave out n-grams of fewer texts than this: a number of texts, or a fraction of them.",
    "max_df": "Leave out n-grams of more texts than this: a number of texts, or a fraction of them.",
    "max_features": "Keep only this many n-grams, those with the largest counts in all (of equals, the first by name).",
    "binary": "Whether every count above 0 is taken for 1.",
    "sublinear_tf": "Whether to take 1 + log(count) for the count.",
    "use_idf": "Whether to multiply by the inverse document frequency, 1 + log(n / df).",
    "smooth_idf": "Whether to add 1 to n and df in it, as if one more text held every n-gram once.",
    "norm": "`ComplementNB`: whether to divide the weights of a class by the sum of their sizes. "
    "Texts: `l2` or `l1`: bring each row to that length 1. None leaves it.",
    "log_count_ratio": "Whether to multiply by the log-count ratio of two classes; y must then be given to fit.",
    "smoothing": "What is added to the counts of either class in that ratio.",
    "hash_bits": "0 keeps an exact dictionary. Otherwise names are hashed to this many bits: at most 2 ** hash_bits "
    "columns (of each input column or combination), and the memory of a fit is bounded but for a count of collisions.",
    "dtype": "The type of the values, float64 or float32.",
    "handle_unknown": "What to do in transform with a value that was not there in fit: `error`, or `ignore` (its row "
    "has no entry for that column).",
    "degree": "Combinations of up to this many columns; or (fewest, most).",
    "crosses": "Which columns to take together, each a tuple of names or numbers; None takes all by `degree`.",
    "interaction_only": "Whether to leave out powers: products of different columns only.",
    "estimator": "A classifier with probabilities (`predict_proba`); it is copied, not changed. Of many labels, "
    "one of linnet's linear classifiers, by default `LogisticRegression()`.",
    "metric": "What the threshold is to be best for, of those named above.",
    "positive": "Regressors: whether no weight may be below 0. `BestThreshold`: the label that is to be found; None "
    "where it is plain, of 0 and 1, -1 and 1, no and yes and the like, or where the metric takes both labels alike.",
    "precompute": "Accepted, and not needed: a table of the pairs of columns is made where it saves time.",
    "selection": "Accepted, `cyclic` or `random`; weights are taken in their order either way.",
    "cv": "How many folds, each label dealt out evenly; or scikit-learn's splitters. None: 5; `RidgeCV`: every row by "
    "itself.",
    "Cs": "The values of C to try; or how many, between 1e-4 and 1e4.",
    "l1_ratios": "The L1 ratios to try; None for an L2 penalty.",
    "scoring": "What is to be best: the name of one of scikit-learn's scorers, or a function of estimator, X and y. "
    "None: the accuracy; `RidgeCV`: the squared error of rows left out, with `cv` R².",
    "refit": "Whether to fit the best to all rows; otherwise the weights that are best in each fold are averaged.",
    "use_legacy_attributes": "Whether attributes have the form of scikit-learn up to 1.9: dictionaries by label.",
    "alphas": "The values of alpha to try; `LassoCV` and `ElasticNetCV`: or how many, falling from that which "
    "leaves no weights.",
    "eps": "The smallest alpha beside the largest, where only their number is given.",
    "gcv_mode": "Accepted, `auto`, `svd` or `eigen`; the table of fewer rows or columns is decomposed.",
    "store_cv_results": "Whether to keep the errors of rows left out, as `cv_results_`; without `cv`.",
    "alpha_per_target": "Whether each target has an alpha of its own; without `cv`.",
    "costs": "What a mistake costs, as a dictionary by (true label, predicted label); 1 for pairs not in it, 0 for "
    "being right.",
    "reject": "What it costs not to decide: rows where every decision is expected to cost more get `reject_label`.",
    "least": "Instead of `reject`: rows whose label is less probable than this get `reject_label`.",
    "reject_label": "What `predict` gives for rejected rows; of another kind than the labels, predictions are objects.",
    "concepts": "`disjunctions`, `conjunctions` or `m-of-n` of the columns; or your own: functions of a row to True or "
    "False (a list, or a dictionary by name), a pair (weights, thresholds), or a Boolean table, concepts x points.",
    "k": "The most variables in one rule.",
    "m": "How many of a rule's variables must be true, for `m-of-n`; None takes every number of them.",
    "max_concepts": "A larger class of rules is refused. Two bits are kept for each.",
    "power": "The variance is mean ** power: 0 normal, 1 Poisson, 2 gamma, 3 inverse Gaussian; between 1 and 2 amounts "
    "of which many are 0.",
    "solver_options": "Accepted for scikit-learn's sake, and without effect: `tol` and `max_iter` say when to stop.",
    "quantile": "Which quantile to predict: a fraction of the targets that is to be below, between 0 and 1.",
    "epsilon": "Huber: residuals beyond epsilon times the scale are outliers, and count by their size; 1 or more. "
    "Support vector regression: residuals up to epsilon cost nothing.",
    "link": "How the score gives the mean: `log` (its exponential), `identity`, or `auto`.",
    "include_bias": "Whether to put a column of ones first.",
}

ATTRIBUTES = """
    Attributes
    ----------
    coef_, intercept_ : the weights w and the intercept b (for `averaging="vote"`, of the last hypothesis)
    classes_ : the labels, sorted (classifiers)
    history_ : for each pass: mistakes, updates, loss, seconds
    n_iter_, updates_ : passes made, and steps taken in all
    model_ : the `linnet.learners.linear.LinearModel`
    certificate_ : how far the fit can be from the best, proven; of a perceptron and of Winnow, the mistakes made and
        how many there can be at most; or why nothing is
    n_features_in_, feature_names_in_ : what the columns were
"""


def indent(text: str) -> str:
    """The text in lines of a terminal's width, four columns in."""
    return fill(text, 100, initial_indent="    ", subsequent_indent="    ")


def _by(solver: Solver) -> list[str]:
    """The formula and the citation of a solver, where they are its own."""
    return [indent(text) for text in (solver.formula, solver.citation and f"({solver.citation})") if text]


def documented(*names: str, attributes: str = ATTRIBUTES) -> Callable[[E], E]:
    """Complete a class's docstring: these learners of the catalogue, its parameters, its attributes."""

    def complete(cls: E) -> E:
        lines = [inspect.cleandoc(cls.__doc__ or ""), ""]
        for name in names:
            entry = catalogue.find(name)
            lines += [f"{entry.name}:", indent(entry.summary), indent(entry.formula), indent(f"({entry.citation})"), ""]
            for solver in entry.solvers if len(entry.solvers) > 1 else ():
                lines += [indent(f"`{solver.name}`: {solver.summary}"), *_by(solver), ""]
        lines += ["Parameters", "----------"]
        for parameter in inspect.signature(cls).parameters.values():
            needed = parameter.default is parameter.empty
            value = "must be given" if needed else f"default {parameter.default!r}"
            lines += [f"{parameter.name} : {value}", indent(PARAMETERS[parameter.name])]
        cls.__doc__ = "\n".join(lines) + "\n\n" + inspect.cleandoc(attributes) + "\n"
        return cls

    return complete
