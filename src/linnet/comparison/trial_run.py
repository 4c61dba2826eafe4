"""TrialRun: all trials on one data set, those that were finished before taken as they are; and the reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from linnet.comparison import trial_processes, trials
from linnet.comparison.compared_data import ComparedData
from linnet.comparison.contenders import Contender
from linnet.comparison.explanation import reasons_of
from linnet.comparison.fold_view import FoldView
from linnet.comparison.out_of_fold import OutOfFold, Refit
from linnet.comparison.partial_results import PartialResults
from linnet.comparison.reasons import Reasons
from linnet.comparison.splits import Fold, Splits
from linnet.comparison.trials import Trial, TrialSettings, unpacked
from linnet.errors import Interrupted
from linnet.errors import option as spelt
from linnet.pipeline.services import NO_CHECKPOINT, Progress, Services

Flat = NDArray[np.float64]


class TrialRun:
    """All trials on one data set: fold after fold, in each of them contender after contender."""

    def __init__(
        self,
        data: ComparedData,
        contenders: Sequence[Contender],
        folds: Splits,
        settings: TrialSettings,
        kept: PartialResults,
        services: Services,
    ) -> None:
        self._data = data
        self._contenders = contenders
        self._folds = folds
        self._settings = settings
        self._kept = kept
        self._services = services
        # of the first fold in which each contender failed; later ones need not be tried
        self._failed: dict[str, int] = {}
        # of the fold at hand, with and without rare n-grams
        self._viewed = Fold(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
        self._views: dict[bool, FoldView] = {}

    def all(self, jobs: int) -> dict[str, list[Trial]]:
        """The trials of every contender, by fold; up to the first that failed, if one did."""
        for each in self._contenders:
            if reason := trials.refusal(each, self._data, self._settings):
                self._note(Trial(each.name, 0, {}, failed=reason), known=True)
        for each in self._contenders:
            for fold in range(len(self._folds)):
                if (known := self._kept.find(self._data.name, each.name, fold)) is not None:
                    self._note(known, known=True)
        self._report("")
        for trial in trial_processes.run(self._tasks(), jobs, self._services.stopped):
            self._note(trial)
            self._report(trial.contender)
        self._check_stopped()
        return {each.name: self._of(each.name) for each in self._contenders}

    def reasons(self, found: Mapping[str, Sequence[Trial]], jobs: int) -> Reasons:
        """Why contenders do as they do, by what they predicted in the first repeat, and by further fits."""
        tried = [each for each in self._contenders if not any(trial.failed for trial in found[each.name])]
        numbers = list(range(self._folds.folds))
        folds = [self._folds[number] for number in numbers]
        out_of_fold = []
        for each in tried:
            predicted = np.full(self._data.rows, np.nan)
            for number, fold in zip(numbers, folds, strict=True):
                predicted[fold.test] = unpacked(found[each.name][number].predicted)
            out_of_fold.append(OutOfFold(each.name, predicted, "" if each.yardstick else each.learner))
        in_order = folds if self._folds.held_out == 0 else folds[::-1]  # in time the last has most rows before it
        refits = partial(self._refitted, jobs=jobs)
        made = reasons_of(self._data.dataset, out_of_fold, in_order, refits, seed=self._settings.seed)
        self._check_stopped()
        return made

    def _refitted(self, asked: Sequence[Refit], *, jobs: int) -> list[Flat | None]:
        """The predictions of further fits; they are kept as trials beyond those of the folds."""
        by_name = {each.name: each for each in self._contenders}
        first = len(self._folds)
        # fits to the same rows one after another: they share a view of them
        order = sorted(range(len(asked)), key=lambda at: (len(asked[at].train), asked[at].train[:1].tolist(), at))

        def tasks() -> Iterator[trial_processes.Task]:
            for at in order:
                each, number = asked[at], first + at
                if self._kept.find(self._data.name, each.contender, number) is None:
                    work = self._work(by_name[each.contender], number, Fold(each.train, each.asked))
                    yield trial_processes.Task(each.contender, number, work)

        for done, trial in enumerate(trial_processes.run(tasks(), jobs, self._services.stopped), 1):
            self._kept.add(self._data.name, trial)
            self._services.report(Progress(f"{self._data.name}: learning curves", done, done, len(asked)))
        self._check_stopped()
        made = [self._kept.find(self._data.name, each.contender, first + at) for at, each in enumerate(asked)]
        return [None if each is None or each.failed else unpacked(each.predicted) for each in made]

    def _check_stopped(self) -> None:
        if self._services.stopped():
            raise Interrupted(self._words())

    def _of(self, name: str) -> list[Trial]:
        last = self._failed.get(name, len(self._folds) - 1)
        found = (self._kept.find(self._data.name, name, fold) for fold in range(last + 1))
        return [trial for trial in found if trial is not None]

    def _note(self, trial: Trial, *, known: bool = False) -> None:
        if trial.failed:
            self._failed[trial.contender] = min(trial.fold, self._failed.get(trial.contender, trial.fold))
        if not known or self._kept.find(self._data.name, trial.contender, trial.fold) is None:
            self._kept.add(self._data.name, trial)

    def _tasks(self) -> Iterator[trial_processes.Task]:
        for number in range(len(self._folds)):
            fold = self._folds[number]
            for each in self._contenders:
                skipped = number > self._failed.get(each.name, len(self._folds))
                if not skipped and self._kept.find(self._data.name, each.name, number) is None:
                    yield trial_processes.Task(each.name, number, self._work(each, number, fold))

    def _work(self, contender: Contender, number: int, fold: Fold) -> Callable[[], Trial]:
        view = self._view(fold, pruned=trials.view_of(contender, self._data))
        return partial(trials.run, contender, view, number, self._settings)

    def _view(self, fold: Fold, *, pruned: bool) -> FoldView:
        """The fold as contenders see it: what they share is worked out once, as long as the rows stay the same."""
        if not (np.array_equal(fold.train, self._viewed.train) and np.array_equal(fold.test, self._viewed.test)):
            self._viewed, self._views = fold, {}
        pruned = pruned and bool(self._data.features.text_features().any())
        if pruned not in self._views:
            self._views[pruned] = FoldView(self._data, fold, pruned)
            self._views[pruned].prepare()
        return self._views[pruned]

    def _report(self, contender: str) -> None:
        tried = sum(len(self._of(each.name)) for each in self._contenders)
        dropped = sum(len(self._folds) - 1 - fold for fold in self._failed.values())
        done, of_all = tried + dropped, len(self._folds) * len(self._contenders)
        stage = f"{self._data.name}: {contender}" if contender else self._data.name
        self._services.report(Progress(stage, done, done, of_all))

    def _words(self) -> str:
        if self._kept.path is None:
            return NO_CHECKPOINT
        finished = f"stopped; {len(self._kept):,} finished trials are in {self._kept.path}"
        return f"{finished}: run it again with {spelt('resume', True)}"
