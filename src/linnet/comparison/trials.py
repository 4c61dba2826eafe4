"""A trial: one contender trained on the training rows of a fold, measured on its test rows."""

from __future__ import annotations

import base64
import math
import zlib
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from linnet.comparison import yardsticks
from linnet.comparison.compared_data import ComparedData
from linnet.comparison.contenders import Contender
from linnet.comparison.fold_view import FoldView
from linnet.comparison.predictions import Predictions, metrics_of
from linnet.cores import one_thread
from linnet.data.features.text import TextTerm
from linnet.data.role import Role
from linnet.errors import LinnetError, RecipeError
from linnet.evaluation.tuning_metrics import Metric
from linnet.learners import catalogue
from linnet.learners.entry import AUTO, Entry, Way
from linnet.model.model import Model
from linnet.model.target_checks import unusable_for
from linnet.pipeline.options import TrainOptions
from linnet.pipeline.services import Services
from linnet.pipeline.train import fitted_to
from linnet.pipeline.value_checks import refuse_dates

Flat = NDArray[np.float64]


@dataclass(frozen=True)
class Trial:
    """What is known after a trial.  `predicted` are the predictions, packed; `failed` is why there are no scores, if
    there are none."""

    contender: str
    fold: int
    scores: dict[str, float]
    strength: float | None = None
    predicted: str = ""
    failed: str = ""
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    peak_bytes: int | None = None


def packed(values: Flat) -> str:
    """Predictions as a short text."""
    return base64.b64encode(zlib.compress(values.tobytes())).decode()


def unpacked(text: str) -> Flat:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.float64)


@dataclass(frozen=True)
class TrialSettings:
    """What all trials of a data set share: the metric that decides, and whether penalties are tuned."""

    metric: str
    tuned: bool
    seed: int


def options_of(contender: Contender, data: ComparedData, settings: TrialSettings) -> TrainOptions:
    """The options with which `linnet train` would train this contender on the training rows of a fold."""
    entry = catalogue.find(contender.learner, task=data.task)
    given = dict(contender.options)
    if settings.tuned and tunable(contender):
        given["tune"] = _metric_to_tune_by(entry, data, settings.metric)
    return replace(data.options, learner=contender.learner, holdout=0.0, seed=settings.seed, threads=1, **given)


def tunable(contender: Contender) -> bool:
    """Whether there is a C or alpha to tune: not where it was given, nor without a penalty, nor of a yardstick."""
    given = contender.options
    if contender.yardstick or given.get("penalty") == "none" or not {"C", "alpha", "tune"}.isdisjoint(given):
        return False
    return bool(catalogue.find(contender.learner).strength)


def _metric_to_tune_by(entry: Entry, data: ComparedData, metric: str) -> str:
    """The metric that decides, where the learner can be tuned by it; else the learner's own."""
    try:
        Metric.parsed(metric).check(entry, data.task, 0 if data.labels is None else len(data.labels))
    except RecipeError:
        return AUTO
    return metric


def refusal(contender: Contender, data: ComparedData, settings: TrialSettings) -> str:
    """Why a contender cannot be tried on these data at all; nothing if it can."""
    try:
        if contender.yardstick:
            yardsticks.check(contender, data)
        else:
            _check_values(contender, data, options_of(contender, data, settings))
    except LinnetError as error:
        return str(error)
    return ""


def _check_values(contender: Contender, data: ComparedData, options: TrainOptions) -> None:
    """Refuse rows that the learner does not take; one that takes counts, or numbers of a range, takes no logarithms."""
    entry, schema = catalogue.find(contender.learner, task=data.task), data.features.schema
    refuse_dates(entry, schema)
    if entry.values is not None:
        if Role.LOG in data.options.roles.values():
            raise RecipeError(f"{entry.name} takes numbers as they are, not their logarithms: make it number")
        for term, piece in zip(data.features.terms, data.pieces, strict=True):
            if isinstance(term, TextTerm):  # whose counts it takes in its own way
                continue
            misfits = entry.values.misfits(piece.values)
            if misfits.any():
                at = int(np.flatnonzero(misfits)[0])
                name = term.name(int(piece.ids[at]))
                raise RecipeError(f"{name} has the value {float(piece.values[at]):g}: {entry.values}")
    loss = options.loss_parameters.of(entry).recipe.loss
    for block in data.blocks:
        if wrong := unusable_for(loss, block, data.features):
            raise RecipeError(next(iter(wrong.values())) or "a row has no target")


def view_of(contender: Contender, data: ComparedData) -> bool:
    """Whether the contender takes text without the n-grams that a single training row has."""
    return contender.yardstick or catalogue.find(contender.learner, task=data.task).way is Way.BATCH


@one_thread()
def run(contender: Contender, view: FoldView, number: int, settings: TrialSettings) -> Trial:
    """Train and measure; an error of the contender is its failure, not that of the comparison."""
    began = perf_counter()
    try:
        strength = None
        if contender.yardstick:
            fitted = yardsticks.fitted(contender, view, settings.seed + number)
            trained = perf_counter()
            predicted = yardsticks.predicted(fitted, view)
        else:
            model = _trained(contender, view, settings)
            trained = perf_counter()
            predicted, strength = _predicted(model, view), _strength(model)
        ended = perf_counter()
        data, test = view.data, view.fold.test
        scores = metrics_of(predicted, data.dataset.targets[test], view.weights(test), data.labels, settings.metric)
    except Exception as error:  # whatever a yardstick raises
        return Trial(contender.name, number, {}, failed=_reason(error))
    return Trial(
        contender.name, number, scores, strength, packed(predicted.values),
        fit_seconds=trained - began, predict_seconds=ended - trained,
    )  # fmt: skip


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split())[:500]
    return text if isinstance(error, LinnetError) and text else f"{type(error).__name__}: {text}"


def _trained(contender: Contender, view: FoldView, settings: TrialSettings) -> Model:
    entry = catalogue.find(contender.learner, task=view.data.task)
    features = view.features(as_they_are=entry.values is not None)
    options = options_of(contender, view.data, settings)
    return fitted_to(view.stream(features, Services(threads=1)), options, view.data.choice)


def _predicted(model: Model, view: FoldView) -> Predictions:
    rows, labels = view.test_rows(model.features), view.data.labels
    if labels is None:
        values = model.linear.predict(rows)
        if not np.isfinite(values).all():
            raise RecipeError("its predictions left the range of numbers")
        return Predictions(values)
    answers = model.classifier.answers(rows)
    assert model.linear.classes is not None
    codes = labels.encode(model.linear.classes)
    probabilities = None
    if answers.probabilities is not None:
        probabilities = np.zeros((rows.shape[0], len(labels)))
        probabilities[:, codes.astype(np.int64)] = answers.probabilities
    two = answers.decision.ndim == 1 and len(codes) == 2
    return Predictions(codes[answers.codes], probabilities, answers.decision if two else None)


def _strength(model: Model) -> float | None:
    """The C or alpha that was chosen from the training rows."""
    chosen = model.record.strength
    return None if chosen is None or not math.isfinite(chosen.value) else float(chosen.value)
