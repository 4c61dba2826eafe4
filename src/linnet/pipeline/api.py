"""linnet.train: the command of the same name, from Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linnet.data.features.features import FeatureOptions
from linnet.data.features.schema import Role, Task
from linnet.data.features.terms import Damping, TextOptions
from linnet.data.features.tokenizer import Analyzer
from linnet.data.on_error import OnError
from linnet.data.sources.formats import Format
from linnet.decisions.calibration import Method
from linnet.decisions.costs import Costs
from linnet.learners.strength import Strength
from linnet.learners.winnowing import Winnowing
from linnet.model.model import Model
from linnet.pipeline.train import AUTO, MEMORY, TrainOptions
from linnet.pipeline.train import train as _train
from linnet.training.class_weights import ClassWeights


def train(
    data: Any,
    target: str | None = None,
    *,
    learner: str = AUTO,
    columns: Mapping[str, str] | None = None,
    crosses: Sequence[Sequence[str]] = (),
    polynomial: int = 1,
    conjunctions: int = 1,
    ngrams: int | tuple[int, int] = (1, 2),
    analyzer: str = "word",
    marks: bool = True,
    counts: str = "log",
    hash_bits: int = 0,
    task: str | None = None,
    passes: int | None = None,
    holdout: float | None = None,
    seed: int = 0,
    format: str | None = None,  # noqa: A002 - the name the command has
    header: bool | None = None,
    memory: int = MEMORY,
    on_error: str = "fail",
    threads: int = 0,
    calibrate: str | None = None,
    costs: Costs | None = None,
    reject: float | None = None,
    least: float | None = None,
    threshold_for: str | None = None,
    class_weight: Mapping[Any, float] | str | None = None,
    C: float | None = None,
    alpha: float | None = None,
    penalty: str | None = None,
    l1_ratio: float | None = None,
    multiclass: str | None = None,
    penalise_intercept: bool = False,
    promotion: float | None = None,
    winnow_threshold: float | None = None,
) -> Model:
    """Learn a model from files, a data frame, or arrays (X, y).

    The options are those of `linnet train`; the same data and options give the same model, to the bit.  `columns` gives
    columns a role (number, category, text, id, weight, ignore), `marks` makes words of punctuation marks.
    `C` or `alpha`, `penalty` (l2, l1, elasticnet, none) and `l1_ratio` say how strongly weights are held back,
    `multiclass` how more than two classes are taken, where the learner has a choice; the intercept is held back only if
    `penalise_intercept` asks for it.  `class_weight` has how much the rows of a label count, or is "balanced".
    `promotion` and `winnow_threshold` are the α and Θ of Winnow.
    `costs` has what mistakes cost by (true label, predicted label): with it the model decides for what costs least.
    `threshold_for` chooses, for two labels, the probability to decide at: the best for a metric such as "f1:spam" or
    "precision@recall=0.95:spam" on rows not learnt from; `model.summary["threshold"]` tells which, and how it did.

    >>> import linnet
    >>> rows = {"text": ["good film", "good fun", "bad film", "so bad"] * 10, "label": ["+", "+", "-", "-"] * 10}
    >>> model = linnet.train(rows, target="label")
    >>> model.predict({"text": ["good", "bad"]})
    ['+', '-']
    """
    shortest, longest = (1, ngrams) if isinstance(ngrams, int) else ngrams
    text = TextOptions(Analyzer(analyzer), shortest, longest, marks=marks, damping=Damping(counts))
    options = TrainOptions(
        target=target,
        roles={name: Role(role) for name, role in (columns or {}).items()},
        form=None if format is None else Format(format),
        header=header,
        task=None if task is None else Task(task),
        learner=learner,
        passes=passes,
        holdout=holdout,
        seed=seed,
        memory=memory,
        features=FeatureOptions(text, tuple(tuple(cross) for cross in crosses), polynomial, hash_bits, conjunctions),
        on_error=OnError(on_error),
        threads=threads,
        calibrate=None if calibrate is None else Method(calibrate),
        costs=costs,
        reject=reject,
        least=least,
        threshold_for=threshold_for,
        class_weights=None if class_weight is None else ClassWeights.of(class_weight),
        strength=Strength.of_words(C, alpha, penalty, l1_ratio, multiclass, penalise_intercept),
        winnowing=Winnowing(promotion, winnow_threshold),
    )
    return _train(data, options)
