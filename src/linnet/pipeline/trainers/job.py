"""Job: what every trainer is given; and the one place where a model and its record are put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from linnet.data.features.feature_map import Features
from linnet.data.sources.source import described
from linnet.learners.entry import Entry
from linnet.learners.linear import LinearModel
from linnet.model.model import Model
from linnet.model.moments import Moments
from linnet.model.predictor import Result
from linnet.model.record import Record
from linnet.pipeline.decision_fit import Decided
from linnet.pipeline.options import TrainOptions
from linnet.pipeline.stream import RowStream
from linnet.pipeline.trainers.checkpoints import Checkpoints
from linnet.theory.mistake_bounds import Mistakes
from linnet.training.duality_gap import Certificate

HOLDOUT = 0.1


class Trainer(Protocol):
    """Rows in, a model out."""

    def fit(self, stream: RowStream) -> Model:
        """Train on all rows of the stream."""


@dataclass(frozen=True)
class Outcome:
    """What a trainer found: features, moments, weights, the learner as fitted, a proof, decisions, held-out metrics."""

    features: Features
    moments: Moments
    linear: LinearModel
    entry: Entry
    certificate: Certificate | Mistakes
    decided: Decided
    held_out: Result | None


@dataclass(frozen=True)
class Job:
    """The learner with the reason for it, the options of the run, and its checkpoints."""

    entry: Entry
    reason: str
    options: TrainOptions
    checkpoints: Checkpoints

    @property
    def holdout(self) -> float:
        """The fraction of rows that are held out."""
        return HOLDOUT if self.options.holdout is None else self.options.holdout

    def model(self, stream: RowStream, outcome: Outcome, **facts: Any) -> Model:
        """The model, with the record of the run; `facts` are the fields of the record that depend on the trainer."""
        record = Record(
            self.entry.name,
            self.reason,
            outcome.entry.recipe,
            outcome.entry.text,
            options=self.options.recorded(),
            seed=self.options.seed,
            rejected_rows=stream.rejected.count,
            notes={note.what: note.rows for note in stream.rejected.notes.values()},
            first_noted={note.what: note.first for note in stream.rejected.notes.values()},
            source=described(stream.source),
            misfits=dict(stream.rejected.findings.misfits),
            first_misfits=tuple(stream.rejected.findings.first_misfits),
            collisions=outcome.features.collisions,
            held_out=outcome.held_out,
            threshold=outcome.decided.threshold(outcome.held_out),
            **facts,
        )
        return Model(
            outcome.features,
            outcome.linear,
            record,
            outcome.certificate,
            calibration=outcome.decided.calibration,
            rule=outcome.decided.rule,
            moments=outcome.moments,
        )
