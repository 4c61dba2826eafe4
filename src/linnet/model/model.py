"""Model: what training ends in and a file keeps: raw data in, predictions and their reasons out."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.features import Features, Places, assembled
from linnet.data.features.schema import Role, Task
from linnet.data.features.terms import NumberTerm
from linnet.data.reading import Check, Prepared, Rejected, prepared_blocks
from linnet.data.rows import Rows
from linnet.data.sources.arrays import Arrays
from linnet.data.sources.block import Block, Position, Strings
from linnet.data.sources.files import ByteFiles, listed
from linnet.data.sources.folder import Folder
from linnet.data.sources.formats import Format
from linnet.data.sources.labelled import TARGET, TEXT, LabelledText
from linnet.data.sources.opening import guessed, guessed_by_content, of_anything, reading
from linnet.data.sources.plaintext import PlainText
from linnet.data.sources.source import Source
from linnet.data.sources.table import TableSource
from linnet.data.targets import Seen, fit_to_learn, target_numbers, without_infinities
from linnet.decisions.calibration import Calibration
from linnet.decisions.costs import GivenCosts, Rule
from linnet.errors import InputError, RecipeError
from linnet.learners import catalogue
from linnet.learners.linear import LinearModel
from linnet.learners.recipe import Reduction
from linnet.model import file as modelfile
from linnet.model.predictor import Classifier, Result, no_probabilities, scorer
from linnet.theory.mistake_bounds import Mistakes
from linnet.training.duality_gap import Certificate


@dataclass(frozen=True)
class Contribution:
    """One feature of a row: its value, its weight, and the product, which adds to the score."""

    feature: str
    value: float
    weight: float

    @property
    def contribution(self) -> float:
        return self.value * self.weight


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a block of rows is predicted to be (None: rejected), and its ids if it has any."""

    labels: list[Any]
    probabilities: NDArray[np.float64] | None
    ids: dict[str, list[str]]
    block: Block


@dataclass(frozen=True, eq=False)
class Model:
    """Features, weights, and what was seen in training."""

    features: Features
    linear: LinearModel
    learner: str
    summary: dict[str, Any] = field(default_factory=dict)
    collisions: int = 0
    certificate: Certificate | Mistakes | None = None
    checkpoint: str | None = None
    weights_as_certified: bool = True
    calibration: Calibration | None = None
    rule: Rule | None = None

    def __repr__(self) -> str:
        return f"<linnet.Model: {self.learner}, {self.task}, {len(self.features):,} features>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, whole or not at all; only then is a checkpoint on the way to it not needed."""
        stored = modelfile.Stored(
            self.features,
            self.linear,
            self.learner,
            self.summary,
            self.collisions,
            self.certificate,
            calibration=self.calibration,
            rule=self.rule,
        )
        modelfile.save(stored, path)
        if self.checkpoint is not None:
            with suppress(FileNotFoundError):
                os.remove(self.checkpoint)

    # -- what it is ------------------------------------------------------------------------------------------------

    @property
    def task(self) -> Task:
        return self.features.task

    @property
    def classes(self) -> list[Any] | None:
        return None if self.linear.classes is None else self.linear.classes.tolist()

    @property
    def has_probabilities(self) -> bool:
        return self.calibration is not None or (
            self.linear.classes is not None
            and not self.linear.votes
            and not self.linear.pairwise
            and catalogue.find(self.learner).recipe.has_probabilities
        )

    def deciding(
        self, costs: GivenCosts | None = None, reject: float | None = None, least: float | None = None
    ) -> Model:
        """The model with another rule to decide by; what is not given stays as it is here.

        `costs` has what a mistake costs by (true label, predicted label), or as the command line takes it; those it
        does not name cost 1.  A row is rejected where every decision would cost more than `reject`, or where the label
        decided for is less probable than `least`.
        """
        if costs is None and reject is None and least is None:
            return self
        if self.linear.classes is None:
            raise RecipeError("costs and rejection are for decisions between classes, and the model predicts a number")
        if not self.has_probabilities:
            raise no_probabilities(catalogue.find(self.learner))
        if costs is None and self.rule is not None and self.rule.metric is not None:
            raise RecipeError(
                f"the model decides by a threshold chosen for {self.rule.metric}, which knows no price of a mistake: "
                "to reject rows, give costs as well (--cost), which take its place"
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
        """What each column of weights speaks for."""
        classes = self.classes
        if classes is None:
            return [self.features.schema.target or "target"]
        if len(classes) == 2:
            return [str(classes[1])]
        if self.linear.pairwise:
            return [f"{b} over {a}" for i, a in enumerate(classes) for b in classes[i + 1 :]]
        return [str(label) for label in classes]

    def top(self, output: int, count: int) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
        """The features that speak most for an output, and most against it, with their weights (`_weights_apart`)."""
        weights = self._weights_apart(output)
        effects = weights * self._units()
        order = np.argsort(effects, kind="stable")
        against = [int(i) for i in order[:count] if effects[i] < 0]
        favour = [int(i) for i in order[::-1][:count] if effects[i] > 0]
        named = [[(self.features.name(i), float(weights[i])) for i in each] for each in (favour, against)]
        return named[0], named[1]

    def _weights_apart(self, output: int) -> NDArray[np.float64]:
        """The weights of an output; of classes that are told apart jointly, less the mean over all of them.

        What all classes have in common decides nothing: naive Bayes's log probabilities are below 0 in each of them.
        """
        weights = self.linear.weights
        if weights.shape[1] > 1 and self.linear.reduction is Reduction.JOINT:
            return np.asarray(weights[:, output] - weights.mean(axis=1))
        return weights[:, output]

    def _units(self) -> NDArray[np.float64]:
        """What makes weights comparable: a number's deviation in the training rows, else 1; 0 for what never was."""
        units = np.ones(len(self.features))
        numbers = self.summary.get("numbers", {})
        for (value, missing), term in zip(
            self.features.number_features(),
            (term for term in self.features.terms if isinstance(term, NumberTerm)),
            strict=True,
        ):
            known = numbers.get(term.columns[0])
            if known:
                units[value], units[missing] = known["deviation"], float(known["missing"] > 0)
        return units

    # -- what it says of data ----------------------------------------------------------------------------------------

    def open(self, data: Any, form: Format | None = None, *, labelled: bool) -> Source:
        """A source for data of the kind this model was trained on."""
        if self.features.is_numbered and getattr(data, "ndim", 0) == 2:
            return self._array(data)
        source = self._source(data, form)
        table = isinstance(source, TableSource | LabelledText | Folder | PlainText)
        if table == self.features.is_numbered:
            kinds = ("numbered columns (svmlight)", "named columns")
            has, wants = kinds if self.features.is_numbered is False else kinds[::-1]
            raise InputError(f"the data have {has}, the model was trained on {wants}")
        if isinstance(source, TableSource):
            wanted = self.features.schema.reading(self.task, with_target=labelled)
            for name in self.features.schema.having(Role.ID) + self.features.schema.having(Role.WEIGHT):
                if name not in source.names:
                    wanted.pop(name, None)  # good to have, not needed
            missing = [name for name in wanted if name not in source.names]
            if missing and not source.leaves_out:  # where a key may be left out, that is a missing value
                raise InputError(_lacking(missing, source.names))
            source.read_only(wanted)
        elif isinstance(source, LabelledText | Folder):
            missing = [name for term in self.features.terms for name in term.columns if name not in (TARGET, TEXT)]
            if labelled and self.features.schema.target != TARGET:
                missing.append(self.features.schema.target or "")
            if missing:
                raise InputError(_lacking(missing, (TARGET, TEXT)))
        elif isinstance(source, PlainText) and labelled:
            raise InputError("plain text has no targets to measure a model by: give labelled data")
        return source

    def _source(self, data: Any, form: Format | None) -> Source:
        """The data as they say they are; or, for a model of one text and nothing else, as lines of plain text."""
        roles = self.features.schema.roles
        needed = [name for name in roles if roles[name] in (Role.NUMBER, Role.CATEGORY, Role.TEXT)]
        headed = False if roles and all(re.fullmatch(r"c\d+", name) for name in roles) else None
        only_text = len(needed) == 1 and roles[needed[0]] is Role.TEXT
        if form is Format.TEXT:
            if not only_text:
                raise InputError(f"plain text is one column, the model needs {', '.join(needed)}")
            paths = listed([data] if isinstance(data, str) else data)
            return PlainText(ByteFiles(paths, prompt=True), needed[0])  # nothing is guessed: lines are answered at once
        if (
            only_text
            and form is None
            and isinstance(data, list | tuple)
            and all(isinstance(each, str) for each in data)
        ):
            paths = listed(data)
            if not any(os.path.isdir(path) for path in paths) and guessed(paths[0]) is None:
                files = ByteFiles(paths)
                kind = guessed_by_content(files.head(), files.name(0))
                if kind is Format.CSV and needed[0].encode() not in files.head().split(b"\n")[0]:
                    return PlainText(files, needed[0])
                return reading(files, kind, headed)
        return of_anything(data, form, header=headed)

    def _array(self, X: Any) -> Source:
        """Rows in memory, for a model of numbered columns."""
        known = self.features.sizes[0]
        if X.shape[1] > known:
            raise InputError(f"the data have {X.shape[1]} columns, the model was trained on {known}")
        return Arrays.of(X, np.zeros(X.shape[0]))

    def rows(self, block: Block, work: list[Any]) -> Rows:
        """A block as rows of this model: features it does not know are left out."""
        pieces = self.features.number(block, work, frozen=True)
        return assembled(self.features.weighed(pieces), Places.in_turn(self.features.sizes))

    def blocks(self, source: Source, rejected: Rejected, threads: int, check: Check) -> Iterator[Prepared]:
        """A source block by block, prepared for the features of this model."""
        threads = threads or os.cpu_count() or 1
        return prepared_blocks(source, Position(), self.features.prepare, rejected, threads, check)

    def predicted(self, source: Source, rejected: Rejected | None = None, threads: int = 0) -> Iterator[Predictions]:
        """Predictions for every row, block after block, in order."""
        rejected = Rejected() if rejected is None else rejected
        for made in self.blocks(source, rejected, threads, without_infinities):
            if not made.block.rows:
                continue
            rows = self.rows(made.block, made.work)
            ids = {
                name: column.strings()
                for name in self.features.schema.having(Role.ID)
                if isinstance(column := made.block.columns.get(name), Strings)
            }
            if self.linear.classes is None:
                yield Predictions(self.linear.predict(rows).tolist(), None, ids, made.block)
                continue
            answers = self.classifier.answers(rows)
            yield Predictions(self.classifier.labels(answers), answers.probabilities, ids, made.block)

    def predict(
        self,
        data: Any,
        form: Format | None = None,
        *,
        costs: GivenCosts | None = None,
        reject: float | None = None,
        least: float | None = None,
    ) -> list[Any]:
        """The label or number of every row; None where a rule (see `deciding`) would rather not decide."""
        model = self.deciding(costs, reject, least)
        source = model.open(data, form, labelled=False)
        return [label for each in model.predicted(source) for label in each.labels]

    def predict_proba(self, data: Any, form: Format | None = None) -> NDArray[np.float64]:
        """(rows, classes): how probable each class is, in the order of `classes`."""
        if not self.has_probabilities:
            raise no_probabilities(catalogue.find(self.learner))
        source = self.open(data, form, labelled=False)
        blocks = [each.probabilities for each in self.predicted(source) if each.probabilities is not None]
        return np.concatenate(blocks) if blocks else np.empty((0, len(self.classes or ())))

    def evaluate(
        self, data: Any, form: Format | None = None, rejected: Rejected | None = None, threads: int = 0
    ) -> Result:
        """How well the model does on data with known targets."""
        rejected = Rejected() if rejected is None else rejected
        source = self.open(data, form, labelled=True)
        classes = self.task is Task.CLASSIFICATION
        measuring = scorer(self.linear, self.has_probabilities, self.calibration, self.rule)
        tally = measuring.tally()
        seen = Seen({label: number for number, label in enumerate(self.classes or [])})
        schema = self.features.schema
        for made in self.blocks(source, rejected, threads, lambda block: fit_to_learn(block, schema)):
            block = made.block
            if not block.rows:
                continue
            truth = (
                seen.numbers(block, schema, frozen=True).astype(np.float64)
                if classes
                else target_numbers(block, schema)
            )
            measuring.add_result(tally, self.rows(block, made.work), truth)
        result: Result = tally.result()
        if not result.rows:
            raise InputError("there are no rows to evaluate on")
        return result

    def explain(self, rows: Rows, row: int, output: int) -> list[Contribution]:
        """What each feature of a row adds to the score of an output, the largest first."""
        a, b = int(rows.starts[row]), int(rows.starts[row + 1])
        found = [
            Contribution(self.features.name(int(j)), float(x), float(self.linear.weights[j, output]))
            for j, x in zip(rows.ids[a:b], rows.values[a:b], strict=True)
        ]
        return sorted((each for each in found if each.contribution), key=lambda each: -abs(each.contribution))


def _lacking(missing: list[str], names: Sequence[str]) -> str:
    several = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
    return f"the data have no column {missing[0]!r}{several}, which the model needs: there are {', '.join(names[:20])}"


def load(path: str | os.PathLike[str]) -> Model:
    """A model from its file; safe whoever wrote it."""
    stored = modelfile.load(path)
    return Model(
        stored.features,
        stored.linear,
        stored.learner,
        stored.summary,
        stored.collisions,
        stored.certificate,
        weights_as_certified=stored.weights_as_certified,
        calibration=stored.calibration,
        rule=stored.rule,
    )
