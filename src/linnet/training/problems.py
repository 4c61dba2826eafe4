"""How a data set becomes the problems that batch solvers take, and how their weights become one model.

Several classes are one problem or many (reduction.py).  Each has its own rows (those of its classes), its own signs,
its own weighting of text, and, where the intercept is penalised, a column of ones whose weight is the intercept (with a
`scaling` of s, s times the weight of a column of s).  The same problems are solved and certified.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from linnet.data.labels import Labels
from linnet.data.rows import Examples, select_examples, with_intercept_column
from linnet.learners.entry import Entry, TextWeighting
from linnet.learners.linear import LinearModel
from linnet.learners.losses import Loss
from linnet.learners.recipe import Reduction
from linnet.learners.robust_losses import Huber
from linnet.training import inverse_frequency, log_count_ratio
from linnet.training.duality_gap import Certificate, certify, joined
from linnet.training.log_count_ratio import Text
from linnet.training.objective import Flat, Objective
from linnet.training.reduction import Problem, problems
from linnet.training.solvers import huber_dual, least_squares


@dataclass(frozen=True, eq=False)
class Part:
    """One of the problems: its objective, and where its weights stand in the model."""

    objective: Objective
    outputs: slice
    # the weights of columns by the log-count ratio or the inverse document frequency, if text is weighted
    term_weights: Flat | None
    # the intercept is the weight of a last column times this number, which all its entries are; None: it is not
    ones: float | None

    def weights_in(self, model: LinearModel) -> Flat:
        """The weights of the model as they stand in this problem, flat."""
        weights, intercepts = model.weights[:, self.outputs], model.intercepts[np.newaxis, self.outputs]
        if self.term_weights is not None:
            weights = weights / self.term_weights[:, np.newaxis]
        if self.ones is not None:
            weights = np.concatenate([weights, intercepts / self.ones])
        if not self.objective.intercept:
            intercepts = np.zeros_like(intercepts)
        return np.concatenate([weights, intercepts]).reshape(-1)

    def for_model(self, flat: Flat) -> tuple[Flat, Flat]:
        """Weights and intercepts of this problem as they stand in the model."""
        table = flat.reshape(-1, self.objective.outputs)
        weights, intercepts = table[:-1], table[-1]
        if self.ones is not None:
            weights, intercepts = weights[:-1], weights[-1] * self.ones
        if self.term_weights is not None:
            weights = weights * self.term_weights[:, np.newaxis]
        return weights, intercepts

    def certified(self, flat: Flat) -> Certificate:
        """What these weights prove: by a dual point; for least squares without a penalty, by the axes of the rows."""
        objective = self.objective
        if isinstance(objective.loss, Huber):
            return huber_dual.certify(objective, flat)
        unpenalised = objective.penalty.l1 == 0 and objective.penalty.l2 == 0
        if objective.loss is Loss.SQUARED and objective.regression and unpenalised and least_squares.fits(objective):
            return least_squares.certify(objective, flat)
        return certify(objective, flat)


class Problems:
    """The problems of a learner on a data set; each is put together when it is asked for.

    `text` says which columns are n-grams of a text, and how rows count there, for learners that weight n-grams by the
    problem.
    """

    def __init__(
        self,
        entry: Entry,
        examples: Examples,
        labels: Labels | None,
        *,
        intercept: bool = True,
        text: Text | None = None,
        scaling: float = 1.0,
    ) -> None:
        examples.rows.check_finite()  # once for all problems
        if labels is None and (takes := entry.recipe.loss.targets) is not None:
            takes.check_targets(examples.targets)
        self.scaling = scaling
        self.recipe, self.examples, self.labels, self.intercept = entry.recipe, examples, labels, intercept
        self.classes = 0 if labels is None else len(labels)
        self.text = text if entry.text is TextWeighting.LOG_COUNT_RATIO else None
        self.by_frequency = None if text is None or entry.text is not TextWeighting.TF_IDF else text.columns
        self._all = [Problem()] if labels is None else problems(self.classes, self.recipe.reduction)

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, number: int) -> Part:
        problem, recipe = self._all[number], self.recipe
        examples, text, outputs = self.examples, self.text, 1
        if self.labels is not None:
            outputs = problem.outputs(self.classes)
            members = problem.members(examples.targets, self.classes)
            if members is not None:
                examples, text = select_examples(examples, members), text and text.of(members)
        positive, weights = float(problem.positive or 0), None
        if self.labels is not None and self.labels.sets is not None:
            has = self.labels.sets.having(number)[examples.targets.astype(np.int64)]
            examples, positive = replace(examples, targets=has.astype(np.float64)), 1.0
        if text is not None and outputs == 1:
            signs = np.where(examples.targets == positive, 1.0, -1.0)
            rows, weights = log_count_ratio.weighted(examples.rows, signs, text)
            examples = replace(examples, rows=rows)
        if self.by_frequency is not None:
            examples, weights = inverse_frequency.weighted(examples, self.by_frequency)
        ones = self.scaling if self.intercept and recipe.penalty.intercept else None
        if ones is not None:
            examples = replace(examples, rows=with_intercept_column(examples.rows, ones))
        objective = Objective(
            examples,
            recipe.loss,
            recipe.penalty,
            outputs,
            intercept=self.intercept and ones is None,
            regression=self.labels is None,
            positive=positive,
            reference=recipe.reduction is Reduction.REFERENCE and outputs > 1,
        )
        return Part(objective, slice(number * outputs, (number + 1) * outputs), weights, ones)

    def model(self, tables: Sequence[tuple[Flat, Flat]]) -> LinearModel:
        """The model of all problems, by the weights and intercepts of each."""
        return LinearModel(
            np.ascontiguousarray(np.concatenate([weights for weights, _ in tables], axis=1)),
            np.concatenate([intercepts for _, intercepts in tables]),
            self.labels.classes if self.labels else None,
            self.recipe.reduction,
            link=self.recipe.loss.link,
        )

    def certify(self, model: LinearModel) -> Certificate:
        """What the data prove of a model."""
        parts = (self[number] for number in range(len(self)))
        return joined([part.certified(part.weights_in(model)) for part in parts])
