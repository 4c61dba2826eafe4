"""Early and max-violation updates of a decoder written in Python: against a plain twin, and against the definition."""

import random

import numpy as np
import pytest

from linnet import StructuredPerceptron
from linnet.errors import RecipeError
from linnet.structured.perceptron import difference
from linnet.structured.shuffle import shuffled

TAGS = "abc"


class BeamTagger:
    """Tags of words, by a beam: x is a tuple of words, y a tuple of tags, a prefix of y its first tags."""

    def __init__(self, width):
        self.width = width

    def features(self, x, y):
        return {(t, x[t], y[t]): 1.0 for t in range(len(y))} | {
            (t, before, tag): 1.0 for t, (before, tag) in enumerate(zip(("^", *y), y, strict=False))
        }

    def _beams(self, x, score):
        beam = [()]
        for _ in x:
            longer = [(*y, tag) for y in beam for tag in TAGS]
            beam = sorted(longer, key=lambda y: -score(self.features(x, y)))[: self.width]
            yield beam

    def decode(self, x, score):
        return list(self._beams(x, score))[-1][0]

    def prefixes(self, x, y, score):
        for t, beam in enumerate(self._beams(x, score)):
            yield y[: t + 1], beam[0], y[: t + 1] in beam

    def loss(self, _, y, guess):
        return sum(a != b for a, b in zip(y, guess, strict=True))


def sentences(count, seed):
    """Words of which some can have two tags; the tag before decides."""
    draw = random.Random(seed)
    X, Y = [], []
    for _ in range(count):
        tags = tuple(draw.choice(TAGS) for _ in range(draw.randint(1, 6)))
        X.append(tuple(tag.upper() if draw.random() < 0.5 else "any" for tag in tags))
        Y.append(tags)
    return X, Y


def twin(X, Y, width, violation, C, passes, seed):
    """Weights after all steps, and their mean: lists of hypotheses with their scores, by the definitions.

    Sums are made in the order of the library's, so that ties of passive-aggressive scores are broken alike."""
    w, total, steps, used = {}, {}, 0, []

    def phi(x, y):
        found = {}
        for t, tag in enumerate(y):
            found[t, x[t], tag] = 1.0
        for t, tag in enumerate(y):
            found[t, y[t - 1] if t else "^", tag] = 1.0
        return found

    def value(x, y):
        return sum(w.get(name, 0.0) * each for name, each in phi(x, y).items())

    for number in range(passes):
        for at in shuffled(np.arange(len(X)), seed, number):
            x, y = X[at], Y[at]
            beam, history = [((), 0.0)], []
            for t in range(len(x)):
                longer = [((*tags, tag), value(x, (*tags, tag))) for tags, _ in beam for tag in TAGS]
                beam = sorted(longer, key=lambda each: -each[1])[:width]
                history.append((beam[0][0], y[: t + 1] in [tags for tags, _ in beam]))
            steps += 1
            if history[-1][0] != y:
                gaps = [value(x, found) - value(x, y[: t + 1]) for t, (found, _) in enumerate(history)]
                lost = [t for t, (_, kept) in enumerate(history) if not kept]
                if violation == "early":
                    t = lost[0] if lost else len(x) - 1
                else:
                    wrong = [t for t, (found, _) in enumerate(history) if found != y[: t + 1]]
                    t = max(wrong, key=lambda t: (gaps[t], -t))
                if gaps[t] >= 0:
                    used.append(gaps[t])
                    true, found = phi(x, y[: t + 1]), phi(x, history[t][0])
                    delta = {name: true.get(name, 0) - found.get(name, 0) for name in true | found}
                    delta = {name: each for name, each in delta.items() if each}
                    norm = sum(each * each for each in delta.values())
                    loss = sum(a != b for a, b in zip(y, history[t][0], strict=False))
                    margin = sum(w.get(name, 0.0) * each for name, each in delta.items())
                    tau = 1.0 if C is None else min(C, (loss - margin) / norm)
                    for name, each in delta.items():
                        w[name] = w.get(name, 0.0) + tau * each
            for name, each in w.items():
                total[name] = total.get(name, 0.0) + each
    return w, {name: each / steps for name, each in total.items()}, used


def same(found, wanted):
    names = {*found, *wanted}
    assert {name: found.get(name, 0.0) for name in names} == pytest.approx(
        {name: wanted.get(name, 0.0) for name in names}, abs=1e-9
    )


@pytest.mark.parametrize("violation", ["early", "max"])
@pytest.mark.parametrize("update", ["perceptron", "passive-aggressive"])
@pytest.mark.parametrize("width", [1, 2, 4])
def test_updates_of_inexact_search_are_those_of_a_plain_twin(violation, update, width):
    for seed in range(6):
        X, Y = sentences(25, seed)
        model = StructuredPerceptron(
            BeamTagger(width), update=update, C=0.5, violation=violation, passes=4, seed=seed
        ).fit(X, Y)
        last, mean, used = twin(X, Y, width, violation, None if update == "perceptron" else 0.5, 4, seed)
        assert used
        same(model.last_weights_, last)
        same(model.weights_, mean)


def test_early_and_max_violation_updates_differ_and_learn():
    X, Y = sentences(200, 5)
    scores = {}
    for violation in ("full", "early", "max"):
        model = StructuredPerceptron(BeamTagger(2), violation=violation, passes=15).fit(X, Y)
        scores[violation] = model.weights_
        assert model.score(X, Y) > 0.3
    assert scores["early"] != scores["max"] != scores["full"]


def test_weights_move_only_where_the_search_preferred_the_wrong_beginning():
    """The search of this decoder gives the worst structure: what it finds scores less than the truth, once learned."""

    class Worst(BeamTagger):
        def _beams(self, x, score):
            return super()._beams(x, lambda found: -score(found))

    X, Y = sentences(10, 1)
    w = {}
    model = StructuredPerceptron(Worst(1), violation="max", passes=6).fit(X, Y)
    for number in range(6):
        for at in shuffled(np.arange(10), 0, number):
            score = lambda found: sum(w.get(name, 0.0) * value for name, value in found.items())  # noqa: E731
            steps = list(Worst(1).prefixes(X[at], Y[at], score))
            gaps = [score(Worst(1).features(X[at], b)) - score(Worst(1).features(X[at], a)) for a, b, _ in steps]
            wrong = [t for t, (a, b, _) in enumerate(steps) if a != b]
            if steps[-1][0] == steps[-1][1] or max(gaps[t] for t in wrong) < 0:
                continue
            t = max(wrong, key=lambda t: (gaps[t], -t))
            for name, value in difference(*(Worst(1).features(X[at], each) for each in steps[t][:2])).items():
                w[name] = w.get(name, 0.0) + value
    same(model.last_weights_, w)
    assert model.mistakes_ > sum(abs(value) for value in w.values()) / 4  # most mistakes moved nothing


def test_what_cannot_be_done_is_refused():
    class Plain:
        def features(self, _, y):
            return [y]

        def decode(self, _, __):
            return 0

    with pytest.raises(RecipeError, match="prefixes"):
        StructuredPerceptron(Plain(), violation="early").fit([0], [0])
    with pytest.raises(RecipeError, match="violation is one of full, early, max"):
        StructuredPerceptron(BeamTagger(1), violation="latest").fit([()], [()])
    X, Y = sentences(5, 1)

    class Listed(BeamTagger):
        def candidates(self, x):
            return [x]

    model = StructuredPerceptron(Listed(1), violation="max", passes=1).fit(X, Y)
    assert "whole structures" in model.mistake_bound(X, Y).reason
