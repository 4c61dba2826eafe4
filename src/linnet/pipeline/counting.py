"""Counting a stream: one read of the rows, whose sums by class give the model in closed form.

Some rows are held out as they come.  The model of all others is measured on them, and then they are counted, too: sums
can be added to, so that nothing is learnt twice.  All rows that are held out are counted last, in their order; the
outcome depends on the rows and the options alone, not on blocks, files or threads.

Where probabilities are calibrated, or a threshold is chosen, further rows are set apart: both follow the scores that
the model of all others gives them, before they are counted as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.features.features import FeatureOptions, Features, Places, assembled
from linnet.data.features.schema import Role, Schema
from linnet.data.features.terms import Damping
from linnet.data.labels import Labels
from linnet.data.reading import Prepared
from linnet.data.rows import Examples, Rows
from linnet.data.sources.block import Block, Numbers
from linnet.data.targets import Seen, enough_labels, few_labels, row_weights
from linnet.errors import InputError
from linnet.learners.catalogue import Entry
from linnet.learners.linear import LinearModel
from linnet.model.predictor import Result, scorer
from linnet.pipeline.decision_fit import Settled, Wanted
from linnet.pipeline.online import CALIBRATED_ON, CALIBRATION_STREAM, held_out
from linnet.pipeline.row_cache import Cache, Kept
from linnet.training.counting.discriminant_analysis import Discriminant
from linnet.training.counting.gaussian import SharedGaussian
from linnet.training.counting.naive_bayes import Bernoulli, Counting, Multinomial

# Fewer held-out rows than this tell nothing.
ENOUGH_HELD_OUT = 20
# The largest table of features by classes (2 GB).
LARGEST = 1 << 28

_KINDS: dict[str, Callable[..., Counting]] = {
    "naive-bayes": Multinomial,
    "naive-bayes-bernoulli": Bernoulli,
    "naive-bayes-gaussian": SharedGaussian,
    "discriminant-analysis": Discriminant,
}


def features_to_count(learner: str, options: FeatureOptions) -> FeatureOptions:
    """Text as the learner takes it: naive Bayes counts words as they come (or once a row, if asked), nothing scaled;
    Winnow takes a word as there or not."""
    if learner == "naive-bayes":
        damping = Damping.BINARY if options.text.damping is Damping.BINARY else Damping.COUNT
    elif learner in ("naive-bayes-bernoulli", "winnow", "winnow1", "winnow2"):
        damping = Damping.BINARY
    else:
        return options
    return replace(options, text=replace(options.text, damping=damping, unit_length=False))


# What a learner cannot count, and what is wrong with it.
_WRONG: dict[str, tuple[Callable[[NDArray[Any]], NDArray[np.bool_]], str]] = {
    "naive-bayes": (lambda x: x < 0, "is negative, and naive Bayes counts what is there"),
    "naive-bayes-bernoulli": (lambda x: (x != 0) & (x != 1) & ~np.isnan(x), "is neither 0 nor 1"),
}


def uncounted(learner: str, block: Block, schema: Schema) -> dict[int, str]:
    """The rows of a block that the learner cannot count, each with the reason and the remedy."""
    if learner not in _WRONG:
        return {}
    wrong, what = _WRONG[learner]
    if block.sparse is not None:
        places = [block.sparse.place(at) for at in np.flatnonzero(wrong(block.sparse.values)).tolist()]
        reason = f"{what}: take --learner naive-bayes-gaussian"
        return {row: f"the value of column {column} {reason}" for row, column in reversed(places)}
    reasons: dict[int, str] = {}
    for name in schema.having(Role.NUMBER):
        column = block.columns[name]
        assert isinstance(column, Numbers)
        reason = f"{name} {what}: take --learner naive-bayes-gaussian, or make it a category (--column {name}:category)"
        reasons |= dict.fromkeys(np.flatnonzero(wrong(column.values)).tolist(), reason)
    return reasons


class CountingRun:
    """A model being counted from a stream."""

    def __init__(
        self,
        features: Features,
        entry: Entry,
        *,
        holdout: float,
        seed: int,
        memory: int,
        alpha: float | None = None,
        sets_apart: bool = False,
    ) -> None:
        self.features = features
        self.entry = entry
        self.holdout = holdout
        self.seed = seed
        self.places = Places(len(features.terms))
        self.seen = Seen()
        smoothing = {} if alpha is None else {"alpha": alpha}
        self.training = _KINDS[entry.name](0, Labels(), **smoothing)
        self.kept = Cache(memory)
        self.apart = Cache(memory) if sets_apart else None
        self.rows = 0
        self.rows_held_out = 0
        self.weights: NDArray[np.float64] = np.zeros(0)

    def close(self) -> None:
        for cache in self._caches():
            cache.close()

    def _caches(self) -> list[Cache]:
        """The rows that are counted last."""
        return [self.kept] if self.apart is None else [self.kept, self.apart]

    def take(self, made: Prepared) -> None:
        """Count the next block, but for the rows held out."""
        block, schema = made.block, self.features.schema
        if not block.rows:
            return
        pieces = self.features.number(block, made.work, frozen=False)
        self.places.extend(self.features.sizes)
        targets = self.seen.numbers(block, schema).astype(np.float64)
        self._check_size()
        given = row_weights(block, schema)
        rows = assembled(self.features.weighed(pieces), self.places)
        kept = Kept(rows, targets, np.empty(0) if given is None else given, self.rows)
        self.rows += block.rows
        later = np.zeros(block.rows, dtype=bool)
        if self.holdout:
            later = held_out(kept.first, block.rows, self.holdout, self.seed)
            self.kept.append(kept.at(np.flatnonzero(later)))
            self.rows_held_out += int(later.sum())
        if self.apart is not None:
            apart = held_out(kept.first, block.rows, CALIBRATED_ON, self.seed, CALIBRATION_STREAM) & ~later
            self.apart.append(kept.at(np.flatnonzero(apart)))
            later |= apart
        if later.any():
            kept = replace(kept, weights=np.where(later, 0.0, 1.0 if given is None else given))
        self._count(kept)

    def _check_size(self) -> None:
        if self.places.size * len(self.seen.labels) > LARGEST:
            raise InputError(
                f"{len(self.seen.labels):,} labels by {self.places.size:,} features are too many to count: is "
                f"{self.features.schema.target or 'the target'} the right column? (--target, --hash-bits)"
            )

    def _count(self, kept: Kept) -> None:
        weights = kept.weights if len(kept.weights) else None
        classes = len(self.seen.labels)
        self.weights = np.pad(self.weights, (0, classes - len(self.weights)))
        self.weights += np.bincount(kept.targets.astype(np.int64), weights, minlength=classes)
        labels = Labels(list(self.seen.labels))
        rows = replace(kept.rows, shape=(kept.rows.shape[0], self.places.size))
        self.training.take(Examples(rows, self._codes(labels)[kept.targets.astype(np.int64)], weights), labels)

    def _codes(self, labels: Labels) -> NDArray[np.float64]:
        """The code of each label by its number of appearance."""
        return labels.encode(np.array(list(self.seen.labels)))

    @property
    def classes(self) -> NDArray[Any]:
        """The labels met, sorted."""
        return Labels(list(self.seen.labels)).classes

    def result(self, settled: Settled) -> Result | None:
        """How the model of the rows so far does on those held out; None where that tells nothing."""
        if self.rows_held_out < ENOUGH_HELD_OUT or not (self.weights > 0).all():
            return None
        measuring = scorer(self._placed(), True, settled.calibration, settled.rule)
        tally = measuring.tally()
        for kept in self.kept:
            measuring.add_result(tally, *self._for_model(kept))
        result: Result = tally.result()
        return result

    def settled(self, wanted: Wanted) -> Settled:
        """What the scores settle that the model of the rows so far gives those set apart."""
        if not wanted.needs_rows:
            return wanted.without_rows()
        assert self.apart is not None
        enough_labels(list(self.seen.labels))
        if not (self.weights > 0).all():
            raise InputError(f"a label has too few rows to set some apart {wanted.purpose}: {wanted.remedy}")
        model = self._placed()
        asked = [(*self._for_model(kept), kept.weights) for kept in self.apart]
        if not asked:
            raise InputError(f"there are too few rows to set some apart {wanted.purpose}: {wanted.remedy}")
        scores = np.concatenate([model.evidence(model.decision(rows)) for rows, _, _ in asked])
        weights = np.concatenate([each for _, _, each in asked])
        truth = np.concatenate([codes for _, codes, _ in asked])
        return wanted.settled(scores, truth, weights if len(weights) else None)

    def _placed(self) -> LinearModel:
        """The model of the rows so far, its features as they are placed in the rows here."""
        model = self._model()
        placed = np.empty_like(model.weights)
        placed[np.concatenate(self.places.of_term)] = model.weights
        return replace(model, weights=placed)

    def _for_model(self, kept: Kept) -> tuple[Rows, NDArray[np.float64]]:
        """Kept rows as wide as they are by now, and the codes of their labels."""
        rows = replace(kept.rows, shape=(len(kept.targets), self.places.size))
        return rows, self._codes(self.training.labels)[kept.targets.astype(np.int64)]

    def model(self) -> LinearModel:
        """The model of all rows, its features term after term."""
        for cache in self._caches():
            for kept in cache:
                self._count(kept)
        labels = self.training.labels
        few_labels(self.rows, len(labels), self.features.schema)
        if not (self.weights > 0).any():
            raise InputError("no row is left to learn from: every one has the weight 0")
        enough_labels(list(self.seen.labels), self.weights)
        return self._model()

    def _model(self) -> LinearModel:
        return self.training.arranged(np.concatenate(self.places.of_term)).model()
