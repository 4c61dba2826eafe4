"""Trials: fits to some of the rows, to see how they do on others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event
from types import TracebackType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.data.packed_rows import PackedRows
from linnet.data.rows import Rows, take_rows
from linnet.errors import Interrupted
from linnet.evaluation.splits import Mask
from linnet.learners.entry import Entry
from linnet.learners.linear import LinearModel
from linnet.model.predictor import Result, scorer
from linnet.pipeline import cross_fit
from linnet.pipeline.dataset import TrainingSet
from linnet.pipeline.decision_fit import Decided, Wanted
from linnet.pipeline.scaling import Scaling, measured, scaled
from linnet.pipeline.trainers.solving import Solving, fitted, of_all_features
from linnet.training.history import Pass
from linnet.training.threads import beside

Flat = NDArray[np.float64]
Say = Callable[[str], None]

# Scores of held-out rows and all classes that are worked out at once (128 MB).
SCORES_AT_ONCE = 1 << 24
# Rows that take more bytes than this are fitted to once at a time: each fit has copies of them.
BESIDE = 1 << 28


def _nothing() -> None:
    """How the held-out rows do, if there are none."""


class Without(NamedTuple):
    """The model fitted without the held-out rows, on the scale of the others."""

    model: LinearModel
    scaling: Scaling | None

    def on_scale_of(self, rows: Rows, scaling: Scaling | None) -> LinearModel | None:
        """The same model on the scale of these rows, to begin with there; only where all rows are looked at in each
        step, and few columns make that worth while."""
        if not isinstance(rows, PackedRows):
            return None
        model = of_all_features(self.model, rows)
        raw = model if self.scaling is None else self.scaling.unscaled(model)
        moved = raw if scaling is None else scaling.brought_back(raw)
        return replace(moved, weights=np.ascontiguousarray(moved.weights[rows.used]))


@dataclass(frozen=True, eq=False)
class Trials:
    """Fits to some of the rows, to see how they do on others; within `with`, maybe beside other work, and given up
    where that fails."""

    data: TrainingSet
    entry: Entry
    raw: Rows
    solving: Solving
    given_up: Event = field(default_factory=Event)

    def __enter__(self) -> Trials:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.given_up.set()

    def _watch(self, tally: Pass) -> None:
        if self.given_up.is_set():
            raise Interrupted("nobody waits for this trial any more")
        self.solving.watch(tally)

    def _fitted(self, trained_on: Mask, asked: Mask) -> tuple[Without, Rows]:
        """A model fitted to some rows, and the others on the scale of these."""
        weights = None if self.data.weights is None else self.data.weights[trained_on]
        # nothing holds these rows while others like them are fitted to: they can be all that memory has room for
        scaling = measured(self.data.features, take_rows(self.raw, np.flatnonzero(trained_on)), weights)
        rows = scaled(self.raw, scaling)
        solving = self.solving._replace(proven=False, watch=self._watch)
        model = fitted(self.data, self.entry, rows, trained_on, solving).model
        return Without(model, scaling), take_rows(rows, np.flatnonzero(asked))

    def decided_and_measured(
        self, held: Mask, wanted: Wanted, seed: int, say: Say
    ) -> tuple[Decided, Callable[[], Result | None], Without | None]:
        """Decisions fitted without the held-out rows; how these do, if there are any, and the model that was asked, if
        it is known.

        How they do is worked out meanwhile.
        """
        if wanted.needs_rows:
            say("cross-validating the scores")
            decided = cross_fit.decided(self.data, ~held, wanted, seed, self.scored)
        else:
            decided = wanted.without_rows()
        if not held.any():
            return decided, _nothing, None
        say("training on all but the held-out rows")
        return decided, *self.measured(held, decided)

    def scored(self, trained_on: Mask, asked: Mask) -> Flat:
        """The scores of some rows by a model fitted to others, as they are calibrated on."""
        (model, _), rows = self._fitted(trained_on, asked)
        return model.evidence(model.decision(rows))

    def probabilities(self, trained_on: Mask, asked: Mask) -> Flat:
        """The probabilities of all classes for some rows, by a model fitted to others."""
        (model, _), rows = self._fitted(trained_on, asked)
        return model.predict_proba(rows)

    def measured(self, held: Mask, decided: Decided) -> tuple[Callable[[], Result], Without | None]:
        """How a model fitted to the other rows does on these; and that model, if the fit to all rows can begin there.

        Where it cannot, the two fits do not need each other, and run side by side.
        """
        if self._one_core_is_free():
            return beside(lambda: self._result(*self._fitted(~held, held), held, decided)), None
        without, rows = self._fitted(~held, held)
        return beside(partial(self._result, without, rows, held, decided)), without

    def _one_core_is_free(self) -> bool:
        """Whether a fit leaves one: it is a single problem of sparse rows, and they are small enough to copy."""
        labels, raw = self.data.labels, self.raw
        several = labels is not None and len(labels) > 2 and not self.entry.sparse_classes
        if self.solving.threads == 1 or isinstance(raw, PackedRows) or several:
            return False
        return not raw.dense and raw.values.nbytes + raw.ids.nbytes <= BESIDE

    def _result(self, without: Without, rows: Rows, held: Mask, decided: Decided) -> Result:
        probable = self.data.labels is not None and self.entry.recipe.has_probabilities
        sets = None if self.data.labels is None else self.data.labels.sets
        loss = self.entry.recipe.loss
        measuring = scorer(without.model, probable, decided.calibration, decided.rule, loss, sets)
        tally = measuring.tally()
        weights = None if self.data.weights is None else self.data.weights[held]
        targets, several = self.data.targets[held], max(1, SCORES_AT_ONCE // len(without.model.intercepts))
        for first in range(0, len(targets), several):
            some = np.arange(first, min(first + several, len(targets)))
            part = rows if len(some) == len(targets) else take_rows(rows, some)
            measuring.add_result(tally, part, targets[some], None if weights is None else weights[some])
        result: Result = tally.result()
        return result
