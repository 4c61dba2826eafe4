"""train: from a source to a model, in memory or out of core, to the end or to a checkpoint."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np

from linnet.data.features.features import Features
from linnet.data.features.schema import Task
from linnet.data.on_error import OnError
from linnet.data.reading import Prepared, Rejected, prepared_blocks
from linnet.data.sources.arrays import Arrays
from linnet.data.sources.block import Position
from linnet.data.sources.opening import of_anything
from linnet.data.sources.source import Source
from linnet.data.targets import enough_labels, fit_to_learn, no_rows
from linnet.errors import InputError, Interrupted, OutputError, RecipeError
from linnet.learners import catalogue
from linnet.learners.catalogue import Entry, Way
from linnet.learners.linear import LinearModel
from linnet.learners.recipe import Averaging
from linnet.model.model import Model
from linnet.pipeline import checkpoint
from linnet.pipeline.batch import NARROW, train_batch
from linnet.pipeline.counting import CountingRun, features_to_count, uncounted
from linnet.pipeline.dataset import Collected, Whole
from linnet.pipeline.decision_fit import NOTHING, Wanted
from linnet.pipeline.online import OnlineRun
from linnet.pipeline.options import AUTO as AUTO
from linnet.pipeline.options import MEMORY as MEMORY
from linnet.pipeline.options import Plan as Plan
from linnet.pipeline.options import Progress as Progress
from linnet.pipeline.options import TrainOptions as TrainOptions
from linnet.pipeline.plan import features_of, learner_of, online_learner
from linnet.pipeline.row_cache import Kept
from linnet.pipeline.value_checks import unfit
from linnet.theory.mistake_bounds import has_bound
from linnet.training.counting.naive_bayes import CLOSED_FORM
from linnet.training.duality_gap import ONLINE
from linnet.training.solvers import least_squares as analytic

HOLDOUT = 0.1
# A wide regression has no closed form; these many passes at most, ended early by held-out rows.
PASSES_OF_A_WIDE_REGRESSION = 20
# An n-gram that a single row has cannot help another row.
LEAST_ROWS = 2
IN_MEMORY = ("frame", "arrays")

Watch = Callable[[Progress], None]
Tell = Callable[[Plan], None]


def _silent(_: Any) -> None:
    pass


def train(
    data: Any,
    options: TrainOptions | None = None,
    *,
    watch: Watch = _silent,
    tell: Tell = _silent,
    stopped: Callable[[], bool] = lambda: False,
) -> Model:
    """Learn a model from files, a frame, or arrays."""
    options = TrainOptions() if options is None else options
    options.check()
    options = replace(options, features=features_to_count(options.learner, options.features))
    source = of_anything(data, options.form, header=options.header)
    features, why_task = features_of(source, options)
    entry, why = learner_of(options, features.task)
    options.check_task(features.task, entry)
    tell(Plan(source.format, features.schema, features.task, why_task, entry.name if entry else AUTO, why))
    with _quarantine(options) as kept:
        run = _Run(source, features, options, Rejected(options.on_error, quarantine=kept), watch, stopped)
        if entry is not None and entry.way is Way.ONLINE:
            return run.online(entry, why)
        if entry is not None and entry.way is Way.COUNTING:
            return run.counting(entry, why)
        return run.in_memory(entry, why)


@contextmanager
def _quarantine(options: TrainOptions) -> Iterator[BinaryIO | None]:
    """The file for rows that cannot be read, if they are to be kept; a run that goes on finds what it held."""
    path = options.quarantine
    if options.on_error is not OnError.QUARANTINE or path is None:
        yield None
        return
    goes_on = options.resume and options.checkpoint and os.path.exists(options.checkpoint) and os.path.exists(path)
    try:
        with open(path, "r+b" if goes_on else "w+b") as file:
            yield file
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        raise OutputError(f"cannot write {path}: {(error.strerror or str(error)).lower()}; write elsewhere") from error


class _Run:
    """One run of train: the reading that all learners share, and the three ways of learning."""

    def __init__(
        self,
        source: Source,
        features: Features,
        options: TrainOptions,
        rejected: Rejected,
        watch: Watch,
        stopped: Callable[[], bool],
    ) -> None:
        self.source, self.features, self.options = source, features, options
        self.rejected, self.watch, self.stopped = rejected, watch, stopped
        self.threads = options.threads or os.cpu_count() or 1
        self.read = 0
        self.checkpointed = 0
        self.terms = self._checkpoint_terms()

    def _checkpoint_terms(self) -> checkpoint.Terms | None:
        """What a checkpoint of this run is bound to; None where the input cannot be read again.

        Looked at before anything is read: a file that changes later must not pass for the one that was learnt from.
        """
        if self.source.reopenable and self.source.format not in IN_MEMORY:
            return (
                checkpoint.Terms(self.options.decisive(), self.source.fingerprint())
                if self.options.checkpoint
                else None
            )
        if self.options.checkpoint_every or self.options.resume:
            what = "what is in memory already" if self.source.format in IN_MEMORY else "standard input"
            raise InputError(f"{what} cannot be read again, so training from it cannot be resumed: use files")
        return None

    def blocks(self, start: Position, rejected: Rejected) -> Iterator[Prepared]:
        """Blocks from a position on, with the rows that can be learnt from."""
        features, learner = self.features, self.options.learner
        recipe = catalogue.find("adaptive" if learner == AUTO else learner).recipe
        return prepared_blocks(
            self.source,
            start,
            features.prepare,
            rejected,
            self.threads,
            lambda block: (
                fit_to_learn(block, features.schema)
                | uncounted(learner, block, features.schema)
                | unfit(recipe, block, features.schema)
            ),
        )

    def _progress(self, stage: str, rows: int, **more: float) -> None:
        self.watch(Progress(stage, rows, self.read, self.source.size, **more))

    # -- in memory -----------------------------------------------------------------------------------------------

    def in_memory(self, entry: Entry | None, why: str) -> Model:
        """Collect all rows; where they are too many for memory, learn them online after all."""
        collected = Collected(self.features)
        blocks = self.blocks(Position(), self.rejected)
        for made in blocks:
            self.read += made.block.read
            collected.take(made)
            self._progress("reading", collected.rows)
            self._nothing_yet()
            if collected.nbytes > self.options.memory:
                if entry is not None:
                    raise RecipeError(
                        f"{entry.name} needs all rows in memory, and they take more than {_size(self.options.memory)}: "
                        "allow more (--memory), or take an online learner such as --learner adaptive"
                    )
                because = f"the rows take more than {_size(self.options.memory)}, so they are learnt as they come"
                other = online_learner(self.features.task)
                self.options.check_task(self.features.task, other)
                return self.online(other, because, collected, blocks)
        whole = replace(collected.whole(LEAST_ROWS), class_weights=self.options.class_weights)
        if whole.class_weights is not None and whole.labels is not None:
            whole.class_weights.check(whole.labels.classes.tolist())
        if entry is None:
            entry, why = self._chosen(collected.rows)
            if entry.way is Way.ONLINE:
                return self._many_passes(entry, why, whole)
        return self._in_batch(entry, why, whole)

    def _in_batch(self, entry: Entry, why: str, whole: Whole) -> Model:
        def say(stage: str) -> None:
            self._nothing_yet()
            self._progress(stage, len(whole.targets))

        result = train_batch(
            whole,
            entry,
            holdout=self._holdout(),
            seed=self.options.seed,
            threads=self.threads,
            say=say,
            watch=lambda _: self._nothing_yet(),
            wanted=NOTHING if whole.labels is None else self.options.wanted(whole.labels.classes),
            strength=self.options.strength,
        )
        summary = self._summary(entry, why) | result.facts
        summary["held_out"] = None if result.held_out is None else result.held_out.as_dict()
        summary |= result.settled.told(summary["held_out"])
        return Model(
            self.features,
            result.model,
            entry.name,
            summary,
            self.features.collisions,
            result.certificate,
            calibration=result.settled.calibration,
            rule=result.settled.rule,
        )

    def _holdout(self) -> float:
        return HOLDOUT if self.options.holdout is None else self.options.holdout

    def _nothing_yet(self) -> None:
        if self.stopped():
            raise Interrupted("stopped; nothing was learnt yet, so there is nothing to resume: run it again")

    def _chosen(self, rows: int) -> tuple[Entry, str]:
        """The learner for rows that are all in memory."""
        if self.features.task is Task.CLASSIFICATION:
            narrow = len(self.features) <= NARROW and not self.features.text_features().any()
            learner = catalogue.find("logistic-gradient" if narrow else "logistic-dual")
            return learner, "the rows fit in memory, so the best weights can be found"
        fits = (
            len(self.features) <= analytic.COLUMNS_AT_MOST or rows * len(self.features) <= analytic.DECOMPOSED_AT_MOST
        )
        if fits:
            return catalogue.find("least-squares"), "the rows fit in memory, so the best weights can be computed"
        return online_learner(self.features.task), f"{len(self.features):,} features are too many for a closed form"

    def _many_passes(self, entry: Entry, why: str, whole: Whole) -> Model:
        """Online passes over rows that are in memory already."""
        with closing(self._online_run(entry, PASSES_OF_A_WIDE_REGRESSION)) as run:
            run.places.extend(self.features.sizes)
            run.take_rows(Kept(whole.rows, whole.targets, np.empty(0) if whole.weights is None else whole.weights, 0))
            run.end_pass()
            return self._further_passes(run, entry, why)

    # -- counting ----------------------------------------------------------------------------------------------------

    def counting(self, entry: Entry, why: str) -> Model:
        """Count the rows as they come; those held out last."""
        with closing(
            CountingRun(
                self.features,
                entry,
                holdout=self._holdout(),
                seed=self.options.seed,
                memory=self.options.memory,
                alpha=self.options.strength.alpha,
                sets_apart=self.options.sets_apart,
            )
        ) as run:
            for made in self.blocks(Position(), self.rejected):
                self.read += made.block.read
                run.take(made)
                self._progress("reading", run.rows)
                self._nothing_yet()
            if not run.rows:
                raise no_rows()
            settled = run.settled(self.options.wanted(run.classes))
            result = run.result(settled)
            linear = run.model()
        summary = self._summary(entry, why) | {
            "rows": run.rows,
            "rows_held_out": 0 if result is None else run.rows_held_out,
            "held_out": None if result is None else result.as_dict(),
        }
        summary |= settled.told(summary["held_out"])
        return Model(
            self.features,
            linear,
            entry.name,
            summary,
            self.features.collisions,
            CLOSED_FORM,
            calibration=settled.calibration,
            rule=settled.rule,
        )

    # -- online ------------------------------------------------------------------------------------------------------

    def _online_run(self, entry: Entry, passes: int) -> OnlineRun:
        entry = self.options.winnowing.of(self.options.strength.of(entry))
        holdout = self.options.holdout
        if holdout is None:
            holdout = HOLDOUT if passes > 1 and entry.recipe.averaging is not Averaging.VOTE else 0.0
        return OnlineRun(
            self.features,
            entry.recipe,
            passes=passes,
            holdout=holdout,
            seed=self.options.seed,
            memory=self.options.memory,
            sets_apart=self.options.sets_apart,
            class_weights=self.options.class_weights,
            columns=self.source.columns if isinstance(self.source, Arrays) else self.features.known_size,
        )

    def online(
        self, entry: Entry, why: str, collected: Collected | None = None, blocks: Iterator[Prepared] | None = None
    ) -> Model:
        """Learn as the rows come; collected ones first."""
        with closing(self._online_run(entry, self.options.passes or 1)) as run:
            if run.holdout and run.cache is None:
                raise RecipeError(
                    "one pass validates itself, each row before it is learnt: --holdout needs --passes 2 or more"
                )
            why = self._resumed(run, why)
            self.checkpointed = run.presented
            if collected is not None:
                for block, pieces in collected.replay():
                    run.take_pieces(block, pieces)
                run.position = collected.position
            if run.done_passes == 0:
                self._first_pass(run, why, self.blocks(run.position, self.rejected) if blocks is None else blocks)
            return self._further_passes(run, entry, why)

    def _first_pass(self, run: OnlineRun, why: str, blocks: Iterator[Prepared]) -> None:
        for made in blocks:
            self.read += made.block.read
            run.take(made)
            self._watched(run, "pass 1")
            self._perhaps_checkpoint(run, why)
        if not run.rows:
            raise no_rows()
        run.end_pass()

    def _further_passes(self, run: OnlineRun, entry: Entry, why: str) -> Model:
        while not run.finished:
            while run.next_chunk():
                self._watched(run, f"pass {run.done_passes + 1}")
                self._perhaps_checkpoint(run, why)
            run.end_pass()
        return self._finished(run, entry, why)

    def _finished(self, run: OnlineRun, entry: Entry, why: str) -> Model:
        """The model a run ends in, with what was seen on the way."""
        self.features = run.features
        seen = run.progressive
        if not seen.rows:
            raise InputError("no row is left to learn from: every one is held out or has the weight 0")
        linear = run.model()
        if linear.classes is not None:
            enough_labels(list(run.seen.labels), [float(code in run.weighed) for code in range(len(run.seen.labels))])
            if self.options.class_weights is not None:
                self.options.class_weights.check(linear.classes.tolist())
        settled = run.settled(linear, self._wanted_in_the_end(run, linear, why))
        result = run.held_out_result(linear, settled)[1] if run.holdout and run.cache is not None else None
        summary = self._summary(entry, why) | {
            "rows": run.rows,
            "passes": run.done_passes,
            "progressive": {"rows": seen.rows, "mistakes": seen.mistakes} if run.classes else {"rows": seen.rows},
            "held_out": None if result is None else result.as_dict(),
        }
        summary |= settled.told(summary["held_out"])
        if run.classes:
            summary["sorted_by_label"] = run.sorted_by_label
        if self.options.class_weights is not None and linear.classes is not None:
            labels = linear.classes.tolist()
            each = self.options.class_weights.given_to(labels).tolist()
            summary["class_weight"] = dict(zip(map(str, labels), each, strict=True))
        if has_bound(run.recipe):
            summary["run"] = run.terms()
        return Model(
            run.features,
            linear,
            entry.name,
            summary,
            run.features.collisions,
            run.mistakes(linear, self._reading_again(run, why)) if has_bound(run.recipe) else ONLINE,
            self.options.checkpoint,
            calibration=settled.calibration,
            rule=settled.rule,
        )

    def _reading_again(self, run: OnlineRun, why: str) -> Callable[[], Iterator[Prepared]] | None:
        """How to go once more through what was learnt from, where that can be: to see what it proves."""
        if not self.source.reopenable:
            return None

        def blocks() -> Iterator[Prepared]:
            rows = 0
            for made in self.blocks(Position(), Rejected(OnError.SKIP)):
                yield made
                rows += made.block.rows
                self._progress("proving", rows)
                self._perhaps_checkpoint(run, why)

        return blocks

    def _wanted_in_the_end(self, run: OnlineRun, linear: LinearModel, why: str) -> Wanted:
        """How to decide, now that all labels are known; a slip in naming them must not cost what was learnt."""
        try:
            return NOTHING if linear.classes is None else self.options.wanted(linear.classes)
        except RecipeError as error:
            if self.options.checkpoint is None or self.terms is None:
                raise
            checkpoint.write(self.options.checkpoint, run, self.rejected, self.terms, why)
            what = "the costs" if self.options.priced else "--threshold-for"
            raise RecipeError(f"{error}; what was learnt is kept: mend {what} and add --resume") from None

    def _watched(self, run: OnlineRun, stage: str) -> None:
        seen = run.progressive
        more = {"loss": seen.loss / seen.rows} if seen.rows else {}
        if run.classes and seen.rows:
            more["mistakes"] = seen.mistakes / seen.rows
        self._progress(stage, run.rows, **more)

    # -- stopping and going on ---------------------------------------------------------------------------------------

    def _resumed(self, run: OnlineRun, why: str) -> str:
        """Bring the run to its checkpoint, if it is to go on from one; why its learner was chosen comes back."""
        path = self.options.checkpoint
        if not (self.options.resume and path and os.path.exists(path)):
            return why
        assert self.terms is not None
        content, tensors = checkpoint.read(path, self.terms)
        why = checkpoint.restore(content, tensors, run, self.rejected, path)
        self.features = run.features
        if run.cache is not None or run.apart is not None:
            self._read_again(run, path)
        return why

    def _read_again(self, run: OnlineRun, path: str) -> None:
        """Fill the caches with the rows that were read before the checkpoint."""
        rows, run.rows = run.rows, 0
        for made in self.blocks(Position(), Rejected(OnError.SKIP)):
            if run.done_passes == 0 and run.rows >= rows:
                break
            run.take(made, learning=False)
            self._progress("reading again what was learnt", run.rows)
            if self.stopped():
                raise Interrupted(f"stopped; {path} is as it was: the same command with --resume goes on from it")
        if run.rows != rows:
            raise InputError(f"{path}: the input has changed since it was written: it had {rows:,} rows by then")

    def _perhaps_checkpoint(self, run: OnlineRun, why: str) -> None:
        stopped = self.stopped()
        every = self.options.checkpoint_every
        if not stopped and not (every and run.presented - self.checkpointed >= every):
            return
        self.checkpointed = run.presented
        path = self.options.checkpoint
        if path is None or self.terms is None:
            if stopped:
                raise Interrupted("stopped; this input cannot be resumed, so nothing was kept")
            return
        checkpoint.write(path, run, self.rejected, self.terms, why)
        if stopped:
            raise Interrupted(
                f"stopped after {run.rows:,} rows; {path} has what was learnt: the same command with --resume goes on"
            )

    def _summary(self, entry: Entry, why: str) -> dict[str, Any]:
        return {
            "format": "numbered" if self.features.is_numbered else "columns",
            "learner": entry.name,
            "why": why,
            "seed": self.options.seed,
            "rejected_rows": self.rejected.count,
            "features": len(self.features),
        }


def _size(count: int) -> str:
    for unit, name in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB")):
        if count >= unit:
            return f"{count / unit:g} {name}"
    return f"{count} bytes"
