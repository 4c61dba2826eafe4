"""Training a parser: the trees of a treebank as a problem for the structured trainer, and the model that comes out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.structured.parser_decoders import Decoder, new_weights
from linnet.structured.shuffle import Numbers
from linnet.structured.trainer import Tally
from linnet.structured.treebank import Treebank, of_part

ROWS = ("keys", "starts", "classes", "w", "u")
# Far beyond any weight of a training.
LARGEST = 1e30


class ParserLearner:
    """Weights of a decoder, trained on the sentences of a treebank."""

    def __init__(self, decoder: Decoder, bank: Treebank, trained: Numbers, seed: int) -> None:
        self.decoder, self.bank, self.seed = decoder, bank, seed
        self.sentences = max(1, len(trained))
        self.presented = 0
        self.weights = new_weights(decoder.classes(len(bank.labels)))

    def train(self, order: Numbers) -> Tally:
        """A step for each of these sentences; which pass it is decides whether mistakes are followed."""
        number = self.presented // self.sentences
        bad, wrong, decisions = self.decoder.train(self.weights, self.bank, order, number, self.seed)
        self.presented += len(order)
        return Tally(len(order), bad, decisions, wrong)

    def score(self, which: Numbers) -> float:
        """The labelled attachment score of the mean weights."""
        part = of_part(self.bank, which)
        average = 1 / max(1.0, self.weights.steps)
        found = self.decoder.parse(self.weights, part.tokens, part.starts, self.bank.allowed, average)
        return float(((found.heads == part.heads) & (found.label == part.label)).mean()) if len(part.tokens) else 0.0

    def state(self) -> dict[str, NDArray[Any]]:
        counts = np.array([self.presented, self.weights.steps], dtype=np.int64)
        return {**dict(zip(ROWS, self.weights.rows(), strict=True)), "counts": counts}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        kinds = (np.uint64, np.int64, np.uint32, np.float32, np.float64, np.int64)
        for name, kind in zip((*ROWS, "counts"), kinds, strict=True):
            if state[name].dtype != kind or state[name].ndim != 1:
                raise ValueError(f"{name} is not an array of {kind.__name__}")
        if len(state["counts"]) != 2 or state["counts"].min() < 0:
            raise ValueError("the counts are wrong")
        if not (np.abs(state["w"]).max(initial=0.0) <= LARGEST and np.abs(state["u"]).max(initial=0.0) <= LARGEST**2):
            raise ValueError("a weight is too large, or not a number")
        weights = new_weights(self.weights.classes)
        weights.restore(*(state[name] for name in ROWS))
        self.weights, (self.presented, weights.steps) = weights, state["counts"].tolist()

    def means(self) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint32], NDArray[np.float32]]:
        """The mean weights that are not 0: keys, where each one's entries begin, classes, weights."""
        return self.weights.means()  # type: ignore[no-any-return]


class ParserProblem:
    """The sentences of a treebank, to be parsed by a decoder."""

    def __init__(self, decoder: Decoder, bank: Treebank, seed: int) -> None:
        self.decoder, self.bank, self.seed = decoder, bank, seed

    @property
    def examples(self) -> int:
        return len(self.bank)

    def learner(self, trained: Numbers) -> ParserLearner:
        return ParserLearner(self.decoder, self.bank, trained, self.seed)
