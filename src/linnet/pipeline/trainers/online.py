"""OnlineTrainer: an online learner over a stream, resumable, in one pass or several."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from linnet.data.features.schema import Task
from linnet.data.label_types import LabelKind
from linnet.data.targets import no_training_rows
from linnet.errors import InputError, RecipeError
from linnet.learners.linear import LinearModel
from linnet.learners.recipe import Averaging, Recipe, Reduction, Update
from linnet.model.model import Model
from linnet.model.record import OnlineSettings
from linnet.pipeline.decision_fit import NOTHING, Wanted
from linnet.pipeline.stream import Numbered, RowStream
from linnet.pipeline.trainers.job import HOLDOUT, Job, Outcome
from linnet.pipeline.trainers.online_outcome import decide, held_out_result, mistakes
from linnet.pipeline.trainers.online_run import OnlineRun
from linnet.pipeline.value_checks import with_text_weighting
from linnet.theory.mistake_bounds import Mistakes, has_bound
from linnet.training.duality_gap import ONLINE, Certificate

# Winnow's threshold where it is not given.  The mistake bound holds for any that stays the same; one far below d/2
# costs d/threshold mistakes, one far above it a few promotions.
STREAM_THRESHOLD = 512.0


def with_stream_threshold(recipe: Recipe, columns: int | None) -> Recipe:
    """A recipe whose threshold does not wait for the number of columns, which most streams know only at their end."""
    factors = recipe.factors
    if recipe.update is not Update.MULTIPLICATIVE or factors.balanced or factors.threshold is not None:
        return recipe
    return replace(recipe, factors=replace(factors, threshold=columns / 2 if columns else STREAM_THRESHOLD))


@dataclass
class OnlineTrainer:
    """Trains on rows in the order they are read."""

    job: Job

    def fit(self, stream: RowStream, begun: Iterator[Numbered] | None = None) -> Model:
        """Train on the stream; `begun` are its blocks where reading them has begun already."""
        passes = self.job.options.passes or 1
        stream.by_rows = True
        with closing(self._run(stream, passes)) as run:
            self.job = replace(self.job, reason=self.job.checkpoints.restore(run, stream, self.job.reason))
            if run.done_passes == 0:
                self._first_pass(run, stream, stream.numbered(run.position) if begun is None else begun)
            return self._further_passes(run, stream)

    def _run(self, stream: RowStream, passes: int) -> OnlineRun:
        """A run over the stream, its text as the learner takes it."""
        options = self.job.options
        recipe = options.winnowing.of(options.strength.of(self.job.entry)).recipe
        label_sets = stream.features.schema.labels is LabelKind.SETS
        if label_sets:
            recipe = replace(recipe, reduction=Reduction.EACH_LABEL)
        holdout = options.holdout
        if holdout is None:
            # one pass over labels is validated progressively; numbers of rows in an order are too easily predicted so,
            # and of several labels a row there is more to measure than how many rows are right
            several = passes > 1 or stream.features.task is Task.REGRESSION or label_sets
            holdout = HOLDOUT if several and recipe.averaging is not Averaging.VOTE else 0.0
        columns = stream.features.known_size if stream.columns is None else stream.columns
        return OnlineRun(
            with_text_weighting(self.job.entry, stream.features),
            with_stream_threshold(recipe, columns),
            OnlineSettings(passes, holdout, options.sets_apart),
            seed=options.seed,
            memory=options.memory,
            cache_rows=stream.services.cache_rows,
            class_weights=options.class_weights,
            keep_rows=has_bound(recipe) and not stream.source.reopenable,
        )

    def _first_pass(self, run: OnlineRun, stream: RowStream, blocks: Iterator[Numbered]) -> None:
        for made in blocks:
            run.take(made)
            self._report(run, stream, "pass 1")
            self.job.checkpoints.perhaps(run, stream, self.job.reason)
        if not run.rows:
            raise no_training_rows(run.features.schema)
        if run.several:
            run.label_index.require_enough()
        run.end_pass()

    def _further_passes(self, run: OnlineRun, stream: RowStream) -> Model:
        while not run.finished:
            while run.next_chunk():
                self._report(run, stream, f"pass {run.done_passes + 1}")
                self.job.checkpoints.perhaps(run, stream, self.job.reason)
            run.end_pass()
        return self._finished(run, stream)

    def _finished(self, run: OnlineRun, stream: RowStream) -> Model:
        """The model that the run ends in, with its record."""
        if not run.progressive.presented:
            raise InputError("no row is left to train on: every one is held out")
        linear = run.model()
        self._check_labels(run, linear)
        decided = decide(run, linear, self._wanted(run, linear, stream))
        held = held_out_result(run, linear, decided)
        certificate: Certificate | Mistakes = ONLINE
        if has_bound(run.recipe):
            certificate = mistakes(run, linear, partial(self._again, run, stream))
        return self.job.model(
            stream,
            Outcome(
                run.features,
                run.moments(),
                linear,
                replace(self.job.entry, recipe=run.recipe),
                certificate,
                decided,
                held.result,
            ),
            rows=run.rows,
            rows_held_out=held.rows,
            class_weight=self._class_weight(linear),
            online=run.settings,
            passes=run.done_passes,
            progressive=run.progressive.result(),
            held_out_losses=tuple(run.losses),
            points=run.sample(),
            sorted_by_label=run.sorted_by_label if run.classes and not run.several else None,
            like_follows_like=run.runs.are_long() if run.classes and not run.several else None,
            labels_per_row=None if run.label_sets is None else run.label_sets.per_row(run.runs.of_labels),
        )

    def _check_labels(self, run: OnlineRun, linear: LinearModel) -> None:
        if linear.classes is None:
            return
        run.label_index.require_enough()
        if self.job.options.class_weights is not None:
            self.job.options.class_weights.check(linear.classes.tolist())

    def _class_weight(self, linear: LinearModel) -> dict[str, float] | None:
        given = self.job.options.class_weights
        if given is None or linear.classes is None:
            return None
        labels = linear.classes.tolist()
        return dict(zip(map(str, labels), given.given_to(labels).tolist(), strict=True))

    def _again(self, run: OnlineRun, stream: RowStream) -> Iterator[Numbered]:
        """All blocks once more, to compute the mistake bound."""
        rows = 0
        for made in stream.again():
            yield made
            rows += made.block.rows
            stream.report("working out the mistake bound", rows)
            self.job.checkpoints.perhaps(run, stream, self.job.reason)

    def _wanted(self, run: OnlineRun, linear: LinearModel, stream: RowStream) -> Wanted:
        """How to decide, now that all labels are known; a wrong label in an option must not cost the training."""
        try:
            return NOTHING if linear.classes is None else self.job.options.wanted(linear.classes)
        except RecipeError as error:
            name = "costs" if self.job.options.priced else "threshold_for"
            raise self.job.checkpoints.despite(error, run, stream, self.job.reason, name) from None

    def _report(self, run: OnlineRun, stream: RowStream, stage: str) -> None:
        seen = run.progressive
        loss = seen.loss / seen.presented if seen.presented else None
        stream.report(stage, run.rows, loss, seen.mistakes / seen.rows if run.classes and seen.rows else None)
