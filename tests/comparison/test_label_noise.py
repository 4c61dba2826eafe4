"""Estimates of label noise against labels that were flipped at a known rate."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.comparison.label_noise import confident_disagreement, noise_among_surest, noise_facts


def noisy(rng, rate, *, apart=6.0, classes=2, n=2000):
    """Gaussian classes with flipped labels, and the true posterior of the noisy labels: a perfect out-of-fold model."""
    truth = rng.integers(0, classes, n)
    X = rng.normal(size=(n, classes))
    X[np.arange(n), truth] += apart
    clean = np.exp(apart * X - apart * X.max(axis=1, keepdims=True))
    clean /= clean.sum(axis=1, keepdims=True)
    flipped = rng.random(n) < rate
    labels = np.where(flipped, (truth + rng.integers(1, classes, n)) % classes, truth)
    return (1 - rate) * clean + rate / (classes - 1) * (1 - clean), labels


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("rate", [0.0, 0.02, 0.1, 0.3])
def test_intervals_cover_the_rate_at_which_labels_were_flipped(rate, classes):
    """95 % intervals in 200 runs: fewer than 88 % would be by chance with a probability of 1 in 20,000."""
    rng = np.random.default_rng(int(1000 * rate) + classes)
    covered = {noise_among_surest: 0, confident_disagreement: 0}
    for _ in range(200):
        probabilities, labels = noisy(rng, rate, classes=classes)
        for estimate in covered:
            low, high = estimate(probabilities, labels).interval
            covered[estimate] += low <= rate <= high
    assert min(covered.values()) >= 176


def test_where_classes_overlap_only_the_surest_rows_show_that_labels_are_right():
    rng = np.random.default_rng(0)
    probabilities, labels = noisy(rng, 0.0, apart=1.5, n=5000)
    assert confident_disagreement(probabilities, labels).rate > 0.04
    assert noise_among_surest(probabilities, labels).rate < 0.01
    assert "overlap" in noise_facts("a model", probabilities, labels)[1].meaning


def test_confident_disagreement_is_the_calibrated_joint_of_the_paper():
    """Northcutt et al. 2021, equations 1 and 2, in loops."""
    rng = np.random.default_rng(4)
    probabilities, labels = noisy(rng, 0.15, apart=1.0, classes=3, n=400)
    thresholds = [probabilities[labels == j, j].mean() for j in range(3)]
    joint = np.zeros((3, 3))
    for p, label in zip(probabilities, labels, strict=True):
        above = [j for j in range(3) if p[j] >= thresholds[j]]
        if above:
            joint[label, max(above, key=lambda j: p[j])] += 1
    joint = joint / joint.sum(axis=1, keepdims=True) * np.bincount(labels)[:, np.newaxis]
    expected = 1 - np.trace(joint) / joint.sum()
    assert confident_disagreement(probabilities, labels).rate == pytest.approx(expected)


def test_classes_without_rows_do_not_matter():
    probabilities, labels = noisy(np.random.default_rng(1), 0.1)
    wider = np.column_stack([probabilities, np.zeros(len(labels))])
    assert confident_disagreement(wider, labels) == confident_disagreement(probabilities, labels)
    assert noise_among_surest(wider, labels) == noise_among_surest(probabilities, labels)
