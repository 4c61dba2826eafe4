"""The structured perceptron for decoders that users write in Python: anything that can be decoded can be learned.

A decoder is an object with two methods:

    features(x, y)      the features of structure y of x: names, or a mapping of names to numbers
    decode(x, score)    the structure of x with the largest sum of weights, where score(features) is that sum

The score of y is w · features(x, y).  Where decode does not give the true structure, w moves by the difference Δ of the
features of both: by Δ (perceptron), or by min(C, (loss - w·Δ) / ‖Δ‖²) Δ (passive-aggressive, also called MIRA); loss is
decoder.loss(x, y, guess) if there is such a method, else 1.  Predictions are made by the mean of w over all steps.

Where decode is a search that may miss the best structure, such as a beam, w should move by a violation: by partial
structures of which the search preferred the wrong one (Huang, Fayong, Guo 2012, Structured perceptron with inexact
search).  A decoder then has a third method,

    prefixes(x, y, score)   for each step of the search, in order: the beginning of y, the best beginning that the
                            search holds, and whether it still holds that of y; in the last step whole structures

and features(x, y) takes such beginnings, too.  `violation` says which step counts: 'early' the one at which the search
lost y (Collins, Roark 2004), 'max' the one at which the beginning of y scores less than the best by most; both the last
one where y was there to the end.  w moves only if the wrong beginning scores no less than the true one: that is what
the proof of convergence needs.

If one vector separates all true structures from all others by a margin γ, and no Δ is longer than R, the perceptron
makes at most (R / γ)² mistakes, in any number of passes (Collins 2002, Discriminative training methods for hidden
Markov models, theorem 1).  A decoder with a method candidates(x), which lists all structures, lets `mistake_bound`
compute it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from linnet.errors import InputError, RecipeError
from linnet.structured import trainer
from linnet.structured.history import History
from linnet.structured.mistakes import MistakeBound
from linnet.structured.shuffle import Numbers
from linnet.structured.trainer import Settings, Tally

Features = Mapping[Hashable, float] | Iterable[Hashable]
UPDATES = ("perceptron", "passive-aggressive")
VIOLATIONS = ("full", "early", "max")


class Score(Protocol):
    """The sum of the weights of some features."""

    def __call__(self, features: Features, /) -> float: ...


class StructureDecoder(Protocol):
    """What is needed of a decoder; loss(x, y, guess), candidates(x) and prefixes(x, y, score) are optional."""

    def decode(self, x: Any, score: Score, /) -> Any: ...

    def features(self, x: Any, y: Any, /) -> Features: ...


def counted(features: Features) -> dict[Hashable, float]:
    """Features with their values; names alone count 1 for each time that they are there."""
    if isinstance(features, Mapping):
        return {name: float(value) for name, value in features.items()}
    found: dict[Hashable, float] = {}
    for name in features:
        found[name] = found.get(name, 0.0) + 1.0
    return found


def difference(first: Features, second: Features) -> dict[Hashable, float]:
    """Δ: the features of one structure less those of another, without those that are the same."""
    found = counted(first)
    for name, value in counted(second).items():
        found[name] = found.get(name, 0.0) - value
    return {name: value for name, value in found.items() if value != 0.0}


class _Weights:
    """Weights by name: w, and the sum u of which their mean is made (w - u / steps)."""

    def __init__(self) -> None:
        self.w: dict[Hashable, float] = {}
        self.u: dict[Hashable, float] = {}
        self.steps = 0

    def score(self, features: Features) -> float:
        if isinstance(features, Mapping):
            return sum(self.w.get(name, 0.0) * value for name, value in features.items())
        return sum(self.w.get(name, 0.0) for name in features)

    def add(self, delta: Mapping[Hashable, float], tau: float) -> None:
        for name, value in delta.items():
            self.w[name] = self.w.get(name, 0.0) + tau * value
            self.u[name] = self.u.get(name, 0.0) + tau * value * (self.steps - 1)

    def mean(self) -> dict[Hashable, float]:
        return {name: w - self.u[name] / self.steps for name, w in self.w.items()} if self.steps else {}


class _Learner:
    """One run of the trainer (trainer.Learner)."""

    def __init__(self, problem: _Problem) -> None:
        self.problem = problem
        self.weights = _Weights()
        self.mistakes = 0

    def train(self, order: Numbers) -> Tally:
        problem, weights, wrong = self.problem, self.weights, 0
        for number in order.tolist():
            x, y = problem.X[number], problem.Y[number]
            weights.steps += 1
            guess = problem.decoder.decode(x, weights.score)
            if guess == y:
                continue
            wrong += 1
            pair = (y, guess) if problem.violation == "full" else self._violation(x, y)
            if pair is None:
                continue
            delta = difference(*(problem.decoder.features(x, each) for each in pair))
            weights.add(delta, self._step(x, *pair, delta))
        self.mistakes += wrong
        return Tally(len(order), wrong, len(order), wrong)

    def _violation(self, x: Any, y: Any) -> tuple[Any, Any] | None:
        """The beginnings to move weights by, the true one and the wrong one; None where no step is a violation."""
        decoder, score = self.problem.decoder, self.weights.score
        chosen, most = None, 0.0
        for true, found, kept in decoder.prefixes(x, y, score):
            if true == found:
                chosen = chosen if self.problem.violation == "max" else None
                continue
            behind = score(decoder.features(x, found)) - score(decoder.features(x, true))
            if self.problem.violation == "early":
                chosen = (true, found) if behind >= 0.0 else None
                if not kept:
                    break
            elif behind > most or (behind == most and chosen is None):
                chosen, most = (true, found), behind
        return chosen

    def _step(self, x: Any, y: Any, guess: Any, delta: Mapping[Hashable, float]) -> float:
        if self.problem.C is None:
            return 1.0
        norm = sum(value * value for value in delta.values())
        loss = self.problem.decoder.loss(x, y, guess) if hasattr(self.problem.decoder, "loss") else 1.0
        return min(self.problem.C, max(0.0, loss - self.weights.score(delta)) / norm) if norm else 0.0

    def score(self, which: Numbers) -> float:
        mean = _Weights()
        mean.w = self.weights.mean()
        right = [
            self.problem.decoder.decode(self.problem.X[number], mean.score) == self.problem.Y[number]
            for number in which.tolist()
        ]
        return sum(right) / len(right) if right else 1.0

    def state(self) -> dict[str, NDArray[Any]]:
        raise RecipeError("weights of a decoder written in Python are not kept in checkpoints")

    def restore(self, _: Mapping[str, NDArray[Any]]) -> None:
        raise ValueError("weights of a decoder written in Python are not kept in checkpoints")


@dataclass(frozen=True, eq=False)
class _Problem:
    """Examples in memory (trainer.Problem)."""

    decoder: Any
    X: Sequence[Any]
    Y: Sequence[Any]
    C: float | None
    violation: str = "full"

    @property
    def examples(self) -> int:
        return len(self.X)

    def learner(self, _: Numbers) -> _Learner:
        return _Learner(self)


class StructuredPerceptron(BaseEstimator):  # type: ignore[misc]
    """Learns to predict structures with a decoder of your own.

    Parameters
    ----------
    decoder : object
        With methods features(x, y) and decode(x, score); see the top of this module.
    update : {'perceptron', 'passive-aggressive'}, default 'perceptron'
        How weights move at a mistake.
    C : float, default 1.0
        The largest step of passive-aggressive.
    violation : {'full', 'early', 'max'}, default 'full'
        Which partial structures weights move by, where the decoder's search is inexact: whole structures, or those of
        an early or a max-violation update, for which the decoder has a method prefixes(x, y, score).
    passes : int, optional
        Passes over the examples; by default held-out examples decide, where there are at least 20.
    seed : int, default 0
        The seed of the shuffle.

    Examples
    --------
    Rank: of several numbers, the one that its list prefers.

    >>> class Choice:
    ...     def features(self, x, y):
    ...         return {"small": -float(x[y]), "even": float(x[y] % 2 == 0)}
    ...     def decode(self, x, score):
    ...         return max(range(len(x)), key=lambda y: score(self.features(x, y)))
    >>> model = StructuredPerceptron(Choice(), passes=20).fit([[3, 1, 2], [5, 4, 9], [7, 8, 6]], [1, 1, 2])
    >>> model.predict([[9, 2, 5]])
    [1]
    """

    def __init__(
        self, decoder: StructureDecoder, *, update: str = "perceptron", C: float = 1.0, violation: str = "full",
        passes: int | None = None, seed: int = 0,
    ) -> None:  # fmt: skip
        self.decoder, self.update, self.C, self.passes, self.seed = decoder, update, C, passes, seed
        self.violation = violation

    def _check(self) -> None:
        if self.update not in UPDATES:
            raise RecipeError(f"update is one of {', '.join(UPDATES)}; not {self.update!r}")
        if self.violation not in VIOLATIONS:
            raise RecipeError(f"violation is one of {', '.join(VIOLATIONS)}; not {self.violation!r}")
        if self.violation != "full" and not hasattr(self.decoder, "prefixes"):
            raise RecipeError(f"violation={self.violation!r} needs a decoder with a method prefixes(x, y, score)")
        if not self.C > 0:
            raise RecipeError(f"C must be a number above 0; it is {self.C}")
        if self.passes is not None and self.passes < 1:
            raise RecipeError(f"passes must be 1 or more; it is {self.passes}")
        for name in ("features", "decode"):
            if not callable(getattr(self.decoder, name, None)):
                raise RecipeError(f"a decoder has a method {name}; {self.decoder!r} has not")

    def fit(self, X: Sequence[Any], Y: Sequence[Any]) -> StructuredPerceptron:
        """Train on examples and their true structures."""
        self._check()
        if len(X) != len(Y):
            raise InputError(f"there are {len(X)} examples and {len(Y)} structures")
        if not len(X):
            raise InputError("there are no examples")
        C = None if self.update == "perceptron" else self.C
        problem = _Problem(self.decoder, X, Y, C, self.violation)
        [learner], history = trainer.fit(problem, Settings(self.passes, self.seed))
        assert isinstance(learner, _Learner)
        self.history_: History = history
        self.mistakes_ = learner.mistakes
        self.weights_ = learner.weights.mean()
        self.last_weights_ = dict(learner.weights.w)
        return self

    def _score(self, features: Features) -> float:
        weights = self.weights_
        if isinstance(features, Mapping):
            return sum(weights.get(name, 0.0) * value for name, value in features.items())
        return sum(weights.get(name, 0.0) for name in features)

    def predict(self, X: Sequence[Any]) -> list[Any]:
        """The best structure of each example."""
        if not hasattr(self, "weights_"):
            raise InputError("this StructuredPerceptron is not fitted yet: call fit")
        return [self.decoder.decode(x, self._score) for x in X]

    def score(self, X: Sequence[Any], Y: Sequence[Any]) -> float:
        """The fraction of examples whose structure is right."""
        right = [bool(found == y) for found, y in zip(self.predict(X), Y, strict=True)]
        return sum(right) / max(1, len(right))

    def mistake_bound(self, X: Sequence[Any], Y: Sequence[Any]) -> MistakeBound:
        """The mistakes of the training beside their bound, if the last weights separate these examples.

        The margin γ is that of these weights, so the bound is a true one, if not always the smallest.
        """
        candidates = getattr(self.decoder, "candidates", None)
        if candidates is None:
            return MistakeBound(self.mistakes_, reason="the decoder has no method candidates(x), all structures of x")
        if self.violation != "full":
            return MistakeBound(self.mistakes_, reason="the bound is of updates by whole structures")
        if self.update != "perceptron":
            return MistakeBound(self.mistakes_, reason="the bound is of the perceptron, not of other updates")
        length = sqrt(sum(w * w for w in self.last_weights_.values()))
        radius, margin = 0.0, float("inf")
        for x, y in zip(X, Y, strict=True):
            truth = self.decoder.features(x, y)
            for other in candidates(x):
                if other == y:
                    continue
                delta = difference(truth, self.decoder.features(x, other))
                radius = max(radius, sqrt(sum(value * value for value in delta.values())))
                gap = sum(self.last_weights_.get(name, 0.0) * value for name, value in delta.items())
                margin = min(margin, gap / length if length else 0.0)
        if not margin > 0:
            return MistakeBound(self.mistakes_, reason="the weights do not separate the examples: train longer")
        if not np.isfinite(margin):
            return MistakeBound(self.mistakes_, reason="no example has more than one structure")
        return MistakeBound(self.mistakes_, (radius / margin) ** 2, radius, margin)
