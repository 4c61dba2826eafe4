"""One trainer for every linear model of structures: it runs the passes, and knows neither tags nor trees.

It is given a problem: examples by their numbers, and a learner of weights for them.  The learner decodes an example,
compares the best structure with the true one, and moves its weights; it keeps their mean over all steps (the averaged
perceptron). The trainer decides the order of the examples (a shuffle that depends on seed and pass alone), and the
number of passes: a tenth of the examples is held out, passes are made on the others until the held-out ones have not
improved for some passes, and then all examples are trained on, from the beginning, for the number of passes that was
best, of those that are enough for the mean of the weights to have left its beginning behind.

A setting of the problem can be chosen by the same held-out examples: passes are made with each of its other values,
and one is preferred to the first only where it is surely better (paired_scores.py), since many examples are needed to
tell them apart.  A value that is not ahead after some passes is given up.

Where examples are few, the order they come in decides much.  Then all examples are trained on in several orders, from
the beginning each time, and what is averaged is the mean weights of all of them.

A run can be stopped between blocks of examples, and resumed from its checkpoint to the same bits.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from linnet.errors import InputError, Interrupted, ModelFileError
from linnet.pipeline.services import NO_CHECKPOINT, Progress, Services
from linnet.storage import container
from linnet.storage.typed_json import from_plain, to_plain
from linnet.structured.history import History, Pass, Trial
from linnet.structured.paired_scores import Counts, lead, ratio
from linnet.structured.shuffle import Numbers, shuffled

# Examples between two looks at whether to stop.
BLOCK = 512
HELD_OUT = 0.1
MOST_HELD_OUT = 2000
FEWEST = 20
PATIENCE = 3
MOST_PASSES = 30
# A few held-out examples cannot tell an early pass from a later one, and the later mean is seldom worse; of very few
# examples, passes cost little.
FEWEST_PASSES = 8
FEWEST_PASSES_OF_FEW = 15
FEW = 2000
# A setting is chosen by no fewer held-out examples, and only a lead of this many standard errors counts.
FEWEST_TO_CHOOSE = 100
LEAD = 2.0
# Passes with another value of a setting before it can be given up.
PASSES_TO_GIVE_UP = 3
# Of fewer examples than FEWEST none is held out, and this many passes are made.
USUAL_PASSES = 10
KIND = "structured"


@dataclass(frozen=True)
class Tally:
    """What a learner got wrong while it was trained: examples, and their parts (tokens, arcs)."""

    examples: int = 0
    wrong: int = 0
    parts: int = 0
    wrong_parts: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.examples + other.examples,
            self.wrong + other.wrong,
            self.parts + other.parts,
            self.wrong_parts + other.wrong_parts,
        )


class Learner(Protocol):
    """Weights, and the examples that they are trained on."""

    def train(self, order: Numbers) -> Tally:
        """A step for each of these examples, in this order."""

    def score(self, which: Numbers) -> float:
        """How good the mean of the weights is on these examples; more is better."""

    def state(self) -> dict[str, NDArray[Any]]:
        """All that later steps depend on."""

    def restore(self, state: Mapping[str, NDArray[Any]], /) -> None:
        """Continue from a state; ValueError if it is not one."""


class ComparedLearner(Learner, Protocol):
    """One whose scores can be compared by example."""

    def counts(self, which: Numbers) -> Counts:
        """For each of these examples, what `score` is the ratio of."""


class Problem(Protocol):
    """Examples 0, 1, 2, ... with their true structures."""

    @property
    def examples(self) -> int: ...

    def learner(self, trained: Numbers) -> Learner:
        """A new learner, all of whose weights are 0, that will be trained on these examples."""


class AdjustableProblem(Problem, Protocol):
    """A problem with a setting that held-out examples can choose; its learners can be compared."""

    def adjusted(self, value: int) -> Problem:
        """The same problem with this value of the setting."""


@dataclass(frozen=True)
class Settings:
    """`passes` is None where held-out examples decide; `most_passes` and `patience` bound that.  The final training is
    made in so many `orders`.  `values` are those of the problem's setting to choose from, that of the problem itself
    first; without them nothing is chosen."""

    passes: int | None = None
    seed: int = 0
    orders: int = 1
    most_passes: int = MOST_PASSES
    patience: int = PATIENCE
    held_out: float = HELD_OUT
    values: tuple[int, ...] = ()


@dataclass(frozen=True)
class Checkpoint:
    """Where the state of a run is kept, and what a run must share with the one that it resumes."""

    path: str | None = None
    every: int | None = None
    resume: bool = False
    terms: Mapping[str, Any] = field(default_factory=dict)


def best_pass(scores: Sequence[float], fewest: int = FEWEST_PASSES) -> int:
    """The pass, from 1, after which held-out examples scored best, of those that count."""
    first = min(fewest, len(scores)) - 1
    return first + int(np.argmax(scores[first:])) + 1


class _Run:
    """A run: which phase it is in, and how far it has come; this much, and the learner's state, is a checkpoint."""

    def __init__(
        self, problem: Problem, settings: Settings, services: Services, checkpoint: Checkpoint, unit: str
    ) -> None:
        self.problem, self.settings, self.services, self.checkpoint = problem, settings, services, checkpoint
        self.unit = unit
        self.history = History(settings.seed, problem.examples, orders=settings.orders)
        self.fewest = FEWEST_PASSES_OF_FEW if problem.examples < FEW else FEWEST_PASSES
        # the learners of the orders that are done
        self.finished: list[Learner] = []
        self.done = 0
        self.tally = Tally()
        self.since = 0
        # which of the values is tried: 0 while the number of passes is searched for with the first
        self.trying = 0
        # by held-out example, after the last pass, and after the best one with the first value
        self.counts: Counts | None = None
        self.first_counts: Counts | None = None
        every = np.arange(problem.examples, dtype=np.int64)
        held = 0
        if settings.passes is None and problem.examples >= FEWEST:
            held = min(MOST_HELD_OUT, int(problem.examples * settings.held_out))
        order = shuffled(every, settings.seed, -1)
        self.held, self.kept = np.sort(order[:held]), np.sort(order[held:])
        self.history.held_out_examples = held
        self.searching = held > 0

    def fit(self) -> tuple[list[Learner], History]:
        learner = self._restored()
        if self.searching and self.trying == 0:
            self._search(learner or self.problem.learner(self.kept))
            self.trying, learner = 1, None
        if self.searching:
            self._try_others(learner)
            self.searching, learner = False, None
        history = self.history
        history.passes = history.passes or self.settings.passes or USUAL_PASSES
        every = np.arange(self.problem.examples, dtype=np.int64)
        all_passes = history.passes * history.orders
        while len(history.final) < all_passes:
            learner = learner or self._with(history.value).learner(every)
            self._pass(learner, every, history.final, f"pass {len(history.final) + 1} of {all_passes}")
            if len(history.final) % history.passes == 0:
                self.finished.append(learner)
                learner = None
        return self.finished, history

    def _search(self, learner: Learner) -> None:
        """Passes on all but the held-out examples, until these have not improved for some passes."""
        found = self.history.search
        while len(found) < self.settings.most_passes:
            self._pass(learner, self.kept, found, f"pass {len(found) + 1}, held-out")
            scores = [each.held_out or 0.0 for each in found]
            self.history.passes = best = best_pass(scores, self.fewest)
            if best == len(found):
                self.first_counts = self.counts
            enough = len(found) >= self.fewest and scores[best - 1] == 1.0
            if enough or len(found) - best >= self.settings.patience or found[-1].wrong == 0:
                break

    def _with(self, value: int | None) -> Problem:
        """The problem with this value of its setting."""
        return self.problem if value is None else cast(AdjustableProblem, self.problem).adjusted(value)

    @property
    def _choosing(self) -> bool:
        """Whether there is a choice, and enough held-out examples to make it."""
        return len(self.settings.values) > 1 and len(self.held) >= FEWEST_TO_CHOOSE

    def _try_others(self, learner: Learner | None) -> None:
        """Passes with the other values, as many as were best with the first."""
        history, values = self.history, self.settings.values
        if not self._choosing:
            return
        history.value = values[0] if history.value is None else history.value
        while self.trying < len(values):
            if len(history.trials) < self.trying:
                history.trials.append(Trial(values[self.trying]))
            self._try(learner or self._with(values[self.trying]).learner(self.kept), history.trials[-1])
            self.trying, learner = self.trying + 1, None

    def _try(self, learner: Learner, trial: Trial) -> None:
        found, history = trial.passes, self.history
        while (made := len(found)) < history.passes:
            if made >= PASSES_TO_GIVE_UP and (found[-1].held_out or 0.0) <= (history.search[made - 1].held_out or 0.0):
                return
            self._pass(
                learner, self.kept, found, f"{trial.value} instead of {self.settings.values[0]}, pass {made + 1}"
            )
        assert self.counts is not None
        assert self.first_counts is not None
        trial.lead = lead(self.counts, self.first_counts)
        if trial.lead > max([LEAD, *(each.lead or 0.0 for each in history.trials[:-1])]):
            history.value = trial.value

    def _pass(self, learner: Learner, examples: Numbers, passes: list[Pass], stage: str) -> None:
        order = shuffled(examples, self.settings.seed, len(passes))
        while self.done < len(order):
            self._perhaps_save(learner)
            block = order[self.done : self.done + BLOCK]
            self.tally += learner.train(block)
            self.done += len(block)
            self.since += len(block)
            wrong = self.tally.wrong_parts / max(1, self.tally.parts)
            self.services.report(Progress(stage, self.done, mistakes=wrong))
        held_out = self._score(learner) if self.searching else None
        tally = self.tally
        passes.append(Pass(tally.wrong, tally.examples, tally.wrong_parts, tally.parts, held_out))
        self.done, self.tally = 0, Tally()

    def _score(self, learner: Learner) -> float:
        """On held-out examples."""
        if not self._choosing:
            return learner.score(self.held)
        self.counts = cast(ComparedLearner, learner).counts(self.held)
        return ratio(self.counts)

    # -- checkpoints -------------------------------------------------------------------------------------------------

    def _perhaps_save(self, learner: Learner) -> None:
        stopped = self.services.stopped()
        every, path = self.checkpoint.every, self.checkpoint.path
        if not stopped and not (every and self.since >= every):
            return
        self.since = 0
        if path is None:
            if stopped:
                raise Interrupted(NO_CHECKPOINT)
            return
        content = {
            "kind": KIND,
            "terms": dict(self.checkpoint.terms),
            "history": to_plain(self.history),
            "searching": self.searching,
            "trying": self.trying,
            "first_counts": None if self.first_counts is None else self.first_counts.tolist(),
            "done": self.done,
            "tally": to_plain(self.tally),
        }
        states = learner.state()
        for number, finished in enumerate(self.finished):
            states |= {f"order{number}.{name}": each for name, each in finished.state().items()}
        with self.services.saving(path):
            container.write(path, "checkpoint", content, states)
        if stopped:
            raise Interrupted(f"stopped; the checkpoint is {path}: run the same command with --resume to continue")

    def _restored(self) -> Learner | None:
        """The learner of the checkpoint, with this run brought to where that was; None where there is none."""
        path = self.checkpoint.path
        if not self.checkpoint.resume or path is None or not os.path.exists(path):
            return None
        content, tensors = container.read(path, "checkpoint")
        if content.get("kind") != KIND:
            raise ModelFileError(f"{path}: is not a checkpoint of this command")
        if content.get("terms") != dict(self.checkpoint.terms):
            raise InputError(
                f"{path}: the options or the input have changed since it was written: resume with the same, or start "
                "again without --resume"
            )
        try:
            history: History = from_plain(History, content["history"], "history")
            history.check()
            self.tally = from_plain(Tally, content["tally"], "tally")
            self.searching, self.done, self.trying = content["searching"], content["done"], content["trying"]
            examples = self.kept if self.searching else np.arange(self.problem.examples, dtype=np.int64)
            if type(self.searching) is not bool or not 0 <= _whole(self.done) <= len(examples):
                raise ValueError("a count is wrong")
            self.first_counts = _counts(content["first_counts"], len(self.held))
            self._check_passes(history)
            tried = self.settings.values[self.trying] if self.searching and self.trying else history.value
            problem = self._with(tried)
            learner = problem.learner(examples)
            learner.restore(tensors)
            for number in range(0 if self.searching else len(history.final) // history.passes):
                self.finished.append(problem.learner(examples))
                prefix = f"order{number}."
                mine = {name.removeprefix(prefix): each for name, each in tensors.items() if name.startswith(prefix)}
                self.finished[-1].restore(mine)
        except (KeyError, TypeError, ValueError, ArithmeticError, IndexError) as error:
            raise ModelFileError(f"{path}: is not a checkpoint that linnet wrote: {error}") from None
        self.history = history
        return learner

    def _check_passes(self, history: History) -> None:
        """Raise ValueError where the passes of a checkpoint are not those that this run would make."""
        scores = [each.held_out or 0.0 for each in history.search]
        if self.searching and _whole(self.trying) == 0:
            sound = len(self.held) > 0 and not history.final and len(history.search) < self.settings.most_passes
            sound = sound and not history.trials and history.value is None
        elif len(self.held):
            sound = (
                bool(scores) and history.passes == best_pass(scores, self.fewest) and self._trials_are_sound(history)
            )
        else:
            sound = not history.search and history.passes == (self.settings.passes or USUAL_PASSES)
            sound = sound and not history.trials and history.value is None
        if (
            not sound
            or history.orders != self.settings.orders
            or len(history.final) >= max(1, history.passes * history.orders)
        ):
            raise ValueError("its passes are not those of this run")

    def _trials_are_sound(self, history: History) -> bool:
        """Whether a run can have tried these values, and chosen that one."""
        tried = self.trying if self.searching else len(self.settings.values) - 1
        values = self.settings.values[1 : tried + 1] if self._choosing else ()
        if [each.value for each in history.trials] != list(values):
            return False
        if any(len(each.passes) > history.passes for each in history.trials):
            return False
        if self.searching:
            under_way = self._choosing and 0 < tried < len(self.settings.values) and not history.final
            if not under_way or self.first_counts is None or len(history.trials[-1].passes) >= history.passes:
                return False
        return history.value in (self.settings.values[:1] + values if self._choosing else (None,))


def _whole(number: Any) -> int:
    if type(number) is not int:
        raise ValueError("a count is wrong")
    return number


def _counts(plain: Any, examples: int) -> Counts | None:
    """The counts of held-out examples in a checkpoint."""
    if plain is None:
        return None
    counts = np.array(plain, dtype=np.int64)
    if counts.shape != (2, examples) or int(counts.min(initial=0)) < 0:
        raise ValueError("the counts of held-out examples are wrong")
    return counts


def fit(
    problem: Problem,
    settings: Settings,
    services: Services | None = None,
    checkpoint: Checkpoint | None = None,
    unit: str = "sentences",
) -> tuple[list[Learner], History]:
    """Train; the learners with the weights of all passes, one for each order, and how it went."""
    return _Run(problem, settings, services or Services(), checkpoint or Checkpoint(), unit).fit()
