"""Model: what training ends in and a file holds: raw data in, predictions and their reasons out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.cores import cores
from linnet.data.features.feature_map import Features
from linnet.data.features.schema import Role, Task
from linnet.data.findings import Findings
from linnet.data.frames import as_frame
from linnet.data.on_error import BadRows, OnError
from linnet.data.reading import Check, PreparedBlock, prepared_blocks
from linnet.data.rows import Rows
from linnet.data.sources.block import Block, Position
from linnet.data.sources.formats import Form
from linnet.data.sources.label_sets import LABELS
from linnet.data.sources.source import Source
from linnet.data.targets import LabelIndex, numeric_targets, rows_with_infinities, sample_weights_of
from linnet.decisions.calibration import Calibration
from linnet.decisions.costs import GivenCosts, Rule
from linnet.errors import InputError, RecipeError, option
from linnet.learners import catalogue
from linnet.learners.entry import Entry, Way
from linnet.learners.linear import LinearModel
from linnet.learners.recipe import Reduction
from linnet.model.coefficients import coefficient_tables
from linnet.model.explanation import Explanation, Reasons, TopFeature
from linnet.model.explanation_columns import explanation_columns
from linnet.model.inputs import find_columns, open_for
from linnet.model.moments import Moments
from linnet.model.plan import Plan
from linnet.model.predictions import Ids, Predictions, UnreadRows
from linnet.model.predictor import Classifier, LabelPicker, Result, no_probabilities, scorer
from linnet.model.python_data import blocks_of, dictionaries, table_of, warn_of
from linnet.model.record import Record
from linnet.model.target_checks import unusable_for
from linnet.theory.fit_summary import FitSummary
from linnet.theory.mistake_bounds import Mistakes
from linnet.training.duality_gap import Certificate

# Of a stream of no more rows the means are those of all of them (pipeline/feature_moments.py).
FEW_ROWS = 1 << 12


@dataclass(frozen=True, eq=False)
class Model:
    """Features, weights, decision rule, and the record of the training run."""

    features: Features
    linear: LinearModel
    record: Record
    certificate: Certificate | Mistakes | None = None
    calibration: Calibration | None = None
    rule: Rule | None = None
    # of the features in the training rows
    moments: Moments | None = None
    # False for a file whose weights are not those that its certificate was stated of
    certificate_matches_weights: bool = True

    def __repr__(self) -> str:
        return f"<linnet.Model: {self.learner}, {self.task}, {len(self.features):,} features>"

    def _repr_html_(self) -> str:
        """The model in a notebook: what it was trained on, how, how good it is, and what matters to it."""
        from linnet.model.notebook_card import model_card

        return model_card(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, whole or not at all."""
        from linnet.model.file import save
        from linnet.storage.outputs import claimed

        with claimed([path]):
            save(self, path)

    # -- what it is ------------------------------------------------------------------------------------------------

    @property
    def learner(self) -> str:
        return self.record.learner

    @property
    def plan(self) -> Plan:
        """The columns with their roles, and the task; with the reasons, if the model was trained and not loaded."""
        schema, record = self.features.schema, self.record
        return record.plan or Plan("", schema, self.task, "", self.learner, record.reason, record.task_guessed)

    @property
    def entry(self) -> Entry:
        """The learner as it was fitted: its row of the catalogue with the recipe and text weighting of this model."""
        return replace(catalogue.find(self.learner), recipe=self.record.recipe, text=self.record.text_weighting)

    @property
    def task(self) -> Task:
        return self.features.task

    @property
    def classes(self) -> list[Any] | None:
        return None if self.linear.classes is None else self.linear.classes.tolist()

    @property
    def several(self) -> bool:
        """Whether it predicts several labels a row, or none."""
        return self.linear.reduction is Reduction.EACH_LABEL

    @property
    def has_probabilities(self) -> bool:
        return self.calibration is not None or (
            self.linear.classes is not None
            and not self.linear.votes
            and not self.linear.pairwise
            and self.record.recipe.has_probabilities
        )

    def deciding(
        self, costs: GivenCosts | None = None, reject: float | None = None, least: float | None = None
    ) -> Model:
        """The model with another decision rule; what is not given stays as it is here.

        `costs` has the cost of a mistake by (true label, predicted label), or as the command line takes it; those it
        does not name cost 1.  A row is rejected where every decision would cost more than `reject`, or where the
        predicted label is less probable than `least`.
        """
        if costs is None and reject is None and least is None:
            return self
        if self.linear.classes is None:
            raise RecipeError("costs and rejection are for classification, and the model predicts a number")
        if self.several:
            raise RecipeError("costs and rejection are for one label a row, and the model predicts several")
        if not self.has_probabilities:
            raise no_probabilities(catalogue.find(self.learner))
        if costs is None and self.rule is not None and self.rule.metric is not None:
            raise RecipeError(
                f"the model decides by a threshold chosen for {self.rule.metric}, which has no costs to compare: "
                f"to reject rows, give costs as well ({option('costs')}), which replace it"
            )
        if reject is None and least is None and self.rule is not None:
            reject, least = self.rule.reject, self.rule.least
        if costs is None and self.rule is not None:
            return replace(self, rule=Rule(self.rule.costs, reject, least))
        return replace(self, rule=Rule.of(self.linear.classes, costs, reject, least))

    @property
    def classifier(self) -> Classifier:
        """What turns rows into labels."""
        return Classifier(self.linear, self.has_probabilities, self.calibration, self.rule)

    def outputs(self) -> list[str]:
        """What each column of weights stands for."""
        classes = self.classes
        if classes is None:
            return [self.features.schema.target or "target"]
        if self.several:
            return [str(label) for label in classes]
        if len(classes) == 2:
            return [str(classes[1])]
        if self.linear.pairwise:
            return [f"{b} over {a}" for i, a in enumerate(classes) for b in classes[i + 1 :]]
        return [str(label) for label in classes]

    # -- why -------------------------------------------------------------------------------------------------------

    @cached_property
    def reasons(self) -> Reasons:
        """What measures the contribution of every feature."""
        return Reasons(self.features, self.linear, self.moments)

    def top(self, output: int, count: int) -> tuple[list[TopFeature], list[TopFeature]]:
        """The features whose contributions spread most, for an output and against it: (feature, weight, spread).

        The spread is |weight| times the standard deviation of the feature in the training rows, so that numbers of all
        scales, categories and words compare.
        """
        return self.reasons.top(output, count)

    @property
    def summary(self) -> FitSummary | None:
        """Coefficients with standard errors, tests and intervals, and the figures of the fit: after `summary=True`."""
        return self.record.summary

    @property
    def coef(self) -> Any:
        """The weights as a pandas data frame, or as a pyarrow table where pandas is not installed.

        A line for every feature and output, and one for the intercept: `feature`, `column`, `level` (the value of a
        category, or the word), `label` (the output), `weight`, `mean` and `spread`.  A missing number counts as its
        mean, and the weight of its flag is what is added to that; so the score is the sum of weight times value.
        `spread` is |weight| times the standard deviation of the feature in the training rows; words have no mean.
        """
        tables = list(coefficient_tables(self))
        return as_frame({name: [cell for table in tables for cell in table[name]] for name in tables[0]})

    def explain(self, data: Any, form: Form = None, *, top: int | None = None) -> Any:
        """What each feature contributes to the score of the predicted label, compared with the average training row.

        `data` is what `predict` takes.  Returns a pandas data frame, or a pyarrow table where pandas is not installed,
        with the columns `row` (counted from 0), `label`, `feature`, `value`, `weight` and `contribution`.  The lines of
        a row add up to its score: the first, `(baseline)`, has the score of the average row; the others follow by
        size, the largest first.  With `top`, that many of them, and `(other features)` for the rest.
        """
        if top is not None and top < 0:
            raise RecipeError(f"top must be 0 or more; it is {top}")
        rows = (each for block in self._rows_of(data, form) for each in self.explained(block))
        return as_frame(explanation_columns(rows, top))

    def explained(self, rows: Rows) -> Iterator[Explanation]:
        """For each row, why its predicted label (or number) has its score."""
        if self.linear.classes is None:
            target = self.features.schema.target or "target"
            return self.reasons.explained(rows, np.zeros(rows.shape[0], np.int64), [target] * rows.shape[0])
        codes = self.linear.scores(rows).argmax(axis=1) if self.several else self.classifier.answers(rows).codes
        return self.reasons.explained(rows, codes, self.linear.classes[codes].tolist())

    # -- predictions -------------------------------------------------------------------------------------------------

    def open(self, data: Any, form: Form = None, *, labelled: bool, strict: bool = False) -> Source:
        """A source for data of the kind this model was trained on; where it is strict, every value must fit."""
        files_are_rows = self.record.rows_are_files
        return open_for(self.features, data, form, labelled=labelled, strict=strict, files_are_rows=files_are_rows)

    def rows(self, block: Block, work: list[Any], findings: Findings | None = None) -> Rows:
        """A block as rows of this model: unknown features are left out, and counted."""
        return self.features.rows(block, work, findings)

    def blocks(
        self, source: Source, rejected: BadRows, threads: int, check: Check, *, by_rows: bool = True
    ) -> Iterator[PreparedBlock]:
        """A source block by block, prepared for the features of this model: for rows, or to be collected."""
        features = self.features
        prepare = features.prepare_rows if by_rows else features.prepare
        rejected.findings.never_missing = self._never_missing
        find_columns(source, features, rejected.findings)
        threads = threads or cores()
        return prepared_blocks(source, Position(), prepare, rejected, threads, check, features.cuts)

    def predicted(self, source: Source, rejected: BadRows | None = None, threads: int = 0) -> Iterator[Predictions]:
        """Predictions for every row, block after block, in order; empty for rows that `rejected` lets pass."""
        rejected = BadRows() if rejected is None else rejected
        ids, unread = Ids(source, self.features.schema.having(Role.ID)), UnreadRows()
        for made in self.blocks(source, rejected, threads, rows_with_infinities):
            before = unread.before(made.block)
            if made.block.rows:
                yield self._predictions(made.block, made.prepared, ids, rejected.findings).with_unread(before)
            elif len(before):
                yield self._no_predictions(ids).with_unread(before)

    def _predictions(self, block: Block, work: list[Any], ids: Ids, findings: Findings) -> Predictions:
        """The predictions for one block, prepared by `features.prepare`."""
        rows, unread = self.rows(block, work, findings), np.zeros(block.rows, dtype=bool)
        if self.linear.classes is None:
            return Predictions(self.linear.predict(rows), None, ids.of(block), unread, ids.typed, numbers=True)
        if self.several:
            labels, probable = LabelPicker(self.linear, self.has_probabilities).answers(rows)
            return Predictions(labels, probable, ids.of(block), unread, ids.typed)
        answers = self.classifier.answers(rows)
        return Predictions(self.classifier.labels(answers), answers.probabilities, ids.of(block), unread, ids.typed)

    def _no_predictions(self, ids: Ids) -> Predictions:
        """The predictions for no rows."""
        classes = self.linear.classes
        probabilities = np.empty((0, len(classes))) if classes is not None and self.has_probabilities else None
        labels = np.empty(0) if classes is None else classes[:0]
        nothing: NDArray[np.bool_] = np.empty(0, dtype=bool)
        return Predictions(labels, probabilities, {name: [] for name in ids.names}, nothing, ids.typed, classes is None)

    def _predicted(self, data: Any, form: Form, on_error: OnError | str) -> list[Predictions]:
        """Predictions for any data; a few rows given as dictionaries need no source and no threads."""
        policy, ids = OnError(on_error), Ids(None, ())
        if policy is OnError.QUARANTINE:
            raise RecipeError("on_error='quarantine' is for training, which writes such rows to a file: skip or fail")
        data = table_of(self.features, data)
        rows = dictionaries(data)
        rejected = BadRows(policy)
        if rows is None:
            found = list(self.predicted(self.open(data, form, labelled=False), rejected))
        else:
            found = [
                self._no_predictions(ids).with_unread(np.zeros(1, dtype=np.int64))
                if block is None
                else self._predictions(block, self.features.prepare(block), ids, rejected.findings)
                for block in blocks_of(self.features, rows, rejected)
            ]
        warn_of(rejected, depth=4)
        return [self._no_predictions(ids), *found]

    @cached_property
    def _never_missing(self) -> frozenset[str]:
        """Columns without a missing value in training, where that is known: means of streams may not be of all rows."""
        exact = self.entry.way is Way.BATCH or self.record.rows <= FEW_ROWS
        return self.features.never_missing(self.moments.means) if self.moments is not None and exact else frozenset()

    def _rows_of(self, data: Any, form: Form) -> Iterator[Rows]:
        """Any data that can be predicted, as rows of this model."""
        data = table_of(self.features, data)
        rows = dictionaries(data)
        if rows is not None:
            yield from (self.features.rows(block) for block in blocks_of(self.features, rows, BadRows()) if block)
            return
        source = self.open(data, form, labelled=False)
        for made in self.blocks(source, BadRows(), 0, rows_with_infinities):
            if made.block.rows:
                yield self.rows(made.block, made.prepared)

    def predict(
        self,
        data: Any,
        form: Form = None,
        *,
        costs: GivenCosts | None = None,
        reject: float | None = None,
        least: float | None = None,
        on_error: OnError | str = OnError.FAIL,
    ) -> NDArray[Any]:
        """The label or number of every row, in order, as a NumPy array: labels of the type that they had in training.

        Where a decision rule (see `deciding`) rejects a row there is None, and so, with `on_error="skip"`, where a row
        cannot be read (of numbers NaN): then the array is one of objects.  A model of several labels a row gives
        tuples of them.
        """
        model = self.deciding(costs, reject, least)
        return np.concatenate([each.labels for each in model._predicted(data, form, on_error)])

    def predict_proba(
        self, data: Any, form: Form = None, *, on_error: OnError | str = OnError.FAIL
    ) -> NDArray[np.float64]:
        """(rows, classes): the probability of each class, in the order of `classes`; NaN for unreadable rows."""
        if not self.has_probabilities:
            raise no_probabilities(catalogue.find(self.learner))
        found = self._predicted(data, form, on_error)
        return np.concatenate([each.probabilities for each in found if each.probabilities is not None])

    def check(self, data: Any, form: Form = None) -> Findings:
        """What these data have that the model does not know or cannot read, in numbers, by column.

        `misfits` are values that do not fit the type of their column, `unseen` rows with unknown categories, `words` of
        texts with how many of them are unknown; `missing_columns`, `extra_columns` and `unread_rows`.  It is empty
        (false) where all is as in training.  `data` is what `predict` takes, and `predict` warns of the same.
        """
        rejected, data = BadRows(OnError.SKIP), table_of(self.features, data)
        rows = dictionaries(data)
        if rows is not None:
            for block in blocks_of(self.features, rows, rejected):
                if block is not None:
                    self.rows(block, self.features.prepare(block), rejected.findings)
            return rejected.findings
        source = self.open(data, form, labelled=False)
        for made in self.blocks(source, rejected, 0, rows_with_infinities):
            if made.block.rows:
                self.rows(made.block, made.prepared, rejected.findings)
        return rejected.findings

    def evaluate(
        self,
        data: Any,
        form: Form = None,
        rejected: BadRows | None = None,
        threads: int = 0,
        *,
        strict: bool = False,
    ) -> Result:
        """The metrics of the model on data with known targets, by weight if they have the weight column."""
        warns, rejected = rejected is None, BadRows() if rejected is None else rejected
        source = self.open(data, form, labelled=True, strict=strict)
        loss = self.record.recipe.loss
        measuring = scorer(self.linear, self.has_probabilities, self.calibration, self.rule, loss)
        tally = measuring.tally()
        known = LabelIndex.of(self.classes or [])
        schema = self.features.schema
        for made in self.blocks(source, rejected, threads, lambda block: unusable_for(loss, block, self.features)):
            if not made.block.rows:
                continue
            rows = self.rows(made.block, made.prepared, rejected.findings)
            if self.several:
                measuring.add_block(tally, rows, made.block.columns[schema.target or LABELS])
                continue
            if self.task is Task.CLASSIFICATION:
                truth = known.numbers(made.block, schema, frozen=True).astype(np.float64)
            else:
                truth = numeric_targets(made.block, schema)
            measuring.add_result(tally, rows, truth, sample_weights_of(made.block, schema))
        result: Result = tally.result()
        if not result.rows:
            raise InputError("there are no rows to evaluate on")
        if warns:
            warn_of(rejected, depth=3)
        return result
