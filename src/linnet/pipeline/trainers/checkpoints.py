"""Checkpoints of a run: when they are written, what a stop says, and how a run is resumed from one."""

from __future__ import annotations

import os
from dataclasses import dataclass

from linnet.errors import InputError, Interrupted, RecipeError, option
from linnet.pipeline.options import TrainOptions
from linnet.pipeline.stream import RowStream
from linnet.pipeline.trainers import checkpoint_file as checkpoint
from linnet.pipeline.trainers.online_run import OnlineRun


@dataclass
class Checkpoints:
    """For one run; without `terms` the input cannot be read again, so there are none."""

    path: str | None
    every: int | None
    resume: bool
    terms: checkpoint.Terms | None
    written_at: int = 0

    @classmethod
    def of(cls, stream: RowStream, options: TrainOptions) -> Checkpoints:
        """Made before anything is read: a file that changes later must not pass for the one that was trained on."""
        terms = None
        if stream.source.reopenable and not stream.in_memory:
            if options.checkpoint:
                terms = checkpoint.Terms(options.decisive(), stream.source.fingerprint())
                stream.hashing = True
        elif options.checkpoint_every or options.resume:
            what = "data in memory" if stream.in_memory else "standard input"
            raise InputError(f"{what} cannot be read again, so training from it cannot be resumed: use files")
        return cls(options.checkpoint, options.checkpoint_every, options.resume, terms)

    def restore(self, run: OnlineRun, stream: RowStream, reason: str) -> str:
        """Bring the run to its checkpoint, if there is one to resume; the reason for its learner is returned."""
        if self.resume and self.path and os.path.exists(self.path):
            assert self.terms is not None
            content, tensors = checkpoint.read(self.path, self.terms)
            reason = checkpoint.restore(content, tensors, run, stream.rejected, self.path)
            self._check_content(run, stream)
            stream.features = run.features
            if any(cache is not None for cache in (run.cache, run.held_cache, run.decision_cache)):
                self._fill_caches(run, stream)
        self.written_at = run.presented
        return reason

    def _check_content(self, run: OnlineRun, stream: RowStream) -> None:
        """Read again what was read before the checkpoint: is it what the run was trained on?"""
        seen = b""
        for seen in stream.source.hashed_again(run.position):  # noqa: B007 - the last one counts
            self._check_stopped(stream)
        if seen != run.position.seen:
            raise InputError(
                f"{self.path}: the input has changed since it was written, in the part that was trained on already: "
                "resume from the same files, or start again without --resume"
            )

    def _check_stopped(self, stream: RowStream) -> None:
        if stream.services.stopped():
            raise Interrupted(f"stopped; {self.path} is unchanged: {self._how_to_resume}")

    def _fill_caches(self, run: OnlineRun, stream: RowStream) -> None:
        """Read the rows again that were read before the checkpoint."""
        rows, run.rows = run.rows, 0
        for made in stream.again():
            if run.done_passes == 0 and run.rows >= rows:
                break
            run.take(made, learning=False)
            stream.report("reading again", run.rows)
            self._check_stopped(stream)
        if run.rows != rows:
            raise InputError(f"{self.path}: the input has changed since it was written: it had {rows:,} rows by then")

    def perhaps(self, run: OnlineRun, stream: RowStream, reason: str) -> None:
        """Write a checkpoint if one is due, or if the run is asked to stop, which it then does."""
        stopped = stream.services.stopped()
        if not stopped and not (self.every and run.presented - self.written_at >= self.every):
            return
        self.written_at = run.presented
        if self.path is None or self.terms is None:
            if stopped:
                raise Interrupted("stopped; this input cannot be resumed, so there is no checkpoint")
            return
        with stream.services.saving(self.path):
            checkpoint.write(self.path, run, stream.rejected, self.terms, reason)
        if stopped:
            raise Interrupted(f"stopped after {run.rows:,} rows; the checkpoint is {self.path}: {self._how_to_resume}")

    def despite(self, error: RecipeError, run: OnlineRun, stream: RowStream, reason: str, name: str) -> RecipeError:
        """The error of an option that was found wrong at the end, and where the work done is: it is not lost."""
        if self.path is None or self.terms is None:
            return error
        checkpoint.write(self.path, run, stream.rejected, self.terms, reason)
        return RecipeError(f"{error}; the training is saved in {self.path}: correct {option(name)} and add --resume")

    @property
    def _how_to_resume(self) -> str:
        return "run the same command with --resume to continue"


NO_CHECKPOINTS = Checkpoints(None, None, False, None)
