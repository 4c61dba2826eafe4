"""Passive-aggressive steps of a parser's weights, beside a twin in fractions."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from linnet.kernels.parsing_steps import step_by
from linnet.kernels.parsing_weights import Weights


def step_of_twin(w, delta, loss, C):
    """The least step, up to C, after which w·Δ is the loss, as a multiple of 2^-16."""
    norm = sum(times**2 for times in delta.values())
    margin = sum(times * w[name] for name, times in delta.items())
    tau = min(Fraction(C), (loss - margin) / norm) if norm else Fraction(0)
    return Fraction(math.floor(max(tau, Fraction(0)) * 65536 + Fraction(1, 2)), 65536)


@pytest.mark.parametrize("C", [0.01, 0.3, 100.0])
def test_steps_and_means_are_those_of_a_twin_in_fractions(C):
    random = np.random.default_rng(3)
    weights, w, total = Weights(4), Counter(), Counter()
    for _ in range(200):
        count = int(random.integers(0, 30))
        keys = random.integers(1, 8, count).astype(np.uint64)
        labels = random.integers(0, 4, count).astype(np.uint32)
        times = random.choice([-1, 1], count).astype(np.int32)
        loss = float(random.integers(1, 5))
        step_by(weights, keys, labels, times, loss, C)
        weights.steps += 1.0
        delta = Counter()
        for key, label, time in zip(keys.tolist(), labels.tolist(), times.tolist(), strict=True):
            delta[key, label] += time
        tau = step_of_twin(w, delta, Fraction(loss), C)
        for name, time in delta.items():
            w[name] += tau * time
        for name, value in w.items():
            total[name] += value
    assert len(set(w.values())) > 10
    rows, starts, labels, last, _ = weights.rows()
    found = {
        (int(key), int(labels[at])): float(last[at])
        for n, key in enumerate(rows)
        for at in range(starts[n], starts[n + 1])
    }
    assert {name: value for name, value in found.items() if value} == {
        name: value for name, value in w.items() if value
    }
    rows, starts, labels, means = weights.means()
    for n, key in enumerate(rows.tolist()):
        for at in range(starts[n], starts[n + 1]):
            assert means[at] == np.float32(float(total[key, int(labels[at])] / 200))


def test_a_step_that_is_not_cut_makes_the_true_structure_win_by_the_loss():
    keys, labels = np.array([1, 2, 3, 1], dtype=np.uint64), np.array([0, 0, 1, 1], dtype=np.uint32)
    times = np.array([1, 1, -1, -1], dtype=np.int32)
    weights = Weights(2)
    step_by(weights, keys, labels, times, 2.0, 100.0)
    _, _, _, w, _ = weights.rows()
    assert np.abs(w).sum() == 2.0


def test_what_both_structures_have_does_not_move():
    keys, labels = np.array([5, 5], dtype=np.uint64), np.array([0, 0], dtype=np.uint32)
    weights = Weights(2)
    step_by(weights, keys, labels, np.array([1, -1], dtype=np.int32), 1.0, 1.0)
    assert len(weights) == 0


def test_arrays_that_do_not_fit_are_refused():
    keys, times = np.array([5], dtype=np.uint64), np.array([1], dtype=np.int32)
    with pytest.raises(ValueError, match="class"):
        step_by(Weights(2), keys, np.array([2], dtype=np.uint32), times, 1.0, 1.0)
    with pytest.raises(ValueError, match="fit"):
        step_by(Weights(2), keys, np.array([], dtype=np.uint32), times, 1.0, 1.0)
    with pytest.raises(ValueError, match="C"):
        step_by(Weights(2), keys, np.array([0], dtype=np.uint32), times, 1.0, -1.0)
