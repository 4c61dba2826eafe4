"""Decoders written in Python: a matching and a ranking are learned, mistakes stay below the bound, the mean is the
mean."""

import itertools
import random

import numpy as np
import pytest

from linnet import StructuredPerceptron
from linnet.errors import InputError, RecipeError
from linnet.structured.perceptron import counted, difference


class Matching:
    """Give each of n people one of n jobs: x is people and jobs, as tuples of skills and needs; y is a permutation."""

    def features(self, x, y):
        people, jobs = x
        return [(skill, need) for person, job in enumerate(y) for skill in people[person] for need in jobs[job]]

    def decode(self, x, score):
        people, jobs = x
        value = [[score([(s, n) for s in person for n in job]) for job in jobs] for person in people]
        return max(self.candidates(x), key=lambda y: sum(value[person][job] for person, job in enumerate(y)))

    def candidates(self, x):
        return list(itertools.permutations(range(len(x[0]))))


class Ranking:
    """Of several items the best: x is a list of vectors, y the number of one."""

    def features(self, x, y):
        return {f"v{k}": value for k, value in enumerate(x[y])}

    def decode(self, x, score):
        return max(self.candidates(x), key=lambda y: score(self.features(x, y)))

    def candidates(self, x):
        return range(len(x))


def matchings(count, seed):
    draw = random.Random(seed)
    skills, liked = "abcdef", {"a": "u", "b": "v", "c": "w", "d": "x", "e": "y", "f": "z"}
    X, Y = [], []
    for _ in range(count):
        chosen = draw.sample(skills, 3)
        order = draw.sample(range(3), 3)
        X.append(([(each,) for each in chosen], [(liked[chosen[at]],) for at in order]))
        Y.append(tuple(order.index(person) for person in range(3)))
    return X, Y


@pytest.mark.parametrize("update", ["perceptron", "passive-aggressive"])
def test_a_matching_is_learned(update):
    model = StructuredPerceptron(Matching(), update=update).fit(*matchings(120, 1))
    assert model.score(*matchings(60, 2)) == 1.0
    assert model.history_.held_out_examples == 12
    assert model.history_.passes >= 1


def test_mistakes_are_below_the_bound_of_collins():
    for seed in range(10):
        draw = np.random.default_rng(seed)
        direction = draw.normal(size=4)
        X, Y = [], []
        while len(X) < 40:
            items = draw.normal(size=(4, 4))
            values = np.sort(items @ direction)
            if values[-1] - values[-2] > 0.3:
                X.append(items.tolist())
                Y.append(int(np.argmax(items @ direction)))
        model = StructuredPerceptron(Ranking(), passes=200, seed=seed).fit(X, Y)
        found = model.mistake_bound(X, Y)
        assert model.history_.final[-1].wrong == 0
        assert found.mistakes == sum(each.wrong for each in model.history_.final)
        assert found.mistakes <= found.bound == pytest.approx((found.radius / found.margin) ** 2)


def test_no_bound_where_there_is_none():
    X, Y = [[[1.0], [1.0]]] * 2, [0, 1]
    model = StructuredPerceptron(Ranking(), passes=3).fit(X, Y)
    assert "do not separate" in model.mistake_bound(X, Y).reason
    model = StructuredPerceptron(Ranking(), passes=3, update="passive-aggressive").fit(X, Y)
    assert "perceptron" in model.mistake_bound(X, Y).reason


def test_averaged_weights_are_the_mean_of_all_weight_vectors():
    X, Y = matchings(30, 3)
    model = StructuredPerceptron(Matching(), passes=3, seed=5).fit(X, Y)
    from linnet.structured.shuffle import shuffled

    w, total, steps = {}, {}, 0
    for number in range(3):
        for at in shuffled(np.arange(30), 5, number):
            guess = Matching().decode(X[at], lambda names: sum(w.get(name, 0) for name in names))
            if guess != Y[at]:
                for name, value in difference(
                    Matching().features(X[at], Y[at]), Matching().features(X[at], guess)
                ).items():
                    w[name] = w.get(name, 0) + value
            steps += 1
            for name, value in w.items():
                total[name] = total.get(name, 0) + value
    assert model.weights_ == pytest.approx({name: value / steps for name, value in total.items()})


def test_features_are_names_or_mappings():
    assert counted(["a", "b", "a"]) == {"a": 2.0, "b": 1.0}
    assert difference({"a": 2, "b": 1}, ["a", "c"]) == {"a": 1.0, "b": 1.0, "c": -1.0}


def test_errors():
    with pytest.raises(RecipeError, match="update is one of"):
        StructuredPerceptron(Ranking(), update="mira").fit([1], [1])
    with pytest.raises(RecipeError, match="C must"):
        StructuredPerceptron(Ranking(), C=0).fit([1], [1])
    with pytest.raises(InputError, match="3 examples and 2"):
        StructuredPerceptron(Ranking()).fit([1, 2, 3], [1, 2])
